"""Small good files of networks and places, and command lines that read them."""

__all__ = ["COMMANDS", "TEXTS"]

TEXTS = {
    "topology.conf": """SwitchName=top Switches=row[0-1]
SwitchName=row0 Switches=leaf[0-1]
SwitchName=row1 Switches=leaf2 Nodes=login
SwitchName=leaf0 Nodes=n[0-3]
SwitchName=leaf1 Nodes=n[4-9]
SwitchName=leaf2 Nodes=n[10-11]
""",
    "blocks.conf": "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n",
    "topology.yaml": """---
# two views of one machine
- topology: wide
  cluster_default: false
  block:
    block_sizes:
      - 4
      - 8
    blocks:
      - block: b1
        nodes: n[0-3]
      - block: b2
        nodes: n[4-7]
- topology: cables
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: leaf[0-1]
      - switch: leaf0
        nodes: n[0-3]
      - switch: leaf1
        nodes: n4,n5
""",
    "links.txt": "leaf0 row0 width=3 cycles=2 delay=5\nleaf1 row0 width=2\n",
    "fabric.txt": """#
# Topology file: generated on Tue Jun  5 14:15:10 2007
vendid=0x2c9
Switch\t36 "S-00000000000000a1"\t\t# "leaf" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000c1"[1](c2) \t\t# "node1 HCA-1" lid 4 4xQDR
[2]\t"H-00000000000000c3"[1](c4) \t\t# "node2 HCA-1" lid 5 4xQDR
[36]\t"S-00000000000000b1"[2]\t\t# "spine" lid 2 4xQDR

Switch\t36 "S-00000000000000b1"\t\t# "spine" enhanced port 0 lid 2 lmc 0
[2]\t"S-00000000000000a1"[36]\t\t# "leaf" lid 1 4xQDR
[3]\t"H-00000000000000c5"[1](c6) \t\t# "node3 HCA-1" lid 6 4xQDR

Ca\t1 "H-00000000000000c1"\t\t# "node1 HCA-1"
[1](c2) \t"S-00000000000000a1"[1]\t\t# lid 4 lmc 0 "leaf" lid 1 4xQDR

Ca\t1 "H-00000000000000c3"\t\t# "node2 HCA-1"
[1](c4) \t"S-00000000000000a1"[2]\t\t# lid 5 lmc 0 "leaf" lid 1 4xQDR

Ca\t1 "H-00000000000000c5"\t\t# "node3 HCA-1"
[1](c6) \t"S-00000000000000b1"[3]\t\t# lid 6 lmc 0 "spine" lid 2 4xQDR
""",
    "cables.csv": "source,target,width,delay\nleaf0,spine,2,\nleaf1,spine,,10\nspine,leaf1,1,0\n",
    "anynet.txt": "router 0 node 0 node 1 router 1 15\nrouter 1 node 2 router 2\nrouter 2 router 0 3\n",
    "network.yml": """# Analytical
topology: [ Ring, Switch, FullyConnected ]  # of each dimension
npus_count: [ 3, 2, 2 ]
bandwidth: [ 50.0, 25.0, 100 ]  # GB/s
latency: [ 500.0, 0, 4 ]  # ns
""",
    "platform.xml": """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="AS0" routing="Full">
<cluster id="flat" prefix="n-" radical="0-3,7" suffix=".x" speed="1Gf" bw="125MBps" lat="1us"/>
<cluster id="torus" prefix="t-" radical="0-11" suffix="" speed="1Gf" bw="1Gbps" lat="2ns" topology="TORUS"
 topo_parameters="3,2,2"/>
<cluster id="tree" prefix="f-" radical="0-11" suffix="" speed="1Gf" bw="125MBps" lat="0us"
 topology="FAT_TREE" topo_parameters="2;4,3;1,2;1,2"/>
<cluster id="fly" prefix="d-" radical="0-11" suffix="" speed="1Gf" bw="125MBps" lat="8ns"
 topology="DRAGONFLY" topo_parameters="2,1;2,2;3,1;1"/>
</zone></platform>
""",
    "nccl.xml": """<system version="1"><cpu host_hash="0x1" numaid="0" arch="x86_64">
<pci busid="0000:01:00.0" class="0x030200"><gpu dev="0" sm="80" rank="0" gdr="1">
<nvlink target="0000:c4:00.0" count="2" tclass="0x068000"/></gpu></pci>
<pci busid="0000:02:00.0" class="0x030200"><gpu dev="1" sm="80" rank="1" gdr="1">
<nvlink target="0000:c4:00.0" count="2" tclass="0x068000"/></gpu></pci></cpu></system>
""",
    "ring.dot": "graph g { a [nodes=2]; a -- b -- c [width=2]; subgraph cluster_x { c -- a } // x\n }\n",
    "cables.txt": "spine nodes=0\nleaf0 nodes=4\nleaf1 nodes=3\nleaf0 spine width=2\nleaf1 spine delay=10\n",
    "net.graphml": """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="n" for="node" attr.name="nodes" attr.type="int"/>
<key id="w" for="edge" attr.name="width" attr.type="int"/>
<graph edgedefault="undirected">
<node id="a"><data key="n">2</data></node>
<node id="b"><data key="n">2</data></node>
<node id="c"/>
<edge source="a" target="b"><data key="w">2</data></edge>
<edge source="b" target="c"/>
<edge source="c" target="a"/>
</graph></graphml>
""",
    "machine.tree": "leaf0 top 2\nleaf1 top\nn0 leaf0\nn1 leaf0\nn2 leaf1\nn3 leaf1\n",
    "held.txt": "# two jobs\n0-3,8 9\n\n12-15\n",
    "nodes.csv": "task,node\n" + "".join(f"{task},{15 - task}\n" for task in range(16)),
    "parts.txt": "0-3\n4,5,6,7 # second\n8-11\n12-15\n",
    "hosts.txt": "".join(f"host{node}\n" for node in range(16)),
    "w.csv": "".join(",".join(str((3 * i + 7 * j) % 11) for j in range(16)) + "\n" for i in range(16)),
    "curves.toml": """network = "torus:4x4"
vc_policy = ["smart", "shortest"]
traffic = ["uniform", "transpose"]
offered = "0.1:0.2:0.1"
warmup = 100
measure = 200
""",
}
_MAP = ("map", "--network", "torus:4x4", "--mapping")


