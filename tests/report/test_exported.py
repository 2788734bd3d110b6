"""Outcomes in the forms of other tools and of launchers, in files that appear whole or not at all."""

import json
import re

import pandas as pd
import pytest
from answers import refused
from hypothesis import given
from hypothesis import strategies as st

from netplace.report.exported import export
from netplace.report.files.outputs import check_output
from netplace.report.files.rank_files import LAUNCHERS, host_names, rank_file
from netplace.runs.store import Store
from netplace.scheduling.workload import read
from netplace.topologies import parse


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from click.testing import CliRunner

    from netplace.cli import app

    place = tmp_path_factory.mktemp("kept")
    words = ["schedule", "--machine", "torus:4x4", "--workload", "lublin", "--jobs", "60", "--policy", "easy"]
    result = CliRunner().invoke(app, [*words, "--store", str(place / "s.sqlite"), "-o", str(place / "s")])
    assert result.exit_code == 0, result.output
    return place


def test_a_schedule_is_a_log_that_can_be_read_again(folder, tmp_path, netplace):
    assert netplace("export", folder / "s", "-o", tmp_path / "s.swf").exit_code == 0
    rows, log = pd.read_csv(folder / "s" / "rows.csv"), read(tmp_path / "s.swf", drop=())
    assert [job.number for job in log] == rows["number"].tolist()
    assert [job.nodes for job in log] == rows["held"].tolist()
    assert [job.run_time for job in log] == pytest.approx((rows["end"] - rows["start"]).tolist(), abs=0.5)


def test_a_schedule_is_a_table_of_jobs_as_batsim_has_it(folder, tmp_path, netplace):
    assert netplace("export", folder / "s", "-o", tmp_path / "jobs.csv").exit_code == 0
    jobs = pd.read_csv(tmp_path / "jobs.csv")
    assert (jobs["starting_time"] + jobs["execution_time"]).tolist() == pytest.approx(
        jobs["finish_time"].tolist()
    )
    assert (jobs["waiting_time"] >= 0).all()
    assert jobs["allocated_resources"].str.match(r"^\d").all()


def test_a_store_is_tables(folder, tmp_path, netplace):
    result = netplace("export", folder / "s.sqlite", "-o", tmp_path / "s.parquet")
    assert result.exit_code == 0, result.output
    frame = pd.read_parquet(tmp_path / "s.parquet")
    assert frame["plan.policy"].tolist() == ["easy"]
    assert "outcome.metrics.utilisation" in frame


def test_what_cannot_be_written_is_a_sentence(folder, tmp_path, netplace):
    for outcome, target, words in (
        ("none", "a.csv", "does not exist"),
        (folder / "s", "a.txt", "unknown kind of file"),
        (folder / "s.sqlite", "a.swf", "expected a folder of netplace schedule -o"),
    ):
        refused(netplace("export", outcome, "-o", tmp_path / target), words)
    assert not list(tmp_path.iterdir())


