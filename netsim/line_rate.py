"""Rates of sources as whole multiples of 2^-16, so that all engines round in the same way."""

from __future__ import annotations

LINE_BITS = 16
LINE_RATE = 1 << LINE_BITS  # a phit a cycle
LEAST_RATE = LINE_RATE >> 10  # below which no notification reduces a rate
FAST_RECOVERY = 5  # steps without additive increase, as published
