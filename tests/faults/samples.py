"""A small good file for every reader, and how it is read."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from netplace.apps.collectives.decisions import decision_table
from netplace.apps.formats import open_trace, read, rewrite
from netplace.apps.recorded import summary_of
from netplace.apps.recorded.trace import Reading
from netplace.cosim.plan import read_cosim_study
from netplace.placement import partition
from netplace.placement.mapping.hosts import read_hosts
from netplace.report.files.held import read_held
from netplace.report.files.traffic import read_traffic
from netplace.runs.job_list import read_job_list
from netplace.runs.mix import read_mix
from netplace.runs.power_file import read_power
from netplace.runs.site_file import read_site
from netplace.runs.study_file import read_study
from netplace.runs.sweep import read_sweep
from netplace.runs.tables import read_table
from netplace.scheduling.partitioner.pss.language import read_configuration
from netplace.scheduling.workload import read as read_workload
from netplace.topologies import parse


def _trace(path: Path, tasks: int | None = None) -> None:
    """Read a trace in every way."""
    reading = Reading(tasks=tasks)
    read(path, cycles_per_us=1.0, tasks=tasks).check()
    summary_of(open_trace(path, reading)).as_data()
    rewrite(lambda: open_trace(path, reading), path.parent / "out.trace")


def _network(form: str) -> Callable[[Path], object]:
    return lambda path: parse(form.format(path))


READERS: dict[str, Callable[[Path], object]] = {
    **dict.fromkeys(("m.trace", "m.trc", "m.dim", "m.goal", "m.bin", "m.prv", "m.tit", "pairs.csv"), _trace),
    "layers.txt": partial(_trace, tasks=4),
    "collectives.toml": lambda path: decision_table(str(path)),
    "topology.conf": _network("slurm:{},taper=2"),
    "blocks.conf": _network("slurm:{}"),
    "topology.yaml": _network("slurm:{},topology=wide"),
    "links.txt": lambda path: parse(f"slurm:{path.with_name('topology.conf')},links={path}"),
    "fabric.txt": _network("ibnetdiscover:{}"),
    "network.yml": _network("graph:{},phit=8"),
    "platform.xml": _network("graph:{},part=fly"),
    **dict.fromkeys(("cables.csv", "anynet.txt", "nccl.xml", "ring.dot", "cables.txt", "net.graphml"),
                    _network("graph:{}")),
    "machine.tree": _network("tree-file:{}"),
    "held.txt": lambda path: read_held(path, 16),
    "hosts.csv": read_hosts,
    "parts.txt": lambda path: partition(f"nodes:{path}", parse("torus:4x4"), [4, 4]),
    **dict.fromkeys(("w.csv", "w.npy", "w.npz"), read_traffic),
    **dict.fromkeys(("jobs.csv", "log.swf", "sacct.txt", "sacct.json"), read_workload),
    "site.toml": read_site,
    "power.toml": read_power,
    "mix.toml": read_mix,
    "study.toml": read_study,
    "costudy.toml": read_cosim_study,
    "sweep.toml": read_sweep,
    "list.toml": read_job_list,
    "table.csv": read_table,
    "tree.conf": read_configuration,
}  # fmt: skip

TEXTS = {
    "m.trace": """# small; tasks 3
