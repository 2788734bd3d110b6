"""Tables of which some entries are imported when they are looked up."""

import subprocess
import sys

import pytest

from netplace.extensions import OnDemand

LISTED = """
import sys
from netplace.apps import APPLICATIONS
names = [*APPLICATIONS]
print("netplace.apps.npb" in sys.modules, "lu" in APPLICATIONS, len(names) == len(APPLICATIONS))
print(APPLICATIONS["lu"].name, "netplace.apps.npb" in sys.modules, "netplace.apps.training" in sys.modules)
"""


def test_names_need_no_import():
    listed = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)
    assert listed.stdout.split() == ["False", "True", "True", "lu", "True", "False"]


def test_what_is_put_in_or_taken_out_counts():
    table: OnDemand[int] = OnDemand({"one": 1}, {"string:no_such_table": ("two",)})
    table["two"], table["three"] = 2, 3
    assert dict(table) == {"one": 1, "two": 2, "three": 3}
    del table["two"]
    assert "two" not in table
    with pytest.raises(KeyError):
        table["two"]
