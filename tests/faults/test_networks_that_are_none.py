"""Networks, routings and faults that cannot be: one sentence each, exit code 2, and nothing written."""

import pytest

FILES = {
    "parts.txt": "a b\nc d\n",
    "self.txt": "a b\na a\n",
    "narrow.txt": "a b width=0\n",
    "slow.txt": "a b cycles=0\n",
    "one-way.graphml": """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<graph edgedefault="directed">
<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>""",
    "routing.py": """
from netplace.topologies.routing import ROUTINGS, Routes, first_minimal, table
import numpy as np

def hole(switches):
    ports = first_minimal(switches)[:, :, 0].copy()
    ports[0, 1] = -1
    return Routes("hole", table(ports))

def loop(switches):
    ports = np.zeros((switches.count, switches.count), int)
    return Routes("loop", table(ports))

def wall(switches):
    return Routes("wall", table(np.full((switches.count, switches.count), 99)))

for own in (hole, loop, wall):
    ROUTINGS.add(own.__name__, own)
""",
    "empty.txt": "\n",
}
MISTAKES = [
    ("dragonfly:a=4,p=2,h=2,g=10", "10 groups are more than 8 global links per group can connect"),
    ("dragonfly:a=4,p=2,h=2,g=8,links=circulant", "odd number of groups, not 8; nearest: g=7 or g=9"),
    ("dragonfly:a=4,p=2", "h is missing"),
    ("xgft:3;4,4;1,2,2", "2 m and 3 w given for a height of 3"),
    ("graph:parts.txt", "not connected, 2 of 4 nodes cannot be reached from node 0: 2, 3"),
    ("graph:self.txt", "an edge leads from vertex a to itself"),
    ("graph:narrow.txt", "edge a - b: width: 0 is too small"),
    ("graph:one-way.graphml", "asymmetric, 1 links lead from a to b and 0 back, expected the same number"),
    ("graph:empty.txt", "the graph has no vertices"),
    ("faulty:links=0.9/torus:4x4", "not connected"),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def refused(result, words, here):
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert result.stderr.count("\n") <= 2
    assert sorted(path.name for path in here.iterdir() if path.suffix != ".png") == sorted(FILES)


@pytest.mark.parametrize(("network", "words"), MISTAKES, ids=[network for network, _ in MISTAKES])
def test_networks(netplace, here, network, words):
    refused(netplace("run", "--network", network, "--app", "2d-mesh", "--tasks", "2"), words, here)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--routing", "hole"), "no route from switch 0 to switch 1"),
        (("--routing", "wall"), "port 99, expected -1 to"),
        (("--routing", "routing.py:hole"), "unknown name 'routing.py:hole'"),
        (("--routing", "ugal-l", "--vcs", "1"), "1 virtual channels are too few for routing ugal-l"),
        (("--faults", "at=5,router=99"), "router 99 is not in 0.."),
        (("--faults", "at=5"), "nothing fails"),
    ],
)
def test_routings_and_faults(netplace, here, flags, words):
    run = ("run", "--network", "hyperx:3x3,c=1", "--app", "all-to-all", "--tasks", "9")
    refused(netplace("--plugin", "routing.py", *run, *flags), words, here)
