"""Random draws as pure functions of what they are for, so that engines draw the same numbers.

A draw is a hash of (seed, purpose, place, index, cycle). No draw depends on how many came before it: the
order in which an engine visits routers, or the number of processes, cannot matter. The mixing function is
the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
2014).
"""

from __future__ import annotations

import math

import numpy as np

from netplace.compiled import njit

__all__ = [
    "ADAPTIVE_VC",
    "ARBITER",
    "CROSSBAR",
    "FLOW",
    "GAP",
    "HALF_RING",
    "HOT_SPOT",
    "INJECTOR",
    "INJECTOR_OF_FLOW",
    "OBLIVIOUS_VC",
    "POLICY",
    "ROUTE",
    "TARGET",
    "TREE_UP",
    "TREE_VC",
    "TWIST",
    "VC_OF_FLOW",
    "VIA",
]

# What a draw is for, and what (place, index, cycle) are:
HALF_RING = 1  # sign of a half-ring displacement: (source node, dimension, creation cycle)
TWIST = 2  # which of several minimal routes of a twisted torus: (source node, 0, creation cycle)
OBLIVIOUS_VC = 3  # VC of `oblivious` at injection or turn: (router, input, cycle)
ADAPTIVE_VC = 4  # VC for an alternative of `smart`: (router, input * dimensions + dimension, cycle)
POLICY = 5  # choice of policy `random`: (router, input, cycle)
ARBITER = 6  # choice of arbiter `random`: (router, output, cycle); consumption is output ports * vcs
TREE_UP = 7  # port and VC of adaptive tree routing, up and down: (router, input, cycle)
TREE_VC = 8  # VC of static tree routing: (router, input, cycle)
GAP = 9  # cycles to the next packet of an open-loop source: (node, 0, cycle from which it counts)
TARGET = 10  # destination of an open-loop packet: (node, 0, cycle of the draw's success)
HOT_SPOT = 11  # whether an open-loop packet goes to the hot node: (node, 0, cycle of the draw's success)
INJECTOR = 12  # which of several injectors that hold equally much: (node, 0, creation cycle)
ROUTE = 13  # output in the general router: (router, input, cycle)
CROSSBAR = 16  # port whose link goes first where packets share a way through the crossbar: (router, 0, cycle)
FLOW = 15  # port of a flow in the general router: (switch, source node, destination node)
INJECTOR_OF_FLOW = 17  # injector of a flow that keeps its order: (source node, destination node, 0)
VC_OF_FLOW = 18  # virtual channel of such a flow among those of its level: (source node, destination node, 0)
VIA = 14  # intermediate switch in the general router: (router, input, cycle in which the packet became head)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MUL1 = np.uint64(0xBF58476D1CE4E5B9)
_MUL2 = np.uint64(0x94D049BB133111EB)
_S30 = np.uint64(30)
_S27 = np.uint64(27)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_S11 = np.uint64(11)


@njit("uint64(uint64)", cache=True, _nrt=False)
def _mix(x):  # type: ignore[no-untyped-def]
    """Return the SplitMix64 finaliser of a uint64."""
    x = (x ^ (x >> _S30)) * _MUL1
    x = (x ^ (x >> _S27)) * _MUL2
    return x ^ (x >> _S31)


@njit("uint64(int64, int64, int64, int64, int64)", cache=True, _nrt=False)
def draw(seed: int, purpose: int, place: int, index: int, cycle: int) -> int:
    """Return 64 random bits that depend on all five numbers."""
    x = _mix(np.uint64(seed) + _GOLDEN * np.uint64(purpose))
    x = _mix(x ^ (np.uint64(place) * _GOLDEN))
    x = _mix(x ^ ((np.uint64(index) << _S32) * _MUL1 + np.uint64(index) * _GOLDEN))
    return _mix(x ^ (np.uint64(cycle) * _MUL2))


@njit("int64(uint64, int64)", cache=True, _nrt=False)
def below(bits: int, n: int) -> int:
    """Return a number in 0..n-1 from 64 random bits, n < 2**31."""
    return np.int64(((np.uint64(bits) >> _S32) * np.uint64(n)) >> _S32)


@njit("int64(uint64, float64)", cache=True, _nrt=False)
def gap(bits: int, log_stay: float) -> int:
    """Return how many cycles a Bernoulli process fails before it succeeds.

    Parameters
    ----------
    bits : int
        64 random bits.
    log_stay : float
        ``log(1 - p)`` with p the chance of success in a cycle; ``-inf`` for p = 1.
    """
    u = (np.float64(np.uint64(bits) >> _S11) + 1.0) * (1.0 / 9007199254740993.0)
    return np.int64(math.floor(math.log(u) / log_stay))
