"""What users can name today stays, or CHANGELOG tells what it is called now."""

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("inventory", HERE / "inventory.py")
assert SPEC is not None
assert SPEC.loader is not None
inventory = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(inventory)


@pytest.fixture(scope="module")
def today():
    return inventory.present()


@pytest.fixture(scope="module")
def listed():
    return (HERE / "inventory.txt").read_text(encoding="utf-8").splitlines()


def is_there(line, today):
    if line in today:
        return True
    kind, _, name = line.partition(" ")
    if kind != "name":
        return False
    try:  # a page may have ceased to show what is there all the same
        inventory.resolved(name)
    except (AttributeError, ImportError, FileNotFoundError):  # an editable install knows files that are gone
        return False
    return True


def test_everything_named_is_there_or_told(today, listed):
    rows = inventory.renamed()
    lost = [line for line in listed if not is_there(line, today) and not inventory.is_told(line, today, rows)]
    assert not lost, "tell these in CHANGELOG's table old -> new, or bring them back: " + "; ".join(lost)


def test_documented_names_can_be_imported(today):
    for line in today:
        kind, _, name = line.partition(" ")
        if kind == "name":
            inventory.resolved(name)


@pytest.mark.parametrize(
    ("line", "row", "told"),
    [
        ("flag run --policy", ("--policy", "--vc-policy"), True),
        ("flag run --policy", ("run --policy", "run --vc-policy"), True),
        ("flag run --policy", ("load --policy", "load --vc-policy"), False),
        ("flag run --policy-file", ("--policy", "--vc-policy"), False),
        ("flag run --policy", ("--policy", "--lost"), False),
        ("flag run --policy", ("--policy", ""), True),
        ("name netplace.a.f", ("netplace.a", "netplace.b"), True),
        ("name netplace.ab.f", ("netplace.a", "netplace.b"), False),
    ],
)
def test_the_table_tells_exactly_what_it_names(line, row, told):
    assert inventory.is_told(line, {"flag run --vc-policy", "name netplace.b.f"}, [row]) == told
