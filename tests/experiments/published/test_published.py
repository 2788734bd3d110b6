"""Printed cells and claims: what they hold, and how a claim is tested."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from netplace.experiments.published import grid, number, open_file
from netplace.experiments.published.claims import STATES, judge


def test_cells_have_a_value_or_are_held():
    cells = open_file("cells.csv")
    assert ((cells["value"] == "") == (cells["held"] == "1")).all()
    places = cells[cells["kind"] == "table"][["source", "section", "table", "row", "column", "value"]]
    assert not places[places["value"] != ""].duplicated().any()
    for name in ("items.csv", "claims.csv"):
        assert not open_file(name).duplicated().any()


def test_a_table_is_read_as_numbers():
    printed = grid("pascual", "thesis table 3.3a", {"TD": "td", "Random": "random"})
    assert printed.loc["LU"].tolist() == [1.7, 3.2]
    assert grid("pascual", "thesis table 3.6").loc["Small"].isna().all()  # held
    assert grid("cpa", "appendix 1, table 1").at["baseline (Hilbert)", "Average Makespan"] == 17932  # 4:58:52
    assert grid("mendonca", "Table 2.2").loc["SWDUAL"].isna().sum() == 4
    assert number("marra", "CASE STUDY", "ms", "Solution Value") == 11
    with pytest.raises(KeyError, match="no such table"):
        grid("pascual", "table 9")
    with pytest.raises(KeyError, match="no such number"):
        number("marra", "CASE STUDY", "ms", "energy")


RATIOS = [0.8, 0.9, 0.85, 0.95]


def judged(test, frame, **more):
    claim = {"id": "x", "file": "f", "rows": "", "unit": "n", "by": "rule", "measure": "v", "test": test}
    return judge(claim | more, lambda name: frame)


@pytest.fixture
def frame():
    made = [{"n": n, "rule": "a", "v": 10 * ratio} for n, ratio in enumerate(RATIOS)]
    return pd.DataFrame(made + [{"n": n, "rule": rule, "v": 10.0} for n in range(4) for rule in "bc"])


def test_an_order_is_tested_by_the_mean_of_logarithms(frame):
    found = judged("a < b", frame)
    logs = np.log(RATIOS)
    half = stats.t.ppf(0.975, 3) * stats.sem(logs)
    assert math.log(found.high / found.low) == pytest.approx(2 * half)
    assert found.effect == pytest.approx(stats.gmean(RATIOS))
    assert (found.state, found.held, found.units, found.chance) == ("upheld", 4, 4, 0.5)


@pytest.mark.parametrize(
    ("test", "state", "chance"),
    [
        ("a > b", "reversed", 1 / 2),
        ("a < b; c", "upheld", 1 / 3),
        ("b; c > *", "upheld", 1 / 3),
        ("c < a < b", "reversed", 1 / 6),
        ("each: b not < a; c", "upheld", (2 / 3) ** 4),
        ("a / b in 0.5..1.5", "upheld", 1),
        ("a / b in 0.85..", "undecided", 1),
        ("a / b in ..0.7", "reversed", 0),
        ("each: a < b", "upheld", 1 / 16),
        ("each: a / b in ..0.9", "reversed", 0),
        ("each: a / b in ..0.945", "undecided", 0),  # the last by less than 1 %
        ("any: a < b", "upheld", 1 - 1 / 16),
        ("share 0.2: a < b", "upheld", 1 - 1 / 16),
        ("share 0.9: a < b", "undecided", 1 / 16),  # four of four: 0.40 to 1
        ("share 0.7: a > b", "reversed", 5 / 16),  # none of four: 0 to 0.60
        ("any: a / b in ..0.75", "reversed", 0),
        ("any: a / b in ..0.805", "undecided", 0),  # one, by less than 1 %
    ],
)
def test_states(frame, test, state, chance):
    found = judged(test, frame)
    assert (found.state, found.chance) == (state, pytest.approx(chance))


def test_values_counts_and_differences():
    frame = pd.DataFrame({"first": [3.0], "second": [17.0], "third": [16.5]})
    whole = {"by": "", "unit": "", "measure": ""}
    assert judged("first in 2..4", frame, **whole).state == "upheld"
    assert judged("second - third in 1..", frame, **whole).state == "reversed"
    found = judged("counts: second > first", frame, **whole)
    assert (found.state, found.held, found.units) == ("upheld", 17, 20)
    assert judged("counts: first > second", frame, **whole).state == "reversed"
    assert judged("counts: second > third", frame.round(), **whole).state == "undecided"
    assert judged("second < third", frame.assign(third=17.001), **whole).state == "undecided"


def test_units_have_several_measures_or_the_greatest_of_one(frame):
    twice = judged("a < b", frame.assign(w=frame["v"] ** 2), measure="v; w")
    assert (twice.units, twice.effect) == (8, pytest.approx(stats.gmean(RATIOS) ** 1.5))
    assert judged("each: v in 10..10", frame, by="", measure="most time").held == 4


def test_equal_contestants_are_seldom_called_different():
    rng = np.random.default_rng(1)
    states = []
    for _ in range(400):
        made = {"n": np.arange(20) // 2, "rule": ["a", "b"] * 10, "v": rng.lognormal(size=20)}
        states.append(judged("a < b", pd.DataFrame(made)).state)
    shares = {state: states.count(state) / 400 for state in STATES}
    assert shares["undecided"] > 0.92
    assert min(shares["upheld"], shares["reversed"]) > 0.005


def test_faulty_claims_name_what_is_wrong(frame):
    with pytest.raises(ValueError, match="expected A < B"):
        judged("a = b", frame)
    with pytest.raises(KeyError, match=r"claim x, f: .*'d'"):
        judged("d < b", frame)
    with pytest.raises(ValueError, match="no rows of f"):
        judged("a < b", frame, rows="n > 9")
