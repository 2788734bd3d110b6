"""Sentences name the file, the line or the flag at fault; any strange value of a flag leads to one."""

import pytest
import rich_click as click
from answers import refused
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from samples import write_samples

from netplace.cli import app
from netplace.inputs import MOST, abbreviate, check_choice, check_float, check_int, printable, shortened


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('traffic = ["uniform", "x"]', "curves.toml:2: traffic: unknown name 'x'"),
        ('offered = "abc"', "curves.toml:2: offered: 'abc' is not of the form"),
    ],
)
def test_a_curve_of_a_file_is_told_by_line_and_key(tmp_path, monkeypatch, line, words):
    monkeypatch.chdir(tmp_path)
    offered = "" if line.startswith("offered") else 'offered = "0.1"\n'
    (tmp_path / "curves.toml").write_text(f'network = "torus:4x4"\n{line}\n{offered}')
    refused(CliRunner().invoke(app, ["load", "curves.toml"]), words)


@pytest.mark.parametrize(
    ("line", "files", "sentence"),
    [
        ("check network graph:", {}, "graph:: does not name a file, expected a path after the colon"),
        (
            "workload info w.csv",
            {"w.csv": "\n"},
            "w.csv: is empty, expected columns number, submit, nodes, run_time",
        ),
        (
            "run --network torus:2x2 --app butterfly --record-messages /dev/full",
            {},
            "/dev/full: No space left on device",
        ),
    ],
)
def test_what_is_wrong_is_said_of_the_file(netplace, tmp_path, monkeypatch, line, files, sentence):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    refused(netplace(*line.split()), f"netplace: {sentence}")


RUN = "run --network torus:4x4 --app butterfly"
LONG = "9" * 5000


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        (f"{RUN} --cycle-ns 1e308", "--cycle-ns"),
        ("schedule --machine torus:4x4 --workload lublin --times slowed:1e308", "factor"),
    ],
    ids=lambda text: text[:60],
)
def test_a_number_out_of_range_is_one_sentence(netplace, line, flag):
    refused(netplace(*line.split()), flag)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        *((check_int, value) for value in (2**62 + 1, "1e3", True, None, [], "", LONG, 10**5000)),
        *((check_float, value) for value in (float("inf"), "nan", "x", True, None, [], 10**400, LONG)),
    ],
    ids=lambda _: "",
)
def test_no_number_is_refused_in_short(check, value):
    with pytest.raises(ValueError, match=r"^here: ") as caught:
        check(value, "here")
    assert len(str(caught.value)) < 200


def test_bounds_themselves_are_taken():
    assert check_int(str(MOST), "here") == MOST
    assert check_int(0, "here", 0, 0) == 0
    assert check_float("1.5", "here", 1.5, 1.5) == 1.5


@pytest.mark.parametrize("value", [1.5, None, ["a"], "b" * 5000])
def test_a_name_that_is_none_is_told_in_short(value):
    with pytest.raises(ValueError, match=r"^key: unknown name") as caught:
        check_choice(value, [f"name{number}" for number in range(5000)], "key")
    assert len(str(caught.value)) < 1000


def test_what_is_shown_is_short_and_harmless():
    assert abbreviate("short") == "'short'"
    assert len(abbreviate("a" * 9000)) == 60
    assert len(abbreviate(10**5000)) <= 60
    assert "\x1b" not in printable("\x1b[2J\x07")
    assert printable("two\nlines, ä") == "two\nlines, ä"
    assert len(shortened("x" * 9000 + " y")) < 100
    assert len(shortened("word " * 9000)) <= 3000


# Command lines that end well and soon, to which a flag is added.
GOOD = (
    "run --network torus:4x4 --app 2d-torus,rounds=2 --max-cycles 100000",
    "load --network torus:4x4 --offered 0.1,0.2 --warmup 100 --measure 200",
    "map --network torus:4x4 --app butterfly --mapping classic:iterations=2",
    "metrics --network torus:4x4 --app butterfly --tasks 8 --configurations 2",
    "allocate --machine mesh:4x4 --nodes 3 --all",
    "app waterfall --tasks 16",
    "trace info m.trace",
    "trace cut m.trace -o out.trace --ranks 0-1",
    "collective allreduce --ranks 8 --bytes 1024",
    "schedule --machine torus:4x4x4 --workload log.swf",
    "cosim --machine torus:8x8 --workload jobs.csv",
    "workload info log.swf",
    "check network dragonfly:a=4,p=2,h=2",
    "plot table.csv -o x.svg",
)
STRANGE = (
    *("", " ", "-1", "0", "nan", "inf", "1e308", "9223372036854775808", "1" * 40, "a" * 5000, "torus:0"),
    *("x.py:f", "nope.trc", "nowhere/x.png", "[/x]", "\x1b[2J", "\x00", "\uff11", "1_000", "1:0", "a,,b"),
    *("=", "1=", "tree:99,99", "slurm:topology.conf,taper=0", "lu,class=Q", "td:seconds=-1", "0.1:1:1e-9"),
)  # fmt: skip
LONGER = ("--help", "-h", "--workers", "--dask")  # processes are for other tests


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("flags")
        write_samples(folder)
        patch.chdir(folder)
        yield


@pytest.mark.all
@given(data=st.data())
def test_a_strange_value_of_any_flag(here, data):
    words = data.draw(st.sampled_from(GOOD)).split()
    command = app
    for word in words[:2]:
        if isinstance(command, click.Group):
            command = command.commands[word]
    options = [one for one in command.params if isinstance(one, click.Option) and one.opts[0] not in LONGER]
    chosen = data.draw(st.sampled_from(options))
    values = [] if chosen.is_flag else [data.draw(st.sampled_from(STRANGE)) for _ in range(chosen.nargs)]
    done = CliRunner().invoke(app, [*words, chosen.opts[0], *values])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (0, 1, 2)
    if done.exit_code:
        assert len(done.stderr.splitlines()[-1]) < 1500
        assert done.stderr.splitlines()[-1].startswith("netplace: ")
