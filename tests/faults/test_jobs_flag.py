"""``--jobs`` takes a count and a name, and a mistake names it."""

import json

import pytest
from click.testing import CliRunner

from netplace.cli import app

RUN = ("run", "--network", "torus:4x4", "--tasks", "4", "--partition", "quadrants", "--json")


def run(*arguments):
    return CliRunner().invoke(app, [*RUN, *arguments])


@pytest.mark.parametrize(
    "words",
    [
        ("4x:butterfly",),
        ("1x:butterfly", "--jobs", "3x:butterfly"),
    ],
)
def test_jobs_are_counted_and_named(words):
    found = run("--jobs", *words)
    assert found.exit_code == 0, found.output
    assert [job["name"] for job in json.loads(found.stdout)["jobs"]] == ["butterfly"] * 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("butterfly",), "--jobs: 'butterfly' is not of the form 4x:NAME"),
        (("4x:",), "--jobs: '4x:' is not of the form"),
        (("4x",), "--jobs: '4x' is not of the form"),
        (("4x butterfly",), "--jobs: '4x butterfly' is not of the form"),
        (("4x:no.such.64",), "no such trace file"),
        (("30000000x:butterfly",), "--jobs: 30000000 is too large, expected at most 1048576"),
    ],
)
def test_a_mistake_names_the_flag(words, told):
    found = run("--jobs", *words)
    assert (found.exit_code, found.stdout) == (2, ""), found.output
    assert told in found.stderr
