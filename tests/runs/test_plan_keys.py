"""Keys of plans: whatever a plan or its outcome depends on is in its key, whether it was said or not."""

import dataclasses
import gzip

import numpy as np
import pytest

from netplace.apps.carried import carried
from netplace.cosim import make_cosim_plan
from netplace.cosim import plan as cosim_plan
from netplace.netsim import Config
from netplace.runs import Run, loads, mapping_search, plan, resolve, spec
from netplace.runs.loads import make_load_plan
from netplace.runs.mapping_search import MappingPlan, Search
from netplace.runs.plan import make_plan

HALO = {"app": "2d-torus", "packets": 2}
JOBS = {"machine": "torus:4x4", "workload": "lublin", "jobs": 20}
SHARED = {"machine": "torus:4x4", "workload": "applications", "jobs": 4}
PLANS = {
    "run": lambda: resolve("torus:4x4", HALO),
    "load": lambda: make_load_plan({"network": "torus:4x4", "offered": 0.1}),
    "schedule": lambda: make_plan(JOBS),
    "cosim": lambda: make_cosim_plan(SHARED),
    "map": lambda: MappingPlan(Search("torus:2x2", matrix=np.ones((4, 4))), 0),
}
WORDS = {  # of settings whose texts are checked
    "network": "mesh:4x4", "section": "timed", "routing": "minimal", "vc_discipline": "hop",
    "mapping": "random", "partition": "bands", "faults": "at=5,link=0-1", "cable_latency": "2",
    "congestion_control": "window=4,ack=2", "fabric": "alps", "traffic_classes": "count=2",
}  # fmt: skip
# The place of a file, whose content is hashed; a limit; and what only other values make count.
NOT_IN_KEY = {"path", "applications", "max_packets"}


def changed(record, item):
    """Return another valid value of a field."""
    value = getattr(record, item.name)
    if item.metadata.get("choices"):
        return next(name for name in item.metadata["choices"] if name != value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value, ("name", "0" * 64))
    if isinstance(value, str):
        return WORDS.get(item.name, value + "x")
    return value / 2 if isinstance(value, float) and value else (value or 0) + 1


def variants(record):
    """Yield the name of each field of a plan, at any depth, and the plan with another value of it."""
    for item in dataclasses.fields(record):
        value = getattr(record, item.name)
        if dataclasses.is_dataclass(value):
            inner = ((name, {item.name: other}) for name, other in variants(value))
        elif isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            inner = ((name, {item.name: (other,)}) for name, other in variants(value[0]))
        elif isinstance(value, np.ndarray):
            inner = [(item.name, {item.name: value * 2})]
        elif value is None and item.name in ("run", "matrix"):
            continue
        else:
            inner = [(item.name, {item.name: changed(record, item)})]
        yield from ((name, dataclasses.replace(record, **more)) for name, more in inner)


@pytest.mark.parametrize("kind", PLANS)
def test_any_changed_field_changes_the_key(kind):
    known = PLANS[kind]()
    same = {name for name, other in variants(known) if other.key == known.key}
    assert same <= NOT_IN_KEY | ({"times"} if kind == "cosim" else set())  # there it is a store that grows
    assert PLANS[kind]().key == known.key


@pytest.mark.parametrize("make", PLANS.values(), ids=PLANS)
def test_a_changed_default_of_the_network_changes_the_key(make):
    known = make().key
    for item in dataclasses.fields(Config):
        if item.name == "fabric":
            continue
        field = dataclasses.field(default=changed(Config(), item), metadata=item.metadata)
        bases = (Config,)
        other = dataclasses.make_dataclass(
            "Config", [(item.name, item.type, field)], bases=bases, frozen=True
        )
        made = make()
        if isinstance(made, MappingPlan):
            made = dataclasses.replace(made, search=dataclasses.replace(made.search, config=other()))
        else:
            made = dataclasses.replace(made, config=other())
        assert made.key != known, item.name


