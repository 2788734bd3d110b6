"""Charged waiting on a live network: by job, by link and over time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import Network
from netplace.plain_data import PlainData

_FIRST_WINDOW = 4096  # cycles
_MOST_WINDOWS = 64  # when there are so many, two become one
_LINKS = 100  # of which the course is told, those with most waiting for other jobs


@dataclass(frozen=True)
class LinkWaiting:
    # Router and port of the link; the port after the last one of a router is the consumption of its node.
    router: int
    port: int
    # Cycles charged to the waiting job, and to other jobs.
    own: int
    others: int
    over_time: tuple[int, ...]  # cycles charged to other jobs, by window


@dataclass(frozen=True)
class Waiting(PlainData):
    """Charged waiting on a live network."""

    window: int  # cycles of a window of time
    # Cycles that packets waited, and those charged to jobs: the same number.
    waited: int
    charged: int
    jobs: tuple[tuple[int, int, int], ...]  # totals
    over_time: tuple[tuple[int, int, int, int], ...]
    links: tuple[LinkWaiting, ...]  # links with the most waiting for other jobs, in decreasing order


class WaitingOverTime:
    """Reads the charges of a network window by window; windows grow with the run."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._window = _FIRST_WINDOW
        self._due = _FIRST_WINDOW
        self._last: Counter[tuple[int, int]] = Counter()
        self._last_links: NDArray[np.int64] | None = None
        self._by_jobs: list[Counter[tuple[int, int]]] = []
        self._by_links: list[NDArray[np.int64]] = []

    @property
    def due(self) -> int:
        """Cycle until which the network can run before `look`."""
        return self._due

    def look(self) -> None:
        while self._network.now >= self._due:
            self._close()
            self._due += self._window
            if len(self._by_jobs) >= _MOST_WINDOWS:
                self._halve()

    def until_now(self, names: list[int]) -> Waiting:
        self._close()
        waiting = self._network.waiting()
        total = sum(self._by_jobs, Counter[tuple[int, int]]())
        links = sum(self._by_links, np.zeros_like(waiting.links))
        order = np.argsort(-links[:, :, 1], axis=None, kind="stable")[:_LINKS]
        places = [divmod(int(place), links.shape[1]) for place in order]
        return Waiting(
            window=self._window,
            waited=waiting.waited,
            charged=waiting.total,
            jobs=tuple((*_named(pair, names), cycles) for pair, cycles in sorted(total.items())),
            over_time=tuple(
                (number, *_named(pair, names), cycles)
                for number, window in enumerate(self._by_jobs)
                for pair, cycles in sorted(window.items())
            ),
            links=tuple(
                LinkWaiting(
                    router=router,
                    port=port,
                    own=int(links[router, port, 0]),
                    others=int(links[router, port, 1]),
                    over_time=tuple(int(window[router, port, 1]) for window in self._by_links),
                )
                for router, port in places
                if links[router, port, 1]
            ),
        )

    def _close(self) -> None:
        """End a window now."""
        waiting = self._network.waiting()
        places = np.argwhere(waiting.cycles)
        now = Counter({(int(a), int(b)): int(waiting.cycles[a, b]) for a, b in places})
        self._by_jobs.append(now - self._last)
        before = 0 if self._last_links is None else self._last_links
        self._by_links.append(waiting.links - before)
        self._last, self._last_links = now, waiting.links

    def _halve(self) -> None:
        """Make windows twice as long."""
        jobs = self._by_jobs
        self._by_jobs = [jobs[n] + jobs[n + 1] for n in range(0, len(jobs), 2)]
        links = self._by_links
        self._by_links = [links[n] + links[n + 1] for n in range(0, len(links), 2)]
        self._window *= 2
        self._due = len(self._by_jobs) * self._window + self._window


def _named(pair: tuple[int, int], names: list[int]) -> tuple[int, int]:
    waited, charged = pair
    return names[waited], names[charged]
