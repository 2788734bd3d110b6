"""What a cycle would cost if two processes simulated one network: their two meetings over MPI.

Run with ``mpirun -n 2 python docs/figures/between_processes.py``; it needs mpi4py and an MPI. At each meeting
a process sends the other what crosses their border, the first words being its next event and its flags, and
waits for what comes. Written are microseconds a cycle, the fastest and the median of many batches, by the
bytes of a cycle: 0, and what crosses between two slabs of 16x16x16, 32x32x32 and 64x64x64 (see
docs/background/kernel.md).
"""

from __future__ import annotations

import sys
import time

import numpy as np

SIZES = (0, 2_300, 8_400, 29_000)  # bytes a cycle
BATCHES, CYCLES = 200, 100
HEAD = 2  # words: next event, flags


def seconds_of_cycle(world: object, size: int) -> list[float]:
    """Return the seconds that a cycle's two meetings take, of each batch."""
    from mpi4py import MPI

    assert isinstance(world, MPI.Comm)
    other = 1 - world.rank
    # What decisions send (packets) is most of it; what falls due (room) has 8 bytes where a packet has 32.
    shares = [np.zeros(HEAD + size * part // 40 // 8, np.int64) for part in (32, 8)]
    most = np.zeros(HEAD + size, np.int64)
    seconds = []
    for _ in range(BATCHES):
        world.Barrier()
        began = time.perf_counter()
        for _ in range(CYCLES):
            for words in shares:
                world.Sendrecv(words, other, recvbuf=most, source=other)
        seconds.append((time.perf_counter() - began) / CYCLES)
    return seconds


def main() -> None:
    """Measure, and print a line for each size."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    if world.size != 2:
        sys.exit(f"{world.size} processes, expected 2: mpirun -n 2 python {sys.argv[0]}")
    for size in SIZES:
        seconds = seconds_of_cycle(world, size)
        if world.rank == 0:
            best, middle = min(seconds) * 1e6, float(np.median(seconds)) * 1e6
            sys.stdout.write(f"{size:6} bytes: {best:6.2f} us, median {middle:6.2f}\n")


if __name__ == "__main__":
    main()
