"""What each kind of network can do: a feature tried on a network, on one engine, and what came of it."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fabrics import fabric_text

from netplace.apps import APPLICATIONS
from netplace.cosim import cosimulate, make_cosim_plan, placing_of, reasons, replay, started_jobs
from netplace.netsim import Config, Network, simulate
from netplace.netsim.critical_path import critical_path
from netplace.netsim.table_router import uses_table_router, verdict_on
from netplace.report.files.timeline import trace_events
from netplace.topologies import Graph, Grid, parse

PAGE = Path(__file__).parents[2] / "docs" / "background" / "matrix.md"
ENGINES = ("kernel", "reference")
_FILES = {
    "tree-file": (
        "machine.tree",
        "".join(f"n{n} s{n // 4}\n" for n in range(12)) + "s0 top 2\ns1 top\ns2 top 2\n",
    ),
    "slurm": (
        "topology.conf",
        "".join(f"SwitchName=s{n} Nodes=n[{4 * n}-{4 * n + 3}]\n" for n in range(3))
        + "SwitchName=top Switches=s[0-2]\n",
    ),
    "ibnetdiscover": ("fabric.txt", fabric_text(3)),
    "graph": (
        "machine.txt",
        "".join(f"n{n} s{n // 3}\n" for n in range(12)) + "s0 s1\ns1 s2\ns2 s3\ns3 s0\n",
    ),
}
NETWORKS = {  # kind: a small one
    "mesh": "mesh:4x3",
    "torus": "torus:4x3",
    "twisted": "twisted:4x2x2+1",
    "hypercube": "hypercube:3",
    "tree": "tree:3,2",
    "fly": "fly:2,3",
    "thintree": "thintree:3,2,2",
    "hyperx": "hyperx:3x2,c=2",
    "dragonfly": "dragonfly:a=3,p=1,h=1",
    "dragonfly+": "dragonfly+:leaves=2,spines=2,p=2,h=1,g=3",
    "slimfly": "slimfly:3,p=1",
    "xgft": "xgft:2;3,3;1,2",
    "rail-optimized": "rail-optimized:hosts=8,gpus=2,leaves=2,spines=2,nic=2",
    "tree-file": "",
    "slurm": "",
    "ibnetdiscover": "",
    "graph": "",
    "faulty": "faulty:slow=0.4,links=0.1,seed=2/torus:4x3",
    "service": "service:nodes=0+5/torus:4x3",
    "nodes": "nodes:tasks=2,rails=2,planes=2,nic=2/torus:3x3",
}
_GIVEN = "no: faults at cycle {}: fly:2,3: its routes are given, and none around faults"
LACKS = {"fly": {"faults": _GIVEN.format(40), "slow and fast links": _GIVEN.format(20)}}  # all else is "yes"
CLASSES = {"traffic_classes": "count=2", "congestion_control": "window=2,ack=9,dcqcn=1,timer=40"}
_JOBS = {
    "workload": "applications", "jobs": 2, "sizes": "small", "intensity": "low", "repeats": "1:1",
    "mean_interarrival": 2.5e-7, "phit_bytes": 16, "policy": "fcfs", "partition": "random", "classes": "2d",
}  # fmt: skip


def network_text(kind: str, folder: Path) -> str:
    """Return the text of a small network of a kind; its file, if it has one, is written to a folder."""
    if kind not in _FILES:
        return NETWORKS[kind]
    name, content = _FILES[kind]
    (folder / name).write_text(content, encoding="utf-8")
    return f"{kind}:{folder / name}"


def _config(text: str, **more: Any) -> Config:
    """Return settings with as many virtual channels as the routing of a network needs.

    One is unusual, so that one kernel does for networks of any number of dimensions.
    """
    config = Config(vcs=_vcs(text, "cable_latency" in more), queue_packets=5, **more)
    topology = parse(text)
    if isinstance(topology, Grid) and topology.twist and uses_table_router(topology, config):
        # In tables the usual routing, by dimensions, would have longer ways.
        needed = verdict_on(topology, "minimal", "default")[2].needed
        config = replace(config, routing="minimal", vcs=needed)
    return config


def _vcs(text: str, general: bool = False) -> int:
    topology = parse(text)
    if not (general or isinstance(topology, Graph)):
        return 2
    return max(2, verdict_on(topology, "default", "default")[2].needed)


def _programs() -> list[Any]:
    return [APPLICATIONS["all-to-all"].make(tasks=3, bytes=200), APPLICATIONS["2d-torus"].make(tasks=3)]


def _run(text: str, engine: str, **more: Any) -> Any:
    """Return the result of two jobs whose tasks lie among each other."""
    topology = parse(text)
    nodes = np.asarray(topology.computing)
    places = [nodes[:6:2], nodes[1:6:2]]
    return simulate(
        topology,
        _programs(),
        places,
        config=_config(text, **more),
        engine=engine,
        seed=3,
        record_messages=True,
        window=20,
    )


def _figures(result: Any) -> list[Any]:
    ends = [job.message_end.tolist() for job in result.jobs]
    fates = [str(job.fate) for job in result.jobs]
    return [result.ended, fates, result.drained_cycles, ends, result.link_cycles.tolist()]


def explain(text: str, engine: str) -> Any:
    """Charge waiting to jobs and links."""
    topology = parse(text)
    nodes = np.asarray(topology.computing)
    network = Network(topology, _config(text), engine=engine, seed=3, explain=True)
    jobs = [network.start(program, nodes[n:6:2]) for n, program in enumerate(_programs())]
    network.watch(jobs[0])
    network.finish()
    waiting = network.waiting()
    assert waiting.total == waiting.waited > 0
    watched = {job: links.tolist() for job, links in network.watched().items()}
    return waiting.cycles.tolist(), waiting.links.tolist(), watched


def timelines(text: str, engine: str) -> Any:
    """Write tasks, messages and link loads over time."""
    result = _run(text, engine)
    loads = result.window_load()
    assert 0 < loads.max() <= 1
    return list(trace_events(result, _programs(), 20)), loads.tolist()


def critical(text: str, engine: str) -> Any:
    """Follow the critical path of a job."""
    result = _run(text, engine)
    path = critical_path(parse(text), _config(text), _programs()[0], result.jobs[0])
    assert path.cycles == result.jobs[0].cycles
    return path.stretches


def faults(text: str, engine: str) -> Any:
    """Let links go down in the middle of a run."""
    result = _run(text, engine, faults="at=40,links=0.3,seed=1,packets=again")
    assert result.faults[0].links > 0
    return _figures(result), result.faults


def speeds(text: str, engine: str) -> Any:
    """Let links become slow, and later as fast as the others."""
    result = _run(text, engine, faults="at=20,slow=0.5,cycles=3,seed=1;at=90,slow=1,cycles=1")
    assert result.faults[0].slow > 0
    return _figures(result), result.faults


def injectors(text: str, engine: str) -> Any:
    """Give every node three injectors."""
    return _figures(_run(text, engine, injectors=3))


def fabrics(text: str, engine: str) -> Any:
    """Give cables a length, switches a pipeline, room that is known late, a narrow crossbar and classes."""
    return _figures(
        _run(text, engine, cable_latency="6", pipeline=2, credit_delay=5, crossbar_speedup=1, **CLASSES)
    )


def service(text: str, engine: str) -> Any:
    """Let some nodes not compute."""
    name = text if text.startswith("service:") else f"service:nodes=1/{text}"
    assert len(parse(name).computing) < parse(name).nodes
    return _figures(_run(name, engine))


def live(text: str, engine: str) -> Any:
    """Start, stop and start jobs on the nodes of others."""
    topology = parse(text)
    nodes = np.asarray(topology.computing)
    network = Network(topology, _config(text), engine=engine, seed=3)
    network.start(_programs()[0], nodes[:3])
    stopped = network.start(_programs()[0], nodes[3:6], at=11)
    network.advance(60)
    network.stop(stopped)
    network.start(_programs()[1], nodes[3:6])
    network.finish()
    result = network.result()
    return network.now, network.counters().link_packets.tolist(), [str(job.fate) for job in result.jobs]


def _plan(text: str, **more: Any) -> Any:
    return make_cosim_plan(_JOBS | {"machine": text, "vcs": _vcs(text), "queue_packets": 5} | more, seed=1)


@cache
def _rows(text: str, engine: str, fidelity: str) -> Any:
    return cosimulate(_plan(text, fidelity=fidelity), engine=engine).outcome["jobs"]


def _cosim(fidelity: str) -> Callable[[str, str], Any]:
    return lambda text, engine: _rows(text, engine, fidelity)


def cosim_explain(text: str, engine: str) -> Any:
    """Tell why a job was slow."""
    plan = _plan(text, explain=True)
    outcome = cosimulate(plan, engine=engine).outcome
    assert outcome["waiting"]["charged"] == outcome["waiting"]["waited"]
    told = reasons(plan, outcome["jobs"], outcome["jobs"][0]["job"], suspects=1)
    return outcome["waiting"], told.own, told.neighbours


def what_if(text: str, engine: str) -> Any:
    """Carry out a co-simulation again without a job."""
    plan = _plan(text)
    jobs = started_jobs(plan, _rows(text, engine, "live"))
    return replay(placing_of(plan), jobs[1:], engine=engine).cycles


FEATURES: dict[str, Callable[[str, str], Any]] = {
    "waiting by job": explain,
    "timeline": timelines,
    "critical path": critical,
    "faults": faults,
    "slow and fast links": speeds,
    "several injectors": injectors,
    "fabrics": fabrics,
    "service nodes": service,
    "live jobs": live,
    "`cosim` live": _cosim("live"),
    "`cosim` sampled": _cosim("sampled"),
    "`cosim` table": _cosim("table"),
    "`cosim --explain`": cosim_explain,
    "`whatif`": what_if,
}


def tried(feature: str, text: str) -> str:
    """Return what comes of a feature on both engines: ``yes``, ``differs``, or why it is refused."""
    try:
        found = [FEATURES[feature](text, engine) for engine in ENGINES]
    except ValueError as error:
        return f"no: {error}"
    return "yes" if found[0] == found[1] else "differs"


def expected(kind: str) -> dict[str, str]:
    """Return what comes of each feature on a network of a kind."""
    return dict.fromkeys(FEATURES, "yes") | LACKS.get(kind, {})


def page_table(cells: dict[str, dict[str, str]]) -> str:
    """Return the matrix as a table of the page."""
    lines = ["| network | " + " | ".join(FEATURES) + " |", "|---" * (1 + len(FEATURES)) + "|"]
    lines += [
        f"| `{kind}` | " + " | ".join(cell[:3].rstrip(":") for cell in row.values()) + " |"
        for kind, row in cells.items()
    ]
    return "\n".join(lines)
