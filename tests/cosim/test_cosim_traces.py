"""Jobs of a co-simulation may run traces."""

import pytest

from netplace.cosim.work import JobProgram, iteration_program
from netplace.netsim import Config
from netplace.runs.mix import digest_of_mix, read_mix

MIX = '[[class]]\nprogram = "{}"\nround = "down"\n'


@pytest.fixture
def mix(tmp_path):
    (tmp_path / "ring.trc").write_text("".join(f"s {n} {(n + 1) % 4} 0 64\n" for n in range(4)))
    with (tmp_path / "ring.trc").open("a") as file:
        file.writelines(f"r {n} {(n + 1) % 4} 0 64\n" for n in range(4))
    (tmp_path / "mix.toml").write_text(MIX.format(tmp_path / "ring.trc"))
    return tmp_path / "mix.toml"


def test_an_iteration_is_the_trace_after_a_computation(mix):
    application = read_mix(mix).classes[0].application
    program = iteration_program(JobProgram(application, 4, compute=30), Config())
    assert [str(each).split(",")[0] for each in program.operations(1)] == [
        "compute 30 cycles",
        "send 64 bytes to task 2",
        "recv 64 bytes from task 0",
    ]


def test_a_job_of_another_size_does_not_run_it(mix):
    with pytest.raises(ValueError, match=r"ring\.trc: is a program of 4 tasks, but the job has 5"):
        iteration_program(JobProgram(read_mix(mix).classes[0].application, 5), Config())


def test_the_digest_of_a_mix_is_of_its_traces_too(mix):
    before = digest_of_mix(mix)
    assert digest_of_mix(mix) == before
    (mix.parent / "ring.trc").write_text("s 0 1 0 8\nr 0 1 0 8\n")
    assert digest_of_mix(mix) != before
