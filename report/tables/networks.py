"""Trials of networks side by side, as the terminal and the page show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Network = Mapping[str, Any]
Columns = dict[str, Callable[[Network], Any]]


def trial_columns(networks: Sequence[Network]) -> Columns:
    """Return what each column shows of a network; loads are in phits per node and cycle."""
    first = networks[0]["trials"]
    return {
        "network": lambda of: of["network"],
        **({"cost per accepted phit": cost_of_a_phit} if "cost" in networks[0] else {}),
        "accepted at 1": lambda of: of["trials"]["accepted"][-1],
        "with faults": lambda of: of["trials"]["accepted_with_faults"],
        "delay at 0.2": lambda of: of["trials"]["delay"][of["trials"]["offered"].index(0.2)],
        f"all-to-all of {first['exchange_tasks']}": lambda of: of["trials"]["exchange"],
        f"training on {first['training_tasks']} (cycles)": lambda of: of["trials"]["training_cycles"],
    }


def cost_of_a_phit(network: Network) -> float:
    return float(network["cost"]["total"] / (network["nodes"] * network["trials"]["accepted"][-1]))
