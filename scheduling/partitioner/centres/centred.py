"""The partitioner of all algorithms that look at distances among the free nodes."""

from __future__ import annotations

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.centres.space import Choose, Selection, Space
from netplace.scheduling.partitioner.free_map import OnFreeMap


class Centred(OnFreeMap):
    """Gives a job the free nodes that an algorithm chooses by their distances."""

    def __init__(self, space: Space, choose: Choose, by_count: bool = True):
        super().__init__(space.topology.nodes)
        self._space, self._choose = space, choose
        self.by_count = by_count

    def find(self, job: Job) -> Allocation | None:
        self.searches += 1
        if job.nodes > self.free:
            return None
        self.visited += self.free  # nodes that a search starts from
        return Allocation(self.choose(job.nodes).nodes)

    def choose(self, size: int) -> Selection:
        return self._choose(self._space, self._map.first(self.free), size)
