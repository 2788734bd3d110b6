"""Commands lay pictures out, but do not paint them, unless a test looks at them."""

import pytest


@pytest.fixture(autouse=True)
def sketched(sketches):
    pass
