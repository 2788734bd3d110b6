"""Keys of plans and runs: whatever an outcome depends on is in its key, whether it was said or not."""

import dataclasses
import gzip
import json
import shutil

import msgspec
import numpy as np
import pytest

from netplace.apps.bundled import bundled_trace
from netplace.cosim import make_cosim_plan
from netplace.cosim import plan as cosim_plan
from netplace.netsim import Config
from netplace.runs import Run, loads, mapping_search, plan, resolve, spec
from netplace.runs.execute import execute
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
    "map": lambda: MappingPlan(Search("torus:2x2", matrix=np.ones((4, 4))), "td", 0),
}
WORDS = {  # of settings whose texts are checked
    "network": "mesh:4x4", "section": "timed", "routing": "minimal", "vc_discipline": "hop",
    "mapping": "random", "partition": "bands", "faults": "at=5,link=0-1", "cable_latency": "2",
    "congestion_control": "window=4,ack=2", "fabric": "alps", "traffic_classes": "count=2",
}  # fmt: skip
# The place of a file, whose content is hashed; a limit; and what only other values make count.
NOT_IN_KEY = {"path", "applications", "max_packets"}


def fields_of(record):
    """Return the fields of a dataclass or Struct: name, type, default and choices."""
    if isinstance(record, msgspec.Struct):
        return [(item.name, item.type, item.default, ()) for item in msgspec.structs.fields(record)]
    return [
        (item.name, item.type, item.default, item.metadata.get("choices"))
        for item in dataclasses.fields(record)
    ]


def is_record(value):
    return dataclasses.is_dataclass(value) or isinstance(value, msgspec.Struct)


def replaced(record, **more):
    replace = msgspec.structs.replace if isinstance(record, msgspec.Struct) else dataclasses.replace
    return replace(record, **more)


def with_default(record, name, kind, value):
    """Return a record of the same class, but for the default of one field, which it has."""
    bases = (type(record),)
    if isinstance(record, msgspec.Struct):
        other = msgspec.defstruct("Other", [(name, kind, value)], bases=bases, frozen=True, kw_only=True)
        said = {item: getattr(record, item) for item in record.__struct_fields__ if item != name}
    else:
        field = dataclasses.field(default=value, metadata=type(record).__dataclass_fields__[name].metadata)
        other = dataclasses.make_dataclass("Other", [(name, kind, field)], bases=bases, frozen=True)
        said = {
            item.name: getattr(record, item.name) for item in dataclasses.fields(record) if item.name != name
        }
    return other(**said)


def changed(record, name, choices):
    """Return another valid value of a field."""
    value = getattr(record, name)
    if choices:
        return next(choice for choice in choices if choice != value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value, ("name", "0" * 64))
    if isinstance(value, str):
        return WORDS.get(name, value + "x")
    return value / 2 if isinstance(value, float) and value else (value or 0) + 1


def variants(record):
    """Yield the name of each field of a plan, at any depth, and the plan with another value of it."""
    for name, _, _, choices in fields_of(record):
        value = getattr(record, name)
        if is_record(value):
            inner = ((each, {name: other}) for each, other in variants(value))
        elif isinstance(value, tuple) and value and is_record(value[0]):
            inner = ((each, {name: (other,)}) for each, other in variants(value[0]))
        elif isinstance(value, np.ndarray):
            inner = [(name, {name: value * 2})]
        elif value is None and name in ("run", "matrix"):
            continue
        else:
            inner = [(name, {name: changed(record, name, choices)})]
        yield from ((each, replaced(record, **more)) for each, more in inner)


@pytest.mark.parametrize("kind", PLANS)
def test_any_changed_field_changes_the_key(kind):
    known = PLANS[kind]()
    same = {name for name, other in variants(known) if other.key == known.key}
    assert same <= NOT_IN_KEY | ({"times"} if kind == "cosim" else set())  # there it is a store that grows
    assert PLANS[kind]().key == known.key


