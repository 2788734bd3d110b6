"""``netplace load``: points, table, curve."""

from __future__ import annotations

import json

import pytest

from netplace.experiments.cli.load import offered_loads

QUICK = ("--network", "torus:4x4", "--warmup", "500", "--measure", "1000")


def test_points_come_as_a_list_in_json(netplace):
    result = netplace("load", *QUICK, "--offered", "0.1:0.3:0.1", "--json")
    found = json.loads(result.stdout)
    assert [point["offered"] for point in found["points"]] == [0.1, 0.2, 0.3]
    wanted = {
        "cycles",
        "drained_cycles",
        "packets",
        "packet_hops",
        "cpu_seconds",
        "seed",
        "accepted",
        "mean_delay",
    }
    assert all(wanted <= set(point) for point in found["points"])
    assert found["points"][1]["accepted"] == pytest.approx(0.2, rel=0.1)


def test_points_do_not_depend_on_the_number_of_processes(netplace):
    flags = ("load", *QUICK, "--offered", "0.2,0.4", "--json")
    alone, pooled = (json.loads(netplace(*flags, "--processes", n).stdout)["points"] for n in (1, 2))
    assert [point["packets"] for point in alone] == [point["packets"] for point in pooled]


def test_the_table(netplace):
    shown = netplace("load", *QUICK, "--offered", "0.2", "--traffic", "transpose").stdout
    assert "transpose traffic on torus:4x4" in shown
    for column in ("offered", "accepted", "mean delay", "p95", "M packet-hops/s"):
        assert column in shown


def test_hot_spot_traffic_takes_its_options(netplace):
    flags = ("load", *QUICK, "--traffic", "hot-spot", "--offered", "0.3", "--json")
    spread, hot = (
        json.loads(netplace(*flags, "--hot-share", share).stdout)["points"][0] for share in (0, 0.9)
    )
    assert hot["mean_delay"] > spread["mean_delay"]


def test_the_curve_is_drawn(netplace, tmp_path):
    path = tmp_path / "curve.png"
    result = netplace("load", *QUICK, "--offered", "0.2,0.5", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("0.1:1.0:0.1", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("0.3", [0.3]),
        ("0.5,0.2", [0.5, 0.2]),
        ("0.2:0.2:1", [0.2]),
        ("0.1:0.35:0.1", [0.1, 0.2, 0.3]),
    ],
)
def test_loads_are_spelled_as_range_list_or_value(text, loads):
    assert offered_loads(text, 16) == loads


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "'a' is not of the form FROM:TO:STEP or A,B,C"),
        ("", "'' is not of the form"),
        ("0.1:0.2", "not of the form FROM:TO:STEP, upwards"),
        ("0.1:0.2:0", "not of the form FROM:TO:STEP, upwards"),
        ("0.5:0.2:0.1", "not of the form FROM:TO:STEP, upwards"),
        ("0.1:inf:0.1", "not of the form FROM:TO:STEP, upwards"),
        ("0.1:1:1e-9", "loads, expected at most 10000"),
        ("nan", "nan is not over 0"),
        ("0", "0.0 is not over 0 and at most 16 phits"),
        ("-0.5,0.2", "-0.5 is not over 0"),
        ("17", "17.0 is not over 0 and at most 16 phits"),
    ],
)
def test_loads_that_make_no_sense(text, message):
    with pytest.raises(ValueError, match=message):
        offered_loads(text, 16)
