"""The study of partition and mapping on tori and trees."""

import numpy as np
import pytest
from answers import csv_rows

from netplace.experiments.placement_effects import PARTS, places, rows
from netplace.placement import map_tasks, partition
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["placement-effects"]


def nodes_of(network: str, jobs: int, placement: str) -> list[list[int]]:
    topology = parse(network)
    area, mapping = places(network, jobs, placement)
    parts = partition(area, topology, [64] * jobs, seed=3)
    return [
        map_tasks(mapping, topology, 64, nodes=part, seed=3, job=job).tolist()
        for job, part in enumerate(parts)
    ]


def test_column_is_row_transposed():
    for network, jobs in (("torus:8x8", 1), ("torus:16x16", 4)):
        side = int(network.partition("x")[2])
        rows_, columns = (np.array(nodes_of(network, jobs, name)) for name in ("row", "column"))
        assert (columns == rows_ % side * side + rows_ // side).all()


def test_a_single_instance_goes_through_the_quarters():
    (nodes,) = nodes_of("torus:8x8", 1, "quadrant")
    assert nodes[:5] == [0, 1, 2, 3, 8]
    assert nodes[16:18] == [4, 5]
    assert nodes[32] == 32
    assert sorted(nodes) == list(range(64))
    assert nodes_of("torus:16x16", 4, "quadrant")[1][:2] == [8, 9]


def test_shuffle_gives_each_leaf_switch_a_task_in_turn():
    first, *_, last = nodes_of("tree:4,4", 4, "shuffle")
    assert first == list(range(0, 256, 4))
    assert last == list(range(3, 256, 4))
    (nodes,) = nodes_of("tree:4,3", 1, "shuffle")
    assert nodes[:17] == [*range(0, 64, 4), 1]


def test_random_is_anywhere_and_of_a_seed():
    found = nodes_of("torus:16x16", 4, "random:3")
    assert sorted(node for job in found for node in job) == list(range(256))
    assert found[0] != sorted(found[0])
    assert found == nodes_of("torus:16x16", 4, "random:3") != nodes_of("torus:16x16", 4, "random:4")


def test_every_part_has_its_applications_and_placements():
    runs = rows(make_request(STUDY, list(PARTS)))
    assert len(runs) == 3 * 14 * (3 + 5) + 3 * 14 * (2 + 5) + 3 * (1 + 5)
    assert len({row.run.key for row in runs}) == len(runs)
    assert {row.run.config.vcs for row in runs if row.run.network.startswith("tree")} == {1}
    front = next(row.run.jobs[0] for row in runs if row.labels["app"] == "waterfall")
    assert dict(front.options) == {"bytes": 256, "rounds": 286, "grid": None}
    assert set(PARTS["torus-16"].applications).isdisjoint(PARTS["torus-16-others"].applications)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, quick):
    tables = [word for name in ("torus-1", "torus-16", "tree-4") for word in ("--table", name)]
    return quick(STUDY.name, tmp_path_factory.mktemp("effects") / "out", *tables, "--partitions", "1")


def read(file):
    return {row["app"]: row for row in csv_rows(file)}


def test_compact_partitions_win_side_by_side(folder):
    torus, tree = read(folder / "torus-16.csv")["LU"], read(folder / "tree-4.csv")["LU"]
    assert torus["best"] == "quadrant"
    assert 1 < float(torus["row"]) < float(torus["random"])
    assert float(torus["published random"]) == 7.9
    assert tree["best"] == "consecutive"
    assert float(tree["shuffle"]) < float(tree["random"])


def test_alone_the_choice_matters_less(folder):
    alone = read(folder / "torus-1.csv")
    assert list(alone) == ["LU", "MG", "FT", "tree", "2D front"]
    assert float(alone["LU"]["random"]) < float(read(folder / "torus-16.csv")["LU"]["random"])
    assert float(alone["2D front"]["row"]) == pytest.approx(float(alone["2D front"]["column"]), rel=0.01)
    assert "torus-1: best placement: " in (folder / "report.md").read_text()
