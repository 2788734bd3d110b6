"""Workloads that name their jobs, with what chooses the collectives of each."""

import re

import pytest

from netplace.cosim import cosimulate, make_cosim_plan, placing_of
from netplace.netsim import Config
from netplace.runs.job_list import read_job_list
from netplace.runs.mix import read_mix
from netplace.runs.plan import make_plan
from netplace.runs.schedules import run_schedule
from netplace.scheduling import Job, make_partitioner
from netplace.topologies import parse

JOBS = """\
[[job]]
program = "training:model=toy,tp=2,pp=2"
nodes = 8
repeats = 2
collectives = "nccl"

[[job]]
program = "mg,class=S,iterations=1"
nodes = 4
count = 2
submit = 1e-6
repeats = 3
"""
PLAN = {"machine": "torus:4x4", "partition": "random"}


@pytest.fixture
def jobs(tmp_path):
    path = tmp_path / "mix.toml"
    path.write_text(JOBS)
    return path


def test_a_training_job_runs_beside_others(jobs):
    outcome = cosimulate(make_cosim_plan(PLAN | {"workload": str(jobs)})).outcome
    assert [row["application"] for row in outcome["jobs"]] == [
        "training:model=toy,tp=2,pp=2,collectives=nccl",
        *["mg,class=S,iterations=1"] * 2,
    ]
    assert [row["size"] for row in outcome["jobs"]] == [8, 4, 4]
    assert all(row["slowdown"] >= 1 for row in outcome["jobs"])


def test_collectives_are_chosen_for_jobs_that_do_not_say_how(jobs):
    plans = [
        make_cosim_plan(PLAN | {"workload": str(jobs), "collectives": text})
        for text in ("builtin", "openmpi+allreduce=ring")
    ]
    assert plans[0].key == make_cosim_plan(PLAN | {"workload": str(jobs)}).key != plans[1].key
    works = [placing_of(plans[1]).program_for(job).application for job in read_job_list(jobs)]
    assert works[0].endswith(",collectives=nccl")
    assert works[1].endswith(",collectives=openmpi+allreduce=ring")
    assert type(plans[1]).from_dict(plans[1].to_dict()).key == plans[1].key


def test_a_table_of_ones_own_counts_by_what_is_in_it(jobs, tmp_path):
    table, keys = tmp_path / "mine.toml", []
    for algorithm in ("ring", "recursive_doubling"):
        table.write_text(f'allreduce = [{{algorithm = "{algorithm}"}}]\n')
        keys.append(make_cosim_plan(PLAN | {"workload": str(jobs), "collectives": str(table)}).key)
    assert keys[0] != keys[1]


def test_bytes_are_scaled_with_the_clock(jobs):
    plan = make_cosim_plan(PLAN | {"workload": str(jobs), "bytes_per_phit": 400})
    assert (plan.config.phit_bytes, plan.config.cycle_ns) == (400, 320.0)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("nodes = 8\n", "", "mix.toml:1: tasks: not given, expected the number of tasks"),
        ("nodes = 8", 'nodes = "many"', "mix.toml:3: nodes: 'many' is not a whole number"),
        ("toy,tp=2", "toy,tp2", "mix.toml:2: program 'training:model=toy,tp2,pp=2': 'tp2' is not of the"),
        ("training:", "trainin,", "unknown name 'trainin'; did you mean training?"),
        ('"nccl"', '"ncl"', "unknown name 'ncl'"),
        ("count = 2", "cuont = 2", "unknown name 'cuont'"),
        ("[[job]]", "[[jobs]]", "mix.toml: has no [[job]], expected at least one"),
        ("tp=2", "tp=3", "tp=3 x cp=1 x pp=2 = 6 does not divide 8 ranks"),
        ("toy,tp=2", "llama-405b,tp=2", "model"),
    ],
)
def test_mistakes_are_told_before_anything_runs(jobs, old, new, sentence):
    jobs.write_text(JOBS.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(sentence)):
        cosimulate(make_cosim_plan(PLAN | {"workload": str(jobs)}))


HOSTS = """\
[[job]]
program = "2d-mesh"
tasks = 16
count = 2

[[job]]
program = "all-to-all"
nodes = 8
"""


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_nodes_of_jobs_are_hosts_whose_slots_tasks_fill(tmp_path, policy):
    """Hosts are those of the network without slots; the table of each place alone has the live time alone."""
    (tmp_path / "jobs.toml").write_text(HOSTS)
    asked = {"machine": "nodes:tasks=4/torus:4x4", "partition": "contiguous", "policy": policy}
    asked["workload"] = str(tmp_path / "jobs.toml")
    rows = cosimulate(make_cosim_plan(asked)).outcome["jobs"]
    assert [row["size"] for row in rows] == [4, 4, 8]
    assert [len(row["nodes"]) for row in rows] == [16, 16, 32]
    whole = make_partitioner("contiguous", parse("torus:4x4"))
    for row in rows:  # all start at once
        found = whole.find(Job(row["job"], 0.0, row["size"], 1.0))
        whole.take(found)
        assert row["nodes"] == [slot for host in found.nodes for slot in range(4 * host, 4 * host + 4)]
    table = asked | {"times": f"table:{tmp_path / 'times.sqlite'}", "simulate": True}
    made = run_schedule(make_plan(table), keep_nodes=True).schedule
    assert made.nodes.tolist() == [4, 4, 8]
    assert made.machine_nodes == 16
    times = (made.end - made.start).tolist()
    assert times == pytest.approx([row["alone"] for row in rows])


def test_jobs_of_a_log_have_a_task_for_each_slot(tmp_path):
    (tmp_path / "mix.toml").write_text('[[class]]\nprogram = "all-to-all"\n')
    mix = read_mix(tmp_path / "mix.toml")
    assert mix.draw(Job(1, 0.0, 3, 10.0), Config(), slots=4)[:2] == ("all-to-all", 12)
