"""One rule of ``-o``: the ending says what is written, a name without one is a folder."""

import errno
import json
import os

import pytest

RUN = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16)
LOAD = ("load", "--network", "torus:4x4", "--offered", "0.3", "--measure", 500)
ALLOCATE = ("allocate", "--machine", "mesh:8x8", "--nodes", 10, "--partition", "mm")
SCHEDULE = ("schedule", "--machine", "torus:4x4", "--workload", "lublin", "--jobs", 40)
COSIM = ("cosim", "--machine", "torus:4x4", "--workload", "applications", "--jobs", 3, "--sizes", "small")
ALL = (RUN, LOAD, ALLOCATE, SCHEDULE, COSIM)


def named(words):
    return words[0]


@pytest.mark.parametrize("words", ALL, ids=named)
def test_the_ending_says_what_is_written(netplace, tmp_path, words):
    page, data, picture = (tmp_path / f"out.{ending}" for ending in ("html", "json", "svg"))
    for path in (page, data, picture):
        result = netplace(*words, "-o", path)
        assert result.exit_code == 0, result.output
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert f"netplace {words[0]} {words[1]}" in text  # the command that makes it again
    assert str(tmp_path) not in text.split("netplace " + words[0])[0]
    assert isinstance(json.loads(data.read_text()), dict)
    assert "<svg" in picture.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.html", "out.html.provenance.json", "out.json", "out.svg", "out.svg.provenance.json"
    ]  # fmt: skip


@pytest.mark.parametrize("words", [SCHEDULE, COSIM], ids=named)
def test_a_name_without_an_ending_is_a_folder(netplace, tmp_path, words):
    assert netplace(*words, "-o", tmp_path / "out").exit_code == 0
    assert len(list((tmp_path / "out").iterdir())) > 2


@pytest.mark.parametrize("name", ["out.json", "out.png", "a b\nc.html"])
def test_a_folder_may_have_the_name_of_a_file(netplace, tmp_path, name):
    (tmp_path / name).mkdir()
    result = netplace(*RUN, "-o", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert {"messages.csv", "provenance.json"} <= {one.name for one in (tmp_path / name).iterdir()}


@pytest.mark.parametrize("words", [RUN, SCHEDULE], ids=named)
def test_a_folder_is_whole_or_none(netplace, tmp_path, monkeypatch, words):
    files = []

    def full(target, made):  # the disk has room for two files
        files.append(target)
        if len(files) > 2:
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        return replace(target, made)

    replace = os.replace
    monkeypatch.setattr(os, "replace", full)
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    for folder in (tmp_path / "out", kept):
        files.clear()
        result = netplace(*words, "-o", folder)
        assert (result.exit_code, len(files)) == (2, 3), result.output
        assert "No space left on device" in result.stderr
    assert not (tmp_path / "out").exists()
    assert (kept / "mine.txt").read_text() == "mine"


def test_studies_of_schedules_have_pages(netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4"\nworkload = "lublin"\njobs = 100\npolicy = ["fcfs", "easy"]\n'
    )
    result = netplace("schedule", tmp_path / "s.toml", "-o", tmp_path / "s.html")
    assert result.exit_code == 0, result.output
    assert "Schedules of s.toml" in (tmp_path / "s.html").read_text()
    assert netplace("report", tmp_path / "s.sqlite", "-o", tmp_path / "store.html").exit_code == 0
    assert "2 schedules are stored" in (tmp_path / "store.html").read_text()
