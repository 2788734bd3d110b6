"""The study of real machines reads only what it names, and tells how far predictions are off."""

import csv

import numpy as np
import pytest

from netplace.apps.collectives import ALGORITHMS as KNOWN
from netplace.experiments.reality import background, study
from netplace.experiments.reality import measurements as files
from netplace.experiments.reality.background import BusyMachine
from netplace.experiments.reality.measurements import ALGORITHMS, COMPACT, SPREAD, folded, fugaku
from netplace.experiments.reality.study import FITTED_ON, PARTS
from netplace.netsim import Config
from netplace.placement.partition import partition
from netplace.report.studies import StudyRequest
from netplace.runs.fitting import PARAMETERS, Fitted, Point, seconds_of
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

PINGPONG = ("machine", "placement", "load", "test", "bytes", "median_us")
FUGAKU = ("shape", "nodes", "collective", "algorithm", "layer", "buffer_bytes", "block_bytes", "median_us")


def write(path, columns, rows):
    """Write a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([columns, *rows])


def measurements(folder):
    """Write measurements of 1 us where a fit may read them, and of 2 us where they are predicted."""
    sizes, tables = (1024, 131072, 1 << 20, 1 << 26), {}
    runs = ("run", "nodes", "tasks", "collective", "algorithm", "buffer_bytes", "block_bytes", "median_us")
    tables["fugaku_core.csv"] = (FUGAKU, [
        (shape, nodes, "bcast", "fjmpi:binomial", "FJMPI", size, size, us)
        for shape, nodes, us in (("2x2x2", 8, 1), ("4x4x4", 64, 1), ("8x8x8", 512, 2)) for size in sizes
    ])  # fmt: skip
    near = {COMPACT: 1, SPREAD: 2}
    tables["lumi_runs.csv"] = (runs, [
        (run, 8, 8, "allreduce", f"{algorithm}_over", size, size, us)
        for run, us in near.items() for algorithm in ("ring", "recursive_doubling") for size in sizes
    ])  # fmt: skip
    tables["lumi_alloc.csv"] = (("run", "rank", "xname"), [
        (run, rank, f"x{1000 + rank % us}c0s{rank}b0n0") for run, us in near.items() for rank in range(8)
    ])  # fmt: skip
    tables["mn5_runs.csv"] = (runs, [
        ("", 32, 32, operation, algorithm, size, size, us)
        for operation, algorithm, us in (
            ("bcast", "binomial", 1), ("alltoall", "linear", 1), ("bcast", "bine_lat", 2)
        ) for size in sizes
    ])  # fmt: skip
    tables["aries_slingshot10_pingpong.csv"] = (PINGPONG, [
        ("daint", placement, "day", "pingpong", size, us)
        for placement, us in (("same rack", 1), ("different racks", 2)) for size in sizes
    ])  # fmt: skip
    for name, (columns, rows) in tables.items():
        write(folder / name, columns, rows)


@pytest.fixture
def pingpongs(tmp_path):
    """Return a folder with ping-pongs in one rack, and in others three times as long."""
    rows = []
    for size in (64, 1024, 4096, 65536, 262144):
        for placement, times in (("same rack", 1.0), ("different racks", 3.0)):
            us = times * (2.0 + size / 9000)
            rows += [("daint", placement, "day", "pingpong", size, us)] * 4
    write(tmp_path / "aries_slingshot10_pingpong.csv", PINGPONG, rows)
    return tmp_path


def test_the_study_predicts_other_racks_from_one(netplace, pingpongs, tmp_path, monkeypatch):
    small = ("dragonfly:a=4,p=4,h=1,g=4", 4, 20, Config(fabric="slingshot-11"))
    monkeypatch.setattr(study, "_AT", {"daint": small})
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


class FittedError(Exception):
    """Ends a study when its fits have been made."""


@pytest.mark.parametrize("part", ["fugaku", "lumi", "marenostrum", "pingpong"])
def test_a_fit_sees_only_the_rows_that_the_study_names(part, tmp_path, monkeypatch):
    measurements(tmp_path)
    read, fitted, predicted = set(), [], []
    monkeypatch.setattr(files, "rows_of", lambda path, own=files.rows_of: read.add(path.name) or own(path))

    def seconds_of(points, config):
        fitted.extend(points)
        return np.array([point.seconds for point in points])

    def predict(rows, config, context):
        predicted.extend(row.point for row in rows)
        raise FittedError

    monkeypatch.setattr(study, "seconds_of", seconds_of)
    monkeypatch.setattr(study, "fit", lambda p, config, names: Fitted(config, {}, seconds_of(p, config)))
    monkeypatch.setattr(study, "_predicted", predict)
    with pytest.raises(FittedError):
        study.run(StudyRequest(parts=(part,), data=str(tmp_path), quick=False), None)
    assert {point.seconds for point in fitted} == {1e-6}
    assert 2e-6 in {point.seconds for point in predicted}
    assert read - {"lumi_alloc.csv"} == {FITTED_ON[part].partition(":")[0]}


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
    assert not list(tmp_path.iterdir())


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


def test_traffic_of_others_spreads_times(monkeypatch):
    machine = BusyMachine(parse("dragonfly:a=4,p=4,h=1,g=2"), 20, Config(fabric="daint"))
    for name, value in (("_LOADS", 4), ("_MESSAGES", 1), ("_WARMUP", 3000), ("MEANS", (1e-6, 0.5))):
        monkeypatch.setattr(background, name, value)
    test = files.TESTS["pingpong"]
    quiet, busy = (machine.times(test, 2048, mean) for mean in background.MEANS)
    assert np.ptp(quiet) == 0
    assert np.max(busy) > 1.5 * quiet[0]
    assert machine.mean_load(test, 2048, float(quiet[0])) == 1e-6
