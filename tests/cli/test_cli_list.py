"""``netplace list`` and the help."""

import contextlib
import json
import shlex
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from netplace.apps import APPLICATIONS
from netplace.apps.carried import carried_names
from netplace.apps.formats import FORMATS
from netplace.cli import app
from netplace.cli.listing import TOPICS
from netplace.netsim import ARBITERS, EJECTIONS, PATTERNS, TREE_ROUTINGS, VC_POLICIES
from netplace.netsim.presets import FABRICS
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.scheduling import ESTIMATES, OVERRUNS, PARTITIONERS, RUN_TIMES
from netplace.scheduling import POLICIES as QUEUES
from netplace.topologies import TOPOLOGIES

EXAMPLES = {
    name: command.epilog.split("\n\n")[1:]
    for name, command in {"netplace": app, **app.commands}.items()
    if command.epilog
}
NAMES = {
    "networks": list(TOPOLOGIES),
    "apps": list(APPLICATIONS),
    "fabrics": list(FABRICS),
    "formats": list(FORMATS),
    "mappings": list(MAPPINGS),
    "partitions": list(PARTITIONS),
    "policies": [*VC_POLICIES, *ARBITERS, *EJECTIONS, *TREE_ROUTINGS],
    "scheduling": [*QUEUES, *PARTITIONERS, *RUN_TIMES, *ESTIMATES, *OVERRUNS],
    "traces": [f"{name.lower()}.trace.gz" for name in carried_names()],
    "traffic": list(PATTERNS),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_lists_every_name(netplace, topic):
    shown = netplace("list", topic)
    assert shown.exit_code == 0
    assert all(name in shown.stdout for name in NAMES[topic])


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_one_object_in_json(netplace, topic):
    found = json.loads(netplace("list", topic, "--json").stdout)
    told = " ".join(value for row in found[topic] for value in row.values())
    assert all(name in told for name in NAMES[topic])


@pytest.mark.parametrize("command", [[], ["list"], ["run"], ["load"], ["demo"]])
def test_help_comes_with_examples(netplace, command):
    shown = netplace(*command, "--help")
    assert shown.exit_code == 0
    for example in EXAMPLES[command[0] if command else "netplace"]:
        assert example in shown.stdout


# What some examples need, by the example that makes it.
MADE_BEFORE = {
    "shared": EXAMPLES["cosim"][0],
    "tree.conf": EXAMPLES["pss"][0],
    "pilot": EXAMPLES["plan-study"][0],
}

# Long, or about files that they do not make: tested elsewhere.
LONG = tuple(
    f"netplace {name}"
    for name in (
        "compare",
        "export",
        "fit",
        "demo",
        "map --network torus:8x8 --program",
        "map --network tree:4,2 --program",
        "record",
        "table",
        "plot",
        "study td",
        "workload info",
        "site site",
        "trace con",
        "trace cut",
        "doctor",
        "metrics --network mesh:32x32",
    )
)


@pytest.fixture(scope="module")
def made_before(tmp_path_factory, short_trace, unpainted):
    """What examples have made, each once."""
    folder = tmp_path_factory.mktemp("made")
    with unpainted(), contextlib.chdir(folder):
        for line in MADE_BEFORE.values():
            made = CliRunner().invoke(app, shlex.split(line)[1:])
            assert made.exit_code == 0, made.stderr
            assert made.stdout
    return folder


@pytest.mark.all
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.nightly if "--seeds 3 -o" in line or "--draw" in line else ())
        for line in sorted(
            {line for lines in EXAMPLES.values() for line in lines} - set(MADE_BEFORE.values())
        )
        if not line.startswith(LONG)
    ],
)
def test_the_examples_of_the_help_run(netplace, line, made_before, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in MADE_BEFORE:
        if name in shlex.split(line)[2:4]:
            made = made_before / name
            shutil.copytree(made, name) if made.is_dir() else shutil.copy(made, name)
    result = netplace(*shlex.split(line)[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout or line.startswith("netplace serve")  # which answers nothing unasked


def test_help_imports_no_simulator():
    names = "{'numpy', 'netplace.netsim', 'netplace.apps'}"
    script = f"import sys, netplace.cli; print({names} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert loaded.strip() == "set()"


def test_version(netplace):
    assert netplace("--version").stdout.startswith("netplace ")