def test_columns_of_several_kinds_are_text(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        for key, margin in enumerate((0.5, "wide", [1], None)):
            store.keep_outcome("schedules", str(key), {"margin": margin, "jobs": key}, {"metrics": {}})
        store.keep_outcome("loads", "0", {"size": 10**40}, {"accepted": 1})
    export(tmp_path / "s.sqlite", tmp_path / "x.parquet")
    kept = pd.read_parquet(tmp_path / "x.parquet")
    assert kept["plan.margin"].fillna("").tolist() == ["0.5", "wide", "[1]", ""]
    assert kept["plan.jobs"].tolist() == [0, 1, 2, 3]
    assert pd.read_parquet(tmp_path / "x-loads.parquet")["plan.size"].tolist() == [str(10**40)]


def test_impossible_names_are_told_at_once(tmp_path):
    assert check_output(tmp_path / "a.PNG", (".png",)) == tmp_path / "a.PNG"
    with pytest.raises(ValueError, match=r"expected a name that ends in \.png or \.pdf"):
        check_output(tmp_path / "a.jpg", (".png", ".pdf"))
    with pytest.raises(ValueError, match=r"the folder .* does not exist"):
        check_output(tmp_path / "b" / "a.png")
    with pytest.raises(ValueError, match="is a folder"):
        check_output(tmp_path)


NAMES = [f"host{node:02d}" for node in range(20)]


def expand(blocks):
    """Return the node of each task of a Flux task map, by RFC 34."""
    return [
        node
        for begin, nodes, tasks, repeat in blocks
        for _ in range(repeat)
        for node in range(begin, begin + nodes)
        for _ in range(tasks)
    ]


@given(st.lists(st.integers(0, 19), min_size=1, max_size=20, unique=True))
def test_every_rank_file_gives_the_mapping(nodes):
    hosts, used = [NAMES[node] for node in nodes], sorted(nodes)
    lines = rank_file("openmpi", NAMES, nodes).splitlines()
    found = [re.fullmatch(r"rank (\d+)=(\S+) slot=0", line).groups() for line in lines]
    assert found == [(str(rank), host) for rank, host in enumerate(hosts)]
    assert rank_file("slurm", NAMES, nodes).split() == hosts
    assert rank_file("mpich", NAMES, nodes).split() == hosts
    words = rank_file("mpich-rankmap", NAMES, nodes).strip()[1:-1].split(",")
    assert words[0] == "vector"
    assert [used[int(word)] for word in words[1:]] == nodes
    assert [used[node] for node in expand(json.loads(rank_file("flux", NAMES, nodes)))] == nodes


def test_consecutive_nodes_are_one_block_of_a_task_map():
    assert rank_file("flux", NAMES, [3, 4, 5]) == "[[0,3,1,1]]\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\nb\n", "2 names, expected 3, one for each node"),
        ("a\nb\na\n", "line 3: 'a' is already in line 1"),
        ("a b\n", "line 1: 'a b', expected the name of one host"),
    ],
)
def test_hosts_that_are_not_those_of_the_machine(tmp_path, text, sentence):
    (tmp_path / "hosts").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        host_names(tmp_path / "hosts", parse("torus:3"))


def test_the_command_writes_a_rank_file(netplace, tmp_path):
    (tmp_path / "hosts").write_text("# mine\n" + "\n".join(NAMES[:16]))
    for launcher in LAUNCHERS:
        words = ["map", "--network", "torus:4x4", "--trace", "is.W.16", "--mapping", "random", "--seed", 1]
        words += ["--export", launcher, "--hosts", tmp_path / "hosts", "-o", tmp_path / launcher, "--json"]
        result = netplace(*words)
        assert result.exit_code == 0, result.output
        nodes = json.loads(result.stdout)["nodes"]
        assert (tmp_path / launcher).read_text() == rank_file(launcher, NAMES, nodes)
        assert "-n 16 " in result.stderr
        assert launcher == "mpich-rankmap" or str(tmp_path / launcher) in result.stderr


def test_export_asks_for_a_file_and_a_launcher(netplace, tmp_path):
    words = ["map", "--network", "torus:4x4", "--trace", "is.W.16"]
    for more, sentence in (
        (["--export", "slurm"], "--export slurm: expected also -o FILE"),
        (["--export", "pbs", "-o", tmp_path / "ranks"], "--export: unknown name 'pbs'"),
        (["--hosts", tmp_path / "hosts"], "--hosts: names the nodes for --export"),
    ):
        refused(netplace(*words, *more), sentence)
    assert not list(tmp_path.iterdir())


def test_places_on_the_same_compute_node_have_the_same_host():
    names = host_names(None, parse("nodes:tasks=2/torus:3"))
    assert names == ["n0", "n0", "n1", "n1", "n2", "n2"]
    assert rank_file("openmpi", names, [5, 0, 4]) == "rank 0=n2 slot=0\nrank 1=n0 slot=0\nrank 2=n2 slot=1\n"
    assert rank_file("slurm", names, [5, 0, 4]) == "n2\nn0\nn2\n"
