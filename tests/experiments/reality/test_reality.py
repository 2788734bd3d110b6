"""The ledger of real machines: what is fitted, the baselines, and the figures that are told."""

import csv

import numpy as np
import pandas as pd
import pytest

from netplace.apps import Program, TaskWriter, application
from netplace.apps.collectives import ALGORITHMS as KNOWN
from netplace.apps.collectives.writing import collective
from netplace.experiments.reality import calibrations, study
from netplace.experiments.reality.baselines import LogGP, by_bandwidth, fitted
from netplace.experiments.reality.measurements import ALGORITHMS, MISLABELED, Row, folded, fugaku
from netplace.experiments.reality.sets import SETS
from netplace.experiments.reality.stencil import halo, stencil
from netplace.netsim import Config
from netplace.placement.partition import partition
from netplace.report.studies import StudyRequest
from netplace.runs.fitting import Fitted, Point, seconds_of
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

FUGAKU = ("shape", "nodes", "collective", "algorithm", "layer", "buffer_bytes", "block_bytes", "median_us",
          "p10_us", "p90_us")  # fmt: skip


def write(path, columns, rows):
    """Write a CSV file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def jobs(folder, *rows):
    write(folder / "fugaku_core.csv", FUGAKU, [(*row, 0.9 * row[-1], 1.3 * row[-1]) for row in rows])


def only(monkeypatch, *names):
    """Leave out all sets but these."""
    for name in set(SETS) - set(names):
        monkeypatch.delitem(SETS, name)


def bcast(shape, size, us):
    return shape, int(shape[0]) ** 3, "bcast", "fjmpi:binomial", "FJMPI", size, size, us


def test_only_the_calibration_is_fitted_and_only_by_its_own_command(tmp_path, monkeypatch):
    jobs(tmp_path, *(bcast(shape, 1 << 10, us) for shape, us in (("2x2x2", 1), ("4x4x4", 2), ("8x8x8", 2))))
    monkeypatch.setattr(calibrations, "FITTED", {"fugaku": calibrations.FITTED["fugaku"]})
    only(monkeypatch, *(name for name in SETS if name.startswith("Fugaku")))
    seen = []
    monkeypatch.setattr(
        calibrations, "fit", lambda p, config, names, n: seen.extend(p) or Fitted(config, {}, None)
    )
    report = study.run(StudyRequest(parts=("calibrations",), data=str(tmp_path), quick=False), None)
    assert {point.seconds for point in seen} == {1e-6}
    assert "best, of" in report.files["fugaku-fujitsu-mpi.toml"]


def test_the_ledger_is_made_from_what_is_shipped_beside_baselines(netplace, tmp_path, monkeypatch):
    only(monkeypatch, "Fugaku 2x2x2", "Fugaku 4x4x4")
    monkeypatch.setattr(calibrations, "fit", None)
    jobs(tmp_path, *(bcast(shape, size, us * size / 1e3) for shape, us in (("2x2x2", 1), ("4x4x4", 2))
                     for size in (8, 65536, 1 << 27)))  # fmt: skip
    given = ("--data", tmp_path, "--table", "ledger", "--workers", "1", "-o", tmp_path / "found")
    result = netplace("study", "reality", *given)
    assert result.exit_code == 0, result.stderr
    with (tmp_path / "found" / "ledger.csv").open() as file:
        first, second = csv.DictReader(line for line in file if not line.startswith("#"))
    assert (first["rows"], second["rows"], second["count"]) == ("fitted", "predicted", "3")
    assert (first["not run"], second["not run"]) == ("1", "1")  # 128 MiB are too many packets
    assert float(second["noise %"]) == pytest.approx(20)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ((), "study reality: expected --data FOLDER"),
        (("--data", "nowhere"), "fugaku_core.csv does not exist"),
    ],
)
def test_the_study_needs_the_measurements(netplace, tmp_path, monkeypatch, flags, says):
    monkeypatch.chdir(tmp_path)
    result = netplace("study", "reality", "--table", "ledger", "--quick", *flags)
    assert result.exit_code == 2
    assert says in result.stderr
    assert not list(tmp_path.iterdir())


def test_other_studies_take_no_measurements(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = netplace("study", "td-vs-classic", "--quick", "--data", ".")
    assert result.exit_code == 2
    assert "takes no --data" in result.stderr


def test_rows_are_those_of_algorithms_that_are_known(tmp_path):
    jobs(
        tmp_path,
        ("2x2x2", 8, "alltoall", "fjmpi:linear-sync", "FJMPI", 131072, 16384, 35.0),
        ("2x2x2", 8, "alltoall", "fjmpi:blacc3d", "FJMPI", 131072, 16384, 57.0),
        ("4x4x4", 64, "alltoall", "fjmpi:linear", "FJMPI", 131072, 2048, 182.0),
        ("2x2x2", 8, "bcast", "fjmpi:binomial", "UTOFU", 131072, 131072, 88.0),
        ("2x2x2", 8, "bcast", "fjmpi:basic-linear", "FJMPI", 131072, 131072, 8.0),
        bcast("2x2x2", 131072, 88.0),
    )
    found = fugaku(tmp_path, "2x2x2")
    assert [(r.operation, r.algorithm) for r in found] == [("alltoall", "linear_sync"), ("bcast", "binomial")]
    assert found[0].point.app.endswith("bytes=16384")
    assert found[0].point.seconds == pytest.approx(35e-6)
    assert {(operation, chosen) for (operation, _), chosen in ALGORITHMS.items()} <= set(KNOWN)
    assert MISLABELED[0] not in ALGORITHMS


@pytest.mark.parametrize("ranks", [2, 5, 16])
def test_loggp_is_its_formula(ranks):
    model, size = LogGP(latency=1000, overhead=300, per_byte=0.1), 4000
    one = 300 + 0.1 * size + 1000 + 300  # o, the bytes, L, o
    ring = collective(ranks, "allgather", algorithm="ring", bytes=size)
    assert model.seconds(ring) == pytest.approx((ranks - 1) * one * 1e-9)
    # The root sends one after the other: the last message leaves after all gaps.
    linear = collective(ranks, "bcast", algorithm="linear", bytes=size)
    last = (300 + (ranks - 1) * 400 + 1000 + 300) * 1e-9
    assert model.seconds(linear) == pytest.approx(last)
    assert by_bandwidth(linear, Config(phit_bytes=4, cycle_ns=2.0)) == pytest.approx(
        (ranks - 1) * size * 0.5e-9
    )


def test_a_loggp_machine_is_found_again():
    hidden = LogGP(latency=1500, overhead=400, per_byte=0.2)
    rows = []
    for algorithm in ("ring", "bruck", "recursive_doubling"):
        for size in (8, 1024, 65536):
            app = f"collective,operation=allgather,algorithm={algorithm},bytes={size}"
            seconds = hidden.seconds(collective(8, "allgather", algorithm=algorithm, bytes=size))
            rows.append(Row("allgather", algorithm, size, 0.0, Point("", "torus:8", app, seconds, size, 8)))
    found = fitted(rows, Config())
    assert found.per_byte == pytest.approx(0.2, rel=0.05)
    assert found.latency + 2 * found.overhead == pytest.approx(2300, rel=0.05)


def test_a_message_to_oneself_takes_no_time():
    writer = TaskWriter(0, 1)
    writer.send(0, 100)
    writer.recv(0, 100)
    assert LogGP(1, 1, 1).seconds(Program.of([writer])) == 0


def test_orders_and_crossings():
    frame = pd.DataFrame(
        [("bcast", name, size, time, guess) for size, times, guesses in
         ((1, (1, 2, 9), (1, 2, 3)), (2, (1, 2, 1.5), (1, 2, 3)), (4, (3, 2, 1), (1, 2, 1.5)))
         for name, time, guess in zip("abc", times, guesses, strict=True)],
        columns=["operation", "algorithm", "bytes", "measured", "netplace"],
    )  # fmt: skip
    # a with b and c, and b with c, change their order; the simulation has b with c only, one size late.
    assert study._crossings(frame, "netplace") == pytest.approx(1 / 3)
    assert study._tau(frame, "netplace") == pytest.approx((1 + 1 / 3 - 1 / 3) / 3)


@pytest.mark.parametrize("shape", ["2x2x2", "4x4x4", "8x8x8", "2x4x6", "4x8", "8x4", "16x16", "32x64"])
def test_logical_axes_are_rings_in_blocks(shape):
    """All neighbors on a logical torus are neighbors in the blocks; ranks follow y, then z, then x."""
    network, where = folded(shape)
    sides, topology = [int(side) for side in shape.split("x")], parse(network)
    nodes = partition(where, topology, [np.prod(sides)])[0]
    assert len(set(nodes.tolist())) == len(nodes)
    nodes = nodes.reshape([sides[0], *sides[:0:-1]])
    for axis in range(len(sides)):
        beside = np.roll(nodes, 1, axis)
        assert (topology.distance(nodes.ravel(), beside.ravel()) == 1).all()
    if len(sides) == 3:
        assert np.ptp(topology.coordinates(nodes[0, 0])[:, [0, 2, 3, 5]], axis=0).max() == 0  # y and b alone
    point = Point("", network, "collective,operation=bcast,bytes=8", 1.0, 8, nodes.size, partition=where)
    assert seconds_of([point], Config(fabric="tofu-d"))[0] > 0


STENCIL = ("width", "steps", "hosts", "cores", "run1", "run2", "run3")


def steps_of(folder, *rows):
    write(
        folder / "lcc2_pingpong.csv", ("bytes", "same_host", "other_host"), [(4096, 5, 13), (32768, 10, 37)]
    )
    write(folder / "lcc2_stencil.csv", STENCIL, rows)
    return stencil(StudyRequest(parts=("application",), data=str(folder), quick=False), None)


def test_a_step_of_the_stencil_is_predicted_from_one_host_alone(tmp_path):
    one = (512, 100, 1, 2, 0.3, 0.1, 0.2)
    reports = [steps_of(tmp_path, one, (512, 100, 2, 1, *3 * [seconds])) for seconds in (0.2, 0.4)]
    first, second = (report.tables[1].frame for report in reports)
    assert first["measured"].tolist() == [2000, 2000]  # medians of three runs of 100 steps, in us
    assert first["netplace"].tolist() == second["netplace"].tolist()
    assert first["netplace"][0] == pytest.approx(2000, abs=0.1)
    # A message each way takes 13 us between hosts instead of 5 within one.
    assert first["netplace"][1] - first["netplace"][0] == pytest.approx(2 * (13 - 5), abs=6)
    score = reports[1].tables[0].frame.iloc[0]
    assert score["no effect"] == pytest.approx(50)
    assert score["count"] == 1


def test_halos_go_to_both_neighbors():
    steps = application(halo, tasks=5, size=64, work=1).traffic().W / 64
    assert (steps == 20 * (np.eye(5, k=1) + np.eye(5, k=-1))).all()