@pytest.mark.parametrize("kind", PLANS)
def test_a_changed_default_changes_the_key(kind):
    known = PLANS[kind]()
    for name, hint, _, choices in fields_of(Config):
        if name != "fabric":
            config = with_default(Config(), name, hint, changed(Config(), name, choices))
            if kind == "map":
                made = replaced(known, search=replaced(known.search, config=config))
            else:
                made = replaced(known, config=config)
            assert made.key != known.key, name
    for record in [known, *(known.jobs if kind == "run" else [])] if kind != "map" else []:
        for name, hint, default, choices in fields_of(record):
            required = default in (dataclasses.MISSING, msgspec.NODEFAULT)
            if required or is_record(default) or name in NOT_IN_KEY | {"config", "times"}:
                continue
            made = with_default(record, name, hint, changed(record, name, choices))
            made = replaced(known, jobs=(made,)) if record is not known else made
            assert made.key != known.key, name


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
MIX = '[[class]]\nprogram = "2d-torus,packets=2"\n'
CHOSEN = '[[allreduce]]\nalgorithm = "ring"\n'
NODES = "".join(f"{node}\n" for node in range(16))
FILES = {  # of each file that a plan may read: its name, its content, another content, and the plan
    "trace of a run": (
        "is.w.16.trace",
        gzip.decompress(bundled_trace("is.w.16").read_bytes()).decode(),
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


def test_the_canonical_form_is_read_back():
    run = resolve("torus:4x4", [HALO, {"trace": "is.w.16", "start": 5}], config=Config(vcs=3), seed=7)
    assert Run.from_dict(json.loads(json.dumps(run.to_dict()))) == run
    assert Run.from_dict(json.loads(json.dumps(run.to_dict()))).key == run.key


def test_what_means_the_same_has_one_key():
    run = resolve("torus:4x4", {"app": "bt,class=s"})
    for same in (
        resolve("torus:04x4", {"app": "bt", "class": "S"}),
        resolve("torus:4x4", {"app": "bt", "class": "S", "tasks": 16, "mapping": "consecutive"}),
        resolve("torus:4x4", {"app": "bt,class=S,tasks=16"}, partition="whole", config=Config(vcs=2)),
    ):
        assert same.key == run.key
    assert resolve("mesh:4x4", HALO).key == resolve("mesh:4x4", {"app": "2d-torus", "bytes": 128}).key
    assert resolve("mesh:4x4", HALO).key == resolve("mesh:4x4", {**HALO, "rounds": 1}).key


def test_a_list_of_nodes_may_be_longer_than_the_name_of_a_file():
    nodes = f"nodes:{','.join(map(str, range(255, 0, -1)))}"
    assert resolve("torus:16x16", HALO, partition=nodes).contents == ()


def test_of_a_file_the_content_counts_not_the_place(tmp_path):
    known = bundled_trace("is.w.16")
    here, there = tmp_path / "a" / known.name, tmp_path / "b" / known.name
    for path in (here, there):
        path.parent.mkdir()
        shutil.copy(known, path)
    key = resolve("torus:4x4", {"trace": str(here)}).key
    assert resolve("torus:4x4", {"trace": str(there)}).key == key
    assert resolve("torus:4x4", {"trace": "is.w.16"}).key == key
    there.write_bytes(gzip.compress(gzip.decompress(there.read_bytes()) + b"# more\n"))
    assert resolve("torus:4x4", {"trace": str(there)}).key != key


@pytest.mark.parametrize(
    ("network", "job", "words"),
    [
        ("torus:4x4", {"app": "2d-torus", "packets": 0}, "packets: 0 is too small"),
        ("torus:4x4", {**HALO, "bytes": 2}, "expected bytes or packets, not both"),
        ("torus:4x4", {**HALO, "section": "time"}, "did you mean timed"),
        ("torus:4x4", {**HALO, "trace": "is.w.16"}, "expected either app or trace"),
    ],
)
def test_a_mistake_is_one_sentence(network, job, words):
    with pytest.raises(ValueError, match=words):
        resolve(network, job)


def test_a_network_file_that_has_changed_is_read_anew(tmp_path):
    path = tmp_path / "machine.txt"
    app = {"app": "2d-mesh", "tasks": 4}
    path.write_text("a b\nb c\nc d\n")
    first = resolve(f"graph:{path}", app)
    assert execute(first).link_packets.shape == (4, 2)
    path.write_text("a b\nb c\nc d\nd a\na c\n")
    second = resolve(f"graph:{path}", app)
    assert first.key != second.key
    assert execute(second).link_packets.shape == (4, 3)
    with pytest.raises(ValueError, match="has changed since the run was specified"):
        execute(first)
