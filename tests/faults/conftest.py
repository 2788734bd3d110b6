"""What several files here need."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplace.json_files import results_text


@pytest.fixture(scope="session")
def change():
    """Return what puts a value deep into a file of results, None: nothing, with a checksum that fits."""

    def change(path: Path, place: tuple[Any, ...], value: Any) -> None:
        results = json.loads(path.read_text())
        label, _, _ = (results.pop(name) for name in ("netplace", "version", "checksum"))
        content = results
        for key in place[:-1]:
            content = content[key]
        if value is None:
            del content[place[-1]]
        else:
            content[place[-1]] = value
        path.write_text(results_text(label, results))

    return change
