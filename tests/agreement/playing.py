"""Play a story on an engine and keep all that the engine tells."""

import numpy as np
from strategies import Step, Story

from netplace.netsim import DeadlockError, Network
from netplace.topologies import parse


class Player:
    """A network on one engine, the jobs that it was given, and a journal of what was seen."""

    def __init__(self, story: Story, engine: str, threads: int = 1) -> None:
        topology = parse(story.network)
        self.network = Network(
            topology,
            story.config,
            engine=engine,
            seed=story.seed,
            record_messages=story.seed % 2 == 0,
            explain=story.explain,
            threads=threads,
        )
        self.nodes: dict[int, list[int]] = {}  # of each job that has not ended
        self.starts: list[int] = []
        self.gone: set[int] = set()  # jobs of which nothing is known any more
        self.journal: list[tuple[str, object]] = []
        self.faults = 0
        self.stands_still = False  # from then on each engine counts its waiting up to a cycle of its own

    def play(self, steps: tuple[Step, ...]) -> list[tuple[str, object]]:
        """Do every step, let the network come to rest, and return the journal."""
        try:
            for step in steps:
                self.advance(self.network.now + step.wait)
                getattr(self, step.kind)(step)
            self.advance(self.network.now + 50)
            self.network.generate(None)
            self.look()
            while self.nodes:
                self.note_ends(self.network.advance())
            self.network.advance()
            self.note_faults()
        except DeadlockError as error:
            blocked = error.blocked
            self.note("nothing moves from cycle", error.cycle)
            self.note("tasks", sorted((job, task, why) for job, task, _, why in blocked.tasks))
            self.note("fifos", sorted((*fifo[:3], sorted(fifo[3])) for fifo in blocked.fifos))
            self.stands_still = True
        except ValueError as error:
            if "no node remains" not in str(error):
                raise
            self.note("refused", str(error))
            return self.journal
        self.look()
        return self.journal

    def advance(self, until: int) -> None:
        while self.network.now < until:
            self.note_ends(self.network.advance(until))

    def note(self, name: str, value: object) -> None:
        self.journal.append((name, value))

    def note_faults(self) -> None:
        """Drop the jobs that faults have stopped."""
        for report in self.network.faults[self.faults :]:
            self.note("fault", report)
            for job in report.jobs:
                self.nodes.pop(job, None)
                if self.starts[job] >= report.at:  # it never began
                    self.gone.add(job)
        self.faults = len(self.network.faults)

    def note_ends(self, ended: list[int]) -> None:
        self.note_faults()
        if ended:
            self.note("ended", (self.network.now, ended))
        for job in ended:
            del self.nodes[job]

    def start(self, step: Step) -> None:
        taken = {node for nodes in self.nodes.values() for node in nodes}
        free = [node for node in step.order if node not in taken and not self.network.cut[node]]
        if len(free) >= step.program.tasks:
            nodes = free[: step.program.tasks]
            begin = self.network.now + step.later
            job = self.network.start(step.program, np.array(nodes), at=begin, times=step.times)
            self.starts.append(begin)
            self.nodes[job] = nodes

    def stop(self, step: Step) -> None:
        """Stop one of the jobs that have not ended, and sometimes forget it."""
        if not self.nodes:
            return
        job = list(self.nodes)[step.which % len(self.nodes)]
        begun = self.starts[job] < self.network.now
        if not begun and self.starts[job] == self.network.now:
            return  # whether it has been handed over is no matter of the model
        self.network.stop(job)
        del self.nodes[job]
        if not begun:
            self.gone.add(job)
            return
        self.note("drained", self.network.drained(job))
        if step.which % 3 == 0:
            self.network.forget(job)
            self.gone.add(job)

    def generate(self, step: Step) -> None:
        self.network.generate(step.traffic)

    def reset(self, step: Step) -> None:
        self.network.reset_counters()

    def look(self, step: Step | None = None) -> None:
        """Note everything that can be asked of a network between two cycles."""
        self.note("in flight", self.network.in_flight)
        counters = self.network.counters()
        for name, value in vars(counters).items():
            if name != "events":  # engines count different things
                self.note(name, value)
        if self.network._explains and not self.stands_still:
            waiting = self.network.waiting()
            self.note("waiting by jobs", waiting.cycles)
            self.note("waiting by links", waiting.links)
            self.note("charged is what was waited", waiting.total == waiting.waited == waiting.links.sum())
            self.look_at_watched()
        for job, begin in enumerate(self.starts):
            if begin < self.network.now and job not in self.gone:
                for name, value in vars(self.network.job(job)).items():
                    self.note(f"job {job} {name}", value)

    def look_at_watched(self) -> None:
        """Note what the watched job waited; watch the first that is running, if it is another."""
        watched = self.network._watched
        if watched in self.network._numbers:
            found = self.network.watched()
            for job in sorted(found):
                self.note(f"watched job {watched} by links for {job}", found[job])
        first = next((job for job in self.nodes if self.starts[job] < self.network.now), watched)
        if first not in (watched, -1):
            self.network.watch(first)


def difference(one: list[tuple[str, object]], other: list[tuple[str, object]]) -> str:
    """Return the first entry in which two journals differ; empty if there is none."""
    for place, ((name, a), (other_name, b)) in enumerate(zip(one, other, strict=False)):
        if name != other_name:
            return f"entry {place}: {name} = {a}, {other_name} = {b}"
        if not np.array_equal(a, b) if isinstance(a, np.ndarray) else a != b:
            return f"entry {place}, {name}: {a} and {b}"
    return "" if len(one) == len(other) else f"{len(one)} and {len(other)} entries"
