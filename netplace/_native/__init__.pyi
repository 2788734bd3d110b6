"""The compiled part of netplace."""

from netplace._native import (
    apps as apps,
    experiments as experiments,
    netsim as netsim,
    placement as placement,
    scheduling as scheduling,
    topologies as topologies
)


def version() -> str:
    """Return the version of netplace that this was built with."""
