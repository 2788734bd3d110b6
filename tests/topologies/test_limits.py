"""Networks that are too large are refused before they are built."""

import tracemalloc

import pytest

from netplace.topologies import parse


@pytest.mark.parametrize(
    "text",
    [
        "torus:100000x100000",
        "torus:" + "x".join(["2"] * 40),
        "tree:2,31",
        "tree:10,1000000000",
        "thintree:4,1,1000000000",
    ],
)
def test_more_ports_than_can_be_numbered(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"too large, its wiring would need .* GB and more ports than"
    ) as caught:
        parse(text)
    assert str(caught.value).startswith(f"{text}: ")


def test_a_side_of_very_many_digits_is_told_in_short() -> None:
    with pytest.raises(ValueError, match=r"side 1: 9+ \.\. 9+ is too large, expected at most"):
        parse("torus:" + "9" * 300)


@pytest.mark.parametrize("kind", ["faulty:links=0/", "nodes:tasks=1/", "service:nodes=0/"])
def test_networks_in_networks_have_so_many_levels(kind: str) -> None:
    with pytest.raises(ValueError, match="has 3000 modifiers, expected at most 16"):
        parse(kind * 3000 + "torus:4x4")


WIDE = {
    "graph:cables.txt": "a b width=4194305\n",
    "graph:cables.csv": "source,target,width\na,b,4194305\n",
    "graph:wide.dot": "graph { a -- b [width=4194305] }",
    "tree-file:wide.tree": "n0 a\nn1 b\na b 4194305\n",
    "slurm:wide.conf,links=links.txt": "SwitchName=a Nodes=n[0-1]\nSwitchName=b Switches=a\n",
    "graph:nccl.xml": '<system><pci busid="x"><gpu dev="0"><nvlink target="y" count="4194305" '
    'tclass="0x0680"/></gpu></pci></system>',
    "graph:fly.xml": '<platform><cluster id="c" radical="0-3" bw="1GBps" lat="0" topology="DRAGONFLY" '
    'topo_parameters="2,4194305;2,1;1,1;1"/></platform>',
    "xgft:2;4,2;1,2;1,4194305": "",
}


@pytest.mark.parametrize("network", WIDE)
def test_parallel_cables_are_counted_before_they_are_made(tmp_path, monkeypatch, network):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("a b width=4194305\n")
    (tmp_path / network.partition(":")[2].partition(",")[0].replace(";", "")).write_text(WIDE[network])
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"4194305.* 4096"):
        parse(network)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20  # NetworkX itself takes 11 MB