def _on(machine: str) -> list[tuple[str, ...]]:
    """Return command lines that read a machine from a file."""
    return [
        ("run", "--network", machine, "--app", "all-to-all", "--json", "--max-cycles", "300000"),
        ("run", "--network", machine, "--app", "gups", "--routing", "up-down", "--max-cycles", "300000"),
        ("load", "--network", machine, "--offered", "0.1", "--warmup", "50", "--measure", "100", "--json"),
        ("allocate", "--machine", machine, "--nodes", "2", "--all", "--json"),
        (
            "schedule",
            "--machine",
            machine,
            "--workload",
            "log.swf",
            "--partition",
            "non-contiguous",
            "--json",
        ),
        ("check", "network", machine, "--json"),
        ("pss", "derive", "--machine", machine, "-o", "new.conf"),
    ]


COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "topology.conf": _on("slurm:topology.conf") + _on("slurm:topology.conf,taper=2"),
    "blocks.conf": _on("slurm:blocks.conf"),
    "topology.yaml": _on("slurm:topology.yaml") + _on("slurm:topology.yaml,topology=wide"),
    "links.txt": _on("slurm:topology.conf,links=links.txt"),
    "fabric.txt": _on("ibnetdiscover:fabric.txt"),
    "cables.txt": _on("graph:cables.txt") + _on("faulty:slow=0.5/graph:cables.txt"),
    "net.graphml": _on("graph:net.graphml"),
    "cables.csv": _on("cables.csv")[:2],
    "anynet.txt": _on("anynet.txt")[:2],
    "network.yml": _on("graph:network.yml,phit=8")[:2],
    "platform.xml": [_on(f"graph:platform.xml,part={part}")[0] for part in ("flat", "torus", "tree", "fly")],
    "nccl.xml": _on("nccl.xml")[:1],
    "ring.dot": _on("ring.dot")[:2],
    "machine.tree": _on("tree-file:machine.tree"),
    "held.txt": [
        ("allocate", "--machine", "mesh:4x4", "--occupied", "held.txt", "--nodes", "3", "--all", "--json"),
        (
            "allocate",
            "--machine",
            "tree:4,2",
            "--occupied",
            "held.txt",
            "--nodes",
            "3",
            "--partition",
            "gen-alg",
        ),
    ],
    "nodes.csv": [
        (
            "run",
            "--network",
            "torus:4x4",
            "--json",
            "--app",
            "2d-torus,rounds=2",
            "--mapping",
            "file:nodes.csv",
        ),
        (*_MAP, "file:nodes.csv", "--app", "butterfly", "--json"),
    ],
    "parts.txt": [
        (
            "run",
            "--network",
            "torus:4x4",
            "--jobs",
            "4x:butterfly,tasks=4",
            "--partition",
            "nodes:parts.txt",
        ),
    ],
    "hosts.txt": [
        (*_MAP, "random", "--app", "butterfly", "--export", kind, "--hosts", "hosts.txt", "-o", "ranks.txt")
        for kind in ("openmpi", "mpich", "slurm")
    ],
    "w.csv": [
        (*_MAP, "consecutive", "--from", "w.csv", "--json"),
        (*_MAP, "classic:iterations=2", "--from", "w.csv"),
    ],
    "w.npz": [(*_MAP, "consecutive", "--from", "w.npz", "--json")],
    "wf.npz": [(*_MAP, "consecutive", "--from", "wf.npz", "--json")],
    "w.npy": [(*_MAP, "td:iterations=2", "--from", "w.npy", "--json")],
    "curves.toml": [
        ("load", "curves.toml", "--json", "--workers", "1"),
        ("load", "curves.toml", "-o", "c.svg"),
    ],
}
