"""What commands print as JSON is checked when it is read from a file."""

from __future__ import annotations

import json
import re

import pytest


@pytest.fixture
def printed(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = netplace("allocate", "--machine", "mesh:4x4", "--nodes", 3, "--all", "--json")
    return json.loads(shown.stdout)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"request": 4}, "checksum: .* found, expected .* it was damaged or edited"),
        ({"version": 2}, "version: 2 found, expected 1"),
        ({"netplace": "allocatoin"}, "netplace: unknown name 'allocatoin'; did you mean allocation"),
        ({"netplace": 7}, "netplace: unknown name 7"),
        ({"checksum": None}, "checksum: None found"),
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
