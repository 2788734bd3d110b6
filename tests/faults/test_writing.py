"""Files are written whole, by one function, which follows no link; no folder is left empty."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from answers import refused

from netplace.files import atomic_file, draft_folder, made_folder, write_atomically

SCHEDULE = ("schedule", "--machine", "torus:4x4", "--workload", "lublin", "--jobs", "5", "-o")


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "command.txt").symlink_to(precious)
    write_atomically(tmp_path / "command.txt", "netplace run\n")
    assert precious.read_text() == "mine"
    assert (tmp_path / "command.txt").read_text() == "netplace run\n"
    assert not (tmp_path / "command.txt").is_symlink()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="this system has no /dev/shm")
def test_what_lies_below_dev_is_no_device_for_that(tmp_path):
    (tmp_path / "precious").write_text("mine")
    with draft_folder(Path("/dev/shm")) as folder:
        (folder / "a.csv").symlink_to(tmp_path / "precious")
        write_atomically(folder / "a.csv", "new")
        assert not (folder / "a.csv").is_symlink()
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_link_to_a_pipe_is_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.csv").symlink_to(tmp_path / "pipe")
    write_atomically(tmp_path / "a.csv", "new")
    assert (tmp_path / "a.csv").read_text() == "new"
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_stream_gets_what_is_written(tmp_path, name):
    code = (
        "import sys; from pathlib import Path; from netplace.files import write_atomically; "
        f"print('first'); write_atomically(Path({name!r}), 'second'); print(' third')"
    )
    with (tmp_path / "a").open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert (tmp_path / "a").read_text() == "first\nsecond third\n"
    assert Path(name).is_symlink()


def test_links_in_a_folder_of_results_are_not_followed(netplace, tmp_path):
    folder = tmp_path / "out"
    assert netplace(*SCHEDULE, folder).exit_code == 0
    names = {path.name for path in folder.iterdir() if path.is_file()}
    assert {"provenance.json", "figures.json"} <= names
    for name in names:
        (folder / name).unlink()
        (tmp_path / name).write_text("mine")
        (folder / name).symlink_to(tmp_path / name)
    assert netplace(*SCHEDULE, folder).exit_code == 0
    assert {(tmp_path / name).read_text() for name in names} == {"mine"}
    assert not any(path.is_symlink() for path in folder.iterdir())


def test_a_folder_of_results_is_no_link(netplace, tmp_path):
    (tmp_path / "private").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "private")
    refused(netplace(*SCHEDULE, tmp_path / "out"), "out: is a link, which no output follows")
    assert list((tmp_path / "private").iterdir()) == []


def test_permissions_are_those_of_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"")
        with draft_folder(tmp_path) as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), ValueError("no")])
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
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a"]


def test_a_program_or_workload_that_cannot_be_written_leaves_what_was_there(tmp_path):
    from netplace.apps.formats.writing import write_lines
    from netplace.scheduling.workload.files import write_text

    def parts():
        yield "one\n"
        raise ValueError("no more")

    for write, name in ((write_lines, "a.trace"), (write_text, "b.gz")):
        (tmp_path / name).write_text("before")
        with pytest.raises(ValueError, match="no more"):
            write(tmp_path / name, parts())
        assert (tmp_path / name).read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.trace", "b.gz"]
