"""Every flag of every command changes something, or is refused where it has no effect."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
import rich_click as click
from click.testing import CliRunner

from netplace.cli import app
from netplace.netsim import Config

SETTINGS = {item.name for item in fields(Config)}
# Flags without a row in `REFUSED`: why they are taken wherever they stand.
RESULT = "it says where results go, or how they are shown"
EXECUTION = "it says who does the work, and the result is the same"
CHOICE = "it chooses what may be the usual one"
LIMIT = "it is a limit, which need not be reached"
INPUT = "it says what runs, or on what; two that contradict each other are refused by name"
ELSEWHERE = "the plan refuses it where it has no effect, see tests/runs and tests/cli/test_cli_mistakes.py"
TAKEN = {
    "run": {
        INPUT: "network trace app jobs algorithms algorithm trc_unit hosts",
        CHOICE: "section partition mapping seeds seed iterations bytes_per_phit",
        EXECUTION: "engine workers threads",
        LIMIT: "max_cycles",
        RESULT: "critical_path timeline messages output store as_json quiet",
        ELSEWHERE: "window",
    },
    "map": {
        INPUT: "network trace app jobs algorithm matrix mapping method seconds search_iterations criterion",
        CHOICE: "partition seed seeds tasks",
        EXECUTION: "workers dask store",
        RESULT: "output export hosts picture as_json quiet",
    },
    "metrics": {
        INPUT: "network trace app jobs algorithms algorithm ignore collectives",
        CHOICE: "section partitions mapping configurations seed",
        EXECUTION: "workers dask store",
        RESULT: "outputs as_json quiet simulate",
    },
    "load": {
        INPUT: "network traffic offered",
        CHOICE: "warmup measure seeds seed",
        EXECUTION: "engine threads workers dask store",
        RESULT: "output column as_json quiet",
    },
    "schedule": {
        INPUT: "machine workload policy site partition times",
        CHOICE: "seed overrun",
        ELSEWHERE: "jobs load kind classes sizes intensity mean_interarrival repeats cores_per_node drop "
        "installed max_outside mapping power switching unpaired",
        EXECUTION: "store workers dask",
        RESULT: "locality rows output as_json quiet",
    },
    "cosim": {
        INPUT: "machine workload policy site partition applications fidelity collectives algorithms",
        CHOICE: "seed overrun mapping bytes_per_phit",
        ELSEWHERE: "jobs load kind classes sizes intensity mean_interarrival repeats cores_per_node drop "
        "installed max_outside explain unpaired draws",
        LIMIT: "max_packets target_half_width",
        EXECUTION: "store workers dask threads",
        RESULT: "output as_json quiet",
    },
    "table": {RESULT: "jobs as_json quiet", INPUT: "verify"},
    "study": {RESULT: "quiet", ELSEWHERE: "mappings partitions sim_seeds logs parts quick data"},
    "advise": {
        INPUT: "machine log algorithms algorithm ignore collectives trc_unit matrix",
        CHOICE: "default seconds seed section bytes_per_phit",
        RESULT: "output as_json quiet",
    },
}
# Settings, which `tests/agreement/test_settings_without_effect.py` tries on all kinds of network.
TAKES_SETTINGS = ("run", "load", "cosim", "map", "metrics", "advise")

_RUN, _TRACE = "run --network torus:4x4 --app 2d-torus", "run --network mesh:4x4 --trace m.trace"
_MAP, _MATRIX = "map --network torus:4x4 --app 2d-torus", "map --network torus:4x4 --from w.csv"
_METRICS = "metrics --network torus:4x4 --app 2d-torus --configurations 1"
_RULES = "advise --machine mesh:4x4 --log small.swf"
_SCHEDULE = "schedule --machine mesh:16 --workload small.swf"
_COSIM = "cosim --machine torus:4x4 --workload apps.csv"
# Command lines beside which flags have no effect, by flag.
REFUSED = {
    "--compute 1": [_RUN, f"{_METRICS} --simulate", "run --network mesh:4x4 --trace m.trc", _MATRIX],
    "--flops 1e8": [_TRACE, f"{_TRACE} --compute 1"],
    "--ignore io": [_TRACE, _MATRIX],
    "--ignore one-sided,other": [_TRACE],
    "--collectives openmpi": [_RUN, f"{_RUN},rounds=2", _MAP, _METRICS, _MATRIX],
    "--collective scan=linear": [_RUN, _TRACE],
    "--collective allreduce=ring": [_TRACE],
    "--section timed": [_MATRIX],
    "--trc-unit ns": [_METRICS, _MATRIX],
    "--class W": ["run --network torus:4x4 --app cg,class=S", "run --network torus:4x4 --jobs 1x:cg,class=S"],
    "--packets 3": [f"{_RUN},packets=2", f"{_RUN},bytes=2", _MATRIX],
    "--bytes 3": [f"{_RUN},bytes=2"],
    "--rounds 3": [f"{_RUN},rounds=2", _MATRIX],
    "--tasks 4": [f"{_RUN},tasks=16", f"{_MAP},tasks=16"],
    "--iterations 3": ["run --network torus:4x4 --app cg,class=S,iterations=2", _MATRIX],
    "--nonblocking-sends in-order": [_RUN, f"{_MAP} --mapping best:2"],
    "--outstanding-sends 2": [_RUN, "run --network torus:4x4 --app gups"],
    "--outstanding-bytes 200": [_RUN],
    "--bytes-per-phit 64": [_METRICS, _MATRIX],
    "--cpu-scale 2": [_METRICS, "advise --machine mesh:4x4 --app 2d-torus --tasks 4"],
    "--hot-node 3": ["load --network torus:4x4", "load --network torus:4x4 --traffic transpose"],
    "--hot-share .3": ["load --network torus:4x4"],
    "--workers 2": ["table s.sqlite", "table diff a.csv b.csv", "table a.toml --verify", "study list"],
    "--dask tcp://here": ["table s.sqlite", "study list", "study metrics --stored"],
    "--threads 2": ["table s.sqlite", "table diff a.csv b.csv"],
    "--store x.sqlite": ["table s.sqlite", "table diff a.csv b.csv", "study list"],
    "--retry": ["table s.sqlite", "table diff a.csv b.csv", "table a.toml --verify"],
    "--yes": ["table s.sqlite", "table diff a.csv b.csv", "table a.toml --verify"],
    "--runs": ["table diff a.csv b.csv", "table s.sqlite --verify"],
    "--verify": ["table diff a.csv b.csv"],
    "--csv x.csv": ["table s.sqlite --verify"],
    "--parquet x.parquet": ["table s.sqlite --verify"],
    "-o x.csv": ["table s.sqlite --verify", "study list"],
    **{flag: ["study list"] for flag in ("--table all", "--quick", "--mappings 2", "--partitions 2")},
    **{flag: ["study list"] for flag in ("--sim-seeds 2", "--log l.swf")},
    "--stored": ["study list"],
    "--data here": ["study list"],
    "--report": ["study list"],
    "--from 1": [_SCHEDULE, f"{_SCHEDULE} -o x.html", f"{_SCHEDULE} -o x.json"],
    "--to 1": [_SCHEDULE, f"{_SCHEDULE} -o x.html"],
    "--color size": [_SCHEDULE, f"{_SCHEDULE} -o x.html", f"{_SCHEDULE} -o x.json"],
    "--at 1": [_SCHEDULE, f"{_SCHEDULE} -o x.png", f"{_SCHEDULE} -o x.html"],
    "--estimates infinite": [_SCHEDULE, f"{_SCHEDULE} --policy fcfs", _COSIM],
    "--estimate-factor 3": [_COSIM],
    "--spread-cost .3": ["advise --machine mesh:4x4 --app 2d-torus"],
    "--queue fcfs": ["advise --machine mesh:4x4 --app 2d-torus"],
    **{flag: [_RULES] for flag in ("--free 0-3", "--simulations 3", "--running r.toml", "--hosts h")},
    **{flag: [_RULES] for flag in ("--trace t.trc", "--jobs 1x:cg", "--app cg")},
}
# Command lines that differ in one flag, which then has an effect.
CHANGED = {
    "--compute 1": [_TRACE],
    "--flops 1e6": ["run --network mesh:4x4 --trace m.tit --compute 1"],
    "--collectives openmpi": [_TRACE],
    "--collective bcast=linear": [_TRACE],
    "--class W": ["run --network torus:4x4 --app cg,iterations=1"],
    "--packets 3": [_RUN],
    "--bytes 300": [_RUN],
    "--rounds 3": [_RUN],
    "--tasks 4": [_RUN],
    "--iterations 2": ["run --network torus:4x4 --app is,class=S"],
    "--packet-phits 7": [f"{_METRICS} --packets 3", _MAP],
    "--injectors 2": [_MAP],
    "--router-delay 3": [f"{_MAP} --mapping best:2"],
    "--hot-node 3": ["load --network torus:4x4 --traffic hot-spot --offered 0.3 --warmup 9 --measure 99"],
    "--hot-share .5": ["load --network torus:4x4 --traffic hot-spot --offered 0.3 --warmup 9 --measure 99"],
    "--estimates fixed:9": [f"{_SCHEDULE} --policy sjf"],
    "--trc-unit ns": ["run --network mesh:4x4 --trace m.trc"],
}
FILES = {
    "m.trace": "# tasks 4; columns: rank op peer bytes tag comm req gap_us\n"
    + "".join(f"{rank} comm -1 4 0 1 0,1,2,3 0.0\n" for rank in range(4))
    + "0 send 1 512 7 0 -1 12.5\n1 recv 0 512 7 0 -1 0.0\n"
    + "".join(f"{rank} coll 0 64 bcast 1 -1 2.0\n" for rank in range(4)),
    "m.trc": "s 0 1 5 128\nr 0 1 5 128\nc 1 1000\ns 1 0 5 64\nr 1 0 5 64\n",
    "m.tit": "0 init\n1 init\n0 compute 2e6\n0 send 1 0 800\n1 recv 0 0 800\n0 finalize\n1 finalize\n",
    "w.csv": "\n".join(",".join("3" for _ in range(16)) for _ in range(16)),
    "apps.csv": "number,submit,nodes,run_time,estimate,application,intensity,repeats\n"
    "1,0,4,0,,2d-torus,low,1\n",
    "small.swf": "; MaxNodes: 16\n"
    + "".join(
        f"{job} {job} -1 {90 - job} {job} -1 -1 {job} -1 -1 1 1 1 1 1 -1 -1 -1\n" for job in range(1, 9)
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


def _options(command):
    found = app.get_command(click.Context(app), command)
    context = click.Context(found, info_name=command, help_option_names=["-h", "--help"])
    return {one.name: one for one in found.get_params(context) if isinstance(one, click.Option)}


def _refused(command):
    """Return the names of the parameters of a command that `REFUSED` tries."""
    options = {word: name for name, one in _options(command).items() for word in one.opts}
    tried = {
        flag.split()[0] for flag, lines in REFUSED.items() for line in lines if line.split()[0] == command
    }
    return {options[word] for word in tried}


@pytest.mark.parametrize("command", TAKEN)
def test_every_flag_is_in_a_row(command):
    taken = {name for names in TAKEN[command].values() for name in names.split()}
    known = taken | _refused(command) | {"help", "help_all", "plugin"}
    if command in TAKES_SETTINGS:
        known |= SETTINGS
    if command in ("run", "map", "metrics", "advise"):  # flags of programs, which have one reader
        known |= _refused("run")
    options = set(_options(command))
    assert options - known == set()
    assert taken - options == set()


@pytest.mark.parametrize("flag", REFUSED)
def test_a_flag_without_effect_is_refused_by_name(flag, here):
    before = sorted(Path().iterdir())
    for line in REFUSED[flag]:
        ended = CliRunner().invoke(app, [*line.split(), *flag.split()])
        assert ended.exit_code == 2, f"{line} {flag}: {ended.output[-300:]}"
        name = flag.split()[0].replace("--cpu-scale", "--compute")
        assert ended.stderr.startswith(f"netplace: {name}: "), f"{line} {flag}: {ended.stderr}"
        assert " has no effect: " in ended.stderr
        assert sorted(Path().iterdir()) == before


def _outcome(line):
    ended = CliRunner().invoke(app, [*line.split(), "--json"])
    assert ended.exit_code == 0, f"{line}: {ended.output}"
    return _without_times(json.loads(ended.stdout))


def _without_times(plain):
    """Return an outcome without what was asked for, and what differs from run to run."""
    if isinstance(plain, dict):
        left_out = ("cpu_seconds", "checksum", "plan", "config", "seconds", "title", "versions", "provenance")
        return {name: _without_times(value) for name, value in plain.items() if name not in left_out}
    return [_without_times(one) for one in plain] if isinstance(plain, list) else plain


@pytest.mark.parametrize("flag", CHANGED)
def test_a_flag_that_is_taken_changes_what_comes_out(flag, here):
    for line in CHANGED[flag]:
        assert _outcome(line) != _outcome(f"{line} {flag}"), line


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_settings_are_refused_where_nothing_is_simulated(name, here):
    bounding = {"packet_phits", "phit_bytes", "queue_packets", "nic_buffer", "injectors", "ejection"}
    bounding |= {"eager_limit", "nonblocking_sends", "traffic_classes", "fabric", "cycle_ns"}
    option = _options("map")[name]
    value = [] if option.is_flag else ["7" if option.type.name not in ("text", "float") else "5"]
    for line in (_MAP, _MATRIX, _METRICS, _RULES):
        if line == _MAP and name in bounding:
            continue
        ended = CliRunner().invoke(app, [*line.split(), option.opts[0], *value])
        assert ended.exit_code == 2
        assert ended.stderr.startswith(f"netplace: {option.opts[0]}: ")
        assert " has no effect: " in ended.stderr


def test_flags_with_their_usual_value_are_taken(here):
    usual = "--collectives builtin --cpu-scale 0 --section whole --vcs 2 --nonblocking-sends by-program"
    assert _outcome(f"{_RUN} {usual}") == _outcome(_RUN)
