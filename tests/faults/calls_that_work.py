"""A call that works of everything public: every function, class and method of the packages' ``__all__``."""

import importlib
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["LEFT_OUT", "PACKAGES", "Call", "calls", "harmless"]

PACKAGES = (
    "netplace",
    "netplace.topologies",
    "netplace.apps",
    "netplace.netsim",
    "netplace.placement",
    "netplace.scheduling",
    "netplace.runs",
    "netplace.cosim",
)
# What is no call, or only holds what it is given.
LEFT_OUT = {
    "Op",
    "State",
    "Kind",
    "Rule",
    "Application",
    "Operation",
    "OperationError",
    "Topology",
    "Partitioner",
    "Policy",
    "RunTimes",
    "Execution",
    "Losing",
    "Delay",
    "JobResult",
    "LoadPoint",
    "Result",
    "Waiting",
    "CycleLimitError",
    "DeadlockError",
    "SimulationError",
    "Ended",
    "Ends",
    "Allocation",
    "Schedule",
    "MappingProblem",
    "PartitionRequest",
    "Attempt",
    "Cosimulated",
    "Placed",
    "ArbiterState",
    "Sampled",
    "Cables",
}


@dataclass
class Call:
    """A function, and arguments with which it gives an answer."""

    function: Callable[..., Any]
    arguments: dict[str, Any]


@contextmanager
def harmless(folder: str) -> Iterator[None]:
    """Make calls in an empty folder."""
    home = Path.cwd()
    os.chdir(folder)
    try:
        Path("m.trc").write_text("s 0 1 5 128\nr 0 1 5 128\n")
        Path("g.txt").write_text("a b\nb c\n")
        Path("t.txt").write_text("a s\nb s\n")
        Path("topology.conf").write_text("SwitchName=s0 Nodes=n[0-3]\n")
        Path("fabric.txt").write_text(
            'Switch\t4 "S-1"\n[1]\t"H-1"[1]\n[2]\t"H-2"[1]\n\n'
            'Ca\t1 "H-1"\n[1]\t"S-1"[1]\n\nCa\t1 "H-2"\n[1]\t"S-1"[2]\n'
        )
        yield
    finally:
        os.chdir(home)


