"""``netplace app`` on a trace: what computation it recorded."""

import json

from answers import refused

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
