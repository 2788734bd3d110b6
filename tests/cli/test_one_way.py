"""The way from the shell to the engine is short: few frames for a single plan, few calls for a warm run."""

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
