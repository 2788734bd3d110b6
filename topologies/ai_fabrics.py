"""Networks of accelerators: ASTRA-sim's analytical networks, and the NVLinks of NCCL's topology files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netplace.checks import abbreviate, check_float, check_int
from netplace.topologies.cables import Cables, graph
from netplace.topologies.dimensional import Dimension, dimensional, paces_of
from netplace.topologies.graph import Graph
from netplace.topologies.hosts import with_hosts
from netplace.topologies.limits import MOST_WIDTH, check_cables

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["astra_sim", "nccl"]

_BUILDING_BLOCKS = {"ring": "ring", "fullyconnected": "full", "switch": "switch"}
_NVSWITCH, _GPU = "0x0680", "0x03"  # how PCI classes begin


def astra_sim(given: dict[str, Any], text: str, phit: int) -> Graph:
    """Return the network of ASTRA-sim's analytical backend.

    Each dimension is a ``Ring``, ``FullyConnected`` or ``Switch`` of ``npus_count`` NPUs, its links of
    ``bandwidth`` GB/s and ``latency`` ns. The fastest links take the smallest number of cycles per phit for
    which all links take whole numbers. Source: astra-sim.github.io/astra-network-analytical-docs.

    Parameters
    ----------
    given : dict
        Contents of the file ``network.yml``.
    text : str
        Text form of the network.
    phit : int
        Bytes per phit.
    """
    rows = {}
    for key in ("topology", "npus_count", "bandwidth", "latency"):
        values = given.get(key)
        if not isinstance(values, list) or not values:
            raise ValueError(
                f"{text}: ASTRA-sim's {key} is {abbreviate(values)}, expected a list such as [ 8 ]"
            )
        rows[key] = [str(value) for value in values]
        if len(values) != len(rows["topology"]):
            raise ValueError(
                f"{text}: ASTRA-sim's {key} has {len(values)} values, expected {len(rows['topology'])}: one "
                "for each dimension of topology"
            )
    for block in rows["topology"]:
        if block.lower() not in _BUILDING_BLOCKS:
            raise ValueError(f"{text}: topology {abbreviate(block)}, expected Ring, FullyConnected or Switch")
    sizes = [check_int(size, f"{text}: npus_count") for size in rows["npus_count"]]
    speeds = [1e9 * check_float(speed, f"{text}: bandwidth (GB/s)", 1e-9, 1e9) for speed in rows["bandwidth"]]
    times = [1e-9 * check_float(time, f"{text}: latency (ns)", 0, 1e12) for time in rows["latency"]]
    paces = paces_of(text, speeds, phit)
    return dimensional(
        text,
        [
            Dimension(_BUILDING_BLOCKS[block.lower()], size, cycles, paces.delay(time))
            for block, size, cycles, time in zip(rows["topology"], sizes, paces.cycles, times, strict=True)
        ],
    )


def nccl(root: Element, text: str) -> Graph:
    """Return the NVLinks of the server that a file of ``NCCL_TOPO_DUMP_FILE`` describes.

    Every GPU is a node, in the order of ``dev``; every NVSwitch is a switch. PCI Express is not included.
    Source: NVIDIA NCCL, "Environment Variables", NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE.
    """
    gpus = [(pci, gpu) for pci in root.iter("pci") for gpu in pci.findall("gpu")]
    gpus.sort(key=lambda pair: check_int(pair[1].get("dev", ""), f"{text}: dev of a gpu", 0))
    if not gpus:
        raise ValueError(f"{text}: NCCL's topology names no <gpu>")
    number = {pci.get("busid", "").lower(): place for place, (pci, _) in enumerate(gpus)}
    if len(number) < len(gpus):
        raise ValueError(f"{text}: two GPUs of NCCL's topology have the same busid")
    told: dict[tuple[int, int], int] = {}  # by the GPU that tells of it; a link between GPUs is told of twice
    for place, (_, gpu) in enumerate(gpus):
        for link in gpu.findall("nvlink"):
            target, kind = link.get("target", "").lower(), link.get("tclass", "").lower()
            count = check_int(link.get("count", ""), f"{text}: count of an nvlink", 1, MOST_WIDTH)
            if kind.startswith(_NVSWITCH):
                other = number.setdefault(target, len(number))
            elif kind.startswith(_GPU) and target in number:
                other = number[target]
            elif kind.startswith(_GPU):
                raise ValueError(f"{text}: an nvlink to GPU {abbreviate(target)}, which is not in the file")
            else:
                continue  # to a processor
            told[place, other] = told.get((place, other), 0) + count
    ends = {(min(pair), max(pair)): max(count, told.get(pair[::-1], 0)) for pair, count in told.items()}
    joined = {place for pair in ends for place in pair}
    if len(gpus) > 1 and not joined.issuperset(range(len(gpus))):
        raise ValueError(
            f"{text}: NCCL's topology joins {len(gpus)} GPUs by PCI Express, which is not read, "
            "and not all by NVLinks, which are"
        )
    check_cables(text, sum(ends.values()))
    cables = Cables.of([pair for pair, count in ends.items() for _ in range(count)])
    at = [int(place < len(gpus)) for place in range(len(number))]
    made = graph(text, cables, at, direct=True, names=list(number), usual="adaptive")
    return with_hosts(made, [f"gpu{gpu.get('dev')}" for _, gpu in gpus])
