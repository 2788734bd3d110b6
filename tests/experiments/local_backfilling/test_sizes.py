"""Machines and clusters of other sizes: ratios to the basic rule by log and machine."""

import pandas as pd

from netplace.experiments.local_backfilling.simulator import Platform
from netplace.experiments.local_backfilling.study import RULES, SIZES, _by_size


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
    assert [line[f"{rule}, makespan"] for rule in RULES["sizes"][1:]] == [1.1, 1.0, 1.5, 2.0]
    assert [line[f"{rule}, local jobs"] for rule in RULES["sizes"][1:]] == [1.0, 2.0, 0.5, 4.0]