0 comm -1 3 0 1 0,1,2 0.0
1 comm -1 3 0 1 0,1,2 0.0
2 comm -1 3 0 1 0,1,2 0.0
0 mark 0 0 iter 0 -1 0.5
0 isend 1 64 7 0 3 1.5
1 recv 0 64 7 0 -1 0
0 wait -1 0 0 0 3 0
0 coll 0 40 bcast 1 -1 2
1 coll 0 40 bcast 1 -1 0
2 coll 0 40 bcast 1 -1 0
0 coll -1 6 alltoallv 0 1,2,3 0
1 coll -1 6 alltoallv 0 1,2,3 0
2 coll -1 6 alltoallv 0 1,2,3 0
2 compute -1 30 0 0 -1 0
0 mark -1 0 iter 0 -1 0
""",
    "m.trc": "# tasks 4\ns 0 1 5 128\nr 0 1 5 128\nc 2 1000\ns 2 3 0 64\nr 2 3 0 64\n",
    "m.dim": '#DIMEMAS:"x":1,00000000042:2(1,1),1\nd:1:1:2:0:1\n1:0:0:0.5\n2:0:0:1:8:5:1:0\n3:1:0:0:8:5:1:0\n'
    "10:0:0:11:1:0:0:8:8\n10:1:0:11:1:0:0:8:8\n",
    "m.goal": "num_ranks 2\nrank 0 {\nl1: recv 8b from 1\nl2: send 8b to 1 tag 1\nl2 requires l1\n"
    "l4: calc 500 /* ns */\nl4 irequires l2\n}\nrank 1 {\nb: send 8b to 0\nrecv 8b from 0 tag 1 cpu 0\n}\n",
    "m.prv": "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n1:1:1:1:1:0:100:1\n"
    "2:1:1:1:1:100:50000001:3\n2:1:1:1:1:120:50000001:0\n3:1:1:1:1:110:115:2:1:2:1:90:300:64:9\n"
    "2:2:1:2:1:80:50000001:2\n2:2:1:2:1:310:50000001:0\n",
    "m.tit": "0 init\n1 init\n0 compute 2e6\n0 isend 1 7 100\n1 recv 0 7 100\n0 waitall\n"
    "0 allreduce 10 1000\n1 allreduce 10 1000\n0 finalize\n1 finalize\n",
    "layers.txt": "DATA\n2\nattention -1 3000 ALLREDUCE 1000 2000 ALLGATHER 800 1000 REDUCESCATTER 4000 100\n"
    "mlp -1 0 ALLTOALL 600 0 NONE 0 0 ALLREDUCE 64 0\n",
    "pairs.csv": "# bytes by pair\nsource,destination,messages,bytes\n0,1,1,100\n1,2,2,101\n2,0,1,7\n",
    "collectives.toml": 'base = "openmpi"\nblocks = ["allgather"]\nallreduce = [\n'
    '    {ranks = [2, 16], bytes = [0, 4095], algorithm = "recursive_doubling"},\n'
    '    {algorithm = "segmented_ring", segment = 65536},\n]\n',
    "topology.conf": "SwitchName=top Switches=leaf[0-1]\nSwitchName=leaf0 Nodes=n[0-3]\n"
    "SwitchName=leaf1 Nodes=n[4-6],login\n",
    "blocks.conf": "BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n",
    "topology.yaml": "---\n# a view\n- topology: wide\n  cluster_default: false\n  block:\n    block_sizes:\n"
    "      - 4\n      - 8\n    blocks:\n      - block: b1\n        nodes: n[0-3]\n      - block: b2\n"
    "        nodes: n[4-7]\n",
    "links.txt": "leaf0 top width=3 cycles=2 delay=5\nleaf1 top width=2\n",
    "fabric.txt": """#
vendid=0x2c9
Switch\t36 "S-00000000000000a1"\t\t# "leaf" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000c1"[1](c2) \t\t# "node1 HCA-1" lid 4 4xQDR
[36]\t"S-00000000000000b1"[2]\t\t# "spine" lid 2 4xQDR

Switch\t36 "S-00000000000000b1"\t\t# "spine" enhanced port 0 lid 2 lmc 0
[2]\t"S-00000000000000a1"[36]\t\t# "leaf" lid 1 4xQDR
[3]\t"H-00000000000000c5"[1](c6) \t\t# "node3 HCA-1" lid 6 4xQDR

Ca\t1 "H-00000000000000c1"\t\t# "node1 HCA-1"
[1](c2) \t"S-00000000000000a1"[1]\t\t# lid 4 lmc 0 "leaf" lid 1 4xQDR

