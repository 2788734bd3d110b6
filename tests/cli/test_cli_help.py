"""What help says and lists name, what the shell completes, how flags are spelled, and what doctor finds."""

import contextlib
import json
import shlex
import shutil
from dataclasses import fields
from pathlib import Path

import click
import pytest
from answers import csv_rows, refused
from click.testing import CliRunner

from netplace.apps import APPLICATIONS
from netplace.apps.bundled import bundled_traces
from netplace.apps.formats import FORMATS
from netplace.cli import COMMANDS, app
from netplace.cli.doctor import GOLDEN_COUNTS
from netplace.cli.help import FIRST
from netplace.cli.listing import TOPICS
from netplace.netsim import ARBITERS, EJECTIONS, PATTERNS, TREE_ROUTINGS, VC_POLICIES, Config
from netplace.netsim.presets import CALIBRATIONS, FABRICS
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.plan_settings import COSIM_SETTINGS, LOAD_SETTINGS, SCHEDULE_SETTINGS
from netplace.runs.loads import KEYS, make_load_plan
from netplace.runs.study_file import read_plans
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
    "calibrations": list(CALIBRATIONS),
    "fabrics": list(FABRICS),
    "formats": list(FORMATS),
    "mappings": list(MAPPINGS),
    "partitions": list(PARTITIONS),
    "policies": [*VC_POLICIES, *ARBITERS, *EJECTIONS, *TREE_ROUTINGS],
    "scheduling": [*QUEUES, *PARTITIONERS, *RUN_TIMES, *ESTIMATES, *OVERRUNS],
    "traces": [f"{name.lower()}.trace.gz" for name in bundled_traces()],
    "traffic": list(PATTERNS),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_lists_every_name(netplace, topic):
    shown = netplace("list", topic)
    assert shown.exit_code == 0
    assert all(name in shown.stdout for name in NAMES[topic])
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
_LONG = (
    "compare", "export", "fit", "demo", "map --network torus:8x8 --program",
    "map --network tree:4,2 --program", "record", "table", "plot", "study td", "workload info", "site site",
    "trace con", "trace cut", "doctor", "metrics --network mesh:32x32",
)  # fmt: skip
LONG = tuple(f"netplace {name}" for name in _LONG)


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
    (tmp_path / "rates.csv").write_text("source,target,rate\n0,1,0.5\n5,2,0.25\n")
    for name in MADE_BEFORE:
        if name in shlex.split(line)[2:4]:
            made = made_before / name
            shutil.copytree(made, name) if made.is_dir() else shutil.copy(made, name)
    result = netplace(*shlex.split(line)[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout or line.startswith("netplace serve")  # which answers nothing unasked


def test_version(netplace):
    assert netplace("--version").stdout.startswith("netplace ")


LINES = 24
SETTINGS = {"--" + item.name.replace("_", "-") for item in fields(Config)}


def shown(netplace, *words):
    result = netplace(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def flags_of(text):
    return {word.strip("│*, ") for word in text.replace(",", " ").split() if word.startswith("--")}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_fits_a_screen(netplace, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    options = [line for line in shown(netplace, command, "--help").splitlines() if line.startswith("│")]
    assert len(options) <= LINES


@pytest.mark.parametrize("command", sorted(FIRST))
def test_all_flags_but_the_settings_are_in_the_long_help(netplace, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "120")
    found = app.commands[command]
    known = {
        flag
        for one in found.get_params(click.Context(found, help_option_names=["-h", "--help"]))
        if isinstance(one, click.Option)
        for flag in one.opts
        if flag.startswith("--")
    }
    assert {flag for flag in FIRST[command] if flag.startswith("--")} <= known
    short, long = (flags_of(shown(netplace, command, flag)) for flag in ("--help", "--help-all"))
    assert known - SETTINGS - {"--bytes-per-phit"} <= long
    assert {flag for flag in FIRST[command] if flag.startswith("--")} <= short
    assert not short & (SETTINGS - {"--vcs", "--vc-policy", "--routing"})
    assert known - SETTINGS - short - {"--bytes-per-phit"}, "nothing is left for --help-all"


def test_the_settings_are_shown_once(netplace):
    text = shown(netplace, "help", "network")
    assert flags_of(text) >= SETTINGS


def test_help_of_a_command_is_that_of_the_command(netplace):
    assert "--offered" in shown(netplace, "help", "load")
    assert "Commands" in shown(netplace, "help") or "run" in shown(netplace, "help")
    refused(netplace("help", "netwrok"), "did you mean network")


def completed(command, name, begun):
    found = app.commands[command]
    context = found.make_context(command, ["--help"], resilient_parsing=True)
    [parameter] = [one for one in found.get_params(context) if one.name == name]
    return [item.value for item in parameter.shell_complete(context, begun)]


@pytest.mark.parametrize("command", sorted(app.commands))
def test_every_command_can_be_quiet(command):
    assert any("--quiet" in parameter.opts for parameter in app.commands[command].params)


def test_quiet_commands_say_nothing_but_mistakes(netplace):
    words = ("schedule", "--machine", "mesh:8", "--workload", "lublin", "--policy", "easy", "--jobs", 5)
    assert "have no estimate" in netplace(*words).stderr
    assert netplace(*words, "--quiet").stderr == ""
    assert "netplace:" in netplace(*words[:-1], 0, "--quiet").stderr
    assert "have no estimate" in netplace(*words).stderr  # it was for that command alone


def test_flags_take_underscores_for_dashes(netplace):
    refused(
        netplace("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--max_cycles", 5),
        "not finished after 5 cycles",
    )


def test_list_alone_tells_the_topics(netplace):
    result = netplace("list")
    assert result.exit_code == 0
    assert "netplace list networks" in result.stdout


def test_keys_of_files_take_either_spelling(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('network = "torus:4x4"\noffered = 0.5\ntraffic = "hot-spot"\nhot-node = 3\n')
    (plan,) = read_plans(path, KEYS, make_load_plan, "points")
    assert plan.to_dict()["hot_node"] == 3
    path.write_text(path.read_text() + "hot_node = 6\n")
    with pytest.raises(ValueError, match="hot-node and hot_node are the same key"):
        read_plans(path, KEYS, make_load_plan, "points")


def test_values_of_settings_are_completed():
    assert completed("run", "vc_policy", "sh") == ["shortest"]


@pytest.mark.parametrize(
    ("command", "settings"),
    [("schedule", SCHEDULE_SETTINGS), ("load", LOAD_SETTINGS), ("cosim", COSIM_SETTINGS)],
)
def test_every_key_of_a_plan_is_a_flag(command, settings):
    found = app.commands[command]
    context = found.make_context(command, ["--help"], resilient_parsing=True)
    flags = {one.name for one in found.get_params(context)}
    assert flags >= {*settings}


ROOT = Path(__file__).parents[2]


def test_an_installation_is_told(netplace):
    found = json.loads(netplace("doctor", "--no-test", "--json").stdout)
    assert found["cores"] >= 1
    assert found["versions"]["numpy"]
    assert Path(found["compiled_part"]).is_file()
    assert set(found["extras"]) >= {"dask", "otf2"}
    assert found["self_test"] == []


def test_counts_that_differ_are_a_problem(netplace, monkeypatch):
    golden = trace, network, cycles, settings = GOLDEN_COUNTS[8]
    wrong = (trace, network, cycles + 1, settings)
    monkeypatch.setattr(
        "netplace.apps.bundled._FOLDER", ROOT / "apps" / "traces"
    )  # examples read shorter ones
    monkeypatch.setattr("netplace.cli.doctor.GOLDEN_COUNTS", (golden, wrong))
    result = netplace("doctor", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [one["right"] for one in found["self_test"]] == [True, False]
    assert "expected 1,336,468" in found["problems"][-1]


def test_golden_counts_are_those_of_the_golden_file():
    rows = {
        (row["trace"], row["network"]): int(row["insee_clock"])
        for row in csv_rows(ROOT / "tests" / "golden" / "exact_npb.csv")
    }
    kinds = {"torus": "torus", "mesh": "mesh", "tree": "fattree"}
    for trace, network, cycles, _ in GOLDEN_COUNTS:
        kind, _, sizes = network.partition(":")
        recorded = "_".join([kinds[kind], *sizes.replace("x", ",").split(",")])
        assert rows[f"npb_{trace.replace('.', '_')}", recorded] == cycles + 1
    assert len(GOLDEN_COUNTS) == 10
