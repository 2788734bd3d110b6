"""Files are written whole, by one function; drafts of killed runs go, and no folder is left empty."""

import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from netplace.checks import writing
from netplace.checks.stopping import Stopped
from netplace.checks.writing import atomic_file, draft_folder, made_folder, write_atomically

KILLED = """
import os, signal, sys
from pathlib import Path
from netplace.checks.writing import draft_folder, atomic_file
with atomic_file(Path("a.csv.gz")) as draft, draft_folder(Path(".")) as folder:
    draft.write_text("half of it")
    (folder / "part").write_text("of a folder")
    print("under way", flush=True)
    if sys.argv[1] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _as_in_a_new_process():
    writing._sweep.cache_clear()


def hidden(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "command.txt").symlink_to(precious)
    write_atomically(tmp_path / "command.txt", "netplace run\n")
    assert precious.read_text() == "mine"
    assert (tmp_path / "command.txt").read_text() == "netplace run\n"
    assert not (tmp_path / "command.txt").is_symlink()


def test_links_in_a_folder_of_results_are_not_followed(netplace, tmp_path):
    folder = tmp_path / "out"
    flags = ("schedule", "--machine", "torus:4x4", "--workload", "lublin", "--jobs", "5", "-o", folder)
    assert netplace(*flags).exit_code == 0
    names = {path.name for path in folder.iterdir()}
    assert {"provenance.json", "figures.json"} <= names
    for name in names:
        (folder / name).unlink()
        (tmp_path / name).write_text("mine")
        (folder / name).symlink_to(tmp_path / name)
    assert netplace(*flags).exit_code == 0
    assert {(tmp_path / name).read_text() for name in names} == {"mine"}
    assert not any(path.is_symlink() for path in folder.iterdir())


def test_drafts_cannot_be_foretold_and_are_made_anew(tmp_path, monkeypatch):
    with atomic_file(tmp_path / "a.csv") as one, atomic_file(tmp_path / "a.csv") as other:
        assert one.name != other.name
    monkeypatch.setattr(writing.secrets, "token_hex", lambda count: "0" * 2 * count)
    (tmp_path / "precious").write_text("mine")
    (tmp_path / f".netplace-{'0' * 16}.csv").symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError, match=r"a\.csv"), atomic_file(tmp_path / "a.csv"):
        pass
    assert (tmp_path / "precious").read_text() == "mine"


def test_permissions_are_those_of_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"")
        with draft_folder(tmp_path) as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_drafts_of_a_killed_run_are_taken_away_by_the_next_one(tmp_path):
    subprocess.run(
        [sys.executable, "-c", KILLED, "die"], cwd=tmp_path, stdout=subprocess.DEVNULL, check=False
    )
    assert len(hidden(tmp_path)) == 2
    write_atomically(tmp_path / "b", "content")
    assert hidden(tmp_path) == []


def test_drafts_of_a_run_under_way_stay(tmp_path):
    command = [sys.executable, "-c", KILLED, "live"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"under way\n"
        write_atomically(tmp_path / "b", "content")
        assert len(hidden(tmp_path)) == 2
        other.stdin.close()
    assert other.returncode == 0
    assert hidden(tmp_path) == []
    assert (tmp_path / "a.csv.gz").read_text() == "half of it"


def test_only_what_is_provably_a_draft_is_taken_away(tmp_path, monkeypatch):
    others = [".netplace-notes", f".netplace-{'0' * 15}.csv", f"netplace-{'0' * 16}", f".x-{'0' * 16}.csv"]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / f".netplace-{'1' * 16}.csv").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / f".netplace-{'2' * 16}.csv")
    write_atomically(tmp_path / "b", "content")
    assert len(list(tmp_path.iterdir())) == len(others) + 4
    writing._sweep.cache_clear()
    (tmp_path / f".netplace-{'3' * 16}.csv").write_text("of another user")
    monkeypatch.setattr(os, "getuid", lambda: -1)
    write_atomically(tmp_path / "b", "content")
    assert (tmp_path / f".netplace-{'3' * 16}.csv").exists()


@pytest.mark.parametrize("error", [Stopped(signal.SIGINT), ValueError("no")])
def test_a_folder_is_not_left_empty(tmp_path, error):
    with pytest.raises(type(error)), made_folder(tmp_path / "new"):
        raise error
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    with pytest.raises(type(error)), made_folder(tmp_path / "old"):
        raise error
    assert (tmp_path / "old").exists()
    with pytest.raises(type(error)), made_folder(tmp_path / "new") as folder, atomic_file(folder / "b"):  # noqa: PT012
        write_atomically(folder / "a", "kept")
        raise error
    assert (tmp_path / "new" / "a").exists()


def test_a_program_or_workload_that_cannot_be_written_leaves_what_was_there(tmp_path):
    from netplace.apps.formats.writing import write_lines
    from netplace.scheduling.workload.files import write_text

    def parts():
        yield "one\n"
        raise ValueError("no more")

    for write, name in (
        (write_lines, "a.trace"),
        (lambda path, lines: write_text(path, lines, True), "b.gz"),
    ):
        (tmp_path / name).write_text("before")
        with pytest.raises(ValueError, match="no more"):
            write(tmp_path / name, parts())
        assert (tmp_path / name).read_text() == "before"
    assert hidden(tmp_path) == []


def test_many_write_the_same_file_at_once(tmp_path):
    code = (
        "from pathlib import Path\nfrom netplace.checks.writing import write_atomically, _sweep\n"
        "for n in range(300):\n    _sweep.cache_clear()\n    write_atomically(Path('a'), b'x' * 5000)\n"
    )
    every = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) for _ in range(4)]
    end = time.monotonic() + 120
    while any(one.poll() is None for one in every) and time.monotonic() < end:
        if (tmp_path / "a").exists():
            assert (tmp_path / "a").stat().st_size == 5000
        time.sleep(0.001)
    assert [one.wait(10) for one in every] == [0] * 4
    assert hidden(tmp_path) == []
