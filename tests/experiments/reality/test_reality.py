"""The study of real machines reads only what it names, and tells how far predictions are off."""

import csv

import numpy as np
import pytest

from netplace.apps.collectives import ALGORITHMS as KNOWN
from netplace.experiments.reality.measurements import ALGORITHMS, folded, fugaku
from netplace.experiments.reality.study import FITTED_ON, PARTS
from netplace.netsim import Config
from netplace.placement.partition import partition
from netplace.runs.fitting import PARAMETERS, Point, seconds_of
from netplace.topologies import parse

PINGPONG = ("machine", "placement", "load", "test", "bytes", "median_us")
FUGAKU = ("shape", "nodes", "collective", "algorithm", "layer", "buffer_bytes", "block_bytes", "median_us")


def write(path, columns, rows):
    """Write a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([columns, *rows])


@pytest.fixture
def pingpongs(tmp_path):
    """Return a folder with ping-pongs in one rack, and in others three times as long."""
    rows = []
    for machine in ("daint", "alps"):
        for size in (64, 1024, 4096, 65536, 262144):
            for placement, times in (("same rack", 1.0), ("different racks", 3.0)):
                us = times * (2.0 + size / 9000)
                rows += [(machine, placement, "day", "pingpong", size, us)] * 4
    write(tmp_path / "aries_slingshot10_pingpong.csv", PINGPONG, rows)
    return tmp_path


def test_the_study_predicts_other_racks_from_one(netplace, pingpongs, tmp_path):
    folder = tmp_path / "found"
    flags = ("--data", pingpongs, "--table", "pingpong", "--quick", "--workers", "1", "-o", folder)
    result = netplace("study", "reality", *flags)
    assert result.exit_code == 0, result.stderr
    with (folder / "daint_times.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    near = [float(row["ratio"]) for row in rows if row["set"] == "same rack"]
    far = [float(row["ratio"]) for row in rows if row["set"] == "different racks"]
    assert sum(near) / len(near) == pytest.approx(1, abs=0.25)
    assert 0.2 < sum(far) / sum(near) < 1  # what is called predicted was not fitted
    assert "MISSED: daint: other racks, pingpong, within 25 %" in (folder / "report.md").read_text()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ((), "study reality: expected --data FOLDER"),
        (
            ("--data", "nowhere", "--table", "pingpong"),
            "nowhere/aries_slingshot10_pingpong.csv does not exist",
        ),
    ],
)
def test_the_study_needs_the_measurements(netplace, tmp_path, monkeypatch, flags, says):
    monkeypatch.chdir(tmp_path)
    result = netplace("study", "reality", "--quick", *flags)
    assert result.exit_code == 2
    assert says in result.stderr


def test_other_studies_take_no_measurements(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = netplace("study", "td-vs-classic", "--quick", "--data", ".")
    assert result.exit_code == 2
    assert "takes no --data" in result.stderr


def test_rows_are_those_asked_for_and_of_algorithms_that_are_known(tmp_path):
    rows = [
        ("2x2x2", 8, "alltoall", "fjmpi:linear-sync", "FJMPI", 131072, 16384, 35.0),
        ("2x2x2", 8, "alltoall", "fjmpi:blacc3d", "FJMPI", 131072, 16384, 57.0),
        ("4x4x4", 64, "alltoall", "fjmpi:linear", "FJMPI", 131072, 2048, 182.0),
        ("2x2x2", 8, "bcast", "fjmpi:binomial", "UTOFU", 131072, 131072, 88.0),
        ("2x2x2", 8, "bcast", "fjmpi:binomial", "FJMPI", 131072, 131072, 88.0),
    ]
    write(tmp_path / "fugaku_core.csv", FUGAKU, rows)
    found = fugaku(tmp_path, ("2x2x2",))
    assert [(row.operation, row.algorithm) for row in found] == [
        ("alltoall", "linear_sync"),
        ("bcast", "binomial"),
    ]
    assert found[0].point.app.endswith("bytes=16384")
    assert found[0].point.seconds == pytest.approx(35e-6)
    assert set(PARTS) == set(FITTED_ON)
    assert {(operation, chosen) for (operation, _), chosen in ALGORITHMS.items()} <= set(KNOWN)


def test_packets_of_large_messages_hardly_change_the_time():
    config = PARAMETERS["link"].put(Config(fabric="tofu-d"), 6.0)
    point = Point(
        "", "torus:2x2x2", "collective,operation=alltoall,algorithm=pairwise,bytes=262144", 1.0, 262144
    )
    fine = Point("", point.network, point.app, 1.0, 0)
    assert point.run(config).config.packet_phits > fine.run(config).config.packet_phits
    assert seconds_of([point], config)[0] == pytest.approx(seconds_of([fine], config)[0], rel=0.1)


@pytest.mark.parametrize("shape", ["2x2x2", "4x4x4", "8x8x8"])
def test_logical_axes_are_rings_in_blocks(shape):
    """All neighbors on a logical torus are neighbors in the blocks."""
    network, where = folded(shape)
    side, topology = int(shape[0]), parse(network)
    nodes = partition(where, topology, [side**3])[0].reshape(side, side, side)
    for axis in range(3):
        beside = np.roll(nodes, 1, axis)
        assert (topology.distance(nodes.ravel(), beside.ravel()) == 1).all()
    point = Point("", network, "collective,operation=bcast,bytes=8", 1.0, 8, side**3, partition=where)
    assert seconds_of([point], Config(fabric="tofu-d"))[0] > 0
