"""Execution by the workers of a Dask cluster; needs the extra ``netplace[dask]``."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from netplace.inputs import check_choice, check_float
from netplace.plugins import Portable, rules_without_file
from netplace.runs.executors import answer_of

__all__ = ["Cluster"]

_PATIENCE = 10.0  # seconds for the scheduler to answer
_IN_HAND = 2  # items given for each thread of the cluster: one under way, and the next
_WAIT = 60.0  # seconds without any worker after which a run is given up, if the address does not say
_LOOK = 5.0  # seconds between looks at whether the cluster is still there
_COUNT = 1.0  # seconds for which the number of threads is not asked again

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Cluster(Generic[Item, Outcome]):
    """The workers of a Dask cluster, which need the same version of netplace and the same file paths.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``"tcp://scheduler:8786"``; with ``",wait=3600"``, it may be without
        workers for so many seconds.
    function : callable
        Picklable function that returns the outcome of an item; `collect` raises the exceptions that it
        raises.
    lost : callable
        ``lost(reason)`` returns the outcome of an item that the cluster could not execute.
    """

    def __init__(
        self, address: str, function: Callable[[Item], Outcome], lost: Callable[[str], Outcome]
    ) -> None:
        try:
            import distributed
        except ImportError:
            raise ValueError("--dask: Dask is not installed; pip install 'netplace[dask]'") from None
        if unfiled := rules_without_file():
            raise ValueError(f"--dask: {unfiled[0]} was added by no file, which workers need; see --plugin")
        self.busy = 0
        self._function = Portable(function)
        self._lost = lost
        self._address, _, option = address.partition(",")
        self._wait = _seconds(option) if option else _WAIT
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._items: dict[Any, Item] = {}
        try:
            client: Any = distributed.Client
            self._client: Any = client(self._address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"--dask: no Dask scheduler answers at {self._address!r}: {reason}") from None
        self._alone = 0.0  # seconds for which there has been no worker
        self._threads, self._counted = 1, -_COUNT
        try:
            self._client.wait_for_workers(1, timeout=self._wait)
        except TimeoutError:
            self._client.close()
            raise self._no_worker(self._wait) from None

    def __enter__(self) -> Cluster[Item, Outcome]:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.cancel(list(self._items))
        self._items.clear()
        self._client.close()
        self.busy = 0

    def has_room(self) -> bool:
        """Return whether the cluster can take more items."""
        if time.monotonic() >= self._counted + _COUNT:
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self.busy < _IN_HAND * self._threads

    def give(self, item: Item) -> None:
        """Send an item to the cluster."""
        # Not pure: a failure that Dask remembers would otherwise be its answer for ever.
        future: Any = self._client.submit(answer_of, self._function, Portable(item), pure=False)
        self._items[future] = item
        self.busy += 1
        future.add_done_callback(self._ended.put)

    def collect(self) -> list[tuple[Item, Outcome]]:
        """Wait until an item has been processed, and return it with its outcome."""
        future = self._next()
        item = self._items.pop(future)
        self.busy -= 1
        try:
            outcome, failure = future.result()
        except Exception as error:  # the worker died so often that Dask gave up, or has no netplace
            return [(item, self._lost(f"Dask: {' '.join(str(error).split())}"))]
        if failure is not None:
            raise failure
        return [(item, outcome)]

    def _next(self) -> Any:
        while True:
            try:
                return self._ended.get(timeout=_LOOK)
            except queue.Empty:
                if self._client.status != "running":
                    raise ValueError("--dask: the Dask scheduler stopped answering") from None
                self._alone = 0.0 if self._client.nthreads() else self._alone + _LOOK
                if self._alone >= self._wait:
                    raise self._no_worker(self._alone) from None

    def _no_worker(self, seconds: float) -> ValueError:
        return ValueError(
            f"--dask: the scheduler at {self._address!r} has had no worker for {seconds:.0f} s, expected at "
            f"least one; start it with: dask worker {self._address}, or wait longer with "
            f"--dask {self._address},wait=3600"
        )


def _seconds(option: str) -> float:
    name, _, value = option.partition("=")
    check_choice(name, ["wait"], "--dask: option")
    try:
        return check_float(float(value), "--dask: wait", 0.0, 1e9)
    except ValueError:
        raise ValueError(f"--dask: wait is {value!r}, expected a number of seconds") from None
