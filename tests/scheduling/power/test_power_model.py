"""Power of nodes: the model, its files, and energy after the fact."""

import math

import numpy as np
import pytest

from netplace.runs.power_file import read_power
from netplace.scheduling import Job, schedule
from netplace.scheduling.power import (
    STATES,
    PowerModel,
    PowerRules,
    SlotJob,
    SlotPower,
    Slots,
    always_on,
    hindsight,
    power_figures,
    profile,
)
from netplace.topologies import parse


def test_the_default_is_the_taurus_node():
    model = PowerModel()
    assert model.boot_joules == pytest.approx(18966, abs=1)
    assert model.stop_joules == pytest.approx(616, abs=1)
    assert model.break_even == pytest.approx(211.7, abs=0.05)


def test_a_gap_of_the_break_even_time_costs_the_same_idle_or_off():
    model = PowerModel()
    off = model.boot_joules + model.stop_joules + model.off * (model.break_even - model.switching_seconds)
    assert model.idle * model.break_even == pytest.approx(off)
    assert PowerModel(idle=9.75).break_even == math.inf
    assert PowerModel(boot_watts=0, stop_watts=0, off=0).break_even == pytest.approx(151.52 + 6.1)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"idle": -1.0}, "idle is -1 W"),
        ({"off": 96.0}, "off 96 W, idle 95 W"),
        ({"idle": 200.0}, "expected off <= idle <= busy"),
        ({"keep": -1}, "keep is -1 nodes"),
    ],
)
def test_powers_that_make_no_sense_are_refused(said, what):
    with pytest.raises(ValueError, match=what):
        PowerModel(**said)


def test_a_boot_that_draws_less_than_off_is_doubted():
    assert not PowerModel().warnings
    assert "boot_watts 5" in PowerModel(boot_watts=5).warnings[0]


def test_files_of_power(tmp_path):
    path = tmp_path / "power.toml"
    path.write_text('[nodes]\nbusy = 200\nkeep = 3\n[switching]\nrule = "timeout:60"\nboot_rate = 9\n')
    rules = read_power(path)
    assert rules == PowerRules(PowerModel(busy=200, keep=3), "timeout:60", 9)
    assert read_power(path, "always-on").switching == "always-on"
    assert read_power("taurus") == PowerRules()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[nodes]\nbussy = 1", "line 2, key: unknown name 'bussy'; did you mean busy"),
        ("[nodes]\nidle = -4", "line 2: idle"),
        ("[nodes]\noff = 100", "off 100 W, idle 95 W"),
        ("[node]\noff = 100", "table: unknown name 'node'"),
        ("[switching]\nstop_rate = -1", "stop_rate"),
    ],
)
def test_mistakes_in_files_of_power(tmp_path, text, what):
    path = tmp_path / "power.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=what) as error:
        read_power(path)
    assert str(error.value).startswith(str(path))


def random_jobs(seed: int, count: int = 12, nodes: int = 5) -> list[Job]:
    rng = np.random.default_rng(seed)
    submits = np.sort(rng.integers(0, 40, count)).tolist()
    return [
        Job(place, float(submit), int(rng.integers(1, nodes + 1)), float(rng.integers(1, 9)))
        for place, submit in enumerate(submits)
    ]


def test_energy_with_all_nodes_on_is_busy_and_idle():
    jobs = [Job(1, submit=0, nodes=2, run_time=100), Job(2, 1000, 4, 100)]
    made = schedule(parse("mesh:4"), jobs, "easy", "non-contiguous")
    model = PowerModel()
    found = always_on(made, model)
    assert found.total == pytest.approx(600 * model.busy + (4 * 1100 - 600) * model.idle)
    assert found.job_joules.tolist() == pytest.approx([200 * model.busy, 400 * model.busy])
    assert sum(found.node_seconds.values()) == pytest.approx(4400)
    assert (sum(found.nodes[state] for state in STATES) == 4).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("keep", [0, 2])
def test_hindsight_is_what_the_linear_program_finds(seed, keep):
    """In slots of a second both are the same, but for what boots and stops past the end are charged."""
    made = schedule(parse("mesh:5"), random_jobs(seed), "easy", "non-contiguous")
    model = PowerModel(10, 5, 1, 8, 2, 6, 1, keep)
    last = int(made.end.max() - made.submit.min())
    span = made.start - made.submit.min()
    slots = Slots(5, last, SlotPower(10, 5, 1, 8, 6, 2, 1), on=5, keep=keep)
    jobs = tuple(
        SlotJob(int(nodes), int(end - start))
        for nodes, start, end in zip(made.nodes, made.start, made.end, strict=True)
    )
    found = profile(slots, jobs, tuple(int(start) for start in span))
    assert found is not None
    assert hindsight(made, model) == pytest.approx(found.energy)
    floor = 10 * made.busy + 1 * (5 * last - made.busy)
    assert floor <= hindsight(made, model) <= always_on(made, model).total


def test_hindsight_by_hand():
    # One node of two is idle from 10 to 40: off, boots from 38 on; the other to 40 from 5 on.
    jobs = [Job(1, 0, 1, 5), Job(2, 0, 1, 10), Job(3, 40, 2, 1)]
    made = schedule(parse("mesh:2"), jobs, "fcfs", "non-contiguous")
    model = PowerModel(10, 5, 1, 8, 2, 6, 1)
    assert hindsight(made, model) == 170 + sum(6 + 16 + gap - 3 for gap in (30, 35))
    figures = power_figures(made, model)
    assert figures.energy == figures.always_on == 170 + 5 * 65
    assert figures.energy_delay == figures.energy * (5 + 10 + 1) / 3


def test_energy_without_jobs_is_not_measured():
    made = schedule(parse("mesh:2"), [Job(1, 0, 3, 5)], "fcfs", "non-contiguous")
    with pytest.raises(ValueError, match="no job ran"):
        always_on(made, PowerModel())
