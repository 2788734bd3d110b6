"""What the command line answers: a result as JSON or in CSV, or a mistake in one sentence."""

import csv
import json
from pathlib import Path
from typing import Any

from click.testing import Result


def described(result: Result) -> Any:
    """Return the JSON that a command printed, without its provenance."""
    assert result.exit_code == 0, result.stderr
    assert result.stdout.count("\n") == 1
    content = json.loads(result.stdout)
    content.pop("provenance", None)
    return content


def csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def refused(result: Result, *words: str) -> None:
    """Check that a command ended with one sentence, in which these words are."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    [sentence] = [line for line in result.stderr.splitlines() if not line.startswith("compil")]
    assert sentence.startswith("netplace: ")
    assert len(sentence) < 1000
    for word in words:
        assert word in sentence
