"""Calls of the compiled part with wrong arguments, drawn by seed: each ends with a value or an exception.

``python wrong_calls.py SEED COUNT FILE`` makes at least so many. The file holds the last call.
"""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace import native
from netplace.apps import APPLICATIONS
from netplace.netsim import Config
from netplace.netsim.description import described, links_described, numbers_of, routing_described
from netplace.netsim.kernel_engine import KernelEngine
from netplace.netsim.table_router import make_table_router, uses_table_router
from netplace.topologies import parse

# What a wrong call may raise; anything else is a fault.
REFUSALS = (ValueError, TypeError, IndexError, OverflowError, MemoryError, RuntimeError)
NUMBERS = (-(1 << 63), -(1 << 31), -2, -1, 0, 1, 2, 3, 4, 7, 63, 64, 1 << 15, 1 << 31, (1 << 63) - 1)
SMALL = (-2, -1, 0, 1, 2, 3, 5, 8)  # where a large number may be right, and takes long
REALS = (-1.0, 0.0, 0.5, 1.0, 1e300, float("inf"), float("nan"))
NETWORKS = {
    "torus:3x3": Config(),
    "torus:3x3x2": Config(arbiter="age", ejection="single"),
    "twisted:4x2x2+1": Config(vcs=3, arbiter="longest", injectors=2),
    "tree:2,2": Config(),
    "thintree:4,2,2": Config(vcs=3, tree_routing="static"),
    "dragonfly:a=2,p=1,h=1": Config(routing="ugal-l", vcs=4),
    "tree:2,3": Config(routing="adaptive"),
    "mesh:3x3": Config(
        routing="minimal",
        vc_discipline="hop",
        vcs=4,
        crossbar_speedup=1,
        credit_delay=2,
        congestion_control="window=3",
    ),
}
LARGE = ("nodes", "routers", "ports", "queue", "buffer", "vcs", "injectors", "injected", "ack", "dawdle")
LAYERS = ("apps", "experiments", "placement", "scheduling")


