"""The words of a kernel's jobs: of what kind they are, and which are free.

Keys of messages come with what the settings of the network ask for beside. Entries of lists (messages under
way, messages due) are given out by the kernel itself, which finds the free ones in a list of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.kernel import state as k
from netplace.netsim.pool import Pool

__all__ = ["JobWords"]


class JobWords:
    """The kernel's arrays whose length depends on the jobs.

    Parameters
    ----------
    config : Config
        Settings of the network.
    wide : bool
        Whether all integers have 64 bits, as the kernel needs them when it is not compiled.
    explain : bool
        Whether it is kept whose each key is.
    domains : int
        Into how many the network is cut; each has its own lists of free entries.

    Attributes
    ----------
    pools : dict of str to Pool
        By name of the array.
    """

    def __init__(self, config: Config, wide: bool, explain: bool, domains: int) -> None:
        self._domains = domains
        self._classes = read_classes(config.traffic_classes)
        self._packet_bytes = config.packet_bytes
        self._of_keys = ["key"]  # what has a row for each key
        short: type[np.generic] = np.int64 if wide else np.int32
        self.pools = {
            "op": Pool(np.int64),
            "key": Pool(np.int64, k.KEY_WORDS),
            "deal": Pool(short, k.DEAL_WORDS),
            "key_job": Pool(short),
            "message_start": Pool(np.int64),
            "message_end": Pool(np.int64),
            "open_start": Pool(np.int64),
            "open_next": Pool(short),
            "job": Pool(np.int64, 2),
            "task_end": Pool(np.int64),
            "task_lost": Pool(np.int64),
            "due_order": Pool(np.int64),
            "due_time": Pool(np.int64),
            "due_next": Pool(short),
        }
        if config.rendezvous is not None:
            self._of_keys.append("deal")
        if explain:
            self._of_keys.append("key_job")
        if self._classes.count > 1:
            self.pools["key_class"] = Pool(short)
            self._of_keys.append("key_class")
        for name in ("open_start", "open_next", "due_order", "due_time", "due_next"):
            self.pools[name].take(1 + (domains - 1) * k.HEADS_APART)  # heads of free lists are among them

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the kernel's arrays by name."""
        return {name: pool.words for name, pool in self.pools.items()}

    # --- keys ---------------------------------------------------------------------------------------

    def take_keys(self, count: int, owner: int = 0) -> int:
        """Return the first of `count` keys, all of their words zero; `owner` is their job + 1."""
        for name in self._of_keys:
            begin = self.pools[name].take(count)
            if begin + count >= 1 << k.KEY_BITS:
                raise ValueError(
                    f"{begin + count} kinds of message are more than the kernel's {1 << k.KEY_BITS}"
                )
            self.pools[name].rows(begin, count)[:] = self._fresh(name, owner)
        return begin

    def _fresh(self, name: str, owner: int) -> int:
        """Return what is written for a new key."""
        return {"key_job": owner, "key_class": self._classes.count - 1}.get(name, 0)

    def give_keys(self, begin: int, count: int) -> None:
        """Use keys again."""
        for name in self._of_keys:
            self.pools[name].give(begin, count)

    def keys(self, begin: int, count: int) -> NDArray[Any]:
        """Return the words of keys as a view."""
        return self.pools["key"].rows(begin, count)

    def at_rest(self, begin: int, count: int) -> bool:
        """Tell whether no packet of these keys is in flight."""
        return not self.keys(begin, count)[:, k.FLYING].any()

    def write_classes(self, begin: int, packets: NDArray[np.int64], number: int) -> None:
        """Write the traffic class of keys of the n-th job, of messages of so many packets."""
        if self._classes.count > 1:
            message_classes = [
                self._classes.of_message(number, count, self._packet_bytes) for count in packets.tolist()
            ]
            self.pools["key_class"].rows(begin, len(packets))[:, 0] = message_classes

    # --- entries of lists ---------------------------------------------------------------------------

    def extend_openings(self, count: int) -> None:
        """Make `count` more entries for messages that are not complete, on their free list."""
        self._extend_list(("open_start", "open_next"), count, 0)
        self.pools["open_start"].words[0] += count

    def share_openings(self, needs: Sequence[int]) -> None:
        """Deal the free entries for messages out to the domains: what each needs, and as much more."""
        links, free = self.pools["open_next"].words, self.pools["open_start"].words
        entries = []
        heads = [domain * k.HEADS_APART for domain in range(self._domains)]
        for head in heads:
            entry = head
            for _ in range(int(free[head])):
                entry = int(links[entry])
                entries.append(entry)
        spare, rest = divmod(len(entries) - sum(needs), self._domains)
        begin = 0
        for head, need in zip(heads, needs, strict=True):
            count = need + spare + (head < rest * k.HEADS_APART)
            mine = [head, *entries[begin : begin + count]]
            links[mine[:-1]] = mine[1:]
            free[head] = count
            begin += count

    def drop_openings(self, begin: int, count: int) -> None:
        """Free the entries of the messages of a stopped job that are not complete."""
        links = self.pools["open_next"].words
        keys = self.keys(begin, count)
        for key in np.flatnonzero(keys[:, k.OLDEST] > 0).tolist():
            entry, newest = int(keys[key, k.OLDEST]), int(keys[key, k.NEWEST])
            while entry:
                after = 0 if entry == newest else int(links[entry])
                links[entry] = links[0]
                links[0] = entry
                self.pools["open_start"].words[0] += 1
                entry = after
            keys[key, [k.OLDEST, k.NEWEST]] = 0

    def extend_dues(self, count: int) -> None:
        """Make `count` more entries for messages that are due, in each domain: all may be due in one."""
        for domain in range(self._domains):
            self._extend_list(("due_order", "due_time", "due_next"), count, domain * k.HEADS_APART)

    def drop_dues(self, task: NDArray[Any], begin: int, end: int, domain: int) -> None:
        """Take what a stopped job owes out of the interface of a node, which belongs to a domain."""
        head = domain * k.HEADS_APART
        order, links = self.pools["due_order"].words, self.pools["due_next"].words
        kept, entry = [], int(task[k.FIRST_DUE])
        while entry >= 0:
            after = int(links[entry])
            if begin <= int(order[entry]) & 0xFFFFFFFF < end:
                links[entry] = links[head]
                links[head] = entry
            else:
                kept.append(entry)
            entry = after
        kept.append(-1)
        links[kept[:-1]] = kept[1:]
        task[k.FIRST_DUE] = kept[0]

    def _extend_list(self, names: tuple[str, ...], count: int, head: int) -> None:
        """Make more entries of a list; the last array holds its links, at `head` those of the free ones."""
        for name in names:
            begin = self.pools[name].take(count)
        links = self.pools[names[-1]].words
        links[begin : begin + count] = np.arange(begin + 1, begin + count + 1)
        links[begin + count - 1] = links[head]
        links[head] = begin
