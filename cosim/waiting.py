"""Who waited for whom on a live network, job by job, link by link and over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim import Network

__all__ = ["WaitingOverTime", "charged_to"]

_FIRST_WINDOW = 4096  # cycles
_MOST_WINDOWS = 64  # when there are so many, two become one
_LINKS = 100  # of which the course is told, those with most waiting for other jobs


class WaitingOverTime:
    """Reads what a network has charged, window by window; windows grow with the run.

    Parameters
    ----------
    network : Network
        Made with ``explain=True``.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._window = _FIRST_WINDOW
        self._due = _FIRST_WINDOW
        self._last: dict[tuple[int, int], int] = {}
        self._last_links: NDArray[np.int64] | None = None
        self._by_jobs: list[dict[tuple[int, int], int]] = []
        self._by_links: list[NDArray[np.int64]] = []

    @property
    def due(self) -> int:
        """Cycle up to which the network may run before `look`."""
        return self._due

    def look(self) -> None:
        """Close all windows that end with the network's cycle."""
        while self._network.now >= self._due:
            self._close()
            self._due += self._window
            if len(self._by_jobs) >= _MOST_WINDOWS:
                self._halve()

    def described(self, names: list[int]) -> dict[str, Any]:
        """Return everything up to now, as JSON can hold it.

        Parameters
        ----------
        names : list of int
            By the network's number, the number of the job.

        Returns
        -------
        dict
            ``window`` (cycles), ``waited`` and ``charged`` (cycles, the same number), ``jobs`` (job that
            waited, job charged, cycles), ``over_time`` (window, and the same), ``links`` (router, port,
            cycles charged to the job that waited, to others, and the latter by window), those with most for
            others. In the port after a router's last its node consumes.
        """
        self._close()
        waiting = self._network.waiting()
        total: dict[tuple[int, int], int] = {}
        for window in self._by_jobs:
            for pair, cycles in window.items():
                total[pair] = total.get(pair, 0) + cycles
        links = sum(self._by_links, np.zeros_like(waiting.links))
        order = np.argsort(-links[:, :, 1], axis=None, kind="stable")[:_LINKS]
        places = [divmod(int(place), links.shape[1]) for place in order]
        return {
            "window": self._window,
            "waited": waiting.waited,
            "charged": waiting.total,
            "jobs": [[*_named(pair, names), cycles] for pair, cycles in sorted(total.items())],
            "over_time": [
                [number, *_named(pair, names), cycles]
                for number, window in enumerate(self._by_jobs)
                for pair, cycles in sorted(window.items())
            ],
            "links": [
                {
                    "router": router,
                    "port": port,
                    "own": int(links[router, port, 0]),
                    "others": int(links[router, port, 1]),
                    "over_time": [int(window[router, port, 1]) for window in self._by_links],
                }
                for router, port in places
                if links[router, port, 1]
            ],
        }

    def _close(self) -> None:
        """End a window now."""
        waiting = self._network.waiting()
        places = np.argwhere(waiting.cycles)
        now = {(int(a), int(b)): int(waiting.cycles[a, b]) for a, b in places}
        self._by_jobs.append(
            {pair: more for pair, cycles in now.items() if (more := cycles - self._last.get(pair, 0))}
        )
        before = 0 if self._last_links is None else self._last_links
        self._by_links.append(waiting.links - before)
        self._last, self._last_links = now, waiting.links

    def _halve(self) -> None:
        """Make windows twice as long."""
        jobs = self._by_jobs
        self._by_jobs = [_added(jobs[n], jobs[n + 1]) for n in range(0, len(jobs), 2)]
        links = self._by_links
        self._by_links = [links[n] + links[n + 1] for n in range(0, len(links), 2)]
        self._window *= 2
        self._due = len(self._by_jobs) * self._window + self._window


def charged_to(waiting: dict[str, Any], job: int) -> dict[int, int]:
    """Return the cycles that a job's packets waited, by the job charged; see `WaitingOverTime.told`."""
    return {charged: cycles for waited, charged, cycles in waiting["jobs"] if waited == job}


def _named(pair: tuple[int, int], names: list[int]) -> list[int]:
    return [names[number] for number in pair]


def _added(
    first: dict[tuple[int, int], int], other: dict[tuple[int, int], int]
) -> dict[tuple[int, int], int]:
    return {pair: first.get(pair, 0) + other.get(pair, 0) for pair in first.keys() | other.keys()}