Ca\t1 "H-00000000000000c5"\t\t# "node3 HCA-1"
[1](c6) \t"S-00000000000000b1"[3]\t\t# lid 6 lmc 0 "spine" lid 2 4xQDR
""",
    "network.yml": "topology: [ Ring, Switch ]  # of each dimension\nnpus_count: [ 3, 2 ]\n"
    "bandwidth: [ 50.0, 25.0 ]  # GB/s\nlatency: [ 500.0, 0 ]  # ns\n",
    "platform.xml": '<?xml version=\'1.0\'?>\n<platform version="4.1"><zone id="AS0" routing="Full">\n'
    '<cluster id="fly" prefix="d-" radical="0-11" suffix="" speed="1Gf" bw="125MBps" lat="8ns"\n'
    ' topology="DRAGONFLY" topo_parameters="2,1;2,2;3,1;1"/>\n</zone></platform>\n',
    "cables.csv": "source,target,width,delay\nleaf0,spine,2,\nleaf1,spine,,10\nspine,leaf1,1,0\n",
    "anynet.txt": "router 0 node 0 node 1 router 1 15\nrouter 1 node 2 router 2\nrouter 2 router 0 3\n",
    "nccl.xml": '<system version="1"><cpu host_hash="0x1" numaid="0" arch="x86_64">\n'
    '<pci busid="0000:01:00.0" class="0x030200"><gpu dev="0" sm="80" rank="0" gdr="1">\n'
    '<nvlink target="0000:c4:00.0" count="2" tclass="0x068000"/></gpu></pci></cpu></system>\n',
    "ring.dot": "graph g { a [nodes=2]; a -- b -- c [width=2]; subgraph cluster_x { c -- a } // x\n }\n",
    "cables.txt": "spine nodes=0\nleaf0 nodes=4\nleaf1 nodes=3\nleaf0 spine width=2\nleaf1 spine delay=10\n",
    "net.graphml": '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="n" for="node" attr.name="nodes" attr.type="int"/><graph edgedefault="undirected">\n'
    '<node id="a"><data key="n">2</data></node><node id="b"/><edge source="a" target="b"/></graph></graphml>\n',
    "machine.tree": "leaf0 top 2\nleaf1 top\nn0 leaf0\nn1 leaf0\nn2 leaf1\nn3 leaf1\n",
    "held.txt": "# two jobs\n0-3,8 9\n\n12-15\n",
    "hosts.csv": "rank,host\n0,host0\n1,host1\n",
    "parts.txt": "0-3\n4,5,6,7 # second\n",
    "w.csv": "0,1,2\n3,0,4\n5,6,0\n",
    "jobs.csv": "# MaxNodes: 64\nnumber,submit,nodes,run_time,estimate,program,tasks,repeats\n"
    "1,0,16,0,,\"butterfly,bytes=256\",,2\n2,5.5,4,100,200,,,1\n3,7,8,50.25,,,,\n",
    "log.swf": "; MaxNodes: 64\n; UnixStartTime: 0\n" + "".join(
        f"{job} {20 * job} -1 {30 + job} {size} -1 -1 {size} 60 -1 1 {job % 3} 1 1 1 -1 {job - 1} 5\n"
        for job, size in enumerate((4, 8, 64, 1), 1)
    ),
    "sacct.txt": "JobID|Submit|Start|End|Elapsed|NNodes|Timelimit|State|User|Partition\n"
    "1|2026-01-01T00:00:11|2026-01-01T00:01:11|2026-01-01T01:01:11|01:00:00|2|1-00:00:00|TIMEOUT|ann|short\n"
    "1.batch||||00:00:01|1||COMPLETED||\n",
    "sacct.json": '{"jobs": [{"job_id": 7, "allocation_nodes": 4, "user": "ann", "partition": "short",\n'
    '"time": {"submission": 100, "start": 110, "end": 210, "elapsed": 100,\n'
    '"limit": {"set": true, "infinite": false, "number": 5}}, "state": {"current": ["COMPLETED"]}}]}\n',
    "site.toml": 'order = "fair-share"\nhalf_life = 3600\ndependencies = true\nprediction = true\n\n[[queue]]\n'
    'name = "short"\nnumbers = [1]\nmost_seconds = 100\npriority = 5\n\n[[queue]]\nname = "rest"\n\n'
    '[[window]]\nname = "maintenance"\nbegin = 30\nend = 90\n\n[failures]\nfile = "outages.csv"\n',
    "outages.csv": "node,begin,end\n0,95,200\n3,20,40\n",
    "power.toml": "[nodes]\nbusy = 190.738\nidle = 95\noff = 9.75\nboot_watts = 125.1744\nboot_seconds = 151.52\n"
    'stop_watts = 100.9967\nstop_seconds = 6.1\nkeep = 0\n\n[switching]\nrule = "timeout:300"\nboot_rate = 0\n',
    "mix.toml": 'communication = 0.25\n\n[[class]]\nprogram = "2d-torus,packets=4"\nnodes = "2:"\nweight = 3\n'
    '\n[[class]]\nprogram = "butterfly"\ncommunication = [0.1, 0.2]\nrun_time = "50:"\nround = "down"\n',
    "study.toml": 'machine = ["mesh:4x4", "torus:4x4"]\nworkload = "lublin"\njobs = 10\npolicy = ["fcfs", "easy"]\n'
    'partition = ["contiguous", "non-contiguous"]\ntimes = "slowed:1.3"\nseeds = 2\n',
    "costudy.toml": 'machine = "torus:4x4"\nworkload = "applications"\njobs = 5\npolicy = ["fcfs", "easy"]\n'
    'partition = ["non-contiguous", "random"]\nfidelity = "live"\nseeds = 1\n',
    "sweep.toml": 'network = ["torus:4x4", "mesh:4x4"]\napp = ["butterfly,packets=1", "waterfall"]\ntasks = 16\n'
    'mapping = ["consecutive", "random"]\nseeds = 2\nmax_cycles = 100000\n\n[config]\nvcs = [2, 3]\n\n[[pairs]]\n'
    'vc_policy = ["smart", "shortest"]\nbubble = [2, 1]\n',
    "list.toml": '[[job]]\nprogram = "training:model=toy,tp=2,pp=2"\nnodes = 4\nrepeats = 2\ncollectives = "nccl"\n\n'
    '[[job]]\nprogram = "3d-torus,bytes=4096"\nnodes = 8\ncount = 3\nsubmit = 1e-5\n',
    "table.csv": "application,problem,tasks,network,partition,shape,mapping,settings,count,missing,failed,mean,std,"
    "min,max\nbutterfly,,16,torus:4x4,whole,,random,,1,0,0,9.0,0.0,9.0,9.0\n",
    "tree.conf": "queues: all\nslots: [n0=1], [n1=1], [n2=1]\ngroups:\n  g0={n0,n1},\n  g1={n2}\n"
    "costs:\n  otherwise:\n  all@g0=[1,0],\n  all@g1=[0,1]\nend-costs\n",
}  # fmt: skip


def write_samples(folder: Path) -> None:
    """Write all files into a folder."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).parents[1] / "apps" / "formats" / "goal" / "three.bin", folder / "m.bin")
    W = (3 * np.arange(4)[:, None] + 7 * np.arange(4)) % 11
    np.save(folder / "w.npy", W)
    np.savez_compressed(folder / "w.npz", W=W)
