"""Every kind of network under every command that takes one."""

import pytest
from fabrics import fabric_text

from netplace.topologies import TOPOLOGIES

FILES = {
    "machine.txt": "s nodes=0\na nodes=4\nb nodes=4\nt nodes=0\na s width=2\na t cycles=2\nb s\nb t\n",
    "machine.tree": "0 a\n1 a\n2 b\n3 b\n4 b\n5 b\n6 b\n7 b\na root 2\nb root\n",
    "tree.conf": "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=s2 Switches=s[0-1]\n",
    "block.conf": "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n",
    "fabric.txt": fabric_text(),
}
NETWORKS = [
    "mesh:3x2x2", "mesh:3x2,c=2", "torus:3x3", "torus:3x3,c=2", "twisted:4x2", "tree:2,3", "thintree:2,1,3",
    "hypercube:3", "hyperx:3x3,c=2", "dragonfly:a=2,p=2,h=2,links=relative",
    "dragonfly+:leaves=2,spines=2,p=2,h=2", "slimfly:3,p=1", "xgft:2;4,4;1,2", "tree-file:machine.tree",
    "slurm:tree.conf", "slurm:block.conf", "ibnetdiscover:fabric.txt", "graph:machine.txt",
    "rail-optimized:hosts=4,gpus=2,leaves=2,spines=2", "faulty:links=0.1,seed=1/torus:4x4",
    "service:nodes=0+5/torus:4x4", "nodes:tasks=2,rails=2/dragonfly:a=2,p=2,h=1", "fly:2,3",
]  # fmt: skip
APP = ("--app", "2d-mesh", "--tasks", "4")
COMMANDS = {
    "run": ("run", "--network", "NETWORK", *APP, "--vcs", "4", "--mapping", "random"),
    "load": ("load", "--network", "NETWORK", "--offered", "0.2", "--warmup", "50", "--measure", "200"),
    "map": ("map", "--network", "NETWORK", *APP, "--mapping", "random", "--plot", "m.png"),
    "metrics": ("metrics", "--network", "NETWORK", *APP, "--configurations", "3", "--vcs", "4", "--simulate"),
    "table": ("table", "sweep.toml", "--workers", "1", "--csv", "table.csv"),
    "schedule": ("schedule", "--machine", "NETWORK", "--workload", "lublin", "--jobs", "8", "-o", "drawn"),
    "allocate": ("allocate", "--machine", "NETWORK", "--nodes", "3", "--all", "-o", "choices.png"),
    "cosim": ("cosim", "--machine", "NETWORK", "--workload", "applications", "--jobs", "2", "--vcs", "4"),
    "check": ("check", "network", "NETWORK"),
}
SWEEP = """
network = "{network}"
app = "butterfly"
tasks = 4
partition = "whole"
mapping = ["consecutive", "random"]
config = {{vcs = 4}}
"""


def test_no_kind_is_left_out():
    assert {network.partition(":")[0] for network in NETWORKS} == set(TOPOLOGIES)


def pairs():
    """Return all commands with all kinds; those that are not slow have every command and every kind."""
    for row, command in enumerate(COMMANDS):
        for column, network in enumerate(NETWORKS):
            marks = () if (row + column) % 3 == 0 else pytest.mark.nightly
            yield pytest.param(command, network, marks=marks)


@pytest.mark.all
@pytest.mark.parametrize(("command", "network"), list(pairs()))
def test_every_kind_under_every_command(netplace, tmp_path, monkeypatch, command, network):
    monkeypatch.chdir(tmp_path)
    for name, text in {**FILES, "sweep.toml": SWEEP.format(network=network)}.items():
        (tmp_path / name).write_text(text)
    vcs = ("--vcs", "4") if command == "load" else ()
    found = netplace(*(network if word == "NETWORK" else word for word in COMMANDS[command]), *vcs)
    assert found.exit_code == 0, found.stderr
