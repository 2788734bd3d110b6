"""The pages of the studies say what the stored tables say of printed cells and claims."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.published import open_file
from netplace.experiments.shared.statistics import constant

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "figures"))
import published
from marks import filled
from published_cells import COMPARISONS, LIST, STUDIES, left_out, listed


@pytest.mark.parametrize("name", published.pages())
def test_a_page_has_the_tables_of_what_is_stored(name):
    page = STUDIES / name
    assert page.read_text(encoding="utf-8") == filled(page, published.pages()[name])


def test_the_list_of_cells_is_that_of_the_stored_tables():
    assert LIST.read_text() == listed().to_csv(index=False, lineterminator="\n")
    stored = pd.read_csv(LIST, dtype=str, keep_default_na=False)
    assert not stored.duplicated(["source", "table", "derived", "row", "column"]).any()
    assert len(stored) == sum(one.score()[2] for one in COMPARISONS)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("thesis table 3.3", (13, 10, 18)),
        ("thesis table 3.4", (17, 13, 18)),
        ("MET table 1", (16, 10, 16)),
        ("MET table 3", (0, 0, 0)),
        ("appendix 2", (7, 8, 10)),  # without mc1x1 over itself
        ("thesis table 3.9", (7, 14, 15)),
    ],
)
def test_scores_are_of_the_printed_cells(name, score):
    own = [one.score()[:3] for one in COMPARISONS if one.name.startswith(name)]
    assert tuple(map(sum, zip(*own, strict=True))) == score


def test_cells_that_are_not_compared_have_a_reason():
    left = left_out().loc[lambda own: own["left"] > own["held"]]
    why = open_file("left_out.csv").set_index(["source", "table"])["why"]
    assert set(left.index) == set(why.index)
    assert why.all()
    assert left.at[("pascual", "JPDC table 2"), "left"] == 21  # standard deviations of three mappings
    assert left_out().at[("pascual", "thesis table 3.5"), "left"] == 4  # all held


def test_the_best_constant_is_that_of_a_fine_search():
    rng = np.random.default_rng(4)
    for _ in range(50):
        least = rng.normal(size=rng.integers(1, 12)).round(2)
        most = least + rng.uniform(0, 1, len(least)).round(2)
        value, met = constant(least, most)
        grid = np.linspace(-4, 5, 9001)[:, None]
        assert met == ((least <= grid + 1e-9) & (grid <= most + 1e-9)).sum(axis=1).max()
        assert ((least <= value + 1e-9) & (value <= most + 1e-9)).sum() == met
    assert constant([], [])[1] == 0


def test_each_claim_has_a_state_or_a_reason():
    every, judged = published.claims(), published.judged()
    rest = every[every["test"] == ""]
    assert (rest["note"] != "").all()
    assert len(judged) + len(rest) == len(every)
    undecided = judged[judged["state"] == "undecided"]["verdict"]
    assert all(verdict.shown > 0 or verdict.units < 30 for verdict in undecided)


@pytest.mark.parametrize(
    ("claim", "state"),
    [
        ("T14, jobs", "reversed"),  # BPS does fewer jobs than CS
        ("T21, small, visits", "upheld"),  # 32,126 nodes against 700,896
        ("T21, small, times", "reversed"),  # 7.6 ms against 4.5
        ("M1-HPC2N-beplat", "upheld"),
    ],
)
def test_states_by_hand(claim, state):
    assert published.judged().set_index("id").at[claim, "state"] == state
