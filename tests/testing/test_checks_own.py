"""Our own rules pass through the checks that authors run on theirs."""

import pytest

from netplace.apps import APPLICATIONS
from netplace.apps.npb import NPB
from netplace.netsim import PATTERNS
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.scheduling import PARTITIONERS, POLICIES, RUN_TIMES
from netplace.testing import (
    check_application,
    check_mapping,
    check_partition,
    check_partitioner,
    check_policy,
    check_run_times,
    check_topology,
    check_traffic,
)

DEFAULT = ("mesh:4x4", "torus:4x4", "tree:4,2", "dragonfly:a=2,p=2,h=1")
# Examples that name a file, or that are made for other numbers of jobs and nodes.
SMALL = {
    "boxes": "boxes:2x2",
    "link-load": "link-load:iterations=1",
    "td": "td:iterations=1",
    "classic": "classic:2opt,iterations=1",
    "best": "best:1",
}
MACHINES = ("mesh:4x4", "torus:3x3x2", "mesh:16", "tree:4,2")
SLOW = ("optimal", "gen-alg", "gen-alg+inc")
NETWORKS = (
    "mesh:4x3",
    "torus:4x4",
    "torus:2x3,c=2",
    "twisted:4x3+1",
    "tree:2,3",
    "thintree:3,2,2",
    "hypercube:3",
    "hyperx:3x2,c=2",
    "dragonfly:a=2,p=1,h=1",
    "dragonfly+:leaves=2,spines=2,p=1,h=1",
    "slimfly:3",
    "xgft:2;2,3;1,2",
)


@pytest.mark.parametrize("name", [name for name in MAPPINGS if name not in ("file", "hosts")])
def test_mappings(name):
    check_mapping(SMALL.get(name, name), ("torus:2x2",) if name == "best" else DEFAULT)


def test_a_mapping_from_a_file(tmp_path):
    (tmp_path / "nodes.csv").write_text("".join(f"{node}\n" for node in reversed(range(16))))
    check_mapping(f"file:{tmp_path / 'nodes.csv'}", ("torus:4x4",))
    with pytest.raises(AssertionError, match="refuses every case"):
        check_mapping(f"file:{tmp_path / 'missing.csv'}")


@pytest.mark.parametrize("name", [name for name in PARTITIONS if name != "nodes"])
def test_partitions(name):
    check_partition(SMALL.get(name, name))


@pytest.mark.parametrize("name", PARTITIONERS)
def test_partitioners(name):
    check_partitioner(PARTITIONERS[name].example, ("mesh:3x3",) if name in SLOW else MACHINES)


OTHERS = [
    *((check_policy, name) for name in POLICIES),
    *((check_run_times, rule.example) for rule in RUN_TIMES.values()),
    *((check_traffic, name) for name in PATTERNS),
    *((check_topology, network) for network in NETWORKS),
]


@pytest.mark.parametrize(("check", "rule"), OTHERS)
def test_other_rules(check, rule):
    check(rule)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applications(name):
    options = {"problem_class": "S"} if "problem_class" in APPLICATIONS[name].parameters else {}
    if "iterations" in APPLICATIONS[name].parameters:
        options["iterations"] = 1
    if "flops" in APPLICATIONS[name].parameters:
        options["flops"] = 0
    if name in NPB:
        check_application(name, (1, 4), engines=("kernel",), **options)
    else:
        check_application(name, (1, 4, 8), **options)
