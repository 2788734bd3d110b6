"""``netplace load``: points, table, curve."""

import json

import numpy as np
import pytest
from answers import refused

from netplace.cli.load import offered_loads
from netplace.report.tables.load import curve_rows
from netplace.runs.loads import LoadFigures, LoadPlan, make_load_plan, measure_plan
from netplace.runs.run_figures import DelayFigures

QUICK = ("--network", "torus:4x4", "--warmup", "500", "--measure", "1000")


def test_points_do_not_depend_on_the_number_of_processes(netplace):
    flags = ("load", *QUICK, "--offered", "0.2,0.4", "--json")
    alone, pooled = (json.loads(netplace(*flags, "--workers", n).stdout)["points"] for n in (1, 2))
    assert [point["packets"] for point in alone] == [point["packets"] for point in pooled]


def test_the_table(netplace):
    shown = netplace("load", *QUICK, "--offered", "0.2", "--traffic", "transpose").stdout
    assert "How much transpose traffic does torus:4x4 with VC policy smart accept?" in shown
    for column in ("offered", "accepted", "mean delay", "95th percentile", "M packet-hops/s"):
        assert column in shown


def test_hot_spot_traffic_takes_its_options(netplace):
    flags = ("load", *QUICK, "--traffic", "hot-spot", "--offered", "0.3", "--json")
    spread, hot = (
        json.loads(netplace(*flags, "--hot-share", share).stdout)["points"][0] for share in (0, 0.9)
    )
    assert hot["mean_delay"] > spread["mean_delay"]


@pytest.mark.pictures
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
        ("0.5:0.2:0.1", "not an increasing FROM:TO:STEP"),
        ("0.1:1:1e-9", "loads, expected at most 10000"),
        ("17", "17.0 is out of range, expected more than 0 and at most 16 phits"),
    ],
)
def test_loads_that_make_no_sense(text, message):
    with pytest.raises(ValueError, match=message):
        offered_loads(text, 16)


STUDY = """network = ["torus:4x4", "mesh:4x4"]
vc_policy = ["smart", "random"]
offered = "0.1:0.3:0.2"
measure = 1000
seeds = 2
"""


@pytest.mark.pictures
def test_several_networks_and_seeds_are_curves_with_intervals(netplace, tmp_path):
    flags = ("load", *QUICK, "--network", "mesh:4x4", "--offered", "0.1,0.3", "--seeds", 3)
    shown = netplace(*flags, "-o", tmp_path / "curves.svg").stdout
    assert "± is half of a 95 % interval over the seeds." in shown
    assert "mesh:4x4" in (tmp_path / "curves.svg").read_text(encoding="utf-8")
    found = json.loads(netplace(*flags, "--json").stdout)
    told = [(point["network"], point["offered"], point["seed"]) for point in found["points"]]
    assert told == [(n, o, s) for n in ("torus:4x4", "mesh:4x4") for o in (0.1, 0.3) for s in range(3)]
    assert found["traffic"] == "uniform"


