import json

import pytest
from answers import refused


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
        ("cut lu.W.16 -o x.trace --ranks 0-99", "rank 16 does not exist, expected 0 to 15"),
        ("cut lu.W.16 -o x.trace --iterations 5:1", "--iterations: 1 is too small, expected at least 5"),
        ("cut lu.W.16 -o x.trace --from 3 --to 2", "--to: 2 is not after --from 3"),
    ],
)
def test_a_mistake_is_one_sentence(netplace, command, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(netplace("trace", *command.split()), told)
    assert not list(tmp_path.iterdir())
