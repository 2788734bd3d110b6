"""Options of a run that none of its jobs has a use for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from netplace.apps import Op
from netplace.apps.collectives.call import REDUCING
from netplace.apps.formats import FORMATS, format_of
from netplace.apps.program import Repeated
from netplace.runs.job_programs import operations_of, program_of, repeated_of
from netplace.runs.spec import Job, Run


def idle_options(run: Run, given: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield those of the given options that have no effect on a run, with the reason."""
    jobs, programs = run.jobs, repeated_of(run)
    traces = [Path(job.path) for job in jobs if job.path]
    if "cpu_scale" in given and (why := _idle_computation(traces, jobs, programs)):
        yield "cpu_scale", why
    if "flops" in given and all(format_of(path) in _WITHOUT_FLOPS for path in traces):
        yield "flops", "no trace counts floating-point operations, as those of SimGrid (.tit) do"
    if "ignore" in given:
        yield from (("ignore", why) for job in jobs if job.path and (why := _idle_ignore(run, job)))
    if "collectives" in given and (why := _idle_collectives(run)):
        yield "collectives", why
    sends = [repeated.program for repeated in programs if (repeated.program.kind == Op.ISEND).any()]
    for name in ("nonblocking_sends", "outstanding_sends", "outstanding_bytes"):
        if name in given and not sends:
            yield name, "no job has non-blocking sends"
        elif name in given and name != "nonblocking_sends" and not any(map(run.config.interleaves, sends)):
            yield name, "no job has interleaved sends; expected --nonblocking-sends interleaved beside it"


_WITHOUT_FLOPS = [item for name, item in FORMATS.items() if name != "tit"]


def _idle_computation(
    traces: Sequence[Path], jobs: Sequence[Job], programs: Sequence[Repeated]
) -> str | None:
    """Return why the factor on recorded computation has no effect, if it has none."""
    if not traces:
        return "applications compute what they say; it is an option of --trace"
    if all(format_of(path).computation == "program" for path in traces):
        return "computation in a .trc file counts in any case; expected --trc-unit, or nothing"
    recorded = [program for job, program in zip(jobs, programs, strict=True) if job.path]
    if not any((repeated.program.kind == Op.COMPUTE).any() for repeated in recorded):
        return "no computation is recorded"
    return None


def _idle_ignore(run: Run, job: Job) -> str | None:
    """Return which kinds of operations a trace does not hold, if it is told to leave them out."""
    kinds = str(dict(job.options).get("ignore", "")).split(",")
    for kind in kinds:
        others = ",".join(other for other in kinds if other != kind)
        options = {name: value for name, value in job.options if name != "ignore"}
        options |= {"ignore": others} if others else {}
        try:
            program_of(Job(**vars(job) | {"options": tuple(sorted(options.items()))}), run.config)
        except ValueError:
            continue
        return f"{job.path} holds no operations of kind {kind}"
    return None


def _idle_collectives(run: Run) -> str | None:
    """Return why a choice of algorithms has no effect, if no job has the operations."""
    asked: set[str] = set()
    texts = set()
    for job, operations in zip(run.jobs, operations_of(run), strict=True):
        if (text := dict(job.options).get("collectives")) is not None:
            asked |= operations
            texts.add(str(text))
    if not asked:
        return "no job has collective operations whose algorithm can be chosen"
    for word in sorted({word for text in texts for word in text.split("+")[1:]}):
        operation = word.partition("=")[0]
        if operation == "element" and not asked & set(REDUCING):
            return f"no job has an operation that reduces, of which {word} tells the elements"
        if operation not in ("groups", "element") and operation not in asked:
            return f"no job has the operation {operation}; expected one of {', '.join(sorted(asked))}"
    return None
