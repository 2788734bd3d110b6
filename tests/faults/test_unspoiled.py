"""The commands that are tried with spoiled files have an answer for the files as they are."""

import shutil

import pytest
from click.testing import CliRunner
from files_to_spoil import COMMANDS, make_files

from netplace.cli import app

# The table has none of the jobs of the log, which is refused.
REFUSED = {("schedule", "--machine", "mesh:4x4", "--workload", "apps.csv", "--times", "table:t.csv")}


@pytest.mark.slow
def test_files_as_they_are_lead_to_answers(tmp_path, monkeypatch):
    good = tmp_path / "good"
    good.mkdir()
    make_files(good)
    refused = {}
    for number, words in enumerate({words: None for commands in COMMANDS.values() for words in commands}):
        place = tmp_path / str(number)
        shutil.copytree(good, place)
        monkeypatch.chdir(place)
        answer = CliRunner().invoke(app, words)
        if answer.exit_code:
            refused[words] = answer.stderr
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(place)
    assert set(refused) == REFUSED, refused
