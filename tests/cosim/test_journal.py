"""Co-simulations that are broken off anywhere go on to the same end, to the cycle."""

from __future__ import annotations

import pickle
from collections import Counter
from contextlib import suppress

import pytest

from netplace.cosim import checkpoint, cosimulate, make_cosim_plan
from netplace.cosim.checkpoint import Checkpoint, Memory
from netplace.netsim import Network


class BrokenOffError(Exception):
    """Stands for a kill."""


def plan_on(machine, network_time, **more):
    given = {"workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "policy": "easy"}
    if network_time == "sampled":
        given |= {"repeats": "80:120"}
    if network_time == "mixes":
        given |= {"jobs": 5}
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
    ("machine", "network_time", "threads"),
    [
        ("torus:8x8", "live", 2),
        ("tree:4,2", "sampled", 1),
        ("dragonfly:a=4,p=2,h=2", "sampled", 1),
        ("tree:4,3", "mixes", 1),
    ],
)
def test_a_run_broken_off_goes_on_to_the_same_end(tmp_path, monkeypatch, machine, network_time, threads):
    plan, path = plan_on(machine, network_time), tmp_path / "unfinished"
    whole = cosimulate(plan).outcome
    looks, broken_off = Counter(), []
    advance = Network.advance

    def look(self, write):
        name = self._path.name
        looks[name] += 1
        if looks[name] in (2, 7, 15):
            write()
            broken_off.append(name)
            raise BrokenOffError

    def in_pieces(self, *limit):
        self._piece = 300
        return advance(self, *limit)

    monkeypatch.setattr(Network, "advance", in_pieces)
    monkeypatch.setattr(Checkpoint, "look", look)
    resumed = None
    while resumed is None:
        with suppress(BrokenOffError):
            resumed = cosimulate(plan, checkpoint=path, threads=threads).outcome
    monkeypatch.undo()
    wanted = {"live": ("", ".alone"), "sampled": ("", ".alone", ".again"), "mixes": (".alone",)}[network_time]
    assert {*broken_off} == {f"unfinished{ending}" for ending in wanted}
    assert told(resumed) == told(whole)
    for figures in (resumed["figures"], whole["figures"]):
        del figures["schedule"]  # which holds CPU times
    assert resumed["figures"] == whole["figures"]
    assert not [*tmp_path.iterdir()]


def test_values_are_kept_from_time_to_time(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "_SHARE", 1e9)
    made = []

    def value(number):
        made.append(number)
        return float(number)

    for _ in range(2):
        memory = Memory(Checkpoint(tmp_path / "kept", "plan"))
        assert [memory.of(("value", n), lambda n=n: value(n)) for n in (1, 2, 1)] == [1.0, 2.0, 1.0]
    assert made == [1, 2]
    assert Checkpoint(tmp_path / "kept", "another plan").load() is None


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
