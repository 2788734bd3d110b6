"""The page of published tables says what the stored tables say."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.shared.statistics import constant

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "figures"))
import published
from marks import filled
from published_cells import LIST, PRINTED, ROWS, STUDIES, listed, score


@pytest.mark.parametrize("name", published.PAGES)
def test_a_page_has_the_tables_of_what_is_stored(name):
    page = STUDIES / name
    assert page.read_text(encoding="utf-8") == filled(page, published.PAGES[name])


def test_the_list_of_cells_is_that_of_the_stored_tables():
    assert LIST.read_text() == listed().to_csv(index=False, lineterminator="\n")
    stored = pd.read_csv(LIST, dtype=str, keep_default_na=False)
    for table, _, count, _, _ in ROWS:
        met, cells, _ = score(count())
        own = stored[stored["table"] == table]
        assert (len(own), (own["matched"] == "yes").sum()) == (cells, met), table
        assert not own.duplicated(["cell", "quantity"]).any(), table


@pytest.mark.parametrize(
    ("table", "met", "by_constant"),
    [("MET 2, 2-D correlations", 49, "53"), ("thesis 3.9", 7, "12"), ("WADS 1", 8, "8")],
)
def test_a_score_stands_beside_what_a_constant_meets(table, met, by_constant):
    [count] = [count for name, _, count, _, _ in ROWS if name == table]
    assert score(count())[::2] == (met, by_constant)


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


def test_each_claim_in_words_has_a_verdict_from_the_stored_tables():
    for file, verdicts in published.CLAIMS.items():
        assert len(verdicts) == len((PRINTED / file).read_text().splitlines()) - 1
    words = published.claims().set_index("claim")
    state = words["verdict"].str.split(": ").str[0]
    assert set(state) == {"holds", "does not hold", "not tried"}
    assert (words["ours"] != "")[state != "not tried"].all()
    assert words["verdict"].str.contains(": ")[state == "not tried"].all()  # with its reason


@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        ("utilization with non-contiguous", "holds"),  # 0.994 to 0.996
        ("best fit and minimum span instead", "does not hold"),  # 5 % where 11 are printed
        ("in every row of the decision table", "holds"),
        ("completion time is weakly", "does not hold"),  # negative on the torus
    ],
)
def test_verdicts_by_hand(start, verdict):
    words = published.claims()
    [row] = words[words["claim"].str.startswith(start)].to_dict("records")
    assert row["verdict"] == verdict
