"""Servers of GPUs as NCCL and RCCL write them into the file of ``NCCL_TOPO_DUMP_FILE``.

Source: NVIDIA NCCL, "Environment Variables", NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from netplace.inputs import abbreviate, check_int
from netplace.topologies.cables import Cables, graph, with_node_links
from netplace.topologies.graph import Graph
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_WIDTH
from netplace.topologies.rates import paces_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NVSWITCH, _GPU = "0x0680", "0x03"  # how PCI classes begin
# GB/s of a link in one direction by compute capability or GCN architecture, of the vendors' data sheets.
_LINKS = {
    **{"60": 20.0, "70": 25.0, "72": 25.0, "80": 25.0, "86": 14.0625, "90": 25.0, "100": 50.0, "103": 50.0},
    **{"gfx908": 46.0, "gfx90a": 50.0, "gfx942": 64.0, "gfx950": 76.8},
    **{"908": 46.0, "910": 50.0, "940": 64.0},  # of older versions of RCCL
}
_ASSUMED = 25.0


def nccl(root: Element, text: str, phit: int) -> Graph:
    """Return the NVLinks, or AMD's xGMI, of the server that a file describes.

    Every GPU is a node, in the order of ``dev``. All NVSwitches together are one switch, as in NCCL, and all
    links of a GPU to it, or to the same GPU, are one link as fast as all of them. PCI Express and network
    adapters are not included.
    """
    gpus = [(pci, gpu) for pci in root.iter("pci") for gpu in pci.findall("gpu")]
    gpus.sort(key=lambda pair: check_int(pair[1].get("dev", ""), f"{text}: dev of a gpu", 0))
    if not gpus:
        raise ValueError(f"{text}: NCCL's topology has no <gpu>")
    number = {pci.get("busid", "").lower(): place for place, (pci, _) in enumerate(gpus)}
    if len(number) < len(gpus):
        raise ValueError(f"{text}: two GPUs of NCCL's topology have the same busid")
    told: dict[tuple[int, int], float] = {}  # GB/s; a link between GPUs is listed by both
    unknown: set[str] = set()
    for place, (_, gpu) in enumerate(gpus):
        kind = gpu.get("gcn", gpu.get("sm", ""))
        if kind not in _LINKS:
            unknown.add(kind)
        for link in (*gpu.findall("nvlink"), *gpu.findall("xgmi")):
            target, of_pci = link.get("target", "").lower(), link.get("tclass", "").lower()
            count = check_int(link.get("count", ""), f"{text}: count of an nvlink", 1, MOST_WIDTH)
            if of_pci.startswith(_NVSWITCH):
                other = len(gpus)
            elif of_pci.startswith(_GPU) and target in number:
                other = number[target]
            elif of_pci.startswith(_GPU):
                raise ValueError(f"{text}: an nvlink to GPU {abbreviate(target)}, which is not in the file")
            else:
                continue  # to a processor
            told[place, other] = told.get((place, other), 0) + count * _LINKS.get(kind, _ASSUMED)
    speed = {(min(pair), max(pair)): max(rate, told.get(pair[::-1], 0)) for pair, rate in told.items()}
    joined = {0}
    for _ in gpus:
        joined |= {end for pair in speed if not joined.isdisjoint(pair) for end in pair}
    if not joined.issuperset(range(len(gpus))):
        raise ValueError(
            f"{text}: NVLinks or xGMI of NCCL's topology do not connect all {len(gpus)} GPUs, and netplace "
            f"does not read PCI Express, which does"
        )
    notes = [f"links of GPUs of kind {', '.join(sorted(unknown))!r} are taken as {_ASSUMED:g} GB/s"] * bool(
        unknown
    )
    nics = [float(net.get("speed", "0")) / 1000 for net in root.iter("net")]
    if nics:
        notes.append(
            f"{len(nics)} network adapters of up to {max(nics):g} Gbit/s lead out of the server and are left "
            f"out; rail-optimized: has several servers"
        )
    notes.append("latencies are not in the file and are taken as 0")
    hosts = [f"gpu{gpu.get('dev')}" for _, gpu in gpus]
    paces = paces_of(text, [rate * 1e9 for rate in speed.values()] or [_ASSUMED * 1e9], phit)
    rates = paces.rates("NCCL's topology", *notes)
    at = [1] * len(gpus)
    if all(b == len(gpus) for _, b in speed):  # a crossbar: GPUs pass nothing on
        made = graph(text, Cables.of([]), [len(gpus)], names=["nvswitch"])
        if speed:
            made = with_node_links(made, paces.cycles[np.argsort([a for a, _ in speed])], 0)
        return with_hosts(replace(made, rates=rates), hosts)
    if any(b == len(gpus) for _, b in speed):
        at.append(0)
    cables = Cables(np.array([*speed], np.int64), paces.cycles)
    made = graph(
        text, cables, at, direct=True, names=[*number, "nvswitch"][: len(at)], default_routing="adaptive"
    )
    return with_hosts(replace(made, rates=rates), hosts)
