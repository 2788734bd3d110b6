"""The compiled part of netplace."""

from netplace._native import placement as placement
