"""Running jobs in the order of their expected ends."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from netplace.scheduling.policy.asked import Running

__all__ = ["ExpectedEnds"]


class ExpectedEnds:
    """Running jobs, the one expected to end next in front, ties by the order of their starts."""

    def __init__(self) -> None:
        self._keys: list[tuple[float, int]] = []
        self._jobs: dict[int, Running] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Running]:
        jobs = self._jobs
        return (jobs[order] for _, order in self._keys)

    def add(self, running: Running) -> None:
        """Take in a job that has started."""
        insort(self._keys, (running.expected_end, running.order))
        self._jobs[running.order] = running

    def remove(self, running: Running) -> None:
        """Take out a job that has ended."""
        del self._keys[bisect_left(self._keys, (running.expected_end, running.order))]
        del self._jobs[running.order]

    def move(self, running: Running, expected_end: float) -> None:
        """Change the expected end of a job."""
        self.remove(running)
        running.expected_end = expected_end
        self.add(running)
