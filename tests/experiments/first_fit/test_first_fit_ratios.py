"""Ratios of the times of first-fit searches beside the published ones."""

import pandas as pd
import pytest

from netplace.experiments.first_fit.study import of_ratios, ratios


def test_ratios_to_iff_and_to_the_first_set():
    beside = pd.DataFrame(
        [
            {"set": 1, "search": "RBS", "ms 0.1": 6.0, "published ms": 12.0},
            {"set": 2, "search": "RBS", "ms 0.1": 1.0, "published ms": 4.0},
            {"set": 1, "search": "IFF", "ms 0.1": 2.0, "published ms": 0.1},
            {"set": 2, "search": "IFF", "ms 0.1": 1.0, "published ms": 0.2},
            {"set": 1, "search": "ours", "ms 0.1": 1.0, "published ms": float("nan")},
        ]
    )
    found = ratios(beside, (0.1,)).set_index("ratio")
    assert found["published"].to_dict() == pytest.approx(
        {
            "RBS / IFF, set 1": 120.0,
            "RBS / IFF, set 2": 20.0,
            "RBS, set 2 / set 1": 1 / 3,
            "IFF, set 2 / set 1": 2.0,
        }
    )
    assert found["load 0.1"].tolist() == pytest.approx([3.0, 1.0, 1 / 6, 0.5])
    assert "1 at load 0.1" in of_ratios(found.reset_index())
