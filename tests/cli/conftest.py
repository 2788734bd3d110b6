"""Commands lay pictures out, but do not paint them, unless a test looks at them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def sketched(sketches):
    pass
