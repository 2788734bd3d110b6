"""Logs whose jobs get applications: classes, shares of communication, and mistakes in the file."""

import re

import numpy as np
import pytest

from netplace import bundled_trace, read
from netplace.apps import Op
from netplace.cosim import JobPlacer, LoopTimes, cosimulate, make_cosim_plan, placing_of
from netplace.netsim import Config, simulate
from netplace.runs.mix import MEASURED, read_mix
from netplace.scheduling import Allocation, Job
from netplace.topologies import parse

MIX = """\
communication = 0.25

[[class]]
program = "2d-torus,packets=4"
nodes = "2:"
weight = 3

[[class]]
program = "butterfly,packets=4"
communication = [0.1, 0.2]
run_time = "50:"
round = "down"
"""
LOG = "; MaxNodes: 64\n" + "".join(
    f"{number} {number * 20} -1 {30 + 17 * (number % 7)} {size} -1 -1 {size} 400 -1 1 1 1 1 1 1 -1 -1\n"
    for number, size in enumerate([1, 4, 8, 16, 4, 8, 6, 16], 1)
)


@pytest.fixture
def files(tmp_path):
    mix, log = tmp_path / "mix.toml", tmp_path / "log.swf"
    mix.write_text(MIX)
    log.write_text(LOG)
    return {"machine": "torus:4x4", "workload": str(log), "applications": str(mix)}


def test_the_time_alone_on_a_compact_partition_is_the_logs(files):
    placing = placing_of(make_cosim_plan(files | {"partition": "contiguous"}))
    job = Job(3, 0, 8, 100.0)
    work = placing.program_for(job)
    alone = LoopTimes(placing).alone(placing.put(job, Allocation(np.array([0, 1, 4, 5, 8, 9, 12, 13]))))
    assert alone * 3.2e-9 == pytest.approx(100, rel=0.05)
    assert work.iterations > 1e5
    speaking = 1 - work.compute * work.iterations * 3.2e-9 / 100
    assert 0.05 < speaking < 0.35


def test_jobs_of_two_logs_may_have_one_number(files):
    placing = placing_of(make_cosim_plan(files | {"partition": "contiguous"}))
    short, long = (placing.program_for(Job(3, 0, 8, seconds)) for seconds in (1e-4, 1e-2))
    assert long.iterations == pytest.approx(100 * short.iterations, rel=0.05)
    assert placing.program_for(Job(3, 0, 4, 1e-4)).tasks == 4


@pytest.mark.parametrize("fidelity", ["table", "sampled"])
def test_a_log_is_carried_out(files, fidelity):
    given = files | {"policy": "easy", "partition": "random", "fidelity": fidelity}
    found = cosimulate(make_cosim_plan(given)).outcome
    assert len(found["jobs"]) == 8
    assert not [note for note in found["notes"] if "upper bounds" in note]
    one = next(job for job in found["jobs"] if job["size"] == 1)
    assert one["live"] == pytest.approx(30 + 17)
    assert one["slowdown"] == 1


def test_less_communication_is_less_slowdown(files, tmp_path):
    slowdowns, log = [], tmp_path / "short.csv"
    rows = [f"{n},0,{size},1e-3" for n, size in enumerate([4, 8, 4], 1)]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    for share in (1, 0.2):
        mix = tmp_path / f"{share}.toml"
        mix.write_text(
            f'[[class]]\nprogram = "all-to-all,packets=4"\nround = "down"\ncommunication = {share}\n'
        )
        given = files | {"workload": str(log), "applications": str(mix), "partition": "random"}
        found = cosimulate(make_cosim_plan(given)).outcome
        slowdowns.append(found["figures"]["sharing"]["mean_slowdown"])
    assert slowdowns[0] > slowdowns[1] >= 0.999


def test_jobs_that_only_communicate_are_told_of(files, tmp_path):
    mix = tmp_path / "bare.toml"
    mix.write_text('[[class]]\nprogram = "2d-torus,packets=4"\n')
    plan = make_cosim_plan(files | {"applications": str(mix), "fidelity": "table"})
    assert any("upper bounds" in note for note in cosimulate(plan).outcome["notes"])


def test_classes_are_drawn_by_job_and_seed_alone(read_mix_of):
    mix = read_mix_of(MIX)
    jobs = [Job(number, 0, 8, 100.0) for number in range(200)]
    names = [mix.draw(job, Config(), seed=1)[0] for job in jobs]
    assert names == [mix.draw(job, Config(), seed=1)[0] for job in jobs]
    assert names != [mix.draw(job, Config(), seed=2)[0] for job in jobs]
    assert 120 < names.count("2d-torus,packets=4") < 180
    shares = [mix.draw(job, Config())[2] for job in jobs]
    assert {share for share in shares if share != 0.25}
    assert all(share == 0.25 or 0.1 <= share <= 0.2 for share in shares)


