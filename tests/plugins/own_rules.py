"""A plug-in as a user would write it, with rules of each kind, for the tests of this folder."""

RULES = '''
from dataclasses import replace

import numpy as np
from netplace.scheduling.partitioner.noncontiguous import FirstFree
from netplace.scheduling.policy.plain import SortedQueue
from netplace.topologies import torus
from netplace.topologies.routing import ROUTINGS


def backwards(problem):
    """The partition from its end."""
    return problem.nodes[::-1][: problem.tasks]


def stride(request):
    """Every so manieth node."""
    step = int(request.option or 2)
    nodes = np.arange(request.topology.nodes).reshape(-1, step).T.ravel()
    ends = np.cumsum([0, *request.sizes])
    return [nodes[first:last] for first, last in zip(ends[:-1], ends[1:])]


def ring(option):
    """A single ring."""
    return torus((int(option),))


def halo(task, bytes=64):
    """To the next task."""
    task.send((task.task + 1) % task.tasks, bytes)
    task.recv((task.task - 1) % task.tasks, bytes)


def opposite(topology):
    """To the node with the opposite number."""
    return np.arange(topology.nodes)[::-1]


def last_port(switches):
    """As minimal."""
    return replace(ROUTINGS["minimal"].make(switches), name="mine")


class Patient(SortedQueue):
    """First come, first served, by another name."""


class Mine(FirstFree):
    """The first free nodes, by another name."""

    def __init__(self, topology, option, seed):
        super().__init__(topology.nodes)


class Twice:
    """Twice as long as in the log."""

    def __init__(self, machine, words):
        self.factor = float(words[0]) if words else 2.0

    def seconds(self, job, allocation):
        return self.factor * job.run_time

    def longest(self, job):
        return self.factor * job.run_time


def broken(problem):
    """Raises."""
    return {}["surprise"]


def strict(problem):
    """Raises what netplace raises for a user's mistake."""
    int("x")
'''

PLUGIN = (
    RULES
    + """
from netplace.apps import APPLICATIONS
from netplace.apps.collectives import algorithms_of
from netplace.apps.formats import FORMATS
from netplace.netsim import PATTERNS
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.scheduling import PARTITIONERS, POLICIES, RUN_TIMES
from netplace.topologies import TOPOLOGIES

for rule in (backwards, broken, strict):
    MAPPINGS.add(rule.__name__, rule)
PARTITIONS.add("stride", stride)
TOPOLOGIES.add("ring", ring)
APPLICATIONS.add("halo", halo)
PATTERNS.add("opposite", opposite)
POLICIES.add("patient", Patient)
PARTITIONERS.add("mine", Mine)
RUN_TIMES.add("twice", Twice)
ROUTINGS.add("mine", last_port)
FORMATS.add("mine", replace(FORMATS["text"], recognises=lambda path, head: False))
algorithms_of("bcast").add("mine", algorithms_of("bcast")["binomial"])
"""
)
