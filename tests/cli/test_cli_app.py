"""``netplace app``: programs described, checked and written."""

import json

import numpy as np
import pytest
from answers import described, refused

from netplace.apps import application
from netplace.apps.formats import read


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["wf.trace.gz", "wf.trace", "wf.trc", "wf.trc.gz"])
def test_a_program_is_written_as_a_trace(netplace, folder, name):
    result = netplace("app", "waterfall", "--tasks", 16, "--packets", 4, "--rounds", 2, "--write", name)
    assert result.exit_code == 0, result.stderr
    program = application("waterfall", 16, packets=4, rounds=2)
    found = read(name)
    for column in ("first", "kind", "peer", "size", "tag"):
        assert np.array_equal(getattr(found, column), getattr(program, column)), column
    assert [path.name for path in folder.iterdir() if path.suffix != ".json"] == [name]


def test_the_matrices_are_those_of_the_program(netplace, folder):
    netplace("app", "waterfall", "--tasks", 16, "--packets", 4, "--rounds", 5, "--matrix", "wf.npz")
    traffic = application("waterfall", 16, packets=4, rounds=5).traffic()
    with np.load("wf.npz") as found:
        assert sorted(found) == ["N", "W"]
        assert np.array_equal(found["W"], traffic.W)
        assert np.array_equal(found["N"], traffic.N)


def test_matrices_of_very_many_tasks_are_sparse(netplace):
    from scipy.sparse import csr_array

    netplace("app", "2d-torus", "--tasks", 2500, "--matrix", "big.npz")
    traffic = application("2d-torus", 2500).traffic()
    with np.load("big.npz") as found:
        parts = (found["W_data"], found["W_indices"], found["W_indptr"])
        assert (csr_array(parts, shape=found["W_shape"]) != traffic.W).nnz == 0


def test_what_is_shown(netplace):
    found = described(netplace("app", "all-to-all", "--tasks", 8, "--packets", 2, "--json"))
    assert found == {
        "answer": "8 tasks send 56 messages, 7,168 bytes.",
        "name": "all-to-all",
        "tasks": 8,
        "operations": 112,
        "iterations": 1,
        "messages": 56,
        "bytes": 56 * 128,
        "mean_message_bytes": 128.0,
        "pairs_of_tasks": 56,
        "computation_cycles": 0,
        "ends_with_synchronous_sends": False,
        "recorded_computation_us": None,
    }
    shown = netplace("app", "is.w.16")
    assert shown.exit_code == 0
    assert "ends with synchronous sends" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bt"], ["--tasks: not given, expected the number of tasks of bt"]),
        (["bt", "--tasks", "15"], ["cannot run on 15 tasks, expected one of 1, 4, 9, 16"]),
        (["bt", "--tasks", "16", "--class", "Q"], ["unknown name 'Q'", "S, W, A, B, C, D"]),
        (["2d-tours", "--tasks", "16"], ["did you mean 2d-torus"]),
        (["bt", "--tasks", "16", "--write", "bt.txt"], ["expected a name that ends in .trace or .trc"]),
        (["bt", "--tasks", "16", "--matrix", "bt.csv"], ["expected a name that ends in .npz"]),
        (["raises", "--tasks", "2"], ["raised KeyError: 'x'", "mine.py, line 5"]),
        (["mine.py:silent", "--tasks", "2"], ["unknown name 'mine.py:silent'", "--plugin"]),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_sentence(netplace, folder, plugin, arguments, words):
    plugin(
        "from netplace.apps import APPLICATIONS\n"
        "def silent(task):\n    task.send(1 - task.task, 64)\ndef raises(task):\n    {}['x']\n"
        "for own in (silent, raises):\n    APPLICATIONS.add(own.__name__, own)\n"
    )
    refused(netplace("app", *arguments), *words)
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == ["mine.py"]


PAIR = "0 isend 1 64 7 0 0 12.5\n0 wait -1 0 0 0 0 0.25\n1 recv 0 64 7 0 -1 3\n1 compute -1 500 0 0 -1 0\n"


def test_recorded_computation_is_told_and_given_cycles_are_not_part_of_it(netplace, tmp_path):
    (tmp_path / "pair.trace").write_text(PAIR)
    found = netplace("app", tmp_path / "pair.trace", "--json")
    told = json.loads(found.stdout)
    assert told["recorded_computation_us"] == 15.75
    assert told["computation_cycles"] == 500
    shown = netplace("app", tmp_path / "pair.trace")
    assert "--cpu-scale 1" in shown.stderr


def test_generated_programs_have_recorded_nothing(netplace):
    assert (
        json.loads(netplace("app", "butterfly", "--tasks", "4", "--json").stdout)["recorded_computation_us"]
        is None
    )


def test_a_trace_that_is_not_there_is_named(netplace, tmp_path):
    refused(
        netplace("app", tmp_path / "nope.trace"), "nope.trace: no file and no bundled trace has this name"
    )
