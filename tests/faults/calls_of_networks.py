"""Calls that work: networks, programs, and what is simulated of them."""

from typing import Any

import numpy as np

__all__ = ["add_networks"]


def add_networks(add: Any, w: Any) -> None:
    """Add the calls of `netplace.topologies`, `netplace.apps` and `netplace.netsim`."""
    t = w.topologies
    _add_constructors(add, t)
    torus, tree, graph = w.torus, w.tree, w.graph
    for name, topology in (("Grid", torus), ("Tree", tree), ("Graph", graph)):
        add(name, lambda o=topology: w.run_network(type(o)), **_each(w.of_network(topology)))
        for method in ("distance", "dimension_distances", "difference", "level"):
            if hasattr(topology, method):
                add(f"{name}.{method}", lambda o=topology, m=method: getattr(o, m), a=[0, 1], b=[2, 3])
        add(f"{name}.neighbours", lambda o=topology: o.neighbours, router=1)
        add(f"{name}.distances", lambda o=topology: o.distances, nodes=[0, 3])
        add(f"{name}.check_nodes", lambda o=topology: o.check_nodes, nodes=[0, 3])
    add("Grid.coordinates", lambda: torus.coordinates, nodes=[0, 3])
    add("Grid.node", lambda: torus.node, coordinates=[0, 3])
    add("Grid.records", lambda: torus.records, a=0, b=3)
    add("Tree.stage_of", lambda: tree.stage_of, routers=[0, 3])
    add("Cables.of", lambda: t.Cables.of, pairs=[(0, 1)])
    add(
        "graph",
        lambda: w.run_graph,
        text="graph:x",
        ends=lambda: np.array([[0, 1], [1, 2]]),
        cycles=lambda: np.array([1, 2]),
        delay=lambda: np.array([0, 2]),
        nodes_at=lambda: np.array([1, 2, 1]),
        direct=False,
        group=lambda: np.arange(3),
        places=lambda: np.zeros((3, 1), np.int64),
        names=("a", "b", "c"),
        usual="up-down",
    )
    _add_programs(add, w)
    _add_simulations(add, w)


def _each(columns: dict[str, Any]) -> dict[str, Any]:
    """Return what makes each column anew."""

    def anew(value: Any) -> Any:
        return (lambda: value.copy()) if isinstance(value, np.ndarray) else value

    return {name: anew(value) for name, value in columns.items()}


def _add_constructors(add: Any, t: Any) -> None:
    import networkx as nx

    add("parse", lambda: t.parse, text="torus:4x4")
    add("names_file", lambda: t.names_file, text="torus:4x4")
    for name, arguments in {
        "mesh": {"sizes": (4, 4)},
        "torus": {"sizes": (4, 4)},
        "twisted_torus": {"sizes": (4, 2), "twist": 1},
        "hypercube": {"n": 3},
        "hyperx": {"sizes": (2, 2), "c": 2},
        "kary_ntree": {"k": 2, "n": 2},
        "concentrated": {"kind": "torus", "sizes": (2, 2), "c": 2},
        "thin_tree": {"down": 3, "up": 2, "stages": 2},
        "slim_fly": {"q": 3, "p": 1},
        "dragonfly": {"a": 2, "p": 1, "h": 1, "g": 3, "global_links": "absolute"},
        "megafly": {"leaves": 2, "spines": 2, "p": 1, "h": 1, "g": 3, "global_links": "absolute"},
        "xgft": {"down": (2, 2), "up": (1, 2)},
        "graph_file": {"path": "g.txt"},
        "tree_file": {"path": "t.txt"},
        "slurm": {"path": "topology.conf"},
        "ibnetdiscover": {"path": "fabric.txt"},
        "from_networkx": {"given": nx.petersen_graph(), "text": "graph:x"},
    }.items():
        add(name, lambda name=name: getattr(t, name), **arguments)
    torus = t.parse("torus:4x4")
    add("faulty", lambda: t.faulty, of=torus, links=0.1, routers=0.0, slow=0.1, seed=1, cycles=2)
    add(
        "with_faults",
        lambda: t.with_faults,
        of=torus,
        down=((0, 1),),
        off=(5,),
        slow=((2, 3),),
        cycles=2,
        text="x",
    )
    add("with_service", lambda: t.with_service, of=torus, nodes="0+5-6", every=8, first=1)
    add("switch_grid", lambda: t.switch_grid, network=torus)
    add("compute_nodes", lambda: t.compute_nodes, of=t.parse("tree:2,2"), tasks=2, rails=1, nic=1, latency=1)
    add("hierarchy", lambda: t.hierarchy, topology=t.parse("tree:2,2"))
    add("Hierarchy", lambda: t.Hierarchy, order=np.arange(4), starts=(np.arange(5), np.array([0, 2, 4])))
    add("slurm_text", lambda: t.slurm_text, topology=t.parse("xgft:2;4,2;1,1"))
    add("slurm_blocks_text", lambda: t.slurm_blocks_text, topology=t.parse("xgft:2;4,2;1,1"))


