"""What the study of backfilling says of rules of one kind, and of machines and clusters of other sizes."""

import numpy as np
import pandas as pd

from netplace.experiments.local_backfilling import study
from netplace.experiments.local_backfilling.simulator import RULES, Platform
from netplace.experiments.local_backfilling.study import (
    KINDS,
    READINGS,
    SIZES,
    _by_size,
    _order,
    orders_within_kinds,
)


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


def test_a_rule_is_before_others_if_its_mean_and_most_instances_are():
    rows = {"basic": [1, 1, 1, 1], "becont": [1, 2, 3, 4], "beloc": [2, 3, 4, 3]}
    values = {rule: np.array(row, float) for rule, row in rows.items()}
    for sign, expected in ((1, ("held", 3, 1)), (-1, ("not held", 1, 3))):
        order = _order(values, "becont", ["beloc"], sign)
        assert (order["verdict"], order["for"], order["against"]) == expected


def test_machines_are_as_large_as_their_names_say():
    sizes = [Platform.read(text) for text in SIZES]
    assert [platform.processors for platform in sizes] == [64, 128, 256, 512, 992, 512, 512, 512]


def test_ratios_are_of_means_over_instances():
    made = {"basic": (100, 10), "becont": (110, 10), "beloc": (100, 20), "cont": (150, 5), "loc": (200, 40)}
    rows = [
        {"log": "a", "platform": "1-8-512", "rule": rule, "instance": instance}
        | {"makespan": makespan * (1 + instance), "local_jobs": local}
        for instance in (0, 1)
        for rule, (makespan, local) in made.items()
    ]
    (line,) = _by_size(pd.DataFrame(rows)).to_dict("records")
    assert (line["log"], line["processors"], line["cluster"]) == ("a", 512, 64)
    assert [line[f"{rule}, makespan"] for rule in study.RULES["sizes"][1:]] == [1.1, 1.0, 1.5, 2.0]
    assert [line[f"{rule}, local jobs"] for rule in study.RULES["sizes"][1:]] == [1.0, 2.0, 0.5, 4.0]
