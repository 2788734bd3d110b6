"""Killed at any instant, a command leaves files that are whole or none, and goes on afterwards."""

import pytest
from limits import faults_told_by


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 100))
def test_commands_killed_at_a_random_instant(first):
    assert faults_told_by("kills.py", first, 100) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1500, 100))
@pytest.mark.parametrize("flags", [("--only", "map", "--workers"), ("--workers",)])
def test_commands_with_workers_killed_at_a_random_instant(first, flags):
    assert faults_told_by("kills.py", first, 100, *flags) == []
