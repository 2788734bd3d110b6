"""What is compared has the same jobs: left out for all, in larger boxes, or not counted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from netplace.runs.plan import Plan, make_plan
from netplace.runs.same_jobs import after_runs, contestants, same_jobs
from netplace.runs.schedules import run_schedule, workload_of
from netplace.scheduling.workload import load

POLICIES, PARTITIONS = ("fcfs", "easy"), ("contiguous", "non-contiguous")


def log(folder: Path, sizes: list[int], seconds: int = 100) -> Path:
    """Write jobs of these sizes, ten seconds apart."""
    path = folder / "log.csv"
    rows = [f"{place + 1},{10 * place},{size},{seconds}" for place, size in enumerate(sizes)]
    path.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    return path


def plans(machine: str, workload: Path, **more: object) -> list[Plan]:
    return [
        make_plan(
            {"machine": machine, "workload": str(workload), "policy": policy, "partition": part, **more}
        )
        for policy in POLICIES
        for part in PARTITIONS
    ]


def test_a_file_of_jobs_is_stretched_to_a_load(tmp_path: Path) -> None:
    path = log(tmp_path, [4, 8, 4, 8, 4])
    given = {"machine": "torus:4x4", "workload": str(path), "policy": "easy", "partition": "contiguous"}
    made = workload_of(make_plan(given | {"load": 0.5}))
    assert load(made, 16) == pytest.approx(0.5)
    assert load(workload_of(make_plan(given | {"load": 2.0, "jobs": 4})), 16) == pytest.approx(2.0)
    assert make_plan(given).key != make_plan(given | {"load": 0.5}).key
    at_once = log(tmp_path, [4])
    with pytest.raises(ValueError, match="cannot be scaled"):
        workload_of(make_plan(given | {"workload": str(at_once), "load": 0.5}))


def test_a_size_that_no_box_has_gets_the_next_that_has_one(tmp_path: Path) -> None:
    # 7 nodes are no box of torus:4x4, 8 are.
    shared = same_jobs(plans("torus:4x4", log(tmp_path, [7, 4, 16, 5])))
    assert [plan.partition for plan in shared.plans] == ["contiguous:round-up", "non-contiguous"] * 2
    assert not any(plan.without for plan in shared.plans)
    assert "contiguous gives jobs of 5, 7 nodes" in shared.notes[0]
    metrics = [run_schedule(plan).figures.metrics for plan in shared.plans]
    assert [each.jobs for each in metrics] == [4] * 4
    assert metrics[0].internal_fragmentation > 0 == metrics[1].internal_fragmentation


def test_boxes_are_larger_for_all_groups_if_one_needs_it(tmp_path: Path) -> None:
    path = log(tmp_path, [4, 8, 7, 16])
    fitting, needing = plans("torus:4x4", path, jobs=2), plans("torus:4x4", path, jobs=4)
    assert {plan.partition for plan in same_jobs(fitting).plans} == {*PARTITIONS}
    shared = same_jobs([*fitting, *needing])
    assert {plan.partition for plan in shared.plans} == {"contiguous:round-up", "non-contiguous"}
    assert len(shared.notes) == 1


def test_what_one_cannot_run_none_is_given(tmp_path: Path) -> None:
    path = log(tmp_path, [7, 4, 16, 5])
    given = plans("torus:4x4", path) + plans("torus:2x4", path)
    shared = same_jobs(given)
    assert {plan.without for plan in shared.plans} == {(3,)}
    assert any("1 of 4 jobs are left out" in note for note in shared.notes)
    assert all(3 not in workload_of(plan).number for plan in shared.plans)


def test_plans_that_can_run_all_stay_as_they_are(tmp_path: Path) -> None:
    given = plans("torus:4x4", log(tmp_path, [4, 8, 16, 1]))
    shared = same_jobs(given)
    assert [plan.key for plan in shared.plans] == [plan.key for plan in given]
    assert not shared.notes


def test_contestants_have_one_workload(tmp_path: Path) -> None:
    given = [
        make_plan({"machine": "torus:4x4", "workload": "lublin", "jobs": 20, "policy": policy}, seed)
        for policy in POLICIES
        for seed in (1, 2)
    ]
    assert contestants(given) == [[0, 2], [1, 3]]


def test_no_job_in_common_is_told(tmp_path: Path) -> None:
    path = log(tmp_path, [16, 16])
    with pytest.raises(ValueError, match="jobs: none of 2 can run under all of 2 plans; --unpaired"):
        same_jobs([*plans("torus:4x4", path)[:1], *plans("torus:2x4", path)[:1]])


def test_a_job_that_one_kills_counts_for_none(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("number,submit,nodes,run_time,estimate\n1,0,16,100,50\n2,1,16,10,20\n3,2,16,10,20\n")
    given = [
        make_plan({"machine": "torus:4x4", "workload": str(path), "policy": "easy", "overrun": overrun})
        for overrun in ("kill", "keep")
    ]
    again = after_runs(given, [run_schedule(plan).figures for plan in given])
    assert [plan.uncounted for plan in again] == [(1,), (1,)]
    waits = [run_schedule(plan).figures.metrics.per_job["wait"].mean for plan in again]
    assert waits == [(49 + 58) / 2, (99 + 108) / 2]
    assert after_runs(again, [run_schedule(plan).figures for plan in again]) == again


def test_plans_with_jobs_left_out_are_read_again(tmp_path: Path) -> None:
    [plan, *_] = same_jobs([*plans("torus:4x4", log(tmp_path, [7, 99, 5]))]).plans
    assert plan.without == (2,)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_the_newcomers_comparison_is_fair(tmp_path: Path, netplace: Callable[..., Result]) -> None:
    """Policies by partitioners on a log with sizes that no box has: the same jobs, and a verdict."""
    sizes = [4, 7, 2, 8, 5, 1, 16, 3] * 5
    study = tmp_path / "study.toml"
    study.write_text(
        f'machine = "torus:4x4"\nworkload = "{log(tmp_path, sizes)}"\npolicy = ["fcfs", "easy"]\n'
        'partition = ["contiguous", "non-contiguous"]\n'
    )
    fair = netplace("schedule", study, "--json", "-o", tmp_path / "out")
    assert fair.exit_code == 0, fair.output
    made = json.loads(fair.stdout)
    assert {one["metrics"]["jobs"] for one in made["schedules"]} == {40}
    assert {one["compared"] for one in made["differences"]} == {"policy", "partition"}
    assert all(one["verdict"] for one in made["differences"])
    assert "contiguous:round-up" in fair.stderr
    assert (tmp_path / "out" / "differences.csv").is_file()
    apart = netplace("schedule", study, "--unpaired")
    assert "rejected" in apart.stdout
    assert "What differs" not in apart.stdout
    rows = [line.split() for line in apart.stdout.splitlines() if "contiguous" in line]
    ends = [row[-2:] for row in rows if row[-1].isdigit()]
    assert ends == 2 * [["10", "30"], ["0", "40"]]  # rejected, jobs: 2 of 8 sizes, 5 and 7, have no box
