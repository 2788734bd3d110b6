"""What several files here need."""

from typing import Any

import pytest


@pytest.fixture(scope="session")
def put_at():
    """Return what puts a value at a place deep in a content; None takes out what stands there."""

    def put(content: Any, place: tuple[Any, ...], value: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        if value is None:
            del content[place[-1]]
        else:
            content[place[-1]] = value

    return put
