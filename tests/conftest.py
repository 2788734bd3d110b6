"""Options of the test suite.

Tests marked ``all`` need a browser, MPI, Slurm or Dask, or take more than two seconds; ``--all`` runs them.
Those marked ``nightly`` repeat published results and drills, minutes each; ``--nightly`` runs everything.
Otherwise they are deselected, so that a skip keeps meaning that something is missing.
"""

import contextlib
import gc
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

# The same cases each time, so that nothing fails by chance or because a machine is busy.
# ``--nightly`` tries more of them, ``--hypothesis-profile search`` others each time.
settings.register_profile("suite", derandomize=True, deadline=None, database=None, max_examples=25)
settings.register_profile("nightly", settings.get_profile("suite"), max_examples=150)
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run the tests marked all")
    parser.addoption("--nightly", action="store_true", help="run all tests")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--nightly"):
        settings.load_profile("nightly")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage, and look more rarely after that."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--nightly") or config.getoption("-m"):
        return
    above = {"nightly"} if config.getoption("--all") else {"all", "nightly"}
    left_out = {item for item in items if any(mark.name in above for mark in item.iter_markers())}
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name bytes by their place among the parameters: what is in them, as gzip's, may hold the time."""
    return argname if isinstance(val, bytes | bytearray) else None


@pytest.fixture(autouse=True)
def plugins_of_each_test() -> Iterator[None]:
    """Let the plug-ins that a test loads end with it."""
    yield
    if (loaded := sys.modules.get("netplace.plugins")) is not None:
        loaded.unload_plugins()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let processes that a test starts hear Ctrl-C, even if those of a background job of a shell do not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a plug-in with some text, loads it, and returns its path."""
    from netplace.plugins import load_plugin

    def load(text: str, name: str = "mine.py") -> Path:
        (tmp_path / name).write_text(text)
        load_plugin(tmp_path / name)
        return tmp_path / name

    return load


@pytest.fixture
def add() -> Iterator[Callable[[Any, str, Any], None]]:
    """Return a function that adds a rule to a registry, until the test ends."""
    added = []

    def add_until_the_end(registry: Any, name: str, entry: Any) -> None:
        registry.add(name, entry)
        added.append((registry, name))

    yield add_until_the_end
    for registry, name in added:
        registry._remove(name)


@pytest.fixture(params=["kernel", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Return the name of an engine: what both do alike is tested on each."""
    return str(request.param)


@pytest.fixture
def netplace(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs the command line in this process, as wide as a wide terminal."""
    from netplace.cli import app

    monkeypatch.setenv("COLUMNS", "160")

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


SKETCHES = {
    ".png": b"\x89PNG\r\n\x1a\n",
    ".pdf": b"%PDF-1.4\n",
    ".svg": b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>\n",
}


@pytest.fixture(scope="session")
def unpainted(request: pytest.FixtureRequest) -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Return a context without painting, which takes most of the time of a command that draws."""

    def save(drawing: Any, target: Any, **options: Any) -> None:
        if "format" in options:
            target.write(SKETCHES[f".{options['format']}"].decode())
        else:
            Path(target).write_bytes(SKETCHES[Path(target).suffix.lower()])

    @contextlib.contextmanager
    def context() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            if not request.config.getoption("--nightly"):
                patch.setattr("matplotlib.figure.Figure.savefig", save)
            yield

    return context


@pytest.fixture
def sketches(
    request: pytest.FixtureRequest, unpainted: Callable[[], contextlib.AbstractContextManager[None]]
) -> Iterator[None]:
    """Paint no pictures, unless the test looks at them; ``--nightly`` paints them all."""
    with contextlib.nullcontext() if request.node.get_closest_marker("pictures") else unpainted():
        yield


@pytest.fixture(scope="module")
def short_trace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the traces of IS and LU of class W be those of class S, whose messages are a sixteenth."""
    from netplace.apps import bundled

    folder = shutil.copytree(bundled._FOLDER, tmp_path_factory.mktemp("traces"), dirs_exist_ok=True)
    recorded = Path(__file__).parent / "apps" / "npb" / "recorded"
    for name in ("IS", "LU"):
        shutil.copy(recorded / f"{name.lower()}.S.16.trace.gz", folder / f"{name}.W.16.trace.gz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundled, "_FOLDER", folder)
        yield
