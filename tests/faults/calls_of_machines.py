"""Calls that work: placement, schedules, runs and co-simulations."""

from functools import cache
from typing import Any

__all__ = ["add_machines"]


def add_machines(add: Any, w: Any) -> None:
    """Add the calls of the other packages."""
    import netplace

    torus = w.torus
    add("carried", lambda: netplace.carried, name="LU.W.16")
    add("read", lambda: netplace.read, path="m.trc", cycles_per_us=0.0, tasks=2)
    add("write", lambda: netplace.write, program=w.program, path="out.trace")
    add(
        "map_tasks",
        lambda: netplace.map_tasks,
        rule="td:iterations=2",
        topology=torus,
        tasks=4,
        nodes=[0, 1, 4, 5, 6],
        program=w.program,
        seed=1,
        job=0,
    )
    add("partition", lambda: netplace.partition, text="boxes:2x2", topology=torus, sizes=[4, 4], seed=1)
    _add_schedules(add, w)
    _add_runs(add, w)
    _add_cosimulations(add, w)


def _add_schedules(add: Any, w: Any) -> None:
    s, torus = w.scheduling, w.torus
    add(
        "schedule",
        lambda: s.schedule,
        machine=torus,
        jobs=w.jobs,
        policy="easy",
        partitioner="contiguous",
        times=s.make_times("slowed:1.3", torus),
        estimates="run-time",
        overrun="keep",
        locality=True,
        keep_nodes=True,
        installed=16,
        tell=None,
        power=None,
    )
    for partitioner in ("non-contiguous", "contiguous", "curve:hilbert", "mc1x1"):
        add(
            f"schedule {partitioner}",
            lambda: s.schedule,
            machine=torus,
            jobs=w.jobs,
            policy="conservative",
            partitioner=partitioner,
        )
    add(
        "Job",
        lambda: w.run_job,
        number=2,
        submit=1.0,
        nodes=4,
        run_time=10.0,
        estimate=20.0,
        application="",
        intensity="",
        repeats=1,
        user=1,
        queue=1,
        after=-1,
        think=0.0,
        executable=1,
    )
    add(
        "make_partitioner",
        lambda: s.make_partitioner,
        text="contiguous",
        topology=torus,
        seed=1,
        ranking=None,
    )
    add("make_times", lambda: s.make_times, text="factors:0.9,1.2", machine=torus)
    add("Contiguity", lambda: s.Contiguity, machine=torus)
    add("Contiguity.of", lambda: s.Contiguity(torus).of, nodes=[0, 1])
    add("TimedExecution", lambda: s.TimedExecution, times=lambda: s.make_times("log", torus))
    timed = s.TimedExecution(s.make_times("log", torus))
    add(
        "TimedExecution.begin",
        lambda: timed.begin,
        attempt=0,
        job=w.app_job,
        allocation=w.allocation,
        now=0.0,
    )
    add("TimedExecution.stop", lambda: timed.stop, attempt=0, now=0.0)
    add("TimedExecution.next_end", lambda: timed.next_end, until=1.0)
    add("TimedExecution.longest", lambda: timed.longest, job=w.app_job)


def _add_runs(add: Any, w: Any) -> None:
    runs, config = w.runs, w.netsim.Config()
    job = {"app": "butterfly", "tasks": 4, "mapping": "random", "start": 5, "packets": 2}
    add(
        "resolve",
        lambda: runs.resolve,
        network="torus:4x4",
        jobs=lambda: [dict(job)],
        partition="boxes:2x2",
        config=config,
        seed=1,
        network_seed=2,
        max_cycles=10_000,
    )
    add("resolve job", lambda: lambda **given: runs.resolve("torus:4x4", given), **job)

    @cache
    def resolved() -> Any:
        return runs.resolve("torus:4x4", job, partition="boxes:2x2", max_cycles=10_000)

    def executed(**given: Any) -> Any:
        return runs.execute(runs.Run(**given))

    def executed_job(**given: Any) -> Any:
        return runs.execute(runs.Run("torus:4x4", (runs.Job(**given),), max_cycles=10_000))

    add("Run", lambda: executed, **vars(resolved()))
    add("runs Job", lambda: executed_job, **vars(resolved().jobs[0]))
    add("Run.from_dict", lambda: runs.Run.from_dict, plain=lambda: resolved().to_dict())
    add("Run.from_dict of", lambda: lambda **given: runs.Run.from_dict(given), **resolved().to_dict())
    add("Run.seeded", lambda: resolved().seeded, seed=3)
    add("execute", lambda: runs.execute, run=resolved, engine="kernel")
    add("attempt", lambda: runs.attempt, run=resolved)


