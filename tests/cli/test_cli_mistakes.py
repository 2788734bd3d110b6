"""Bad input: exit code 2, one sentence on stderr, nothing on stdout, no traceback, nothing half-written."""

import importlib
import signal
import subprocess
import sys
import time

import pytest
from answers import refused

from netplace.apps import APPLICATIONS

# The module: the package has a function of the same name.
EXECUTE = importlib.import_module("netplace.runs.execute")
HALO = ["--network", "torus:4x4", "--app", "2d-torus"]
LOAD = ["--network", "torus:4x4", "--offered", "0.2"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rum"], ["No such command 'rum'"]),
        (["list", "network"], ["unknown name 'network'", "did you mean networks"]),
        (["run", "--app", "lu"], ["Missing option '--network'"]),
        (["run", *HALO, "--vsc", "2"], ["No such option '--vsc'"]),
        (["run", *HALO, "--vcs", "two"], ["--vcs: 'two' is not a whole number"]),
        # names
        (["run", "--network", "tours:4x4", "--app", "lu"], ["network 'tours:4x4'", "did you mean torus"]),
        (["run", *HALO, "--mapping", "randm"], ["mapping: unknown name 'randm'", "did you mean random"]),
        (["run", *HALO, "--partition", "contiguous:bps"], ["run times of a table", "netplace schedule"]),
        (["run", *HALO, "--partition", "quadrant"], ["partition: unknown name", "did you mean quadrants"]),
        (["run", *HALO, "--vc-policy", "smrt"], ["vc_policy: unknown name 'smrt'", "did you mean smart"]),
        (["run", *HALO, "--section", "time"], ["--section: unknown name 'time'", "did you mean timed"]),
        (["run", "--network", "torus:4x4", "--app", "2d-tours"], ["did you mean 2d-torus"]),
        (["run", "--network", "torus:4x4", "--app", "2d-torus,round=2"], ["'round'", "did you mean rounds"]),
        (["run", "--network", "torus:4x4", "--trace", "lu.W.17"], ["no such trace file", "lu.w.16.trace.gz"]),
        (["load", *LOAD, "--traffic", "unifrom"], ["--traffic: unknown name", "did you mean uniform"]),
        # what runs
        (["run", "--network", "torus:4x4"], ["expected one of --program, --trace, --app and --jobs"]),
        (["run", *HALO[:2], "--jobs", "butterfly"], ["--jobs: 'butterfly' is not of the form 4x:NAME"]),
        (["run", *HALO[:2], "--jobs", "4x:no.such.64"], ["no such trace file"]),
        (["run", *HALO, "--trace", "lu.W.16"], ["expected one of --program, --trace, --app and --jobs"]),
        (
            ["run", "--network", "torus:4x4", "--trace", "lu.W.16", "--rounds", "2"],
            ["--rounds", "is a trace"],
        ),
        (
            ["run", "--network", "torus:4x4", "--trace", "lu.W.16", "--iterations", "3"],
            ["--iterations", "A:B"],
        ),
        # sizes
        (["run", "--network", "torus:4x-4", "--app", "lu"], ["-4 is too small"]),
        (["run", "--network", "torus", "--app", "lu"], ["no numbers given"]),
        (
            ["run", "--network", "nodes:512", "--app", "lu"],
            ["nodes:512: expected tasks, a slash and a network"],
        ),
        (["run", "--network", "tree:4", "--app", "lu"], ["1 numbers given, expected 2"]),
        (["run", "--network", "torus:9999x9999x99", "--app", "lu"], ["too large"]),
        (["run", *HALO, "--tasks", "17"], ["17 tasks are more than the 16 nodes"]),
        (["run", "--network", "torus:2x2", "--trace", "lu.W.16"], ["16 tasks are more than the 4 nodes"]),
        (["run", *HALO, "--seeds", "0"], ["--seeds: 0 is too small"]),
        (["run", *HALO, "--bubble", "4"], ["bubble: 4 must be less than queue_packets (4)"]),
        (["load", *LOAD, "--hot-share", "2", "--traffic", "hot-spot"], ["2.0 is not in 0..1"]),
        (["load", "--network", "torus:3x3", "--traffic", "bit-reversal"], ["needs a power of two"]),
        # placement
        (["run", *HALO, "--tasks", "4", "--partition", "boxes:2x2@3,3"], ["does not fit torus:4x4"]),
        (["run", *HALO, "--mapping", "shuffle"], ["is defined on trees"]),
        (["run", *HALO, "--mapping", "file:no.csv"], ["no.csv: No such file"]),
        # outputs
        (["run", *HALO, "-o", "nowhere/x.png"], ["the folder nowhere does not exist"]),
        (
            ["run", *HALO, "-o", "x.gif"],
            ["-o x.gif: unknown kind of file, expected a name that ends in .html, .png"],
        ),
        # runs without end
        (["run", *HALO, "--max-cycles", "5"], ["not finished after 5 cycles"]),
    ],
    ids=lambda value: " ".join(value)[-60:],
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    refused(netplace(*arguments), *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"s 0 1 0 64\nr 0 1 0 x\n", ["t.trc, line 2", "x"]),
        (b"r 0 1 0 64\n", ["t.trc", "task 1"]),
        (b"r 1 0 0 64\ns 0 1 0 64\nr 0 1 0 64\ns 1 0 0 64\n", ["t.trc", "task 0", "task 1"]),
    ],
    ids=["type", "no send", "deadlock"],
)
def test_a_trace_at_fault_names_file_and_place(netplace, tmp_path, content, words):
    path = tmp_path / "t.trc"
    path.write_bytes(content)
    refused(netplace("run", "--network", "torus:2x2", "--trace", path), *words)


