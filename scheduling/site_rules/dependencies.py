"""Jobs that come after others."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.scheduling.job import Job

__all__ = ["check_dependencies"]


def check_dependencies(jobs: Sequence[Job]) -> int:
    """Return how many jobs name one before them that is not there, and so wait for nobody."""
    after = {job.number: job.after for job in jobs}
    sound: set[int] = set()
    for first in after:
        path, number = list[int](), first
        while number in after and number not in sound:
            if number in path:
                circle = [*path[path.index(number) :], number]
                shown = " after ".join(map(str, circle[:8])) + (" .." if len(circle) > 8 else "")
                raise ValueError(f"jobs: wait for each other in a circle, {shown}")
            path.append(number)
            number = after[number]
        sound.update(path)
    return sum(job.after >= 0 and job.after not in after for job in jobs)
