"""Random lives of a machine: jobs come and go."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from netplace.scheduling.job import Job

# A busy machine, and code that is compiled at its first use, are no mistakes.
PATIENT = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])


def a_job(nodes: int) -> Job:
    return Job(0, 0.0, nodes, 1.0)


def lives(most: int = 20, events: int = 40):
    """Return lists of events: a job of so many nodes, or, negative, the end of one of the running jobs."""
    event = st.one_of(st.integers(1, most), st.integers(-50, -1))
    return st.lists(event, min_size=1, max_size=events)


def live(partitioner, nodes: int, events):
    """Let jobs come and go; yield the set of free nodes, the size and what was found, before it is taken."""
    free, running = set(range(nodes)), []
    for event in events:
        if event > 0:
            allocation = partitioner.find(a_job(event))
            yield free, event, allocation
            if allocation is not None:
                partitioner.take(allocation)
                running.append(allocation)
                free = free - set(allocation.nodes.tolist())
        elif running:
            allocation = running.pop(event % len(running))
            partitioner.release(allocation)
            free = free | set(allocation.nodes.tolist())
        assert partitioner.free == len(free)
    for allocation in running:
        partitioner.release(allocation)
    assert partitioner.free == nodes
