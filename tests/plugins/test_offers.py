"""Rules that an installed package offers through entry points, and the table of one kind of rule."""

import json
import subprocess
import sys

import pytest
from own_rules import RULES

from netplace.placement import MAPPINGS, map_tasks
from netplace.plugins import current_digest, rules_without_file
from netplace.registry import Registry, entries
from netplace.runs import execute, resolve
from netplace.topologies import parse

ENTRIES = """
[netplace.mappings]
turned = offered_rules:backwards
lost = offered_rules:nothing
random = offered_rules:backwards

[netplace.partitions]
strided = offered_rules:stride

[netplace.topologies]
loop = offered_rules:ring

[netplace.applications]
next = offered_rules:halo

[netplace.traffic]
mirror = offered_rules:opposite

[netplace.policies]
patient = offered_rules:Patient

[netplace.partitioners]
mine = offered_rules:Mine

[netplace.run_times]
twice = offered_rules:Twice
"""


def install(folder, version: str = "1.2") -> None:
    (folder / "offered_rules.py").write_text(RULES)
    info = folder / "others.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: others\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    entries.cache_clear()


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path)
    yield tmp_path
    sys.modules.pop("offered_rules", None)
    entries.cache_clear()


def test_they_are_known_by_their_names():
    assert map_tasks("turned", parse("torus:4x4"), 2).tolist() == [15, 14]
    run = resolve("loop:16", {"app": "next", "mapping": "turned"}, partition="strided:4")
    assert execute(run).jobs[0].nodes[:2].tolist() == [15, 11]
    assert [name for name, _ in run.contents] == [
        "package:netplace.mappings:turned",
        "package:netplace.partitions:strided",
        "package:netplace.topologies:loop",
    ]


def test_a_name_of_ours_stays_ours():
    assert map_tasks("random", parse("torus:8x8"), 64).tolist() != list(range(64))[::-1]


def test_a_name_of_a_package_is_taken():
    with pytest.raises(ValueError, match=r"mapping 'turned': the name is taken, by others 1\.2"):
        MAPPINGS.add("turned", len)


def test_another_version_is_another_run(package):
    asked = {"app": "2d-torus", "mapping": "turned"}
    before = resolve("torus:4x4", asked)
    install(package, "1.3")
    assert resolve("torus:4x4", asked).key != before.key
    with pytest.raises(ValueError, match=r"package:netplace\.mappings:turned: has changed"):
        execute(before)


@pytest.mark.parametrize(
    ("topic", "names"),
    [
        ("mappings", ["turned", "The partition from its end. [from others 1.2]", "cannot load"]),
        ("partitions", ["strided", "Every so manieth node."]),
        ("networks", ["loop:..", "A single ring."]),
        ("apps", ["next", "To the next task."]),
        ("traffic", ["mirror", "To the node with the opposite number."]),
        ("scheduling", ["patient", "mine", "twice", "Twice as long as in the log."]),
    ],
)
def test_they_are_listed_with_their_origin(netplace, topic, names):
    shown = netplace("list", topic)
    assert shown.exit_code == 0, shown.output
    for name in names:
        assert name in shown.stdout
    assert "[from others 1.2]" in shown.stdout


def test_the_command_line_takes_them(netplace):
    flags = ("--network", "loop:16", "--app", "next,bytes=128", "--mapping", "turned", "--json")
    found = netplace("run", *flags)
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["packets"] == 32
    flags = ("--policy", "patient", "--partition", "mine", "--times", "twice", "--jobs", "30")
    assert netplace("schedule", "--machine", "torus:4x4", "--workload", "lublin", *flags).exit_code == 0
    told = netplace("run", "--network", "torus:4x4", "--app", "2d-torus", "--mapping", "turnd")
    assert "did you mean turned" in told.stderr


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
