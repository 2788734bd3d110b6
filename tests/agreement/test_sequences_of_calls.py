"""Both engines have one clock: after every call of a sequence they stand in one cycle and say the same."""

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, DeadlockError, Network, Traffic
from netplace.topologies import parse

NETWORKS = ("mesh:3", "torus:3x2", "torus:4x4", "mesh:4x2", "tree:2,2", "thintree:3,2,2", "hyperx:2x2,c=2")
FABRICS = (  # of networks that the table router serves
    {"congestion_control": "rate=0.05"},
    {"congestion_control": "dcqcn=2,ack=9,every=20,timer=100"},
    {"congestion_control": "window=1,ack=30"},
    {"traffic_classes": "count=2"},
    {"traffic_classes": "count=2,weights=2+1"},
    {"credit_delay": 6},
    {"cable_latency": "7"},
    {"crossbar_speedup": 1},
)
CALLS = (
    "start", "start", "start", "advance", "advance", "advance", "stop", "load", "silence", "rest", "step",
)  # fmt: skip


def made_config(rng):
    """Return random settings, often with ejection single, rate control, rendezvous or interleaved sends."""
    settings = {
        "packet_phits": int(rng.choice([1, 3, 16])),
        "ejection": str(rng.choice(["single", "multiple"])),
        "arbiter": str(rng.choice(["round-robin", "random", "age", "fifo", "longest"])),
        "eager_limit": [None, None, 0, 100][rng.integers(4)],
        "nonblocking_sends": str(rng.choice(["in-order", "interleaved"])),
        "vcs": int(rng.integers(2, 4)),
        "injectors": int(rng.integers(1, 3)),
    }
    if rng.random() < 0.5:
        settings |= FABRICS[rng.integers(len(FABRICS))] | {"vcs": 4}
        if settings["arbiter"] == "longest":
            settings["arbiter"] = "round-robin"
    return settings


def made_program(rng, tasks):
    """Return a program of random messages, of which some receives may be missing."""
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    opened = [[] for _ in range(tasks)]
    complete = rng.random() < 0.7
    for _ in range(rng.integers(1, 9)):
        source, target = (int(task) for task in rng.integers(tasks, size=2))
        size, tag = int(rng.choice([64, 60, 200, 900])), int(rng.integers(2))
        if rng.random() < 0.3:
            writers[source].compute(int(rng.choice([1, 2, 30, 300])))
        for task, peer, kind in ((source, target, "send"), (target, source, "recv")):
            if not complete and rng.random() < 0.15:
                continue
            if rng.random() < 0.5:
                opened[task].append(getattr(writers[task], "i" + kind)(peer, size, tag))
            else:
                getattr(writers[task], kind)(peer, size, tag)
    for writer, requests in zip(writers, opened, strict=True):
        if rng.random() < 0.8:  # else nobody waits for what is under way
            writer.waitall(requests)
    return Program.of(writers, "random")


class Caller:
    """A network on one engine, and what it said to each call."""

    def __init__(self, seed, engine, threads=1):
        self.rng = np.random.default_rng(seed)
        text = NETWORKS[self.rng.integers(len(NETWORKS))]
        topology, settings = parse(text), made_config(self.rng)
        while True:
            try:
                config = Config(**settings)
                self.network = Network(topology, config, engine=engine, seed=seed, threads=threads)
                break
            except ValueError as error:  # a setting that the network ignores or refuses
                name = next((name for name in settings if str(error).startswith(name)), None)
                if name is None:
                    raise
                del settings[name]
        self.jobs = {}
        self.journal = [(text, str(settings))]

    def call(self):
        """Make the next call, and note what came of it and how the network stands."""
        name = CALLS[self.rng.integers(len(CALLS))]
        before = self.network.now
        try:
            said = getattr(self, name)()
        except DeadlockError as error:
            blocked = error.blocked
            said = error.cycle, blocked.tasks, blocked.fifos, str(error)
        network = self.network
        if self.rng.random() < 0.3:
            network.reset_counters()
        assert network.now >= before
        ended = {job: str(network.outcome(job)) for job in self.jobs}
        drained = [job for job in self.jobs if network.drained(job)]
        stands = network.now, network.in_flight, network.counters().last_delivery
        self.journal.append((name, said, *stands, ended, drained))

    def start(self):
        """Start a job on nodes that no other has or will have, now or later."""
        network = self.network
        taken = {node for job, nodes in self.jobs.items() if network.outcome(job) is None for node in nodes}
        taken |= {node for job in network._running for node in self.jobs[job]}
        free = [
            node for node in self.rng.permutation(network.topology.computing).tolist() if node not in taken
        ]
        tasks = int(self.rng.integers(1, 5))
        program, later = made_program(self.rng, tasks), int(self.rng.choice([0, 0, 13]))
        identity = int(self.rng.integers(8))  # which its traffic class follows
        if len(free) >= tasks:
            job = network.start(program, free[:tasks], at=network.now + later, identity=identity)
            self.jobs[job] = free[:tasks]
            return job
        return None

    def advance(self):
        """Advance to a cycle that is near, in pieces until a job ends."""
        until = self.network.now + int(self.rng.choice([1, 2, 3, 17, 60, 400]))
        ended = []
        while self.network.now < until:
            ended.append((self.network.advance(until), self.network.now))
        return ended

    def step(self):
        """Advance cycle by cycle."""
        return [(self.network.advance(self.network.now + 1), self.network.now) for _ in range(5)]

    def stop(self):
        running = sorted(self.network._running)
        pick = self.rng.integers(1 << 30)
        if not running:
            return None
        job = running[int(pick) % len(running)]
        self.network.stop(job)
        return job

    def load(self):
        nodes = self.network.topology.nodes
        chance = float(self.rng.choice([0.01, 0.1]))
        self.network.generate(Traffic(chance, np.full(nodes, -1, np.int32)))

    def silence(self):
        self.network.generate(None)

    def rest(self):
        """Come to rest."""
        self.network.generate(None)
        self.network.finish()


def check(seed, threads):
    callers = [Caller(seed, "reference"), *(Caller(seed, "kernel", count) for count in threads)]
    for _ in range(14):
        for caller in callers:
            caller.call()
        first, *others = callers
        for other in others:
            assert other.journal[-1] == first.journal[-1], (seed, first.journal[0])


@pytest.mark.parametrize("seed", range(36))
def test_engines_stand_in_the_same_cycle_after_every_call(seed):
    check(seed, (1,))


@pytest.mark.nightly
@pytest.mark.parametrize("hundred", range(50))
def test_engines_stand_in_the_same_cycle_after_every_call_of_many(hundred):
    for seed in range(1000 + 100 * hundred, 1100 + 100 * hundred):
        check(seed, (1, 2) if seed % 4 == 0 else (1,))