@pytest.mark.parametrize("kind", ["run", "load", "schedule", "cosim"])
def test_a_changed_default_of_a_plan_changes_the_key(kind):
    known = PLANS[kind]()
    records = [known, *(known.jobs if isinstance(known, Run) else [])]
    for record in records:
        for item in dataclasses.fields(record):
            if item.default is dataclasses.MISSING or item.name in NOT_IN_KEY:
                continue
            value = changed(record, item) if not dataclasses.is_dataclass(item.default) else Config(vcs=3)
            field = dataclasses.field(default=value, metadata=item.metadata)
            kinds = [(item.name, item.type, field)]
            other = dataclasses.make_dataclass("Other", kinds, bases=(type(record),), frozen=True)
            said = {name: held for name, held in vars(record).items() if name not in (item.name, "key")}
            made = other(**said)
            made = dataclasses.replace(known, jobs=(made,)) if record is not known else made
            assert made.key != known.key, item.name


@pytest.mark.parametrize(
    ("kind", "module"),
    [("run", spec), ("load", loads), ("schedule", plan), ("cosim", cosim_plan), ("map", mapping_search)],
)
def test_another_revision_changes_the_key(kind, module, monkeypatch):
    known = PLANS[kind]().key
    monkeypatch.setattr(module, "REVISION", module.REVISION + 1)
    assert PLANS[kind]().key != known


LOG = "1 0 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1\n"
TIMES = "machine,program,tasks,mapping,run_time\ntorus:4x4,2d-torus,4,consecutive,0.1\n"
MIX = '[[class]]\napplication = "2d-torus,packets=2"\n'
CHOSEN = '[[allreduce]]\nalgorithm = "ring"\n'
NODES = "".join(f"{node}\n" for node in range(16))
FILES = {  # of each file that a plan may read: its name, its content, another content, and the plan
    "trace of a run": (
        "is.w.16.trace",
        gzip.decompress(carried("is.w.16").read_bytes()).decode(),
        "# more\n",
        lambda path: resolve("torus:4x4", {"trace": path}),
    ),
    "mapping of a run": (
        "map.csv",
        NODES,
        "\n",
        lambda path: resolve("torus:4x4", {**HALO, "mapping": f"file:{path}"}),
    ),
    "network of a run": (
        "net.txt",
        "a b\nb c\n",
        "c a\n",
        lambda path: resolve(f"graph:{path}", {**HALO, "app": "2d-mesh"}),
    ),
    "collectives of a run": (
        "table.toml",
        CHOSEN,
        "# more\n",
        lambda path: resolve(
            "torus:4x4", {"app": "collective", "operation": "allreduce", "collectives": path}
        ),
    ),
    "network of a load": (
        "net.txt",
        "a b\nb c\n",
        "c a\n",
        lambda path: make_load_plan({"network": f"graph:{path}", "offered": 0.1}),
    ),
    "log": ("log.swf", LOG, LOG, lambda path: make_plan({**JOBS, "workload": path})),
    "machine": (
        "net.txt",
        "a b\nb c\n",
        "c a\n",
        lambda path: make_plan({**JOBS, "machine": f"graph:{path}"}),
    ),
    "run times": ("times.csv", TIMES, "\n", lambda path: make_plan({**SHARED, "times": f"table:{path}"})),
    "power": (
        "power.toml",
        "[nodes]\nbusy = 200\n",
        "idle = 90\n",
        lambda path: make_plan({**JOBS, "power": path}),
    ),
    "site": (
        "site.toml",
        'order = "largest"\n',
        "prediction = true\n",
        lambda path: make_plan({**JOBS, "site": path}),
    ),
    "mix": (
        "mix.toml",
        MIX,
        "weight = 2\n",
        lambda path: make_cosim_plan(
            {"machine": "torus:4x4", "workload": "lublin", "jobs": 4, "applications": path}
        ),
    ),
    "collectives": (
        "table.toml",
        CHOSEN,
        "# more\n",
        lambda path: make_cosim_plan({**SHARED, "collectives": path}),
    ),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_any_changed_byte_of_a_file_changes_the_key(file, tmp_path):
    name, content, more, make = file
    path = tmp_path / name
    path.write_text(content)
    known = make(str(path)).key
    assert make(str(path)).key == known
    path.write_text(content + more)
    assert make(str(path)).key != known
