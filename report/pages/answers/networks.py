"""Networks side by side: ``netplace check network A B ..``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from netplace.report.pages.html import Page, Part
from netplace.report.tables.data_table import DataTable

Network = Mapping[str, Any]
Columns = dict[str, Callable[[Network], Any]]


def page(networks: Sequence[Network]) -> Page:
    names = [network["network"] for network in networks]
    simulated = all(network.get("trials") for network in networks)
    parts: list[Part] = [_trials(networks)] if simulated else []
    parts.append(_counts(networks))
    nearest, *_, farthest = sorted(networks, key=lambda network: network["mean_distance"])
    unsimulated = [
        f"{nearest['network']} has the smallest mean distance, {nearest['mean_distance']:.2f} hops; "
        f"{farthest['network']} has the largest, {farthest['mean_distance']:.2f}.",
        "Nothing was simulated; --simulate adds loads and times.",
    ]
    sentences = _verdict(networks) if simulated else unsimulated
    return Page(f"Which network is best? {', '.join(names)}", sentences, parts=parts)


def _trials(networks: Sequence[Network]) -> DataTable:
    first = networks[0]["trials"]
    columns: Columns = {
        "network": lambda of: of["network"],
        "accepted at 1": lambda of: of["trials"]["accepted"][-1],
        "with faults": lambda of: of["trials"]["accepted_with_faults"],
        "delay at 0.2": lambda of: of["trials"]["delay"][of["trials"]["offered"].index(0.2)],
        f"all-to-all of {first['exchange_tasks']}": lambda of: of["trials"]["exchange"],
        f"training on {first['training_tasks']} (cycles)": lambda of: of["trials"]["training_cycles"],
    }
    shared = f"{first['vcs']} virtual channels and {first['routing']} routing"
    note = (
        f"Loads in phits per node and cycle at an offered load of 1, with {shared}. The all-to-all is spread "
        "over the machine; the training step runs on consecutive nodes. One seed."
    )
    return _table("Simulated", columns, networks, note)


def _counts(networks: Sequence[Network]) -> DataTable:
    kinds = dict.fromkeys(kind for network in networks for kind in network["cables"])
    columns: Columns = {
        "network": lambda of: of["network"],
        "nodes": lambda of: of["nodes"],
        "bisection": lambda of: of["bisection"]["cables"],
        "diameter": lambda of: of["diameter"],
        "mean distance": lambda of: of["mean_distance"],
        "switches": lambda of: of["switches"],
        "ports used": lambda of: of["ports_used"],
        "free": lambda of: of["ports_free"],
        **{f"cables, {kind}": partial(_cables, kind) for kind in kinds},
        "routing": lambda of: of.get("routing", "not checked"),
        "VCs": _vcs,
    }
    return _table(
        "Parts", columns, networks, "A bisection is the number of cables between two halves of the nodes."
    )


def _cables(kind: str, network: Network) -> int:
    return int(network["cables"].get(kind, 0))


def _vcs(network: Network) -> int | str | None:
    """Return the virtual channels that the routing needs, or that others would; None if it is not checked."""
    if "vcs" not in network:
        return None
    if network["free_of_deadlock"]:
        return int(network["vcs"])
    return f"can deadlock; hop needs {network['vcs_that_would_do']}"


def _table(title: str, columns: Columns, networks: Sequence[Network], note: str) -> DataTable:
    rows = [[value(network) for value in columns.values()] for network in networks]
    return DataTable(title, list(columns), rows, note=note)


def _verdict(networks: Sequence[Network]) -> list[str]:
    trials = {network["network"]: network["trials"] for network in networks}
    most = max(trials, key=lambda name: trials[name]["accepted"][-1])
    least = min(trials, key=lambda name: trials[name]["accepted"][-1])
    exchange = max(trials, key=lambda name: trials[name]["exchange"])
    training = min(trials, key=lambda name: trials[name]["training_cycles"])
    return [
        f"{most} accepts most uniform traffic, {trials[most]['accepted'][-1]:.2f} phits per node and cycle; "
        f"{least} accepts least, {trials[least]['accepted'][-1]:.2f}.",
        f"{exchange} is fastest in the all-to-all, {training} in the training step.",
    ]