def test_a_study_of_loads_is_measured_once(netplace, tmp_path, monkeypatch):
    (tmp_path / "curves.toml").write_text(STUDY)
    first = netplace("load", tmp_path / "curves.toml", "--json")
    assert first.exit_code == 0, first.stderr
    points = json.loads(first.stdout)["points"]
    assert len(points) == 2 * 2 * 2 * 2
    assert {point["config"]["vc_policy"] for point in points} == {"smart", "random"}
    monkeypatch.setattr("netplace.runs.loads.measure_load", None)
    again = netplace("load", tmp_path / "curves.toml", "--json")
    assert json.loads(again.stdout) == json.loads(first.stdout)
    shown = netplace("load", tmp_path / "curves.toml", "-o", tmp_path / "curves.svg", "--quiet")
    assert "mesh:4x4, random" in shown.stdout
    assert shown.stderr == ""
    assert (tmp_path / "curves.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("offered", [0.2, 1e-12])
def test_a_point_is_kept_as_json_by_its_fields(offered):
    given = {"network": "torus:4x4", "offered": offered, "warmup": 10, "measure": 500}
    figures = measure_plan(make_load_plan(given, seed=3))
    kept = figures.to_dict()
    assert LoadFigures.from_dict(json.loads(json.dumps(kept))) == figures
    assert list(kept) == [
        *("offered", "accepted", "delay", "cycles", "drained_cycles", "packets", "packet_hops"),
        *("cpu_seconds", "seed", "events", "mean_delay", "batches", "versions"),
    ]
    assert list(kept["delay"]) == ["count", "mean", "p50", "p95", "p99", "most"]
    assert kept["mean_delay"] == kept["delay"]["mean"]
    assert (kept["seed"], kept["cycles"], kept["drained_cycles"]) == (3, 500, 510)
    assert (kept["mean_delay"] is None) == (not kept["packets"]) == (offered < 1e-9)


def test_the_mean_of_a_point_is_over_its_seeds():
    plans = [LoadPlan(network="torus:4x4", offered=0.2, seed=seed) for seed in (0, 1)]
    points = [
        LoadFigures(0.2, accepted, DelayFigures(10, *[delay] * 5), 100, 200, 10, 20, 0.5, seed, 30, delay)
        for seed, accepted, delay in ((0, 0.1, 20), (1, 0.3, None))
    ]
    [row] = curve_rows(plans, points)
    assert (row["accepted"], row["mean"], row["packets"], row["seeds"]) == (pytest.approx(0.2), 20, 20, 2)
    assert row["accepted_half_width"] == pytest.approx(12.7062 * 0.1, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('network = "torus:4x4"\nofered = 0.2\n', "did you mean offered"),
        (
            'network = "torus:4x4"\noffered = [0.2, 99]\n',
            ":2: offered: 99 is out of range, expected more than 0 and at most 16",
        ),
        ("offered = 0.2\n", "network: not given"),
    ],
)
def test_mistakes_in_a_study_of_loads_name_file_and_line(netplace, tmp_path, text, words):
    (tmp_path / "curves.toml").write_text(text)
    refused(netplace("load", tmp_path / "curves.toml"), words, "curves.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["curves.toml"]


def test_nodes_without_a_partner_that_computes_are_told(netplace):
    network = "service:nodes=1/torus:4"
    flags = ("--network", network, "--traffic", "neighbour", "--offered", "0.1", "--measure", "50")
    told = netplace("load", *flags).stderr
    assert (
        f"{network}: 1 nodes send nothing because their partner under neighbour does not compute: 0" in told
    )


def test_loads_between_which_saturation_begins_are_bisected_if_they_are_far_apart(netplace):
    networks = ("--network", "torus:10x10", "--network", "mesh:4x4", "--warmup", 300, "--measure", 2000)
    made = netplace("load", *networks, "--offered", "0.2,0.8,1.0", "--json")
    found = json.loads(made.stdout)
    assert "also measures 0.5," in made.stderr
    for one in found["saturation"]:
        assert one["high"] - one["low"] <= 0.1
        own = [point for point in found["points"] if point["network"] == one["curve"]]
        accepted = {point["offered"]: point["accepted"] for point in own}
        assert [*accepted] == sorted({*accepted, 0.2, 0.8, 1.0})
        assert len(own) <= 3 + 4
        assert one["low"] - accepted[one["low"]] < one["high"] - accepted[one["high"]]


def test_saturation_is_where_less_is_accepted_than_offered_beyond_chance(netplace, tmp_path):
    words = ("load", "--network", "torus:4x4", "--offered", "0.3:1.0:0.1", "--measure", 2000, "--vcs", 1)
    (tmp_path / "load.json").write_text(netplace(*words, "--seeds", 3, "--json").stdout)
    found = json.loads((tmp_path / "load.json").read_text())
    [saturation] = found["saturation"]
    accepted = {}
    for point in found["points"]:
        assert np.mean(point["batches"]) == pytest.approx(point["accepted"])
        accepted.setdefault(point["offered"], []).append(point["batches"])
    beyond = {}
    for load, batches in accepted.items():  # whatever the batches: far from the bound either way
        means = np.mean(batches, axis=0)
        beyond[load] = (load - means.mean()) / (means.std(ddof=1) / np.sqrt(len(means)))
    assert beyond[saturation["high"]] > 2
    assert beyond[saturation["low"]] < 5
    assert saturation["high"] - saturation["low"] == pytest.approx(0.1)
    page = tmp_path / "page.html"
    assert netplace("report", tmp_path / "load.json", "-o", page).exit_code == 0
    said = f"becomes saturated at an offered load between {saturation['low']:g} and {saturation['high']:g};"
    assert said in page.read_text()
    assert said in " ".join(netplace(*words, "--seeds", 3).stdout.split())
