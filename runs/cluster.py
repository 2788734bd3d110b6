"""Runs carried out by a Dask cluster; needs the extra ``netplace[dask]``."""

from __future__ import annotations

import queue
from types import TracebackType
from typing import Any

from netplace.runs.execute import Ended, attempt
from netplace.runs.spec import Run

__all__ = ["Cluster"]

_PATIENCE = 10.0  # seconds for the scheduler to answer
_IN_HAND = 2  # runs given for each thread of the cluster: one under way, and the next
_LOOK = 5.0  # seconds between looks at whether the cluster is still there


class Cluster:
    """The workers of a Dask cluster. They need this netplace, and the traces under the same paths.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``"tcp://scheduler:8786"``.

    Raises
    ------
    ValueError
        If Dask is not installed, or nothing answers at the address.
    """

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise ValueError("--dask: Dask is not installed; pip install 'netplace[dask]'") from None
        self.busy = 0
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._runs: dict[Any, Run] = {}
        try:
            client: Any = distributed.Client
            self._client: Any = client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"--dask: no scheduler answers at {address!r}: {reason}") from None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.cancel(list(self._runs))
        self._runs.clear()
        self._client.close()
        self.busy = 0

    def has_room(self) -> bool:
        """Tell whether some thread of the cluster has less than it can hold."""
        threads: int = sum(self._client.nthreads().values())
        return self.busy < _IN_HAND * max(1, threads)

    def give(self, run: Run) -> None:
        """Hand the run to the cluster."""
        # Not pure: a failure that Dask remembers would otherwise be its answer for ever.
        future: Any = self._client.submit(attempt, run, pure=False)
        self._runs[future] = run
        self.busy += 1
        future.add_done_callback(self._ended.put)

    def collect(self) -> list[tuple[Run, Ended]]:
        """Wait until a run has ended.

        Raises
        ------
        ValueError
            If the cluster has gone.
        """
        future = self._next()
        run = self._runs.pop(future)
        self.busy -= 1
        try:
            return [(run, future.result())]
        except Exception as error:  # the worker died so often that Dask gave up, or has no netplace
            return [(run, _lost(error))]

    def _next(self) -> Any:
        while True:
            try:
                return self._ended.get(timeout=_LOOK)
            except queue.Empty:
                if self._client.status != "running":
                    raise ValueError("--dask: the scheduler does not answer any more") from None


def _lost(error: Exception) -> Ended:
    return Ended(None, f"Dask: {' '.join(str(error).split())}", 0.0, {}, "dask", by_machine=True)
