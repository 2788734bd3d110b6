"""A strange value of any flag leads to an answer or to one sentence."""

import pytest
import rich_click as click
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from samples import write_samples

from netplace.cli import app

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