@pytest.mark.parametrize("network", ["torus:2x2", "torus:1x4", "torus:2", "torus:1", "torus:2x1x2"])
def test_short_sides_are_no_mistake(netplace, add, network):
    def ring(task):
        task.send((task.task + 1) % task.tasks, 64)
        task.recv((task.task - 1) % task.tasks, 64)

    add(APPLICATIONS, "ring", ring)
    result = netplace("run", "--network", network, "--app", "ring")
    assert result.exit_code == 0, result.stderr


def test_the_traceback_can_be_asked_for(netplace, monkeypatch):
    monkeypatch.setenv("NETPLACE_DEBUG", "1")
    result = netplace("run", *HALO, "--vc-policy", "smrt")
    assert isinstance(result.exception, ValueError)


def test_a_fault_of_the_program_itself_is_not_dressed_up(netplace, monkeypatch):
    monkeypatch.setattr(EXECUTE, "run_simulation", lambda *_, **__: {}["surprise"])
    assert isinstance(netplace("run", *HALO).exception, KeyError)


def test_too_little_memory_is_one_sentence(netplace, monkeypatch):
    def run(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(EXECUTE, "run_simulation", run)
    refused(netplace("run", *HALO), "not enough memory")


@pytest.mark.all
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("engine", ["kernel", pytest.param("reference", marks=pytest.mark.nightly)])
def test_ctrl_c_ends_a_run_with_one_line_and_nothing_half_written(tmp_path, engine):
    # A short program of a thousand million packets: it cannot end by itself in time on either engine.
    words = f"run --network torus:16x16 --app 2d-torus,packets=20000,rounds=50 --engine {engine} -o"
    command = [sys.executable, "-m", "netplace", *words.split(), str(tmp_path / "loads.png")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            time.sleep(4)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=90)
        finally:
            process.kill()
    assert process.returncode == 130
    assert stderr.strip().splitlines()[-1] == "netplace: interrupted"
    assert "Traceback" not in stderr
    assert stdout == ""
    assert list(tmp_path.iterdir()) == []
