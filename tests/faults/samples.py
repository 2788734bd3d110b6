"""A small good file for every reader, and how it is read."""

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from netplace.apps.collectives.decisions import decision_table
from netplace.apps.formats import open_trace, read, rewrite
from netplace.apps.formats.recording import ENTRY
from netplace.apps.recorded import Call, summary_of
from netplace.apps.recorded.trace import Reading
from netplace.cosim.plan import read_cosim_study
from netplace.netsim.rate_table import rates_in
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


TRACES: dict[str, Callable[[Path], object]] = {
    **dict.fromkeys(("m.trace", "m.trc", "m.dim", "m.goal", "m.bin", "m.prv", "m.tit", "m.0.et", "pairs.csv",
                     "pairs.prof", "dumpi-0000.txt", "rank-0.txt"), _trace),
    "layers.txt": partial(_trace, tasks=4),
    "recording/rank-0.calls": lambda path: _trace(path.parent),
}  # fmt: skip
READERS: dict[str, Callable[[Path], object]] = {
    **TRACES,
    "rates.csv": lambda path: rates_in(str(path), parse("torus:4")),
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
    **dict.fromkeys(("w.csv", "w.mtx", "w.npy", "w.npz"), read_traffic),
    **dict.fromkeys(("jobs.csv", "log.swf", "sacct.txt", "sacct.json", "batsim.json"), read_workload),
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

# Below a line with the name of each file, its text.
_SAMPLES = re.split(
    r"^==> (.*) <==\n", Path(__file__).with_name("samples.txt").read_text(), flags=re.MULTILINE
)
TEXTS = dict(zip(_SAMPLES[1::2], _SAMPLES[2::2], strict=True))

CHAKRA = (  # a computation, then an allreduce
    b"\x07\n\x050.0.4\x04\x18\x048\x07%\x08\x01\x18\x07*\x01\x00R\r\n\tcomm_typeH\x00R\r\n\tcomm_sizeH@"
)


def write_samples(folder: Path) -> None:
    """Write all files into a folder."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).parents[1] / "apps" / "formats" / "goal" / "three.bin", folder / "m.bin")
    (folder / "m.0.et").write_bytes(CHAKRA)
    (folder / "recording").mkdir(exist_ok=True)
    calls = np.zeros(6, ENTRY)
    calls["kind"] = [12, 7, Call.IRECV, Call.SEND, Call.WAIT, 10]  # begun, communicator, .., finalized
    calls["size"], calls["numbers"] = [1, 0, 8, 8, 0, 0], [0, 1, 0, 0, 0, 0]
    calls["list"][0] = int.from_bytes(b"netplace", "little")
    calls.tofile(folder / "recording" / "rank-0.calls")
    np.zeros(1, np.int64).tofile(folder / "recording" / "rank-0.lists")  # members of the communicator
    W = (3 * np.arange(4)[:, None] + 7 * np.arange(4)) % 11
    np.save(folder / "w.npy", W)
    np.savez_compressed(folder / "w.npz", W=W)
