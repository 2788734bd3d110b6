"""Which tables and figures the page of each outcome has: none is lost."""

import pytest

from netplace.report.comparison import compare, read_outcome
from netplace.report.comparison.compare import comparison_page
from netplace.report.pages import page_of
from netplace.report.plots.figure import Figure

# Of each outcome its figures, and its tables.
INVENTORY = {
    "co-simulation": (
        [
            "Slowdown of each job",
            "Nodes of jobs over time",
            "Waiting between jobs",
            "Links where jobs waited for other jobs",
        ],
        ["Figures", "Figures of the jobs", "Error of table times (%)", "Waiting by pair of jobs", "Jobs"],
    ),
    "schedule": (
        ["Nodes of jobs over time", "Occupied nodes over time", "Waits of jobs"],
        ["Figures", "Figures of the jobs", "Jobs"],
    ),
    "run": (
        [
            "Run time by seed",
            "Load of links over time",
            "Link loads",
            "Tasks and messages over time",
            "Parts of the critical path",
        ],
        ["Jobs", "Figures"],
    ),
    "mapping": (
        ["Mappings side by side", "Traffic between tasks"],
        ["Mappings side by side", "Nodes", "Costs by seed"],
    ),
}


@pytest.mark.parametrize("kind", INVENTORY)
def test_no_figure_and_no_table_of_a_page_is_lost(outcomes, kind):
    page = page_of(outcomes[kind])
    figures = [part.title for part in page.parts if isinstance(part, Figure)]
    tables = [part.title for part in page.parts if not isinstance(part, Figure)]
    assert (figures, tables) == INVENTORY[kind]


def test_no_figure_and_no_table_of_a_comparison_is_lost(outcomes, netplace, tmp_path):
    words = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--seeds", 2)
    assert netplace(*words, "-o", tmp_path / "near").exit_code == 0
    page = comparison_page(compare(read_outcome(tmp_path / "near"), read_outcome(outcomes["run"])))
    assert [part.title for part in page.parts] == [
        "Different requests",
        "Relative differences of results",
        "Results",
    ]


# The pictures that folders hold.
PICTURES = {
    "co-simulation": {"sharing.png", "waiting.png"},
    "schedule": {"gantt.png", "occupancy.png", "utilisation.png"},
    "run": {"loads.png"},
}


@pytest.mark.parametrize("kind", PICTURES)
def test_no_picture_of_a_folder_is_lost(outcomes, kind):
    assert {path.name for path in outcomes[kind].glob("*.png")} == PICTURES[kind]
