"""Co-simulations that are broken off anywhere go on to the same end, to the cycle."""

from __future__ import annotations

import pickle

import pytest

from netplace.cosim import cosimulate, make_cosim_plan
from netplace.cosim.journal import Journal


class BrokenOffError(Exception):
    """Stands for a kill."""


def plan_on(machine, network_time, **more):
    given = {"workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "policy": "easy"}
    if network_time == "sampled":
        given |= {"repeats": "40:60"}
    if machine == "torus:8x8":
        given |= {"jobs": 12, "intensity": "medium", "mean_gap": 1e-5}
    return make_cosim_plan(
        given | {"machine": machine, "partition": "random", "network_time": network_time, **more}, 3
    )


def told(outcome):
    return [
        {name: row[name] for name in ("job", "start", "end", "live", "alone", "half_width")}
        for row in outcome["jobs"]
    ]


@pytest.mark.parametrize(
    ("machine", "network_time"),
    [("torus:8x8", "live"), ("tree:4,2", "sampled"), ("dragonfly:a=4,p=2,h=2", "sampled")],
)
def test_a_run_broken_off_goes_on_to_the_same_end(tmp_path, monkeypatch, machine, network_time):
    plan, path = plan_on(machine, network_time), tmp_path / "unfinished"
    whole = cosimulate(plan).outcome
    looks = []

    def look(self):
        self._execution.network._piece = 100
        looks.append(self._execution.network.now)
        if len(looks) % 6 == 0:
            self.write()
            raise BrokenOffError

    monkeypatch.setattr(Journal, "look", look)
    broken_off = 0
    while broken_off < 5:
        try:
            resumed = cosimulate(plan, checkpoint=path).outcome
        except BrokenOffError:
            broken_off += 1
            assert path.exists()
        else:
            break
    assert broken_off > 1
    monkeypatch.undo()
    resumed = cosimulate(plan, checkpoint=path).outcome
    assert looks == sorted(looks)  # nothing was simulated twice
    assert told(resumed) == told(whole)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(eval), pickle.dumps(([], [], {}, {}))])
def test_a_file_that_is_no_checkpoint_is_made_anew(tmp_path, content):
    plan, path = plan_on("torus:4x4", "live"), tmp_path / "unfinished"
    path.write_bytes(content)
    assert told(cosimulate(plan, checkpoint=path).outcome) == told(cosimulate(plan).outcome)


def test_a_checkpoint_calls_nothing(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "made"), "w"))

    path = tmp_path / "unfinished"
    path.write_bytes(pickle.dumps(Evil()))
    cosimulate(plan_on("torus:4x4", "live"), checkpoint=path)
    assert not (tmp_path / "made").exists()
