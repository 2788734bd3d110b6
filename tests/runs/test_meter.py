"""What is told while packets are simulated, and before: shares that grow, and costs near what comes."""

from dataclasses import replace
from functools import partial

import pytest

from netplace.cosim import make_cosim_plan
from netplace.cosim.runner import cosimulate
from netplace.runs.execute import run_simulation
from netplace.runs.job_programs import expected_cpu_seconds, packets_of_run
from netplace.runs.meter import HOPS_PER_SECOND, PacketMeter
from netplace.runs.spec import Job, Run


def metered():
    told, costs = [], []
    return told, costs, PacketMeter(told.append, costs.append)


def test_a_run_tells_the_share_of_its_packets():
    told, costs, meter = metered()
    run = Run("torus:4x4", (Job("all-to-all", tasks=16, options=(("packets", 100),)),))
    watch = partial(meter.watch_alone, packets=packets_of_run(run))
    result = run_simulation(run, watch=watch).result
    assert result.packets == packets_of_run(run) == 16 * 15 * 100
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 99
    assert costs == [16 * 15 * 100 * (1 + 4 / 2) / HOPS_PER_SECOND]
    assert expected_cpu_seconds([run] * 120) == pytest.approx(120 * (costs[0] + 0.002))


def test_the_searches_of_mappings_are_expected():
    def told(program, mapping):
        job = Job(program, tasks=256, mapping=mapping)
        return expected_cpu_seconds([Run("torus:16x16", (job,))]) - expected_cpu_seconds(
            [Run("torus:16x16", (replace(job, mapping="consecutive"),))]
        )

    assert told("butterfly", "td:seconds=2") == pytest.approx(2)
    assert told("all-to-all", "best") == told("butterfly", "random") == 0  # no search
    assert told("butterfly", "td") == pytest.approx(0.33, abs=0.01)  # 0.43 s were measured


@pytest.mark.parametrize("partition", ["contiguous", "random"])
def test_a_cosimulation_expects_about_the_packets_that_it_simulates(tmp_path, partition):
    (tmp_path / "mix.toml").write_text(
        '[[job]]\nprogram = "2d-torus,bytes=4096"\nnodes = 4\nrepeats = 60\ncount = 3\n'
    )
    given = {"machine": "torus:4x4", "workload": str(tmp_path / "mix.toml"), "partition": partition}
    told, costs, meter = metered()
    cosimulate(make_cosim_plan(given, 0), meter=meter)
    assert told == sorted(told)
    assert told[-1] > 50  # equal jobs are simulated alone once
    assert len(costs) == 1


def test_a_training_job_of_hours_is_refused_with_the_flag_that_helps(tmp_path):
    (tmp_path / "mix.toml").write_text('[[job]]\nprogram = "training:model=llama-7b,tp=4"\nnodes = 16\n')
    given = {"machine": "torus:4x4", "workload": str(tmp_path / "mix.toml")}
    with pytest.raises(
        ValueError, match=r"job 1: training.* hours with all jobs; --bytes-per-phit \d+ scales"
    ):
        cosimulate(make_cosim_plan(given, 0))
