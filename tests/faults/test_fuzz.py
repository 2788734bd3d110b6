"""What a user gives ends in an answer or in one sentence: no traceback, no warning, no hang, under 1 GB."""

import pytest
from limits import faults_told_by

AT_ONCE = 1000  # inputs of a process
SLOW_INPUTS = 10_000


def test_a_few_strange_inputs():
    assert faults_told_by("fuzz.py", 100_000, 20, "--soon") == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SLOW_INPUTS, AT_ONCE))
def test_many_strange_inputs(first):
    assert faults_told_by("fuzz.py", first, AT_ONCE) == []
