"""The study of partition metrics and run time."""

import numpy as np
import pandas as pd
import pytest
from answers import csv_rows

from netplace.apps import application
from netplace.experiments.partition_metrics.measures import (
    METRICS,
    block_sets,
    correlation_summary,
    correlations,
    mean_metrics,
    pieces,
)
from netplace.experiments.partition_metrics.study import PARTS, configurations, rows
from netplace.placement import partition
from netplace.placement.compactness import bounding_box
from netplace.placement.metrics import metrics
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["partition-metrics"]


@pytest.mark.parametrize(
    ("part", "count"),
    [
        ("2d-W", 83),
        ("3d-W", 82),
        ("2d-W-anywhere", 83),
        ("2d-W-pairs", 83),
        ("3d-W-anywhere", 82),
        ("3d-W-compact", 82),
        ("2d-W-own", 83),
        ("3d-W-own", 82),
    ],
)
def test_there_are_as_many_configurations_as_published(part, count):
    found = configurations(PARTS[part])
    assert len(found) == len(set(found.values())) == count
    topology = parse(PARTS[part].network)
    for name in found:
        if name.endswith("#3"):
            nodes = np.concatenate(partition(found[name], topology, [64] * PARTS[part].jobs))
            assert sorted(nodes) == list(range(topology.nodes))


@pytest.mark.parametrize("anywhere", [False, True])
@pytest.mark.parametrize(("network", "sides", "k"), [("mesh:16x16", "4x4", 4), ("mesh:4x4x4", "2x2x2", 2)])
def test_jobs_share_the_blocks_of_a_set(network, sides, k, anywhere):
    grid = parse(network)
    nodes = block_sets(grid, sides, k, np.random.default_rng(1), anywhere=anywhere)
    assert sorted(nodes.ravel()) == list(range(grid.nodes))
    assert (np.diff(nodes) > 0).all()
    side = int(sides.split("x")[0])
    block = np.ravel_multi_index(
        (grid.coordinates(np.arange(grid.nodes)) // side).T[::-1], [n // side for n in grid.sizes[::-1]]
    )
    for first in range(0, len(nodes), k):
        assert len(np.unique(block[nodes[first : first + k]])) == k
        assert len(np.unique(block[nodes[first]])) > 1
    boxes = [bounding_box(grid, nodes[first : first + k].ravel()) for first in range(0, len(nodes), k)]
    small = all(np.prod(box) == nodes[:k].size for box in boxes)
    assert small != anywhere


def test_pieces_are_dealt_out_whole():
    grid = parse("mesh:8x8")
    nodes = pieces(grid, 2, 4, np.random.default_rng(3))
    assert sorted(nodes.ravel()) == list(range(64))
    tiles = {tuple(tile) for tile in partition("boxes:4x2", grid, [8] * 8)}
    assert {tuple(piece) for piece in nodes.reshape(-1, 8)} == tiles


def test_every_application_runs_in_every_configuration():
    runs = rows(make_request(STUDY, ["3d-W-compact"], partitions=2))
    assert len(runs) == 7 * (2 + 3 * 2)
    assert len({row.run.key for row in runs}) == len(runs)
    assert all(len(row.run.jobs) == 8 for row in runs)


def test_mean_metrics_are_the_means_of_the_metrics():
    topology = parse("mesh:6x6")
    nodes = np.random.default_rng(2).permutation(36)[:32].reshape(2, 16)
    W = np.asarray(application("lu", 16, problem_class="S", iterations=1).traffic().W, float)
    own = [metrics(topology, part, W) for part in nodes]
    found = mean_metrics(topology, list(nodes), W)
    assert tuple(found) == METRICS
    for name in METRICS:
        assert found[name] == pytest.approx(np.mean([getattr(one, name) for one in own]))


def test_pairs_of_blocks_anywhere_are_the_reading_of_3_d():
    made = configurations(PARTS["3d-W"])
    assert sum(name.startswith("k=2 ") for name in made) == 80
    assert {name.partition(" ")[0] for name in made} == {"4x4x4", "8x4x2", "k=2"}


def test_correlations_are_set_beside_the_published():
    line = np.arange(8.0)
    points = pd.DataFrame(dict.fromkeys(METRICS, line) | {"app": "LU", "time": 2 * line, "mean time": -line})
    printed = pd.Series({("LU", name): 0.95 for name in METRICS})
    cells = correlations(points, printed)
    assert cells["r"].tolist() == pytest.approx([1.0] * 9)
    assert cells["r, mean of jobs"].tolist() == pytest.approx([-1.0] * 9)
    told = " ".join(correlation_summary(cells))
    assert "Significant at 0.01: 9 of 9." in told
    assert "9 of 9 correlations within 0.1 of the published (every one " in told
    assert ": 9), 0.050 away" in told
    points["NA"] = [1, 2, 1, 2, 1, 2, 1, 2]
    told = " ".join(correlation_summary(correlations(points, pd.Series({("LU", "NA"): 0.95}))))
    assert "8 of 9; not LU NA." in told
    assert "further: LU NA 0.22 (0.95)" in told


@pytest.fixture(scope="module")
def folder(tmp_path_factory, quick):
    return quick(STUDY.name, tmp_path_factory.mktemp("metrics") / "out")


def test_what_tasks_send_foretells_the_time_of_lu(folder):
    for part in ("2d-W", "3d-W"):
        cells = {row["metric"]: row for row in csv_rows(folder / f"correlations-{part}.csv")}
        assert set(cells) == set(METRICS)
        assert all(-1 <= float(cell["r"]) <= 1 for cell in cells.values())
        assert float(cells["WTAD_AL"]["r"]) > 0.9
        assert float(cells["WTAD_AL"]["r"]) > float(cells["DFC"]["r"])
    for part, count in (("2d-W", 9), ("3d-W", 0)):  # table 3 has no values here
        assert sum(row["published"] != "" for row in csv_rows(folder / f"correlations-{part}.csv")) == count


def test_dispersion_grows_with_the_number_of_blocks(folder):
    points = {row["configuration"]: row for row in csv_rows(folder / "points-2d-W.csv")}
    assert list(points) == ["8x8", "4x16", "2x32", "k=2", "k=4", "k=8", "k=16"]
    affected = [float(points[name]["NA"]) for name in ("8x8", "k=2", "k=4", "k=8", "k=16")]
    assert affected[0] == 64
    assert affected == sorted(affected)
    assert float(points["8x8"]["LU"]) == min(float(point["LU"]) for point in points.values())
    assert (folder / "2d-W-LU.png").is_file()
    assert "correlations within 0.1 of the published" in (folder / "report.md").read_text()
