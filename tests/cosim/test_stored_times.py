"""Times that are stored as they end, and the seeds of draws."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.cosim import alone, cosimulate, fidelities, loop_times, make_cosim_plan
from netplace.cosim.fidelities import LiveRunner, SampledRunner
from netplace.cosim.stored_times import StoredTimes
from netplace.streams import stream

GIVEN = {
    "machine": "torus:4x4", "workload": "applications", "jobs": 4, "sizes": "small", "intensity": "low",
    "partition": "random",
}  # fmt: skip


class Killed(BaseException):
    pass


@pytest.mark.parametrize("more", [{"draws": 3}, {"fidelity": "sampled"}], ids=["live", "sampled"])
def test_a_second_start_computes_no_time_alone_and_no_draw_again(monkeypatch, tmp_path, more):
    plan = make_cosim_plan(GIVEN | more, 3)
    kind = SampledRunner if "fidelity" in more else LiveRunner
    finish = kind.finish

    def killed(self):
        finish(self)
        raise Killed

    path = tmp_path / "out.unfinished"
    with monkeypatch.context() as patch:
        patch.setattr(kind, "finish", killed)
        with pytest.raises(Killed):
            cosimulate(plan, stored_times=path)
    with path.open("a") as file:
        file.write('\n["torn')
    whole = cosimulate(plan).outcome

    def never(*given, **more):
        raise AssertionError("computed again")

    for module in (alone, fidelities, loop_times):
        monkeypatch.setattr(module, "cycles_alone", never)
    monkeypatch.setattr(fidelities, "replay", never)
    found = cosimulate(plan, stored_times=path).outcome
    assert found["jobs"] == whole["jobs"]
    assert not path.exists()


def test_times_of_another_plan_are_not_used(tmp_path):
    path = tmp_path / "times"
    assert StoredTimes(path, "one").get("job", lambda: [1, 2.5]) == [1, 2.5]
    assert StoredTimes(path, "one").get("job", lambda: 0) == [1, 2.5]
    assert StoredTimes(path, "other").get("job", lambda: 3) == 3
    assert StoredTimes(path, "one").get("another job", lambda: 4) == 4


def test_times_are_stored_through_no_link(tmp_path):
    (tmp_path / "times").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="times"):
        StoredTimes(tmp_path / "times")
    assert not (tmp_path / "elsewhere").exists()


@given(st.integers(0, 1 << 40), st.integers(1, 50))
def test_draws_of_neighbouring_seeds_share_no_stream(seed: int, draws: int) -> None:
    pairs = itertools.product(range(seed, seed + draws), ("network", "replicate", "starts"), range(1, draws))
    streams = [stream(*pair) for pair in pairs] + [*range(seed, seed + draws)]
    assert len({*streams}) == len(streams)
    assert stream(seed, "network", 0) == seed


def test_live_runs_of_neighbouring_seeds_have_no_draw_in_common(monkeypatch):
    seeds = []
    real = fidelities.replay
    monkeypatch.setattr(
        fidelities, "replay", lambda placing, jobs: seeds.append(placing.seed) or real(placing, jobs)
    )
    for seed in (3, 4, 5):
        cosimulate(make_cosim_plan(GIVEN | {"draws": 4}, seed))
    assert len({*seeds}) == len(seeds) == 12
    assert not {3, 4, 5} & {*seeds}
