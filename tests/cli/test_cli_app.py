"""``netplace app`` and ``netplace trace``: programs described, checked, converted and written."""

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
        "question": "What does all-to-all send?",
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
    assert "--compute recorded" in shown.stderr


def test_generated_programs_have_recorded_nothing(netplace):
    assert (
        json.loads(netplace("app", "butterfly", "--tasks", "4", "--json").stdout)["recorded_computation_us"]
        is None
    )


def test_a_trace_that_is_not_there_is_named(netplace, tmp_path):
    refused(
        netplace("app", tmp_path / "nope.trace"), "nope.trace: no file and no bundled trace has this name"
    )


def test_info_is_one_object_in_json(netplace):
    found = json.loads(netplace("trace", "info", "lu.W.16", "--json").stdout)
    assert (found["ranks"], found["messages"], len(found["pairs"])) == (16, 30852, 48)
    assert {"operation": "barrier", "ranks": 16, "calls": 16, "bytes": 0} in found["collectives"]
    assert (found["wildcards"], found["left_out"], len(found["compute_seconds"])) == (0, [], 16)


def test_info_shows_tables(netplace):
    shown = netplace("trace", "info", "is.W.16").stdout
    assert all(word in shown for word in ("messages", "pairs of ranks", "alltoall", "bytes a call"))


def test_a_converted_trace_runs(netplace, tmp_path):
    (tmp_path / "x.tit").write_text("0 init\n1 init\n0 compute 1e6\n0 send 1 0 64\n1 recv 0 0 64\n")
    assert (
        netplace("trace", "convert", str(tmp_path / "x.tit"), "-o", str(tmp_path / "x.goal")).exit_code == 0
    )
    words = "run --network torus:2x2 --compute recorded --json --trace"
    shown = netplace(*words.split(), str(tmp_path / "x.goal"))
    assert json.loads(shown.stdout)["cycles"] > 312_500


def test_a_part_is_cut(netplace, tmp_path):
    part = str(tmp_path / "part.trace.gz")
    assert (
        netplace("trace", "cut", "lu.W.16", "--iterations", "1:2", "--ranks", "0-3", "-o", part).exit_code
        == 0
    )
    assert json.loads(netplace("trace", "info", part, "--json").stdout)["ranks"] == 4


def test_a_cut_takes_the_memory_of_what_it_keeps(netplace, tmp_path, monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 6 << 20)
    part = str(tmp_path / "part.trace")
    for bounds in (["--from", "0.001", "--to", "0.002"], ["--iterations", "2:4"]):
        shown = netplace("trace", "cut", "lu.W.16", *bounds, "-o", part)
        assert shown.exit_code == 0
        assert "are partly outside" in shown.stderr or bounds[0] == "--iterations"
        assert json.loads(netplace("trace", "info", part, "--json").stdout)["messages"] > 1000
    refused(netplace("trace", "cut", "lu.W.16", "--from", "0", "-o", part), "memory")


def test_a_window_and_iterations_cut_together(netplace, tmp_path):
    part = str(tmp_path / "part.trace")
    assert netplace("trace", "cut", "lu.W.16", "--to", "1", "--iterations", "3:3", "-o", part).exit_code == 0
    alone = str(tmp_path / "alone.trace")
    assert netplace("trace", "cut", "lu.W.16", "--iterations", "3:3", "-o", alone).exit_code == 0
    assert (
        netplace("trace", "info", part, "--json").stdout == netplace("trace", "info", alone, "--json").stdout
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("info none.otf2", "no such trace file"),
        ("convert lu.W.16 -o x.foo", "unknown output format, expected a name that ends in"),
        ("cut lu.W.16 -o x.trace --from 3 --to 2", "--to: 2 is not after --from 3"),
    ],
)
def test_a_mistake_in_traces_is_one_sentence(netplace, command, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(netplace("trace", *command.split()), told)
    assert not list(tmp_path.iterdir())
