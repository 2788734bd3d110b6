"""The way from the shell to the engine is short: few frames, few calls, no import that is not used."""

import subprocess
import sys
from pathlib import Path

import pytest

import netplace.netsim
from netplace.netsim.kernel_engine import KernelEngine
from netplace.runs.execute import run_simulation
from netplace.runs.resolve import resolve

ROOT = Path(netplace.netsim.__file__).parents[1]
OTHERS = (str(ROOT / ".venv"), str(ROOT / "tests"))
RUN = ("run", "--network", "torus:4x4", "--app", "bt", "--class", "S")
MAP = ("map", *RUN[1:], "--mapping", "best")


def ours(frame) -> list[str]:
    """Return the functions of the product on the stack."""
    names = []
    while frame:
        file = frame.f_code.co_filename
        if file.startswith(str(ROOT)) and not file.startswith(OTHERS):
            names.append(f"{file}:{frame.f_code.co_name}")
        frame = frame.f_back
    return names


@pytest.mark.all
@pytest.mark.parametrize(("words", "most"), [(RUN, 10), (MAP, 11)], ids=["run", "map"])
def test_few_frames_between_the_shell_and_the_engine(netplace, monkeypatch, words, most):
    run, ways = KernelEngine.run, []

    def counted(self, *until):
        ways.append([f"{KernelEngine.__name__}.run", *ours(sys._getframe(1))])
        return run(self, *until)

    monkeypatch.setattr(KernelEngine, "run", counted)
    assert netplace(*words).exit_code == 0
    assert ways
    assert len(max(ways, key=len)) <= most, "\n".join(max(ways, key=len))


def test_a_warm_run_of_16_tasks_makes_few_calls():
    def once():
        run_simulation(resolve("torus:4x4", {"app": "bt", "class": "S"}))

    calls = []
    once()
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code) if event == "call" else None)
    try:
        once()
    finally:
        sys.setprofile(None)
    assert len(calls) < 2000, f"{len(calls)} calls"


SCRIPT = """
import contextlib, io, sys
from netplace.cli import app

with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(sys.argv[1].split())
print(*sys.modules)
"""
SMALL = "run --network torus:4x4 --app 2d-torus --packets 1"
FIGURES = [
    "matplotlib", "networkx", "pandas", "pyarrow", "scipy", "distributed", "netplace.report.plots.figure",
]  # fmt: skip
PLAIN = [*FIGURES, "multiprocessing", "netplace.cosim", "netplace.netsim.reference", "sqlite3", "yaml"]
RUN_ALONE = [
    *PLAIN, "concurrent.futures", "importlib.metadata", "netplace.apps.collectives", "netplace.apps.npb",
    "netplace.apps.training", "netplace.scheduling", "numpy.ma", "rich.progress", "statistics", "xml.etree",
]  # fmt: skip
LOAD = "load --network torus:4x4 --offered 0.1 --warmup 10 --measure 10"
SCHEDULE = "schedule --machine torus:8x8 --workload lublin --jobs 100"


@pytest.mark.parametrize(
    ("command", "most", "left_out"),
    [
        ("--version", 210, ["numpy", "rich.table", "netplace.inputs"]),
        (
            "--help",
            350,
            ["numpy", "netplace.netsim", "netplace.apps", "netplace.topologies", "netplace.runs"],
        ),
        (SMALL, 520, RUN_ALONE),
        pytest.param(
            f"{SMALL} -o folder",
            1030,
            ["netplace.cosim", "pandas", "scipy.stats", "networkx"],
            marks=pytest.mark.all,
        ),
        (LOAD, 540, [*PLAIN, "netplace.scheduling", "numpy.ma"]),
        (SCHEDULE, 720, [name for name in PLAIN if name != "sqlite3"]),
    ],
)
def test_a_command_imports_only_what_it_uses(command, most, left_out, tmp_path):
    words = [sys.executable, "-c", SCRIPT, command]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    imported = ran.stdout.split()
    assert not set(left_out) & set(imported)
    assert len(imported) <= most
