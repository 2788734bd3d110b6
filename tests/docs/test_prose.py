"""The check of prose finds unidiomatic English in documents and docstrings, and nothing in code."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "prose"

UNIDIOMATIC = [
    "The page has metrics that foretell run time or do not.", "The results are carried out anew.",
    "So one asks which speed-up pays for contiguity.", "It is a hundred times as slow.",
    "In a round, two and two are put together.", "The packets of its may still be on their way.",
    "The run was broken off, and has gone on.", "The second run finds all that there.",
    "What was done is told.", "Half width of what is not counted.", "The wait is the doing of the program.",
    "It counts who waited for whom.", "The kernel makes 11 million packet-hops a second.",
    "The value stands in the second column.", "This can not be had with faults.",
    "Every neighbour sends a packet.",
]  # fmt: skip

IDIOMATIC = [
    "The page shows how well the metrics predict run time.",
    "The kernel simulates 11 million packet-hops per second.",
    "Checkpoint and resume: the second run reuses stored results.",
    "The target relative half-width is 0.02.",
    "The wait comes from the code.",
]


def check(path: Path) -> list[str]:
    """Return what the check prints, behind the name of the file."""
    done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=False)
    assert done.returncode == bool(done.stdout)
    assert not done.stderr
    return [line.partition(f"{path.name}:")[2] for line in done.stdout.splitlines()]


@pytest.fixture
def page(tmp_path):
    def write(text: str, name: str = "page.md") -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def test_each_unidiomatic_sentence_is_found_in_its_line(page):
    told = check(page("\n\n".join(UNIDIOMATIC)))
    lines = {int(line.partition(":")[0]) for line in told}
    assert lines == set(range(1, 2 * len(UNIDIOMATIC), 2)), told


def test_idiomatic_sentences_pass(page):
    assert not check(page("\n\n".join(IDIOMATIC)))


def test_words_at_the_end_of_a_line_are_found(page):
    assert check(page("The list has all\nthat others need.")) == ["1: 'all that': write everything that, all"]


def test_code_in_documents_is_no_prose(page):
    assert not check(page("Use `foretell`, or:\n\n```python\nforetell = 'anew'\n```\n"))


def test_docstrings_of_public_names_are_checked_and_nothing_else(page):
    source = '''"""A module that foretells."""

note = "foretold"  # foretold


class Open:
    """A class that is made anew."""

    def public(self):
        """Tell whom.

        >>> foretold = 1
        """

    def _private(self):
        """Foretell."""
'''
    found = sorted((line.partition(":")[0] for line in check(page(source, "module.py"))), key=int)
    assert found == ["1", "7", "10"]
