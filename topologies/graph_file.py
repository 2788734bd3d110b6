"""Networks from files, whose contents determine the format."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netplace.inputs import check_int
from netplace.topologies.astra_sim import astra_sim
from netplace.topologies.cable_lists import anynet, cable_list, dot
from netplace.topologies.from_networkx import from_networkx
from netplace.topologies.host_lists import with_origin
from netplace.topologies.htsim import htsim
from netplace.topologies.infiniband import ibnetdiscover
from netplace.topologies.nccl import nccl
from netplace.topologies.ns3 import ns3
from netplace.topologies.simgrid import simgrid
from netplace.topologies.slurm import slurm
from netplace.topologies.text_files import read_text
from netplace.topologies.topology import Topology

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True)
class _File:
    """A file of a network: its name, its content, and what was given with it."""

    path: str
    content: str
    text: str  # the text form of the network, which begins messages
    phit: int
    part: str

    @property
    def root(self) -> Element:
        from xml.etree.ElementTree import ParseError, fromstring  # for files in XML alone

        try:
            return fromstring(self.content.lstrip())  # noqa: S314 (expat bounds entities)
        except (ParseError, ValueError, LookupError) as error:
            raise ValueError(f"{self.text}: not XML: {error}") from None


_Read = Callable[[_File], Topology]


@dataclass(frozen=True)
class FileFormat:
    """A file format for networks.

    Attributes
    ----------
    begins : str
        Regular expression that the beginning of the content matches, ignoring comments and blanks.
    read : callable or None
        Makes the network; None if the format is not supported.
    says : str
        Description of an unsupported format; for a supported format, which of ``phit`` and ``part`` it takes.
    nodes : str
        What the format calls its nodes.
    score : int
        How much the beginning proves: 3 for words that no other format has, 2 for its shape alone, 1 for a
        family of formats.
    """

    name: str
    begins: str
    read: _Read | None
    says: str = ""
    nodes: str = "nodes"
    score: int = 3


def _networkx(read: str, **how: Any) -> _Read:
    def network(file: _File) -> Topology:
        import networkx as nx

        content = re.sub(
            r"\A<\?xml.*?\?>", "", file.content, flags=re.DOTALL
        )  # its encoding was that of the file
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what networkx only warns of, it has guessed
                given = getattr(nx, read)(io.BytesIO(content.encode()), **how)
        except Exception as error:  # the parser, the codecs and networkx raise errors of many kinds
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{file.text}: not {read.removeprefix('read_')}: {reason}") from None
        return from_networkx(given, file.text, file.phit)

    return network


def _node_link(file: _File) -> Topology:
    import networkx as nx

    try:
        given = json.loads(file.content)
        if "adjacency" in given:
            read = nx.adjacency_graph(given)
        elif "elements" in given:
            read = nx.cytoscape_graph(given)
        else:
            read = nx.node_link_graph(given, edges="links" if "links" in given else "edges")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, nx.NetworkXError) as error:
        raise ValueError(f"{file.text}: not a node-link graph in JSON: {error}") from None
    return from_networkx(read, file.text, file.phit)


def _astra_sim(file: _File) -> Topology:
    from netplace.topologies.yaml_files import read_yaml

    return astra_sim(read_yaml(file.content, file.text), file.text, file.phit)


def _slurm(file: _File) -> Topology:
    return slurm(file.path, part=file.part)


_TAG = r"(?s:(?><\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*)"  # what stands before the root of XML
_KEYS = r"(?:(?:[A-Za-z_-]+\s*:|-\s)[^\n]*\n\s*(?:#[^\n]*\s*)*)*"  # lines of YAML before the decisive key
FILE_FORMATS = [
    FileFormat("GraphML", _TAG + "<graphml", _networkx("read_graphml"), "phit"),
    FileFormat("GEXF", _TAG + "<gexf", _networkx("read_gexf"), "phit"),
    FileFormat("SimGrid's platform", _TAG + "<platform",
        lambda file: simgrid(file.root, file.text, file.phit, file.part), "phit part", "hosts"),
    FileFormat("NCCL's topology (NCCL_TOPO_DUMP_FILE)", _TAG + "<system",
        lambda file: nccl(file.root, file.text, file.phit), "phit", "GPUs"),
    FileFormat("hwloc's XML", _TAG + "<topology", None, "describes the inside of one machine, not a network"),
    FileFormat("XML", "<", None, "is neither GraphML, GEXF, a platform of SimGrid nor a topology of NCCL",
        score=1),
    FileFormat("ibnetdiscover", r'(?:\w+=\S*\s+)*(?:Switch|Ca|Rt)\s+\d+\s+"',
        lambda file: ibnetdiscover(file.path)),
    FileFormat("Slurm's topology.conf",
        r"(?i:(?:include\s+\S+\s+)*(?:SwitchName|BlockName|BlockSizes|RingName)\s*=)", _slurm, "part"),
    FileFormat("htsim's topology", r"(?i:Nodes\s+\d+\s+(?:Tiers|Podsize)\s+\d+)",
        lambda file: htsim(file.content, file.text, file.phit), "phit", "hosts"),
    FileFormat("graph6", r"(?:>>graph6<<)?[?-~]+\s*\Z", _networkx("read_graph6"), score=2),
    FileFormat("sparse6", r"(?:>>sparse6<<)?:[?-~]+\s*\Z", _networkx("read_sparse6"), score=2),
    FileFormat("digraph6", r"(?:>>digraph6<<)?&[?-~]+\s*\Z", None, "has cables of one direction", score=2),
    FileFormat("Slurm's topology.yaml", r"-\s*topology\s*:", _slurm, "part"),
    FileFormat("ASTRA-sim's network.yml", rf"{_KEYS}npus_count\s*:", _astra_sim, "phit", "NPUs"),
    FileFormat("topograph's model", r"switches\s*:\s*\n(?s:.*?)\nblocks\s*:", None,
        "is simulated by topograph, which writes a topology.conf or topology.yaml"),
    FileFormat("ns-3's topology of HPCC or SimAI",
        r"\d[^\n]*\n\s*\d[^\n]*\n\s*\d+\s+\d+\s+[\d.]+[kMGT]?bps\s+[\d.]+[mun]?s\s",
        lambda file: ns3(file.content, file.text, file.phit), "phit"),
    FileFormat("BookSim's anynet", r"(?:router|node)\s+\d+\s+(?:router|node)\s+\d+",
        lambda file: anynet(file.content, file.text)),
    FileFormat("GML", r'(?:Creator\s+"[^"]*"\s*)?(?:Version\s+\S+\s*)?graph\s*\[',
        _networkx("read_gml", label=None), "phit"),
    FileFormat("Graphviz' DOT", r'(?i:strict\s+)?(?i:di)?(?i:graph)\b\s*(?:"[^"]*"|\w+)?\s*\{',
        lambda file: dot(file.content, file.text, file.phit), "phit"),
    FileFormat("Pajek", r"(?i:\*vertices|\*network)", _networkx("read_pajek"), "phit"),
    FileFormat("ASTRA-sim's system file", r'\{(?s:.*?)"scheduling-policy"', None,
        "describes collectives; the network is in its network.yml"),
    FileFormat("ASTRA-sim's logical topology for ns-3", r'\{\s*"logical-dims"', None,
        "has no cables; use the analytical network.yml"),
    FileFormat("a node-link graph in JSON", r'\{(?s:.*?)"(?:nodes|links|edges)"\s*:\s*\[', _node_link,
        "phit", score=2),
    FileFormat("JSON", r"[{\[]\s*[\"{\[]", None, "is not a graph with nodes and links", score=1),
    FileFormat("iblinkinfo", r"(?m:(?:CA|Switch):\s+\S+.*:\s*$)", None, "is read in the format of "
        "ibnetdiscover"),
]  # fmt: skip
_CABLES = FileFormat(
    "a list of cables", "", lambda file: cable_list(file.content, file.text, file.phit), "phit"
)
_IGNORED = re.compile(r"(?:\s+|(?:#|//)[^\n]*\n?|---(?=\s))*")


def graph_file(path: str, phit: str | int = "", part: str = "") -> Topology:
    """Read a network from a file, whose content determines which of the `FILE_FORMATS` it is in.

    A file in none of these formats must be a list of cables, one per line: two names and, optionally,
    ``width=2``, ``cycles=2`` or ``delay=5``. ``NAME nodes=4`` sets the number of nodes of a switch (1 by
    default), and ``NAME group=3`` its group. ``#`` begins a comment. Commas can replace blanks, and the first
    line can name columns: ``source,target,width``. Files can be compressed (gzip, bzip2, xz, zstd).

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
    content = read_text(path, text)
    chosen = _recognized(content, text)
    if chosen.read is None:
        read = ", ".join(kind.name for kind in FILE_FORMATS if kind.read)
        raise ValueError(f"{text}: {chosen.name} {chosen.says}; netplace reads {read} and lists of cables")
    for key, value in given.items():
        if value and key not in chosen.says.split():
            raise ValueError(f"{text}: {key}= does not apply to {chosen.name}")
    file = _File(path, content, text, check_int(phit or 4, f"{text}: phit"), part)
    try:
        made = chosen.read(file)
    except ValueError as error:
        if chosen is not _CABLES:
            raise
        raise ValueError(
            f"{error}; read as a list of cables, as it is in no other format{_nearest(content)}"
        ) from None
    return made if made.origin else with_origin(made, f"{chosen.name}, {made.nodes:,} {chosen.nodes}")


def _recognized(content: str, text: str) -> FileFormat:
    """Return the format with the best score, or lists of cables, whose reader demands their shape."""
    begin = _IGNORED.sub("", content, count=1)
    found = [kind for kind in FILE_FORMATS if re.match(kind.begins, begin)]
    found = [kind for kind in found if kind.score == max(other.score for other in found)]
    if len(found) > 1:
        raise ValueError(f"{text}: may be {' or '.join(kind.name for kind in found)}, expected one of them")
    return found[0] if found else _CABLES


def _nearest(content: str) -> str:
    """Return the formats of whose words the content has most, as the end of a sentence."""
    words = {word.lower() for word in re.findall(r"<?[A-Za-z_]{4,}", content[: 1 << 16])}
    of_kind = {kind.name: {*re.findall(r"<?[a-z_]{4,}", kind.begins.lower())} for kind in FILE_FORMATS}
    shares = {name: len(own & words) / len(own) for name, own in of_kind.items() if own & words}
    near = sorted(shares, key=lambda name: -shares[name])[:3]
    return f"; nearest: {', '.join(near)}" if near else ""
