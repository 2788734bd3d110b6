"""The table of one kind of rule: what it contains, what can be added, what is looked up."""

import subprocess
import sys

import pytest

from netplace.plugins import current_digest, rules_without_file
from netplace.registry import Registry

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


@pytest.fixture
def numbers():
    registry: Registry[int] = Registry("number", "netplace.no_such_group", int, {"one": 1}, lambda f, *_: f())
    yield registry
    for name in [name for name in registry if name != "one"]:
        registry._remove(name)


def test_what_is_added_is_found_with_its_option(numbers):
    numbers.add("two", 2)
    numbers.add("three", lambda: 3)
    assert dict(numbers) == {"one": 1, "two": 2, "three": 3}
    assert numbers.find("two:more") == (2, "more")
    assert [numbers.is_built_in(text) for text in ("one:x", "two", "four")] == [True, False, False]


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("one", 2, "number 'one': the name is taken, by netplace"),
        ("a:b", 2, "is not a name"),
        ("", 2, "is not a name"),
        ("two", "2", "number 'two': is a str, expected a int or a function"),
    ],
)
def test_what_cannot_be_added_is_refused(numbers, name, entry, words):
    with pytest.raises(ValueError, match=words):
        numbers.add(name, entry)
    assert dict(numbers) == {"one": 1}


def test_an_unknown_name_is_told_with_the_nearest(numbers):
    with pytest.raises(ValueError, match="--many: unknown name 'on'; did you mean one"):
        numbers.find("on", "--many")


@pytest.mark.parametrize("text", ["own.py", "own.py:f", "a/own.py:f:x"])
def test_a_file_is_not_a_name(numbers, text):
    with pytest.raises(ValueError, match=r"unknown name .* loaded by --plugin FILE\.py"):
        numbers.find(text)


def test_what_no_file_adds_has_a_digest_of_this_process_alone(numbers):
    numbers.add("two", 2)
    name, digest = numbers.source("two")
    assert rules_without_file() == ["no_such_group:two"]
    assert current_digest(name) == digest
    numbers._remove("two")
    numbers.add("two", 2)
    assert numbers.source("two") != (name, digest)
    with pytest.raises(ValueError, match="in another process"):
        current_digest("process:netplace.no_such_group:three")
