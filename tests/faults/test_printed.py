"""What commands print as JSON is checked when it is read from a file."""

import json
import re

import pytest

ASKED = ("run", "--network", "torus:4x4", "--app", "butterfly", "--seeds", 2, "--window", 100)


@pytest.fixture
def printed(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return json.loads(netplace(*ASKED, "--json").stdout)


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
