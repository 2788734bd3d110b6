"""No command writes over what it reads, or two things into one file; devices stay devices."""

import os
import threading
from pathlib import Path

import pytest
import rich_click as click
from answers import refused
from click.testing import CliRunner

from netplace.cli import app
from netplace.cli.clashes import WRITTEN, FilesCommand
from netplace.files import atomic_file
from netplace.report.files.outputs import check_output

RUN = "run --network torus:4x4 --app butterfly"
TRACE = "s 0 1 0 64\nr 0 1 0 64\n"


def commands(command=app):
    if not isinstance(command, click.Group):
        return [command]
    return [found for one in command.commands.values() for found in commands(one)]


def test_every_command_that_writes_refuses_clashes():
    for command in commands():
        flags = {word for parameter in command.params for word in parameter.opts}
        if flags & {*WRITTEN, "--store"}:
            assert isinstance(command, FilesCommand), command.name


@pytest.mark.parametrize(
    "line",
    [
        "trace convert m.trc -o m.trc",
        "trace cut m.trc -o ./m.trc --ranks 0-1",
        "run --network torus:4x4 --trace m.trc --record-messages m.trc",
        "run --network graph:m.trc --app butterfly --record-messages m.trc",
        f"{RUN} --timeline a.json -o a.json",
        f"{RUN} --store a.json -o a.json",
        "metrics --network torus:4x4 --app butterfly -o a.csv -o a.png -o ./a.csv",
    ],
)
def test_a_file_is_not_named_twice(tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("m.trc").write_text(TRACE)
    refused(CliRunner().invoke(app, line.split()), ", expected another file")
    assert [path.name for path in tmp_path.iterdir()] == ["m.trc"]
    assert Path("m.trc").read_text() == TRACE


def test_an_empty_name_is_none():
    for flag in ("-o", "--timeline", "--store"):
        refused(CliRunner().invoke(app, [*RUN.split(), flag, ""]), f"{flag}: is empty, expected a name")


def test_a_pipe_gets_what_is_written_and_stays(tmp_path):
    pipe = tmp_path / "a.json"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with atomic_file(check_output(pipe)) as draft:
        draft.write_text("all of it")
    reader.join()
    assert read == ["all of it"]
    assert pipe.is_fifo()


def test_what_is_written_to_a_device_leaves_it_there():
    with atomic_file(check_output(Path("/dev/null"))) as draft:
        draft.write_text("nobody reads this")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="No space"), atomic_file(Path("/dev/full")) as draft:
        draft.write_text("no room")
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="this system has no /dev/zero")
@pytest.mark.parametrize("flags", [("--workload", "/dev/zero"), ("--workload", "swf:/dev/zero")])
def test_a_device_without_an_end_is_not_read(netplace, flags):
    refused(netplace("schedule", "--machine", "torus:4x4", *flags), "is a device, expected a file")


def test_a_word_that_names_no_file_may_be_a_folder_too(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = netplace(
        "run", "--network", "torus:2x2", "--app", "butterfly", "--json", "--timeline", "butterfly"
    )
    assert "is what" not in result.stderr


def test_jobs_that_come_after_the_last_cycle_are_refused(netplace):
    flags = ("--workload", "applications", "--jobs", "5", "--mean-interarrival", "1e12", "--sizes", "small")
    refused(netplace("cosim", "--machine", "torus:4x4", *flags), "after the last possible cycle")
