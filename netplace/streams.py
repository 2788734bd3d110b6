"""Seeds of streams of random numbers."""

from __future__ import annotations

from hashlib import sha256


def stream(seed: int, purpose: str, draw: int) -> int:
    """Return the seed of one draw of a study: draw 0 has the study's own, and each further one a hash.

    A sum of the two would be the seed of an earlier draw of the next study, whose results would not be
    independent. Hashes are from 2**56 to 2**57, where no seed of a study is expected.
    """
    if draw == 0:
        return seed
    digest = sha256(f"{seed} {purpose} {draw}".encode()).digest()
    return 1 << 56 | int.from_bytes(digest[:7], "big")
