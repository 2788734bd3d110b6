"""What the kernel before this one did, to set a measured figure beside it.

Measured interleaved with this kernel's, in one run on one core of the project's machine, so their ratio tells
what a change gained where the absolute figures tell how busy the machine was. Whoever changes the kernel
measures both commits in turn (``netplace bench --against COMMIT``) and writes the parent's figures here.
"""

from __future__ import annotations

__all__ = ["BEFORE"]

BEFORE: dict[str, float] = {  # millions of packet-hops in a second of CPU time
    "torus:8x8": 11.8,
    "torus:16x16x16": 6.8,
    "torus:32x32x32": 4.3,
    "torus:64x64x64": 2.5,
    "torus:8x8x8x8x8": 3.0,
    "tree:4,6": 3.8,
    "thintree:4,2,6": 5.9,
}
