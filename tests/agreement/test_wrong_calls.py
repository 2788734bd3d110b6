"""Wrong arrays and arguments never crash the compiled part; `test_sanitizers` makes more such calls."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("wrong_calls.py")


def made(seed, count, last):
    """Make wrong calls in a process of their own."""
    finished = subprocess.run(
        [sys.executable, str(SCRIPT), str(seed), str(count), str(last)],
        capture_output=True,
        text=True,
        check=False,
    )
    call = last.read_text(encoding="utf-8")[:2000]
    assert finished.returncode == 0, f"{call}\n{finished.stderr[-5000:]}"
    calls, refused = (int(word) for word in finished.stdout.split() if word.isdigit())
    assert calls >= count
    assert 0.3 < refused / calls < 0.95  # else what is drawn is all wrong, or all right


def test_wrong_calls_end_with_a_value_or_an_exception(tmp_path):
    made(1, 400, tmp_path / "last")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_wrong_calls_end_with_a_value_or_an_exception(seed, tmp_path):
    made(seed, 1000, tmp_path / "last")
