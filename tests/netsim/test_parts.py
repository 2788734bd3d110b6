"""Jobs that can share no router run side by side in processes, with the same result to the cycle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import with_effect

from netplace.apps import APPLICATIONS, Program, TaskWriter
from netplace.netsim import Config, CycleLimitError, Network, simulate
from netplace.netsim.simulation import independent_parts
from netplace.topologies import parse


def sends(tasks, pairs, bytes=256):
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for tag, (a, b) in enumerate(pairs):
        writers[a].send(b, bytes, tag=tag)
    for tag, (a, b) in enumerate(pairs):
        writers[b].recv(a, bytes, tag=tag)
    return Program.of(writers)


def parts_of(network, programs, places, **options):
    places = [np.array(place) for place in places]
    return independent_parts(parse(network), Config(**options), programs, places)


@pytest.mark.parametrize(
    ("network", "places", "expected"),
    [
        ("mesh:8x8", [[0, 9], [2, 11]], [[0], [1]]),
        ("mesh:8x8", [[0, 10], [2, 11]], [[0, 1]]),  # both may pass (2, 0)
        ("torus:8x8", [[0, 7], [1, 4]], [[0], [1]]),  # over the edge, and between
        ("torus:8x8", [[0, 4], [5, 6]], [[0, 1]]),  # half a ring: either way
        ("tree:2,3", [[0, 1], [2, 3]], [[0], [1]]),
        ("tree:2,3", [[0, 2], [1, 3]], [[0, 1]]),
        ("tree:2,3", [[0, 2], [1, 4], [6, 7]], [[0, 1, 2]]),
        ("tree:2,3", [[0, 2], [4, 5], [6, 7]], [[0], [1], [2]]),
        ("dragonfly:a=2,p=2,h=1", [[0, 1], [2, 3]], [[0, 1]]),
    ],
)
def test_who_can_meet(network, places, expected):
    programs = [sends(2, [(0, 1)]) for _ in places]
    assert parts_of(network, programs, places) == expected


def test_who_sends_to_nobody_meets_nobody():
    programs = [sends(2, [(0, 1)]), sends(2, [])]
    assert parts_of("mesh:8", programs, [[0, 7], [3, 4]]) == [[0], [1]]


@st.composite
def crowds(draw):
    network = draw(st.sampled_from(["torus:6x4", "mesh:5x5", "torus:3x3x3", "tree:2,4", "thintree:4,2,2"]))
    nodes = draw(st.permutations(range(parse(network).nodes)))
    if draw(st.booleans()):
        nodes = sorted(nodes)
    programs, places = [], []
    for size in draw(st.lists(st.integers(2, 4), min_size=2, max_size=5)):
        if len(nodes) < size:
            break
        places.append(nodes[:size])
        nodes = nodes[size:]
        pair = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda p: p[0] != p[1])
        programs.append(sends(size, draw(st.lists(pair, max_size=6)), draw(st.sampled_from([64, 700, 3000]))))
    options = draw(
        st.sampled_from(
            [{}, {"vc_policy": "random", "vcs": 3}, {"arbiter": "random"}, {"ejection": "single"}]
        )
    )
    config = with_effect(parse(network), Config(**options))
    return network, programs, places, config, draw(st.integers(0, 5))


@settings(max_examples=60, deadline=None)
@given(crowds())
def test_a_part_runs_as_it_does_beside_the_others(crowd):
    network, programs, places, config, seed = crowd
    topology = parse(network)
    together = simulate(topology, programs, places, config=config, seed=seed, record_messages=True)
    crossed = np.zeros_like(together.link_packets)
    events = 0
    for part in independent_parts(topology, config, programs, [np.array(place) for place in places]):
        alone = Network(topology, config, seed=seed, record_messages=True)
        for job in part:
            alone.start(programs[job], places[job], at=0)
        alone.finish()
        found = alone.result()
        crossed += found.link_packets
        events += found.events
        for job, result in zip(part, found.jobs, strict=True):
            assert result.end == together.jobs[job].end
            assert result.task_cycles.tolist() == together.jobs[job].task_cycles.tolist()
            assert result.message_end.tolist() == together.jobs[job].message_end.tolist()
    assert np.array_equal(crossed, together.link_packets)
    assert events == together.events


def test_processes_give_the_same_result():
    topology = parse("torus:8x8")
    program = APPLICATIONS["all-to-all"].make(tasks=8, bytes=512)
    places = [topology.node(np.array([[x, y] for y in range(r, r + 2) for x in range(4)])) for r in (0, 2, 4)]
    one, two = (
        simulate(topology, [program] * 3, places, seed=4, part_processes=workers) for workers in (1, 2)
    )
    assert two.cpu_seconds > 0
    first, second = one.to_dict(), two.to_dict()
    first.pop("cpu_seconds"), second.pop("cpu_seconds")
    assert first == second
    assert np.array_equal(one.link_packets, two.link_packets)


def test_parts_start_when_their_jobs_do():
    topology, program = parse("mesh:8"), APPLICATIONS["all-to-all"].make(tasks=4, bytes=512)
    places = [range(4), range(4, 8)]
    one, two = (
        simulate(topology, [program] * 2, places, starts=[70, 5], part_processes=workers)
        for workers in (1, 2)
    )
    assert [job.start for job in one.jobs] == [job.start for job in two.jobs] == [70, 5]
    assert [job.end for job in one.jobs] == [job.end for job in two.jobs]
    with pytest.raises(ValueError, match="starts: 1 given for 2 jobs"):
        simulate(topology, [program] * 2, places, starts=[3])


def test_what_is_wrong_is_told_as_by_one_process():
    program = APPLICATIONS["all-to-all"].make(tasks=4, bytes=4096)
    for workers in (1, 2):
        with pytest.raises(CycleLimitError, match="2 jobs run or wait"):
            simulate(
                parse("mesh:8"),
                [program] * 2,
                [range(4), range(4, 8)],
                max_cycles=100,
                part_processes=workers,
            )
        with pytest.raises(ValueError, match="node 3 is still used by job 0"):
            simulate(parse("mesh:8"), [program] * 2, [range(4), range(3, 7)], part_processes=workers)