def _add_programs(add: Any, w: Any) -> None:
    apps = w.apps
    add("application", lambda: apps.application, name="waterfall", tasks=8, packets=2)
    for name, known in apps.APPLICATIONS.items():
        options = {key: value for key, value in known.parameters.items() if value is not None}
        add(f"application {name}", lambda: apps.application, name=name, tasks=16, **options)
    add("Program", lambda: w.run_columns, **_each(w.columns()))
    add("Program on the other engine", lambda: w.run_reference, **_each(w.columns()))
    program = w.rich_program
    add("Program.of", lambda: apps.Program.of, writers=lambda: [apps.TaskWriter(0, 1)], name="x")
    add("Program.check", lambda: program().check, eager_limit=64)
    add("Program.cut", lambda: program().cut, first=0, last=1)
    add("Program.repeat", lambda: program().repeat, times=3)
    add("Program.section", lambda: program().section, name="timed")
    add("Program.equals", lambda: program().equals, other=program)
    for method in ("traffic", "iterations", "cut", "repeat", "section", "check"):

        def asked(method: str = method, **columns: Any) -> Any:
            more = {"cut": (0, 1), "repeat": (2,)}.get(method, ())
            return getattr(apps.Program(**columns), method)(*more)

        add(f"Program {method}", lambda asked=asked: asked, **_each(w.columns()))
    add("TaskWriter", lambda: apps.TaskWriter, task=0, tasks=2)

    def writer() -> Any:
        made = apps.TaskWriter(0, 2)
        made.irecv(1, 8)
        made.begin("a")
        return made

    for method in ("send", "isend"):
        add(f"TaskWriter.{method}", lambda m=method: getattr(writer(), m), dst=1, bytes=8, tag=0)
    for method in ("recv", "irecv"):
        add(f"TaskWriter.{method}", lambda m=method: getattr(writer(), m), src=1, bytes=8, tag=0)
    add("TaskWriter.compute", lambda: writer().compute, cycles=5)
    add("TaskWriter.wait", lambda: writer().wait, request=0)
    add("TaskWriter.waitall", lambda: writer().waitall, requests=[0])
    add("TaskWriter.mark", lambda: writer().mark, iteration=0)
    add("TaskWriter.begin", lambda: writer().begin, section="b")
    add("TaskWriter.end", lambda: writer().end, section="a")
    add("TaskWriter.repeat", lambda: writer().repeat, begin=1, times=2, tag_step=1)
    add(
        "Traffic",
        lambda: w.run_traffic,
        chance=0.1,
        target=lambda: np.full(16, -1, np.int32),
        hot_node=3,
        hot_share=0.1,
        among=lambda: np.arange(16, dtype=np.int32),
    )


def _add_simulations(add: Any, w: Any) -> None:
    sim, torus = w.netsim, w.torus
    for engine in ("kernel", "reference"):
        add(
            "simulate" if engine == "kernel" else "simulate by reference",
            lambda: sim.simulate,
            topology=torus,
            programs=lambda: [w.program(), w.program()],
            nodes=lambda: [np.arange(4), np.arange(4, 8)],
            config=sim.Config(),
            engine=engine,
            seed=1,
            max_cycles=10_000,
            record_messages=False,
            window=50,
            starts=[0, 5],
        )
    add("simulate one", lambda: sim.simulate, topology=w.tree, programs=w.program, nodes=[0, 1, 2, 3])
    add(
        "measure_load",
        lambda: sim.measure_load,
        topology=torus,
        offered=0.2,
        traffic="hot-spot",
        config=sim.Config(),
        engine="kernel",
        seed=1,
        warmup=50,
        measure=100,
        hot_node=2,
        hot_share=0.1,
    )
    add(
        "pattern",
        lambda: sim.pattern,
        name="hot-spot",
        topology=torus,
        chance=0.1,
        hot_node=3,
        hot_share=0.1,
        without=[5],
    )
    add("left_out", lambda: sim.left_out, name="transpose", topology=torus)
    settings = dict(vars(sim.Config()))
    add("Config", lambda: w.run_config, **settings)
    add("Config.scaled", lambda: sim.Config().scaled, phit_bytes=64)
    add("Config.of_fabric", lambda: sim.Config().of_fabric, name="vcs")
    add("Config.interleaves", lambda: sim.Config().interleaves, program=w.program())
    add("Config.check_bubble", lambda: sim.Config().check_bubble, topology=torus)
    add(
        "Network",
        lambda: sim.Network,
        topology=torus,
        config=sim.Config(),
        engine="kernel",
        seed=1,
        record_messages=False,
        explain=False,
    )
    network = w.network
    add("Network.start", lambda: network().start, program=w.program, nodes=[8, 9, 10, 11], at=50, times=2)
    for method in ("stop", "drained", "program", "watch"):
        add(f"Network.{method}", lambda m=method: getattr(network(), m), job=0)
    add("Network.laps", lambda: _looping(w).laps, job=0)
    add("Network.skip", lambda: _looping(w).skip, job=0, counts=lambda: np.array([2, 2]))
    add("Network.rounds", lambda: _looping(w).rounds, job=0)
    add("Network.forget", lambda: _ended(network()).forget, job=0)
    add("Network.job", lambda: network().job, number=0)
    add(
        "Network.generate",
        lambda: network().generate,
        traffic=lambda: sim.Traffic(0.1, np.full(16, -1, np.int32)),
    )
    add("Network.advance", lambda: network().advance, until=50)
    add("Network.finish", lambda: network().finish, max_cycles=10_000, window=10)
    add("Network.restore", lambda: network(started=False).restore, residue=lambda: network().residue())
    add("ArbiterState", lambda: w.run_restored, cycle=5, pointers=lambda: network().residue().pointers)


def _ended(network: Any) -> Any:
    network.finish()
    return network


def _looping(w: Any) -> Any:
    network = w.netsim.Network(w.torus)
    network.start(w.rich_program(), times=100)
    network.advance(50)
    return network
