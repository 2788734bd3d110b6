"""All loops of the kernel give the same cycles: for usual or any settings, for small networks or large."""

from __future__ import annotations

from typing import Any

import pytest

from netplace.netsim import Network, compiled, layout, pattern
from netplace.netsim.kernel.constants import OPEN
from netplace.topologies import parse


def _totals(network: str) -> tuple[Any, ...]:
    """Return all that a run under saturated uniform traffic counts."""
    run = Network(parse(network), seed=3)
    run.generate(pattern("uniform", run.topology, 1 / run.config.packet_phits))
    run.advance(700)
    found = run.counters()
    counted = found.created, found.delivered, found.events, found.packet_delay_sum, found.last_delivery
    return *counted, found.link_packets.tolist(), found.packet_delays.tolist()


@pytest.mark.parametrize("network", ["torus:4x3x5", "tree:4,3"])
def test_all_loops_give_the_same_cycles(network: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = _totals(network)
    assert usual[1] > 0
    monkeypatch.setattr(layout, "_LARGE", 1)
    assert _totals(network) == usual  # the loop that asks for memory in advance
    monkeypatch.setattr(compiled, "known", lambda topology, config, u: (OPEN,) * len(u))
    assert _totals(network) == usual  # the loop for any settings, asking in advance
    monkeypatch.setattr(layout, "_LARGE", 1 << 30)
    assert _totals(network) == usual  # and not asking


def test_a_record_of_a_three_dimensional_torus_is_two_lines_of_cache() -> None:
    engine = compiled.KernelEngine(parse("torus:4x3x5"), Network(parse("torus:4x3x5")).config)
    assert engine._setting.row_bytes == 128
