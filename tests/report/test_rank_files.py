"""Mappings as launchers read them: each file is read back by rules of its own, and gives the mapping."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.report.files.rank_files import LAUNCHERS, host_names, rank_file
from netplace.topologies import parse

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
        result = netplace(*words, *more)
        assert (result.exit_code, result.stdout) == (2, "")
        assert sentence in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())


def test_places_on_the_same_compute_node_have_the_same_host():
    names = host_names(None, parse("nodes:tasks=2/torus:3"))
    assert names == ["n0", "n0", "n1", "n1", "n2", "n2"]
    assert rank_file("openmpi", names, [5, 0, 4]) == "rank 0=n2 slot=0\nrank 1=n0 slot=0\nrank 2=n2 slot=1\n"
    assert rank_file("slurm", names, [5, 0, 4]) == "n2\nn0\nn2\n"
