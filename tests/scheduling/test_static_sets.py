"""Static partitioning, and allocators as partitions of a run: the two kinds of rule stand for each other."""

import numpy as np
import pytest

from netplace.netsim import Config
from netplace.runs import execute, resolve
from netplace.runs.partitions import nodes_of_jobs
from netplace.runs.places import place_of
from netplace.scheduling import Job, make_partitioner, schedule
from netplace.scheduling.partitioner.static import sets_of
from netplace.topologies import parse

GRID = parse("torus:4x4")


@pytest.mark.parametrize(
    ("text", "network", "sizes"),
    [
        ("quadrants", "torus:4x4", [4] * 4),
        ("sub-cubes", "torus:4x4x4", [8] * 8),
        ("boxes:2x4", "torus:4x4", [8] * 2),
        ("boxes:2x2@0,0/4x2@0,2", "torus:4x4", [4, 8]),
        ("bands:1", "mesh:4x3", [4] * 3),
        ("nodes:0-3,8/4-6", "torus:4x4", [5, 3]),
        ("whole", "tree:4,2", [16]),
    ],
)
def test_sets_of_a_partition(text, network, sizes):
    sets = sets_of(text, parse(network))
    assert [len(nodes) for nodes in sets] == sizes
    assert len({*np.concatenate(sets).tolist()}) == sum(sizes)


def test_a_set_serves_one_job_at_a_time():
    jobs = [Job(number, 0.0, nodes, 10.0) for number, nodes in enumerate((3, 1, 4, 2, 2), 1)]
    made = schedule(GRID, jobs, "fcfs", make_partitioner("quadrants", GRID))
    assert made.start.tolist() == [0, 0, 0, 0, 10]
    assert made.held.tolist() == [4] * 5
    assert make_partitioner("quadrants", GRID).find(Job(1, 0.0, 5, 1.0)) is None


def test_a_partition_by_the_sizes_of_all_jobs_is_refused():
    with pytest.raises(ValueError, match="bands: divides the network by the sizes of all jobs"):
        make_partitioner("bands", GRID)


def test_an_allocator_gives_each_job_of_a_run_its_nodes():
    parts = nodes_of_jobs("contiguous:cubic", GRID, [4, 8, 4])
    assert sorted(np.concatenate(parts).tolist()) == list(range(16))
    with pytest.raises(
        ValueError, match="partition contiguous: no place for the 16 tasks of job 1 on torus:4x4"
    ):
        nodes_of_jobs("contiguous", GRID, [4, 16])
    of_hosts = nodes_of_jobs("contiguous:cubic", parse("nodes:tasks=4/torus:4x4"), [14, 4])
    assert [sorted({node // 4 for node in nodes.tolist()}) for nodes in of_hosts] == [[0, 1, 4, 5], [2]]
    job = {"app": "2d-mesh", "tasks": 4}
    run = resolve("torus:4x4", [job] * 2, partition="contiguous:cubic")
    assert execute(run).cycles == execute(resolve("torus:4x4", [job] * 2, partition="boxes:2x2")).cycles
    assert place_of("torus:8x8", "contiguous:cubic", 4, Config()) == ("mesh", "box:2x2")
    for name, sentence in {"contigous": "unknown name 'contigous'", "td": "is a mapping"}.items():
        with pytest.raises(ValueError, match=sentence):
            resolve("torus:4x4", job, partition=name)
