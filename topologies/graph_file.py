"""Networks from files, whose contents determine the format."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from netplace.inputs import abbreviate, check_choice, check_int
from netplace.topologies.cable_lists import anynet, cable_list, dot, ibnetdiscover
from netplace.topologies.cables import Cables, graph
from netplace.topologies.dimensional import Dimension, dimensional
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.graph import Graph
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.htsim import htsim
from netplace.topologies.limits import MOST_WIDTH, check_cables
from netplace.topologies.rates import paces_of
from netplace.topologies.simgrid import simgrid
from netplace.topologies.slurm import slurm
from netplace.topologies.text_files import existing, read_text
from netplace.topologies.topology import Topology

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


_BUILDING_BLOCKS = {"ring": "ring", "fullyconnected": "full", "switch": "switch"}
_NVSWITCH, _GPU = "0x0680", "0x03"  # how PCI classes begin


def _astra_sim(given: dict[str, Any], text: str, phit: int) -> Graph:
    """Return the network of ASTRA-sim's analytical backend.

    Each dimension is a ``Ring``, ``FullyConnected`` or ``Switch`` of ``npus_count`` NPUs, its links of
    ``bandwidth`` GB/s and ``latency`` ns. The fastest links take the smallest number of cycles per phit for
    which all links take whole numbers. Source: astra-sim.github.io/astra-network-analytical-docs.
    """
    try:
        rows = msgspec.convert(given, _AstraSim, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"{text}: ASTRA-sim's network: {error}") from None
    if not len(rows.topology) == len(rows.npus_count) == len(rows.bandwidth) == len(rows.latency):
        raise ValueError(f"{text}: ASTRA-sim's network: expected as many values of each key as of topology")
    paces = paces_of(text, [1e9 * speed for speed in rows.bandwidth], phit)
    kinds = [
        _BUILDING_BLOCKS[check_choice(kind.lower(), _BUILDING_BLOCKS, f"{text}: topology")]
        for kind in rows.topology
    ]
    delays = [paces.delay(1e-9 * time) for time in rows.latency]
    made = dimensional(text, list(map(Dimension, kinds, rows.npus_count, map(int, paces.cycles), delays)))
    return replace(made, rates=paces.rates("ASTRA-sim's network.yml"))


class _AstraSim(msgspec.Struct):
    """The keys of a network, one value for each dimension."""

    topology: Annotated[list[str], msgspec.Meta(min_length=1)]
    npus_count: list[Annotated[int, msgspec.Meta(ge=1)]]
    bandwidth: list[Annotated[float, msgspec.Meta(ge=1e-9, le=1e9)]]  # GB/s
    latency: list[Annotated[float, msgspec.Meta(ge=0, le=1e12)]]  # ns


def _nccl(root: Element, text: str) -> Graph:
    """Return the NVLinks, or AMD's xGMI, of the server that a file of ``NCCL_TOPO_DUMP_FILE`` describes.

    Every GPU is a node, in the order of ``dev``; every NVSwitch is a switch. PCI Express is not included.
    Source: NVIDIA NCCL, "Environment Variables", NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE.
    """
    gpus = [(pci, gpu) for pci in root.iter("pci") for gpu in pci.findall("gpu")]
    gpus.sort(key=lambda pair: check_int(pair[1].get("dev", ""), f"{text}: dev of a gpu", 0))
    if not gpus:
        raise ValueError(f"{text}: NCCL's topology has no <gpu>")
    number = {pci.get("busid", "").lower(): place for place, (pci, _) in enumerate(gpus)}
    if len(number) < len(gpus):
        raise ValueError(f"{text}: two GPUs of NCCL's topology have the same busid")
    told: dict[tuple[int, int], int] = {}  # by the GPU that lists it; a link between GPUs is listed twice
    for place, (_, gpu) in enumerate(gpus):
        for link in (*gpu.findall("nvlink"), *gpu.findall("xgmi")):
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
            f"{text}: NCCL's topology connects {len(gpus)} GPUs by PCI Express, which netplace does not "
            f"read, and not all by NVLinks or xGMI"
        )
    check_cables(text, sum(ends.values()))
    cables = Cables.of([pair for pair, count in ends.items() for _ in range(count)])
    at = [int(place < len(gpus)) for place in range(len(number))]
    made = graph(text, cables, at, direct=True, names=list(number), usual="adaptive")
    return with_hosts(made, [f"gpu{gpu.get('dev')}" for _, gpu in gpus])


@dataclass(frozen=True)
class FileFormat:
    """A file format for networks.

    Attributes
    ----------
    begins : str
        Regular expression that the beginning of the content matches, ignoring comments and blanks.
    read : callable or None
        ``read(content, path, text, phit, part)`` returns the network; None if the format is not supported.
    says : str
        Description of an unsupported format; for a supported format, which of ``phit`` and ``part`` it takes.
    """

    name: str
    begins: str
    read: Callable[[str, str, str, int, str], Topology] | None
    says: str = ""


def _networkx(read: str, **how: Any) -> Callable[[str, str, str, int, str], Topology]:
    def network(content: str, path: str, text: str, phit: int, part: str) -> Topology:
        import networkx as nx

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what networkx only warns of, it has guessed
                given = getattr(nx, read)(existing(path, text), **how)
        except OSError:
            raise
        except Exception as error:  # the parser, the codecs and networkx raise errors of many kinds
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{text}: not {read.removeprefix('read_')}: {reason}") from None
        return from_networkx(given, text, phit)

    return network


def _node_link(content: str, path: str, text: str, phit: int, part: str) -> Topology:
    import networkx as nx

    try:
        given = json.loads(content)
        read = nx.node_link_graph(given, edges="links" if "links" in given else "edges")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, nx.NetworkXError) as error:
        raise ValueError(f"{text}: not a node-link graph in JSON: {error}") from None
    return from_networkx(read, text, phit)


def _root(content: str, text: str) -> Element:
    from xml.etree.ElementTree import ParseError, fromstring  # for files in XML alone

    try:
        return fromstring(content)  # noqa: S314 (expat bounds entities)
    except (ParseError, ValueError, LookupError) as error:
        raise ValueError(f"{text}: not XML: {error}") from None


def _slurm(content: str, path: str, text: str, phit: int, part: str) -> Topology:
    return slurm(path, part=part)


def _astra(content: str, path: str, text: str, phit: int, part: str) -> Topology:
    from netplace.topologies.yaml_files import read_yaml

    return _astra_sim(read_yaml(content, text), text, phit)


_TAG = r"(?s:(?><\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*)"  # what stands before the root of XML
_KEYS = r"(?:[A-Za-z_-]+\s*:[^\n]*\n\s*(?:#[^\n]*\s*)*)*"  # keys of YAML before the decisive one
# The first match determines the format; a file without a match is a list of cables.
FILE_FORMATS = [
    FileFormat("GraphML", _TAG + "<graphml", _networkx("read_graphml"), "phit"),
    FileFormat("GEXF", _TAG + "<gexf", _networkx("read_gexf"), "phit"),
    FileFormat(
        "SimGrid's platform with a <cluster>",
        _TAG + "<platform",
        lambda content, path, text, phit, part: simgrid(_root(content, text), text, phit, part),
        "phit part",
    ),
    FileFormat(
        "NCCL's topology (NCCL_TOPO_DUMP_FILE)",
        _TAG + "<system",
        lambda content, path, text, *_: _nccl(_root(content, text), text),
    ),
    FileFormat("hwloc's XML", _TAG + "<topology", None, "describes the inside of one machine, not a network"),
    FileFormat("XML", "<", None, "is neither GraphML, GEXF, a platform of SimGrid nor a topology of NCCL"),
    FileFormat("ibnetdiscover", r'(?:\w+=\S*\s+)*(?:Switch|Ca|Rt)\s+\d+\s+"',
        lambda content, path, *_: ibnetdiscover(path)),
    FileFormat("Slurm's topology.conf",
        r"(?i:(?:include\s+\S+\s+)*(?:SwitchName|BlockName|BlockSizes)\s*=)", _slurm, "part"),
    FileFormat("htsim's topology", r"(?i:Nodes\s+\d+\s+(?:Tiers|Podsize)\s+\d+)",
        lambda content, path, text, phit, _: htsim(content, text, phit), "phit"),
    FileFormat("graph6", r"(?:>>graph6<<)?[?-~]+\s*\Z", _networkx("read_graph6")),
    FileFormat("sparse6", r"(?:>>sparse6<<)?:[?-~]+\s*\Z", _networkx("read_sparse6")),
    FileFormat("Slurm's topology.yaml", r"(?:---\s*)?-\s*topology\s*:", _slurm, "part"),
    FileFormat("ASTRA-sim's network.yml", rf"(?:---\s*)?{_KEYS}npus_count\s*:", _astra, "phit"),
    FileFormat("BookSim's anynet", r"(?:router|node)\s+\d+\s+(?:router|node)\s+\d+",
        lambda content, path, text, *_: anynet(content, text)),
    FileFormat("GML", r'(?:Creator\s+"[^"]*"\s*)?(?:Version\s+\S+\s*)?graph\s*\[',
        _networkx("read_gml", label=None), "phit"),
    FileFormat("Graphviz' DOT", r'(?i:strict\s+)?(?i:di)?(?i:graph)\b\s*(?:"[^"]*"|\w+)?\s*\{',
        lambda content, path, text, phit, _: dot(content, text, phit), "phit"),
    FileFormat("Pajek", r"(?i:\*vertices|\*network)", _networkx("read_pajek"), "phit"),
    FileFormat("ASTRA-sim's system file", r'\{(?s:.*?)"scheduling-policy"', None,
        "describes collectives; the network is in its network.yml"),
    FileFormat("ASTRA-sim's logical topology for ns-3", r'\{\s*"logical-dims"', None,
        "has no cables; use the analytical network.yml"),
    FileFormat("a node-link graph in JSON", r'\{(?s:.*?)"(?:nodes|links|edges)"\s*:\s*\[', _node_link,
        "phit"),
    FileFormat("JSON", r"[{\[]\s*[\"{\[]", None, "is not a graph with nodes and links"),
    FileFormat("iblinkinfo", r"(?m:(?:CA|Switch):\s+\S+.*:\s*$)", None, "is read in the format of "
        "ibnetdiscover"),
]  # fmt: skip
_IGNORED = re.compile(r"(?:\s+|#[^\n]*\n?|//[^\n]*\n?|\ufeff)*")


def graph_file(path: str, phit: str | int = "", part: str = "") -> Topology:
    """Read a network from a file, whose content determines which of the `FILE_FORMATS` it is in.

    A file in none of these formats must be a list of cables, one per line: two names and, optionally,
    ``width=2``, ``cycles=2`` or ``delay=5``. ``NAME nodes=4`` sets the number of nodes of a switch (1 by
    default), and ``NAME group=3`` its group. ``#`` begins a comment. Commas can replace blanks, and the first
    line can name columns: ``source,target,width``.

    Parameters
    ----------
    phit : int, optional
        Bytes per phit, for files with bandwidths and latencies; 4 by default.
    part : str, optional
        Name of one of several networks in a file.

    Raises
    ------
    ValueError
        If the file cannot be read or does not describe a network.
    """
    text = f"graph:{path}"
    given = {"phit": phit, "part": part}
    text += "".join(f",{key}={value}" for key, value in given.items() if value)
    content, chosen = "", FILE_FORMATS[0]
    if not path.endswith(".graphml"):  # which may be in any encoding
        content = read_text(path, text)
        begin = _IGNORED.sub("", content, count=1)
        chosen = next((kind for kind in FILE_FORMATS if re.match(kind.begins, begin)), _CABLES)
    if chosen.read is None:
        read = ", ".join(kind.name for kind in FILE_FORMATS if kind.read)
        raise ValueError(f"{text}: {chosen.name} {chosen.says}; netplace reads {read} and lists of cables")
    for key, value in given.items():
        if value and key not in chosen.says.split():
            raise ValueError(f"{text}: {key}= does not apply to {chosen.name}")
    return chosen.read(content, path, text, check_int(phit or 4, f"{text}: phit"), part)


_CABLES = FileFormat(
    "a list of cables", "", lambda content, path, text, phit, part: cable_list(content, text, phit), "phit"
)
