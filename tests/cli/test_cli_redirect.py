"""``netplace redirect``: figures, and what it says of mistakes."""

import json

import pytest
from answers import described, refused

START = ["redirect", "--workload", "lublin", "--machine", "64", "--jobs", "200"]


def test_policies_side_by_side(netplace):
    found = described(netplace(*START, "--policy", "all", "--dedicated", "1", "--threshold", "2", "--json"))
    flows = {one["policy"]: one["sum_flow"] for one in found["policies"]}
    assert len(flows) == 9
    assert flows["GSRPT"] < flows["GSPT"] < flows["FCFS"]
    assert all((one["redirected"] > 0) == ("-R" in one["policy"]) for one in found["policies"])


def test_windows_and_processors(netplace):
    result = netplace(*START, "--days", "0.2", "--instances", "2", "--processors", "5", "--json")
    found = json.loads(result.stdout)
    assert (found["windows"], found["processors"]) == (2, 5)
    assert 0 < found["tasks"] < 200


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--policy", "SPD"], "--policy: unknown name 'SPD'"),
        (["--policy", "SPT", "--dedicated", "1"], "--dedicated: 1 given, but none of SPT takes it"),
        (["--policy", "SPT-RD", "--dedicated", "1"], "threshold is None"),
        (["--policy", "SPT-RR", "--dedicated", "9", "--processors", "9"], "none is left"),
        (["--policy", "SPT-RR", "--dedicated", "1", "--c", "2"], "c is 2"),
        (["--days", "9999"], "the log has only"),
        (["--days", "0"], "0 days"),
        (["--instances", "2"], "--instances: 2 given, but no --days"),
        (["--processors", "0"], "--processors"),
    ],
)
def test_mistakes(netplace, args, told):
    refused(netplace(*START, *args), told)
