"""Orders among rules of one kind: each constraint's rule against the other two, best effort or forced."""

import numpy as np

from netplace.experiments.local_backfilling.simulator import RULES
from netplace.experiments.local_backfilling.study import KINDS, READINGS, orders_within_kinds


def figures_of(values: dict[str, float]) -> dict[str, dict[str, np.ndarray]]:
    names = {"basic", *RULES}
    return {
        metric: {name: np.full(3, values.get(name, 5.0)) for name in names}
        for metric in ("contiguity", "locality", "level", "success")
    }


def test_a_forced_rule_is_no_rival_of_best_effort() -> None:
    logs = {"log": figures_of({"becont": 2.0, "cont": 1.0, "loc": 1.5, "plat": 1.5})}
    made = orders_within_kinds(logs, "as told").set_index(["figure", "kind"])
    assert len(made) == 8
    assert made.loc[("5.13", "best effort"), ["rule", "verdict"]].tolist() == ["becont", "held"]
    assert made.loc[("5.13", "forced"), ["rule", "next", "verdict"]].tolist() == ["cont", "loc", "held"]
    assert made.loc[("5.14", "forced"), ["rule", "next", "verdict"]].tolist() == ["loc", "cont", "not held"]
    assert made.loc[("5.13", "forced"), "next over basic"] == 1.5 / 5
    assert (made.loc[("5.13", "forced"), "for"], made.loc[("5.13", "forced"), "against"]) == (6, 0)


def test_success_is_best_where_it_is_highest_and_readings_name_rules_that_are_there() -> None:
    made = orders_within_kinds({"log": figures_of({"plat-tightest": 6.0})}, "tightest fit")
    rows = made.set_index(["figure", "kind"])
    assert rows.loc[("5.16", "forced"), ["rule", "verdict"]].tolist() == ["plat-tightest", "held"]
    assert rows.loc[("5.15", "forced"), "verdict"] == "not held"
    rules = {rule for kind in KINDS.values() for rule in kind}
    for standing in READINGS.values():
        assert set(standing) <= rules
        assert set(standing.values()) <= set(RULES)
