"""Random draws as pure functions of their purpose, so that all engines draw the same numbers.

A draw is a hash of (seed, purpose, place, index, cycle). No draw depends on the number of earlier draws, so
the order in which an engine visits routers and the number of processes have no effect. The mixing function is
the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
2014).
"""

from __future__ import annotations

import math

# The purpose of a draw, and its (place, index, cycle):
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
CROSSBAR = 16  # port with priority where packets share a way through the crossbar: (router, 0, cycle)
FLOW = 15  # port of a flow in the general router: (switch, source node, destination node)
INJECTOR_OF_FLOW = 17  # injector of a flow that keeps its order: (source node, destination node, 0)
VC_OF_FLOW = 18  # virtual channel of such a flow among those of its level: (source node, destination node, 0)
VIA = 14  # intermediate switch in the general router: (router, input, cycle in which the packet became head)

_GOLDEN, _MUL1, _MUL2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1
_FAR = 1 << 60  # the last cycle that can be simulated


def _mix(x: int) -> int:
    x = (x ^ (x >> 30)) * _MUL1 & _WORD
    x = (x ^ (x >> 27)) * _MUL2 & _WORD
    return x ^ (x >> 31)


def draw(seed: int, purpose: int, place: int, index: int, cycle: int) -> int:
    """Return 64 random bits that depend on all five numbers."""
    place, index, cycle = int(place), int(index), int(cycle)  # NumPy's would not grow
    x = _mix(seed + _GOLDEN * purpose & _WORD)
    x = _mix(x ^ (place * _GOLDEN & _WORD))
    x = _mix(x ^ ((index << 32) * _MUL1 + index * _GOLDEN & _WORD))
    return _mix(x ^ (cycle * _MUL2 & _WORD))


def below(bits: int, n: int) -> int:
    """Return a number in 0..n-1 from 64 random bits, n < 2**31."""
    return (bits >> 32) * int(n) >> 32


def gap(bits: int, log_stay: float) -> int:
    """Return the number of cycles in which a Bernoulli process fails before it succeeds, at most 2**60.

    `bits`: 64 random bits. `log_stay`: ``log(1 - p)``, where p is the probability of success in a cycle;
    ``-inf`` for p = 1.
    """
    u = ((bits >> 11) + 1.0) * (1.0 / 9007199254740993.0)
    return math.floor(min(math.log(u) / log_stay, _FAR))


def pick(seed: int, purpose: int, place: int, index: int, now: int, count: int) -> int:
    """Return a number in 0..count-1, drawn for a purpose of `netplace.netsim.chance` in cycle `now`."""
    return int(below(draw(seed, purpose, place, index, now), count))
