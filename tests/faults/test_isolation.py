"""No command, nor a process that it starts, imports what lies in the working folder or beside a trace."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from samples import write_samples

# Modules that Python, libraries or netplace look for, and files of settings that libraries would read.
MODULES = sorted(
    {name for name in sys.stdlib_module_names if not name.startswith("_")}
    | {
        *("numpy", "scipy", "pandas", "pyarrow", "msgspec", "otf2", "matplotlib", "rich", "click"),
        *("rich_click", "simpy", "networkx", "distributed", "dask", "yaml", "sitecustomize", "usercustomize"),
        *("mpi4py", "netplace_plugin", "_netplace"),
    }
)
BACKEND = "backend: module://evil\naxes.facecolor: black\nsavefig.facecolor: red\n"
COMMANDS = {
    "trace": "trace info otf2/traces.otf2",
    "run": "run --network torus:4x4 --app butterfly --mapping random --seeds 2 --workers 2 -o new.json",
    "table": "table sweep.toml --workers 2 --store new.sqlite --csv new.csv",
    "schedule": "schedule study.toml --workers 1 --store new.sqlite -o new",
    "record": "record -n 2 -o new.trace -- ./program",
}


def write_otf2(folder):
    """Write an archive of one rank, which enters a barrier and leaves it."""
    otf2 = pytest.importorskip("otf2", reason="OTF2 is read with its library")
    with otf2.writer.open(str(folder), timer_resolution=1_000_000) as trace:
        known = trace.definitions
        region = known.region("MPI_Barrier", paradigm=otf2.Paradigm.MPI)
        machine = known.location_group("0", system_tree_parent=known.system_tree_node("machine"))
        rank = known.location("main", group=machine)
        mpi = {"paradigm": otf2.Paradigm.MPI, "group_type": otf2.GroupType.COMM_LOCATIONS}
        known.group("ranks", members=[rank], **mpi)
        writer = trace.event_writer_from_location(rank)
        writer.enter(10, region)
        writer.leave(14, region)


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory):
    """Return a folder of good files among modules that leave a file when they are imported."""
    folder = tmp_path_factory.mktemp("poisoned")
    write_samples(folder)
    write_otf2(folder / "otf2")
    poison = f"open({str(folder / 'RAN')!r}, 'a').write(__name__ + ' ')\nraise SystemExit(99)\n"
    for place in (folder, folder / "otf2"):
        for name in MODULES:
            (place / f"{name}.py").write_text(poison)
        (place / "matplotlibrc").write_text(BACKEND)
        evil = place / "evil-1.0.dist-info"
        evil.mkdir()
        (evil / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
        (evil / "entry_points.txt").write_text("[netplace.commands]\nevil = evil:run\n")
        (place / "evil.py").write_text(poison)
    return folder


BEGINNINGS = [*((name, "script") for name in COMMANDS), ("trace", "module")]


@pytest.mark.parametrize(
    ("name", "begin"),
    [pytest.param(*one, marks=() if one == ("run", "script") else pytest.mark.all) for one in BEGINNINGS],
)
def test_no_module_of_the_folder_is_imported(poisoned, tmp_path, name, begin):
    script = Path(sys.executable).with_name("netplace")
    if begin == "script" and not script.exists():
        pytest.skip("netplace is not installed as a command")
    shutil.copytree(poisoned, tmp_path / "here", copy_function=os.link)
    if begin == "module":  # what Python loads by itself, before netplace begins, is found where it looks
        ask = [sys.executable, "-I", "-S", "-c", "import runpy, sys; print(*sys.modules)"]
        for own in subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split():
            (tmp_path / "here" / f"{own}.py").unlink(missing_ok=True)
    start = [str(script)] if begin == "script" else [sys.executable, "-m", "netplace"]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV"))}
    done = subprocess.run(
        [*start, *COMMANDS[name].split()], cwd=tmp_path / "here", env=kept, capture_output=True, text=True
    )
    ran = poisoned / "RAN"
    said = ran.read_text() if ran.exists() else ""
    ran.unlink(missing_ok=True)
    assert said == ""
    assert done.returncode == (2 if name == "record" else 0), done.stderr[-600:]
    assert "evil" not in done.stdout + done.stderr


@pytest.mark.all
def test_settings_of_libraries_here_are_not_those_of_pictures(tmp_path):
    (tmp_path / "matplotlibrc").write_text(BACKEND)
    code = (
        "from netplace.report.plots import write_figure\n"
        "from netplace.report.plots.figure import Figure, Curve, Panel\n"
        "write_figure('a.svg', Figure(title='t', panels=[Panel(marks=[Curve(x=[0, 1], y=[0, 1])])]))"
    )
    for folder in (tmp_path, tmp_path / "other"):
        folder.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-P", "-c", code], cwd=folder, check=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "other" / "a.svg").read_bytes()