@pytest.fixture
def read_mix_of(tmp_path):
    def read_of(text):
        (tmp_path / "mix.toml").write_text(text)
        return read_mix(tmp_path / "mix.toml")

    return read_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no"),
        ('classes = 3\n[[class]]\nprogram = "gups"', "mix.toml:1: unknown key 'classes'"),
        ("[[class]]\nweight = 1", "program: not given"),
        (
            '[[class]]\nprogram = "fft,packets=4"',
            "mix.toml:2: program: unknown name 'fft'; did you mean",
        ),
        (
            '[[class]]\nprogram = "gups"\ncommunication = 1.5',
            "mix.toml:3: communication: 1.5 is invalid, expected a share",
        ),
        ('[[class]]\nprogram = "gups"\ncommunication = [0.5, 0.1]', "two shares in increasing order"),
        (
            '[[class]]\nprogram = "gups"\nweight = 0',
            "weight: 0 is invalid, expected a number greater than 0",
        ),
        ('[[class]]\nprogram = "gups"\nnodes = "9:4"', "nodes: '9:4' is not of the form LEAST:MOST"),
        ('[[class]]\nprogram = "gups"\nround = "up"', "round"),
        ("[[class]]\nweight = 1\n[[class]]\nsize = 4", "mix.toml:4: size: is not a key"),  # both are told
        ('[[class]]\nprogram = "gups"\nsize = 4', "mix.toml:3: size: is not a key of [[class]]"),
    ],
)
def test_mistakes_in_the_file(read_mix_of, text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        read_mix_of(text)


def test_jobs_that_fit_nowhere(read_mix_of):
    job = Job(7, 0, 6, 10.0)
    with pytest.raises(ValueError, match="job 7 of 6 nodes and 10 s matches no class"):
        read_mix_of('[[class]]\nprogram = "gups"\nnodes = "8:"').draw(job, Config())
    with pytest.raises(ValueError, match="nearest sizes are 4 and 8"):
        read_mix_of('[[class]]\nprogram = "butterfly"').draw(job, Config())
    with pytest.raises(ValueError, match="job 7: option of application 'butterfly': unknown name 'packet'"):
        read_mix_of('[[class]]\nprogram = "butterfly,packet=4"').draw(job, Config())
    _, tasks, _ = read_mix_of('[[class]]\nprogram = "butterfly"\nround = "down"').draw(job, Config())
    assert tasks == 4


def test_a_job_that_only_computes_is_on_the_live_network_too(tmp_path):
    mix, log = tmp_path / "mix.toml", tmp_path / "log.swf"
    mix.write_text('[[class]]\nprogram = "gups"\ncommunication = 0\n')
    log.write_text("; MaxNodes: 16\n1 0 -1 3 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1\n")
    plan = make_cosim_plan({"machine": "torus:4x4", "workload": str(log), "applications": str(mix)})
    (job,) = cosimulate(plan).outcome["jobs"]
    assert job["live"] == pytest.approx(3)
    assert isinstance(placing_of(plan), JobPlacer)


def test_a_measured_share_is_drawn(read_mix_of):
    mix = read_mix_of('communication = "npb"\n[[class]]\nprogram = "butterfly"')
    drawn = {mix.draw(Job(number, 0, 8, 10.0), Config())[2] for number in range(60)}
    assert drawn == {*MEASURED["npb"].values()}
    assert not mix.upper_bound
    with pytest.raises(ValueError, match=r"mix.toml:1: communication: unknown name 'nas'; valid: npb"):
        read_mix_of('communication = "nas"\n[[class]]\nprogram = "butterfly"')


@pytest.mark.all
def test_what_a_measured_share_is():
    config = Config()
    program = read(bundled_trace("LU.A.64"), cycles_per_us=1000 / config.cycle_ns)
    computed = program.size[program.kind == Op.COMPUTE].sum() / 64
    share = 1 - computed / simulate(parse("torus:8x8"), program, config=config).cycles
    assert share == pytest.approx(MEASURED["npb"]["LU"], abs=0.001)


@pytest.mark.parametrize("fidelity", ["live", "sampled", "table"])
def test_what_place_and_sharing_cost_adds_up(tmp_path, fidelity):
    """Logged, alone in this place, live: partition, mapping and sharing are charged with theirs."""
    log, mix = tmp_path / "log.csv", tmp_path / "mix.toml"
    log.write_text("number,submit,nodes,run_time\n1,0,8,0.0004\n2,0,8,0.0004\n3,0.0002,4,0.0002\n")
    mix.write_text('communication = 0.6\n[[class]]\nprogram = "2d-torus,packets=8"\n')
    found = {}
    for partition, mapping in (
        ("contiguous", "consecutive"),
        ("random", "consecutive"),
        ("contiguous", "random"),
    ):
        given = {"machine": "torus:8x8", "workload": str(log), "applications": str(mix)}
        given |= {"partition": partition, "mapping": mapping, "fidelity": fidelity}
        outcome = cosimulate(make_cosim_plan(given)).outcome
        cost = found[partition, mapping] = outcome["figures"]["costs"]
        assert cost["logged"] == pytest.approx((0.0064 + 0.0008) / 3600, rel=1e-6)
        total = cost["logged"] + cost["partition"] + cost["mapping"] + cost["sharing"]
        assert total == pytest.approx(cost["live"])
    boxes, strewn, mapped = found.values()
    assert abs(boxes["partition"]) < 0.02 * boxes["logged"]
    assert boxes["mapping"] == strewn["mapping"] == 0
    assert strewn["partition"] > 0.02 * strewn["logged"]
    assert mapped["mapping"] > 0.02 * mapped["logged"]
    if fidelity == "table":
        assert strewn["sharing"] == 0
