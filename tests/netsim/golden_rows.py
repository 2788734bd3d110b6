"""Rows of the golden files, as runs through the public interface."""

import csv
from functools import cache
from pathlib import Path

from netplace.apps.formats import read
from netplace.netsim import Config, Result, simulate
from netplace.topologies import parse

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = {"torus": "torus:", "mesh": "mesh:", "fattree": "tree:", "thintree": "thintree:"}
OPTIONS = {
    "nchan": ("vcs", int),
    "rmode": ("vc_policy", str),
    "amode": ("arbiter", str),
    "cmode": ("ejection", str),
    "tql": ("queue_packets", int),
    "iql": ("nic_buffer", int),
    "bsize": ("bubble", int),
    "routing": ("tree_routing", str),
    "ninj": ("injectors", int),
}


def rows(name):
    """Return the rows of a golden file."""
    with (GOLDEN / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def row_name(row):
    return " ".join((row["trace"], row["network"], row["insee_options"])).strip()


@cache
def program(trace):
    return read(GOLDEN / "traces" / f"{trace}.trc.gz")


def setting(options):
    """Return the settings that a row's options stand for."""
    pairs = (option.split("=") for option in options.split())
    return Config(**{OPTIONS[name][0]: OPTIONS[name][1](value) for name, value in pairs})


def network(row):
    """Return the network of a row."""
    kind, *sizes = row["network"].split("_")
    return parse(KINDS[kind] + ("," if "tree" in kind else "x").join(sizes))


def run(row, seed=0, engine="kernel", threads=1) -> Result:
    """Run a row: its trace on its network, tasks on nodes in order."""
    return simulate(
        network(row),
        program(row["trace"]),
        config=setting(row["insee_options"]),
        engine=engine,
        seed=seed,
        threads=threads,
    )
