"""Rules as a user would write them, one of each kind, for the tests of this folder."""

RULES = '''
import numpy as np
from netplace.scheduling.partitioner.scattered import FirstFree
from netplace.scheduling.policy.plain import FcfsQueue
from netplace.topologies import torus


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


class Patient(FcfsQueue):
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