class World:
    """Small things that calls are made with, each made anew."""

    def __init__(self) -> None:
        import netplace.apps as apps
        import netplace.cosim as cosim
        import netplace.netsim as netsim
        import netplace.placement as placement
        import netplace.runs as runs
        import netplace.scheduling as scheduling
        import netplace.topologies as topologies

        self.apps, self.netsim, self.cosim, self.runs = apps, netsim, cosim, runs
        self.topologies, self.placement, self.scheduling = topologies, placement, scheduling
        self.torus = topologies.parse("torus:4x4")
        self.tree = topologies.parse("tree:4,2")
        self.graph = topologies.parse("torus:2x2,c=4")

    def program(self, tasks: int = 4) -> Any:
        return self.apps.application("butterfly", tasks)

    def rich_program(self) -> Any:
        """Return a program with requests, marks and a section."""
        writers = [self.apps.TaskWriter(task, 2) for task in range(2)]
        for task, writer in enumerate(writers):
            writer.begin()
            for iteration in range(2):
                writer.mark(iteration)
                request = writer.irecv(1 - task, 100)
                writer.compute(10)
                writer.send(1 - task, 100)
                writer.wait(request)
            writer.mark(-1)
            writer.end()
        return self.apps.Program.of(writers, "ping")

    def columns(self) -> dict[str, Any]:
        program = self.rich_program()
        made = {item.name: getattr(program, item.name) for item in fields(program)}
        return {
            name: value.copy() if isinstance(value, np.ndarray) else value for name, value in made.items()
        }

    def run_columns(self, **columns: Any) -> None:
        """Simulate a program of these columns."""
        program = self.apps.Program(**columns)
        self.netsim.simulate(self.torus, program, max_cycles=100_000)

    def run_reference(self, **columns: Any) -> None:
        """Simulate a program of these columns with the other engine."""
        program = self.apps.Program(**columns)
        config = self.netsim.Config(eager_limit=50)
        self.netsim.simulate(self.torus, program, config=config, engine="reference", max_cycles=10_000)

    def of_network(self, topology: Any) -> dict[str, Any]:
        return {
            item.name: value.copy()
            if isinstance(value := getattr(topology, item.name), np.ndarray)
            else value
            for item in fields(topology)
        }

    def run_network(self, kind: Any) -> Callable[..., None]:
        """Return a function that simulates a network of these arrays, and asks it some things."""

        def simulated(**columns: Any) -> None:
            topology = kind(**columns)
            nodes = np.arange(min(topology.nodes, 4))
            topology.distance(nodes, nodes[::-1])
            _ = topology.diameter, topology.average_distance
            program = self.program(min(4, topology.nodes))
            self.netsim.simulate(topology, program, max_cycles=10_000)

        return simulated

    def network(self, started: bool = True) -> Any:
        network = self.netsim.Network(self.torus, explain=True)
        if started:
            network.start(self.program())
            network.advance(5)
            network.start(self.program(), [4, 5, 6, 7], at=100)
        return network

    def run_restored(self, **arguments: Any) -> None:
        network = self.network(started=False)
        network.restore(self.netsim.ArbiterState(**arguments))
        network.start(self.program())
        network.finish(max_cycles=10_000)

    def run_traffic(self, **arguments: Any) -> None:
        network = self.netsim.Network(self.torus)
        network.generate(self.netsim.Traffic(**arguments))
        network.advance(200)

    def run_config(self, **settings: Any) -> None:
        config = self.netsim.Config(**settings)
        self.netsim.simulate(self.torus, self.program(), config=config, max_cycles=10_000)

    def run_graph(self, **arguments: Any) -> None:
        cables = self.topologies.Cables(
            arguments.pop("ends"), arguments.pop("cycles"), arguments.pop("delay")
        )
        made = self.topologies.graph(cables=cables, **arguments)
        self.netsim.simulate(made, self.program(2), max_cycles=10_000)

    def jobs(self) -> list[Any]:
        job = self.scheduling.Job
        return [job(1, 0, 12, 100), job(2, 5, 8, 60, 90.0), job(3, 6, 4, 50)]

    def run_job(self, **arguments: Any) -> None:
        job = self.scheduling.Job(**arguments)
        self.scheduling.schedule(self.torus, [*self.jobs()[:1], job], "easy", "contiguous")

    def placing(self) -> Any:
        config = self.netsim.Config()
        return self.cosim.Placing(self.torus, config, self.cosim.application_work(config))

    def app_job(self, number: int = 1) -> Any:
        return self.scheduling.Job(number, 0.0, 4, 0.0, application="butterfly", intensity="low")

    def allocation(self, first: int = 0) -> Any:
        return self.scheduling.Allocation(np.arange(first, first + 4))

    def placed(self) -> Any:
        return self.placing().put(self.app_job(), self.allocation())

    def plan(self, **more: Any) -> dict[str, Any]:
        said = {"machine": "torus:4x4", "workload": "applications", "jobs": 3, "sizes": "small"}
        return {**said, "classes": "2d", "intensity": "low", "mean_interarrival": 1e-6, **more}

    def executed(self) -> tuple[Any, list[dict[str, Any]]]:
        plan = self.cosim.make_cosim_plan(self.plan())
        return plan, self.cosim.cosimulate(plan).outcome["jobs"]


def calls() -> dict[str, Callable[[], Call]]:
    """Return by name what makes a call that works."""
    w = World()
    made: dict[str, Callable[[], Call]] = {}

    def add(name: str, function: Callable[[], Callable[..., Any]], /, **arguments: Any) -> None:
        """Note a call; what can be called among the arguments is called for each anew."""

        def make() -> Call:
            given = {
                k: v() if inspect.isroutine(v) or hasattr(v, "cache_info") else v
                for k, v in arguments.items()
            }
            return Call(function(), given)

        made[name] = make

    from calls_of_machines import add_machines
    from calls_of_networks import add_networks

    add_networks(add, w)
    add_machines(add, w)
    return made


def public_calls() -> set[str]:
    """Return the names of everything public that can be called, methods as ``Class.method``."""
    found = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if name in LEFT_OUT or not callable(value):
                continue
            found.add(name)
            if inspect.isclass(value):
                found |= {
                    f"{name}.{key}"
                    for key, held in vars(value).items()
                    if not key.startswith("_")
                    and (callable(held) or isinstance(held, classmethod | staticmethod))
                    and len(inspect.signature(getattr(value, key)).parameters)
                    > 1 - isinstance(held, classmethod | staticmethod)
                }
    return found