def _add_cosimulations(add: Any, w: Any) -> None:
    c = w.cosim
    executed = cache(w.executed)

    def plan() -> Any:
        return executed()[0]

    def rows() -> Any:
        return [dict(row) for row in executed()[1]]

    config = w.netsim.Config()
    add("make_cosim_plan", lambda: c.make_cosim_plan, given=w.plan, seed=1)
    add(
        "make_cosim_plan of",
        lambda: lambda **given: c.cosimulate(c.make_cosim_plan(given)),
        **w.plan(policy="easy", fidelity="live", vcs=2, estimate_factor=1.5),
    )
    add(
        "CosimPlan",
        lambda: c.CosimPlan,
        **{
            name: getattr(plan(), name)
            for name in (
                "jobs",
                "fidelity",
                "estimate_factor",
                "applications",
                "target_half_width",
                "config",
                "mix_digest",
                "explain",
            )
        },
    )
    add("CosimPlan.from_dict", lambda: c.CosimPlan.from_dict, plain=lambda: plan().to_dict())
    add("CosimPlan.seeded", lambda: plan().seeded, seed=3)
    add("JobRow", lambda: c.JobRow, **vars(c.job_rows_of({"jobs": rows()})[0]))
    add("job_rows_of", lambda: c.job_rows_of, outcome=lambda: {"jobs": rows()})
    add("job_rows_of of", lambda: lambda **given: c.job_rows_of({"jobs": [given]}), **rows()[0])
    add("cosimulate", lambda: c.cosimulate, plan=plan, engine="kernel", tell=None)
    add("placing_of", lambda: c.placing_of, plan=plan)
    add("started_jobs", lambda: c.started_jobs, plan=plan, rows=rows)
    add("reasons", lambda: c.reasons, plan=plan, rows=rows, job=2, suspects=1, links=2)
    add("what_if", lambda: c.what_if, plan=plan, rows=rows, without=[1], move={}, mapping={2: "random"})
    add(
        "replay",
        lambda: c.replay,
        placing=w.placing,
        jobs=lambda: c.started_jobs(plan(), rows()),
        until=500,
        engine="kernel",
        watch=None,
    )
    add(
        "sampled_again",
        lambda: c.sampled_again,
        placing=w.placing,
        jobs=lambda: c.started_jobs(plan(), rows())[:1],
        target_half_width=0.2,
    )
    add(
        "Work",
        lambda: lambda **given: c.program_of(c.Work(**given), config),
        application="butterfly",
        tasks=4,
        iterations=2,
        compute=10,
    )
    add("program_of", lambda: c.program_of, work=lambda: c.Work("butterfly", 4), config=config)
    add("application_work", lambda: c.application_work, config=config)

    def put(**given: Any) -> Any:
        return c.Placing(**given).put(w.app_job(), w.allocation())

    add(
        "Placing",
        lambda: put,
        machine=w.torus,
        config=config,
        work_of=lambda: c.application_work(config),
        mapping="random",
        seed=1,
    )
    add("Placing.put", lambda: w.placing().put, job=w.app_job, allocation=w.allocation)
    add("Placing.network", lambda: w.placing().network, engine="kernel", explain=False)
    add("Placing.body", lambda: w.placing().body, placed=w.placed)
    add("Placing.loop", lambda: w.placing().loop, placed=w.placed)
    add(
        "Placing.start",
        lambda: w.placing().start,
        network=lambda: w.network(started=False),
        placed=w.placed,
        at=5,
    )
    add(
        "cycles_alone",
        lambda: c.cycles_alone,
        placing=w.placing,
        placed=w.placed,
        engine="kernel",
        since=lambda: w.network().residue(),
    )
    add(
        "FreshTimes",
        lambda: c.FreshTimes,
        placing=w.placing,
        estimate_factor=1.0,
        engine="kernel",
        cycles=None,
    )
    fresh = c.FreshTimes(w.placing())
    add("FreshTimes.cycles", lambda: fresh.cycles, placed=w.placed)
    add("FreshTimes.seconds", lambda: fresh.seconds, job=w.app_job, allocation=w.allocation)
    add("FreshTimes.longest", lambda: fresh.longest, job=w.app_job)
    add("LoopTimes", lambda: c.LoopTimes, placing=w.placing, target_half_width=0.1, draws=2)
    for method in ("alone", "iteration"):
        add(f"LoopTimes.{method}", lambda m=method: getattr(c.LoopTimes(w.placing(), 0.5), m), job=w.placed)
    add("LoopTimes.block", lambda: c.LoopTimes(w.placing(), 0.5).block, job=w.placed, times=2)

    add(
        "LiveExecution.begin_placed",
        lambda: live("LiveExecution").begin_placed,
        attempt=0,
        placed=w.placed,
        now=0.0,
    )

    def live(kind: str) -> Any:
        return c.LiveExecution(w.placing(), lambda job: 1.0)

    add(
        "LiveExecution",
        lambda: c.LiveExecution,
        placing=w.placing,
        longest=lambda: len,
        engine="kernel",
        ended=None,
        explaining=False,
    )
    for kind in ("LiveExecution",):
        add(
            f"{kind}.begin",
            lambda k=kind: live(k).begin,
            attempt=0,
            job=w.app_job,
            allocation=w.allocation,
            now=0.0,
        )
        add(f"{kind}.stop", lambda k=kind: _begun(live(k), w).stop, attempt=0, now=1e-7)
        add(f"{kind}.next_end", lambda k=kind: _begun(live(k), w).next_end, until=1e-7)
    add("LiveExecution.lost", lambda: live("LiveExecution").lost, now=1e-7)
    add("LiveExecution.refused", lambda: live("LiveExecution").refused, job=w.app_job, why="x")


def _begun(execution: Any, w: Any) -> Any:
    execution.begin(0, w.app_job(), w.allocation(), 0.0)
    return execution
