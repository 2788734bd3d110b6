"""Servers of GPUs as NCCL and RCCL write them into the file of ``NCCL_TOPO_DUMP_FILE``.

Source: NVIDIA NCCL, "Environment Variables", NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from netplace.inputs import abbreviate, check_choice, check_int
from netplace.topologies.cables import Cables, graph, with_node_links
from netplace.topologies.graph import Graph
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_WIDTH
from netplace.topologies.rates import paces_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PROCESSOR, _NVSWITCH, _GPU = "0x068001", "0x0680", ("0x03", "0x12")  # how PCI classes begin
# GB/s of a link in one direction by compute capability or GCN architecture, of the vendors' data sheets.
_LINKS = {
    **{"60": 20.0, "70": 25.0, "72": 25.0, "80": 25.0, "86": 14.0625, "90": 25.0, "100": 50.0, "103": 50.0},
    **{"gfx908": 46.0, "gfx90a": 50.0, "gfx942": 64.0, "gfx950": 76.8},
    **{"908": 46.0, "910": 50.0, "940": 64.0},  # of older versions of RCCL
}
_ASSUMED = 25.0
# GB/s of a lane of PCI Express in one direction by GT/s: 8b/10b coding, then 128b/130b, then FLITs (PCI-SIG).
_LANES = {"2.5": 1 / 4, "5": 1 / 2, "8": 128 / 130, "16": 256 / 130, "32": 512 / 130, "64": 242 / 32}
# GB/s between processors that the file does not tell, as NCCL takes them by vendor or architecture.
_PROCESSORS = {"AuthenticAMD": 16.0, "GenuineIntel": 10.0, "ppc64": 32.0}
_OTHER_PROCESSORS = 6.0


def nccl(root: Element, text: str, phit: int) -> Graph:
    """Return the NVLinks, or AMD's xGMI, of the server that a file describes.

    Every GPU is a node, in the order of ``dev``. All NVSwitches together are one switch, as in NCCL, and all
    links of a GPU to it, or to the same GPU, are one link as fast as all of them. If these do not connect all
    GPUs, switches of PCI Express and processors do as well. Network adapters are not included.
    """
    gpus = [(pci, gpu) for pci in root.iter("pci") for gpu in pci.findall("gpu")]
    gpus.sort(key=lambda pair: check_int(pair[1].get("dev", ""), f"{text}: dev of a gpu", 0))
    if not gpus:
        raise ValueError(f"{text}: NCCL's topology has no <gpu>")
    number = {pci.get("busid", "").lower(): place for place, (pci, _) in enumerate(gpus)}
    if len(number) < len(gpus):
        raise ValueError(f"{text}: two GPUs of NCCL's topology have the same busid")
    told: dict[tuple[int, int], float] = {}  # GB/s; a link between GPUs is listed by both
    above: dict[int, float] = {}  # GB/s of links to processors, by GPU
    unknown: set[str] = set()
    for place, (_, gpu) in enumerate(gpus):
        kind = gpu.get("gcn", gpu.get("sm", ""))
        if kind not in _LINKS:
            unknown.add(kind)
        for link in (*gpu.findall("nvlink"), *gpu.findall("xgmi")):
            target, of_pci = link.get("target", "").lower(), link.get("tclass", "").lower()
            count = check_int(link.get("count", ""), f"{text}: count of an nvlink", 1, MOST_WIDTH)
            rate = count * _LINKS.get(kind, _ASSUMED)
            if of_pci.startswith(_PROCESSOR):
                above[place] = above.get(place, 0) + rate
            elif of_pci.startswith(_NVSWITCH):
                told[place, len(gpus)] = told.get((place, len(gpus)), 0) + rate
            elif target in number:
                told[place, number[target]] = told.get((place, number[target]), 0) + rate
            elif of_pci.startswith(_GPU):
                raise ValueError(f"{text}: an nvlink to GPU {abbreviate(target)}, which is not in the file")
    speed = {(min(pair), max(pair)): max(rate, told.get(pair[::-1], 0)) for pair, rate in told.items()}
    joined = {0}
    for _ in gpus:
        joined |= {end for pair in speed if not joined.isdisjoint(pair) for end in pair}
    names = [*number] + ["nvswitch"] * any(b == len(gpus) for _, b in speed)
    notes = []
    if speed and unknown:
        notes.append(f"links of GPUs of kind {', '.join(sorted(unknown))!r} are taken as {_ASSUMED:g} GB/s")
    if not (whole := joined.issuperset(range(len(gpus)))):
        express, more = _pci_express(root, names, number, above, text)
        if not express:
            raise ValueError(f"{text}: neither links of NCCL's topology nor a <cpu> join {len(gpus)} GPUs")
        speed |= express
        notes += more
    nics = [float(net.get("speed", "0")) / 1000 for net in root.iter("net")]
    if nics:
        notes.append(
            f"network adapters ({len(nics)}, of up to {max(nics):g} Gbit/s) lead out of the server and are "
            f"left out; rail-optimized: has several servers"
        )
    notes.append("latencies are not in the file and are taken as 0")
    hosts = [f"gpu{gpu.get('dev')}" for _, gpu in gpus]
    paces = paces_of(text, [rate * 1e9 for rate in speed.values()] or [_ASSUMED * 1e9], phit)
    rates = paces.rates("NCCL's topology", *notes)
    if whole and all(b == len(gpus) for _, b in speed):  # a crossbar: GPUs pass nothing on
        made = graph(text, Cables.of([]), [len(gpus)], names=["nvswitch"])
        if speed:
            made = with_node_links(made, paces.cycles[np.argsort([a for a, _ in speed])], 0)
        return with_hosts(replace(made, rates=rates), hosts)
    at = (np.arange(len(names)) < len(gpus)).astype(np.int64)
    cables = Cables(np.array([*speed], np.int64), paces.cycles)
    made = graph(text, cables, at, direct=True, names=names, default_routing="adaptive")
    return with_hosts(replace(made, rates=rates), hosts)


def _pci_express(
    root: Element, names: list[str], number: dict[str, int], links: dict[int, float], text: str
) -> tuple[dict[tuple[int, int], float], list[str]]:
    """Return the GB/s of cables above GPUs, and notes; append switches and processors to `names`."""
    speed: dict[tuple[int, int], float] = {}
    notes = ["PCI Express carries its line rate, without what the headers of packets take"]
    under: list[tuple[Element, int]] = []
    for cpu in root.iter("cpu"):
        between = _PROCESSORS.get(cpu.get("vendor", "") or cpu.get("arch", ""), _OTHER_PROCESSORS)
        for other, place in under:
            if other.get("host_hash") == cpu.get("host_hash"):
                speed[place, len(names)] = between
                notes[1:] = [f"processors are taken as joined by {between:g} GB/s"]
        own = {number.get(pci.get("busid", "").lower(), -1) for pci in cpu.iter("pci")} & links.keys()
        speed |= {(place, len(names)): links[place] for place in sorted(own)}
        under.append((cpu, len(names)))
        names.append(f"cpu{cpu.get('numaid', '')}")
    for element, above in under:  # switches are appended
        for pci in element.findall("pci"):
            if pci.find("gpu") is not None:
                speed.setdefault((number[pci.get("busid", "").lower()], above), _rate(pci, text))
            elif pci.find(".//gpu") is not None:
                speed[above, len(names)] = _rate(pci, text)
                under.append((pci, len(names)))
                names.append(pci.get("busid", ""))
    return speed, notes


def _rate(pci: Element, text: str) -> float:
    """Return the GB/s of the link above a device; as in NCCL, 16 lanes of 8 GT/s unless it tells others."""
    told = re.sub(r"(?:\.0)?\s*GT/s.*|Unknown.*", "", pci.get("link_speed", "")).strip() or "8"
    lanes = check_int(pci.get("link_width", "") or "0", f"{text}: link_width of a pci", 0, 32) or 16
    return _LANES[check_choice(told, _LANES, f"{text}: link_speed in GT/s")] * lanes
