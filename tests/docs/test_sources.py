"""The map of the sources: its page is that of its table, its commands parse, its names exist."""

import itertools
import pkgutil
import shlex
import sys
from pathlib import Path

import pytest

from netplace.cli import app
from netplace.experiments.published import open_file
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import find_rule
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling import make_partitioner
from netplace.scheduling.policy import find_policy
from netplace.topologies import parse

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/figures"))
import published  # noqa: E402
from published_cells import COMPARISONS  # noqa: E402

ITEMS = open_file("items.csv")
COMMANDS = sorted(command for command in set(ITEMS["gives"]) if command.startswith("netplace "))
MADE = {one for _, claim in published.judged().iterrows() for one in published.command(claim).split(", ")}
# Remarks that say that an item is not done as in the source.
WEAKER = ("instead", "not drawn", "not run", "left out", "not available", "user supplies", "a model")
NAMES = sorted(name for name in set(ITEMS["gives"]) if name.startswith("netplace."))


def test_each_item_has_a_state_and_what_gives_it_or_a_reason():
    assert set(ITEMS["source"]) == set(published.SOURCES)
    assert set(ITEMS["state"]) == set(published.ITEM_STATES)
    assert not ITEMS.duplicated(["source", "where", "item"]).any()
    given = ITEMS["gives"] != ""
    assert (given == (ITEMS["state"] != "not")).all()
    assert (ITEMS["why"] != "")[ITEMS["state"] != "done"].all()
    assert len(COMMANDS) + len(NAMES) == ITEMS["gives"][given].nunique()


def test_what_is_done_replaces_and_leaves_out_nothing():
    done = ITEMS[ITEMS["state"] == "done"]
    assert not done["why"][done["why"].str.contains("|".join(WEAKER))].tolist()


def test_a_figure_is_drawn_or_said_not_to_be():
    figures = ITEMS[(ITEMS["kind"] == "figure") & (ITEMS["state"] != "not")]
    for row in figures[~figures["why"].str.contains("not drawn")].itertuples():
        _, _, study, *rest = row.gives.split()
        parts = tuple(rest[1::2]) or ("meshes",)
        drawn = [path.stem for path in (ROOT / "docs/studies").glob(f"{study}*/*.png")]
        assert any(name.endswith(parts) for name in drawn), row


def test_each_comparison_has_its_item():
    named = {
        (row.source.lower(), name) for row in ITEMS.itertuples() for name in row.table.split("; ") if name
    }
    assert named == {(one.source, one.name) for one in COMPARISONS}


@pytest.mark.parametrize("command", sorted({*COMMANDS, *(made.strip("`") for made in MADE)}))
def test_a_command_parses(command):
    """Flags are known, and the rules they name exist and take the machine; nothing is run."""
    _, word, *rest = shlex.split(command)
    known = app.get_command(None, word)
    while hasattr(known, "get_command"):
        known, rest = known.get_command(None, rest[0]), rest[1:]
    given = known.make_context(word, rest).params
    if word == "study":
        assert all(log == "model" or ".swf" in log for log in given["logs"] or ())
        assert make_request(STUDIES[given["name"]], given["parts"], given["quick"]).parts
    for flag, value in itertools.pairwise(rest):
        if flag == "--partition" and word in ("allocate", "schedule"):
            make_partitioner(value, parse(rest[rest.index("--machine") + 1]))
        elif flag == "--policy":
            find_policy(value)
        elif flag == "--mapping":
            find_rule(value, MAPPINGS)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_exists(name):
    assert pkgutil.resolve_name(name)
