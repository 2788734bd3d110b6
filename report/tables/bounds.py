"""What bounds the run time of a job, and what the bound says about mappings, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_BUSY = 0.9  # share of the time for which a link must carry phits to be called what bounds a run
_NEAR = 0.9  # share of the time that a bound must explain to be called what bounds a run
_DOES = {
    "injection": "task {task} needs {cycles:,} cycles to send its packets",
    "ejection": "task {task} needs {cycles:,} cycles to receive its packets",
    "computation": "task {task} computes for {cycles:,} cycles",
    "dependencies": "without contention, task {task} ends after {cycles:,} cycles",
}


def bound_sentences(jobs: Sequence[Mapping[str, Any]], busiest: float) -> list[str]:
    """Return a sentence for each kind of job of a run, as `bound_sentence` does."""
    finished = [job for job in jobs if job["cycles"] is not None]
    known = {job["name"]: job for job in finished if job.get("bounds", {}).get("least")}
    return [bound_sentence(job, busiest, named=len(jobs) > 1) for job in known.values()]


def bound_sentence(job: Mapping[str, Any], busiest: float, *, named: bool = False) -> str:
    """Return what bounds a job's run time; `busiest`: share of the run in which the busiest link was busy."""
    bounds, cycles = job["bounds"], max(1, job["cycles"])
    binding, minimum = bounds["binding"], bounds["least"]
    does = _DOES[binding].format(**bounds[binding])
    if minimum >= _NEAR * cycles:
        more = f", and the job takes at least {minimum:,}" if bounds[binding]["cycles"] < minimum else ""
        why = f"limited by {binding}: {does}{more}"
    elif busiest >= _BUSY:
        why = f"limited by a link, which is busy {100 * busiest:.0f} % of the time; {does}"
    else:
        why = f"limited by contention and distance; {does}"
    saving = max(0.0, 100 * (1 - minimum / cycles))
    maximum = (
        f"a mapping can save at most {saving:{'.0f' if saving >= 99.5 else '.2g'}} %"
        if saving >= 0.01
        else "no mapping can reduce it"
    )
    return (f"{job['name']}: " if named else "") + f"{why}, so {maximum}"


def mapping_bound(description: Mapping[str, Any]) -> list[str]:
    """Return the bound of the run time under every mapping, for a described job whose bounds are known."""
    if not (bounds := description.get("bounds")):
        return []
    binding, minimum, link = bounds["binding"], bounds["least"], description["link_cycles"]
    does = _DOES[binding].format(**bounds[binding])
    return [
        f"Lower bound: with every mapping the job takes at least {minimum:,} cycles ({does}). With this "
        f"one, the busiest link is busy for about {link:,.0f} cycles."
    ]