class WrongCalls:
    """Draws calls and makes them.

    Parameters
    ----------
    seed : int
        Of all draws.
    last : Path
        File for the call that is made next.
    """

    def __init__(self, seed: int, last: Path) -> None:
        self.chance = np.random.default_rng(seed)
        self.made = self.refused = 0
        self._last = last

    def one_of(self, choices: Any) -> Any:
        """Return one of a sequence."""
        return choices[int(self.chance.integers(len(choices)))]

    def call(self, what: str, function: Any, *given: Any, **named: Any) -> Any:
        """Make a call; return its value, or None where it was refused."""
        self._last.write_text(f"{self.made} {what} {given!r} {named!r}\n", encoding="utf-8")
        self.made += 1
        try:
            return function(*given, **named)
        except REFUSALS:
            self.refused += 1
            return None

    # --- arguments ------------------------------------------------------------------------------------

    def spoiled(self, array: NDArray[Any]) -> Any:
        """Return an array, or what is none, that is wrong in some way."""
        way = int(self.chance.integers(10))
        if way == 0:
            return array.ravel()[:-1] if array.ndim == 1 else array[:-1]
        if way == 1:
            return np.concatenate([array.ravel(), array.ravel()[:1]])
        if way == 2:
            return array.astype(self.one_of([np.float64, np.int8, np.uint64, np.complex128]))
        if way == 3:
            return self.one_of([None, "text", [1, 2], array[..., None], array[:0], np.zeros((2, 2, 2))])
        if way == 4:
            return array[::-1]
        array = array.copy()
        for _ in range(int(self.chance.integers(1, 4))):
            if array.size:
                at = int(self.chance.integers(array.size))
                array.flat[at] = self.value_of(array.dtype)
        return array

    def value_of(self, dtype: np.dtype[Any]) -> Any:
        """Return a number of a type."""
        if dtype.kind == "f":
            return self.one_of(REALS)
        if dtype.kind == "b":
            return self.one_of([False, True])
        limits = np.iinfo(dtype)
        return int(np.clip(self.one_of(NUMBERS), limits.min, limits.max))

    def number(self, value: int | None = None) -> Any:
        """Return a whole number near one that is right, or a far one, or none."""
        if value is not None and self.chance.random() < 0.5:
            return value + self.one_of([-1, 1, 2])
        return (
            self.one_of(NUMBERS)
            if self.chance.random() < 0.9
            else self.one_of([None, "1", 1.5, True, 1 << 70])
        )

    def drawn(self, kind: str) -> Any:
        """Return an argument of a type as a signature of the compiled part tells it."""
        if found := re.match(r"ndarray\[(?:dtype=(\w+), )?shape=\(([^)]*)\)", kind):
            dtype = np.dtype(found[1] or "int16")
            shape = tuple(int(self.chance.integers(5)) for _ in found[2].split(",") if _.strip())
            values = self.chance.integers(-1, 6, shape) if self.chance.random() < 0.7 else np.zeros(shape)
            if dtype.kind == "u":
                values = np.maximum(values, 0)
            array = np.ascontiguousarray(values).astype(dtype)
            return array if self.chance.random() < 0.8 else self.spoiled(array)
        if "Sequence[int]" in kind:
            return [self.one_of(SMALL) for _ in range(int(self.chance.integers(5)))]
        if kind.startswith("int"):
            return self.one_of(SMALL) if self.chance.random() < 0.8 else self.number()
        if kind.startswith("float"):
            return self.one_of(REALS)
        if kind.startswith("bool"):
            return self.one_of([False, True])
        if kind.startswith("object"):
            return self.one_of([np.random.default_rng(1), None])
        name = kind.rsplit(".", 1)[-1]
        for layer in LAYERS:
            made = getattr(getattr(native, layer), name, None)
            if isinstance(made, type):
                for _ in range(20):
                    if (thing := self.make(made)) is not None:
                        return thing
        return None

    def arguments(self, function: Any) -> dict[str, Any]:
        """Return arguments for a function or method, by name."""
        signature = (function.__doc__ or "").split("\n")[0]
        inside = signature[signature.index("(") + 1 : signature.rindex(")")]
        parts = re.findall(r"(\w+): ((?:[^,\[(]|\[[^\]]*\]|\([^)]*\))+)", inside)
        return {name: self.drawn(kind.strip()) for name, kind in parts}

    def make(self, kind: type) -> Any:
        """Return an object of the compiled part, or None where it was refused."""
        return self.call(kind.__name__, kind, **self.arguments(kind.__init__))

    # --- the searches ---------------------------------------------------------------------------------

    def search(self) -> None:
        """Call a function of a layer, or make an object and call its methods."""
        layer = getattr(native, self.one_of(LAYERS))
        name = self.one_of([name for name in dir(layer) if not name.startswith("_")])
        thing = getattr(layer, name)
        if not isinstance(thing, type):
            self.call(name, thing, **self.arguments(thing))
            return
        made = self.make(thing)
        methods = [name for name in dir(thing) if not name.startswith("_") and callable(getattr(thing, name))]
        if made is None or not methods:
            return
        for method in self.chance.permutation(methods * 2).tolist():
            self.call(f"{name}.{method}", getattr(made, method), **self.arguments(getattr(thing, method)))

    # --- the simulator --------------------------------------------------------------------------------

    def network(self) -> None:
        """Make a network of a description that is wrong, or not; let it run, and call its methods."""
        text = self.one_of(list(NETWORKS))
        topology, config = parse(text), NETWORKS[text]
        table = make_table_router(topology, config) if uses_table_router(topology, config) else None
        explain, record = (bool(self.chance.integers(2)) for _ in range(2))
        threads = self.one_of([1, 1, 1, 2])
        settings, arrays = described(topology, config.of_all_classes, 1, record, explain, table, threads)
        if self.chance.random() < 0.8:
            self.spoil(settings, arrays)
        network = self.call("network", native.netsim.network, settings, arrays)
        if network is None:
            return
        code = self.code(topology, config)
        nodes = np.arange(topology.nodes, dtype=np.int32)
        if code is not None:
            some = self.spoiled(nodes) if self.chance.random() < 0.3 else nodes
            self.call("install", network.install, code, some, self.one_of([1, 1, 3]), np.zeros(0, np.int32))
        self.generate(network, topology.nodes)
        network.run(int(self.chance.integers(1, 400)))
        for _ in range(int(self.chance.integers(1, 6))):
            self.method(network, topology, table, code)
        self.call("run", network.run, network.now + 50)

    def spoil(self, settings: dict[str, int], arrays: dict[str, NDArray[np.int32]]) -> None:
        """Change settings or arrays of a network."""
        if self.chance.random() < 0.4:
            name = self.one_of(list(settings))
            settings[name] = self.one_of(SMALL) if name in LARGE else self.number(settings[name])
        else:
            name = self.one_of(list(arrays))
            arrays[name] = self.spoiled(arrays[name])
        if self.chance.random() < 0.05:
            arrays.pop(self.one_of(list(arrays)))

    def code(self, topology: Any, config: Config) -> Any:
        """Return a program as the kernel has it, of arrays that are wrong, or not."""
        program = APPLICATIONS["all-to-all"].make(tasks=topology.nodes)
        engine = KernelEngine(topology, config)
        _, lowered = engine._code(program, bool(self.chance.integers(2)))
        key = lowered.key
        given: list[Any] = [
            np.ascontiguousarray(lowered.op),
            np.ascontiguousarray(lowered.first, np.int64),
            *(np.ascontiguousarray(key[:, column], np.int32) for column in (0, 1)),
            *(np.ascontiguousarray(key[:, column]) for column in (2, 3)),
            len(lowered.message),
            lowered.by_rendezvous,
        ]
        if self.chance.random() < 0.5:
            which = int(self.chance.integers(len(given)))
            wrong = self.spoiled if isinstance(given[which], np.ndarray) else self.number
            given[which] = wrong(given[which])
            if isinstance(given[6], int):
                given[6] = min(given[6], 1 << 20)
        return self.call("code", native.netsim.code, *given)

    def generate(self, network: Any, nodes: int) -> None:
        """Start open-loop traffic."""
        target = np.full(nodes, -1, np.int32)
        among = np.zeros(0, np.int32)
        if self.chance.random() < 0.5:
            target = self.spoiled(target)
        if self.chance.random() < 0.2:
            among = self.spoiled(np.arange(nodes, dtype=np.int32))
        chance = self.one_of([0.02, 0.1, *REALS])
        hot = self.one_of([-1, 0, self.number(nodes)])
        share, by_node = self.one_of(REALS), self.one_of([False, True])
        self.call("generate", network.generate, chance, target, among, hot, share, by_node)

    def method(self, network: Any, topology: Any, table: Any, code: Any) -> None:
        """Call a method of a network."""
        jobs = self.one_of([0, 0, 1, self.number(0)])
        nodes = topology.nodes
        name = self.one_of([name for name in dir(network) if not name.startswith("_")])
        if name in ("now", "quiet_since"):
            self.call(name, setattr, network, "now", network.now + self.one_of([-1, 1, 100, 1 << 40]))
        elif name == "run":
            self.call(name, network.run, network.now + self.one_of([-1, 0, 1, 100]))
        elif name in ("fail", "pace") and table is not None:
            self.outage(network, topology, table, name)
        elif name == "install":
            some = self.spoiled(np.arange(nodes, dtype=np.int32))
            classes = self.spoiled(np.zeros(3, np.int32))
            self.call(name, network.install, code, some, self.number(1), classes)
        elif name == "generate":
            self.generate(network, nodes)
        elif name == "set_pointers":
            pointers = [each.tolist() for each in network.pointers()]
            row = self.one_of(pointers)
            if row:
                row[int(self.chance.integers(len(row)))] = self.one_of([-1, 0, 1, 2, 5, 1000, 1 << 20])
            self.call(name, network.set_pointers, pointers if self.chance.random() < 0.9 else pointers[1:])
        elif name == "skip":
            counts, spare = (self.spoiled(np.zeros(nodes, np.int64)) for _ in range(2))
            self.call(name, network.skip, jobs, counts, spare)
        elif name in ("record", "watch", "end", "stop", "drained", "forget", "progress"):
            more = (self.one_of([0, network.now]),) if name == "record" else ()
            self.call(name, getattr(network, name), jobs, *more)
        elif name not in ("fail", "pace"):
            self.call(name, getattr(network, name))

    def outage(self, network: Any, topology: Any, table: Any, name: str) -> None:
        """Let links fail or change their speed."""
        shape = topology.neighbor.shape
        links = links_described(table.cycles, table.delay)
        if name == "pace":
            which = self.one_of(list(links))
            links[which] = self.spoiled(links[which])
            self.call(name, network.pace, links)
            return
        settings, arrays = routing_described(table)
        down = self.chance.random(shape) < 0.1
        arrays |= links | numbers_of({"dead": np.zeros(shape[0]), "down": down, "hops": table.hops})
        if self.chance.random() < 0.7:
            self.spoil(settings, arrays)
        self.call(name, network.fail, settings, arrays, self.one_of([False, True]))


def main(seed: str, count: str, last: str) -> None:
    """Make `count` calls or some more."""
    calls = WrongCalls(int(seed), Path(last))
    while calls.made < int(count):
        calls.one_of([calls.search, calls.network])()
    sys.stdout.write(f"{calls.made} calls, {calls.refused} refused\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
