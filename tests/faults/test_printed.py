"""What commands print as JSON is checked when it is read from a file."""

import json
import re

import pytest

from netplace.json_files import results_text

HUGE = 2**70
ASKED = {
    "run": ("run", "--network", "torus:4x4", "--app", "butterfly", "--seeds", 2, "--window", 100),
    "load": ("load", "--network", "torus:4x4", "--offered", "0.1,0.2", "--warmup", 50, "--measure", 100),
}


@pytest.fixture
def printed(results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return json.loads(results_text("run", results["run"]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cycles": 4}, "checksum: .* found, expected .* the file was damaged or edited"),
        ({"version": 1}, "was written by netplace 1.0.0rc1 or earlier .format 1 found, expected 3.; make it"),
        ({"netplace": "rnu"}, "netplace: unknown name 'rnu'; did you mean run"),
    ],
)
def test_what_was_printed_is_checked_when_it_is_read(netplace, printed, change, words, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(printed))
    assert netplace("report", "a.json", "-o", "a.html").exit_code == 0
    (tmp_path / "b.json").write_text(json.dumps(printed | change))
    result = netplace("report", "b.json", "-o", "b.html")
    assert result.exit_code == 2
    assert result.stderr.startswith("netplace: b.json: ")
    assert re.search(words, result.stderr)
    assert not (tmp_path / "b.html").exists()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return what each command printed, without what stands first in it."""
    from click.testing import CliRunner

    from netplace.cli import app

    made = {}
    for what, words in ASKED.items():
        content = json.loads(CliRunner().invoke(app, [*map(str, words), "--json"]).stdout)
        made[what] = {key: content[key] for key in list(content)[3:] if key != "provenance"}
    return made


@pytest.mark.parametrize(
    ("what", "place", "value", "said"),
    [
        ("run", ("runs",), None, "runs"),
        ("run", ("cycles",), "68", "cycles: '68' found, expected a number of at least 0"),
        ("run", ("cycles",), None, "cycles: is missing"),
        ("run", ("seconds",), HUGE, "seconds: .* found, expected a number of at least 0 and at most"),
        ("run", ("jobs",), [], "jobs: a list of 0 found, expected at least 1"),
        ("run", ("jobs", 0, "tasks"), 0, r"jobs\[0\].tasks: 0 found, expected a whole number from 1"),
        ("run", ("jobs", 0, "name"), ["x"], r"jobs\[0\].name: \['x'\] found, expected text"),
        ("run", ("spread", "cycles", "min"), "x", "spread.cycles.min: 'x' found"),
        ("load", ("points",), [], "points: a list of 0 found, expected at least 1"),
        ("load", ("points", 1, "offered"), "x", r"points\[1\].offered: 'x' found"),
        ("load", ("points", 0, "delay", "p99"), None, r"points\[0\].delay.p99: is missing"),
        ("load", ("hot_share",), 2, "hot_share: 2 found, expected a number of at least 0 and at most 1"),
    ],
    ids=str,
)
def test_every_key_is_checked_though_the_checksum_holds(
    netplace, results, put_at, what, place, value, said, tmp_path
):
    content = json.loads(json.dumps(results[what]))
    put_at(content, place, value)
    whole, other = tmp_path / "whole.json", tmp_path / "other.json"
    whole.write_text(results_text(what, results[what]))
    other.write_text(results_text(what, content))
    report = [("report", other, "-o", tmp_path / "a.html")] if what == "run" else []
    for command in (*report, ("compare", whole, other)):
        result = netplace(*command)
        assert result.exit_code == 2, result.output
        assert re.search(rf"other.json: {said}", result.stderr), result.stderr
    assert not (tmp_path / "a.html").exists()
