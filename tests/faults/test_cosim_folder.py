"""A folder of results is data: damage is told in one sentence, and nothing that it names is run."""

import shutil

import pytest
from answers import refused

from netplace.cosim import cosimulate, make_cosim_plan
from netplace.cosim.serialization import FILE
from netplace.plugins import unload_plugins

GIVEN = {
    "machine": "torus:4x4", "workload": "applications", "jobs": 3, "sizes": "small", "intensity": "low",
    "classes": "2d", "partition": "random",
}  # fmt: skip
EVIL = "import pathlib\npathlib.Path('ran').write_text('yes')\n"
MACHINE = """
from netplace.topologies import TOPOLOGIES, torus


def grid(option):
    return torus((4, 4))


TOPOLOGIES.add("grid", grid)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    from netplace.report.tables.cosim import write_folder

    plan = make_cosim_plan(GIVEN, seed=1)
    made = tmp_path_factory.mktemp("cosim") / "out"
    write_folder(made, plan, cosimulate(plan).outcome)
    return made / FILE


@pytest.fixture
def folder(written, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    shutil.copy(written, tmp_path / "out")
    return tmp_path / "out" / FILE


def test_fields_that_came_later_have_their_defaults(change, netplace, folder):
    change(folder, ("plan", "config", "faults"), None)
    change(folder, ("plan", "jobs", "site"), None)
    change(folder, ("plan", "mix_digest"), None)
    found = netplace("whatif", "out", "--without", "1")
    assert found.exit_code == 0, found.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"size": ', '"size": 1', "checksum"),
        ('"version": 3', '"version": 2', "was written by netplace 1.0.0rc1 or earlier (format 2 found, exp"),
        ('"version": 3', '"version": 4', "was written by another version of netplace (format 4 found, exp"),
        ('"version": 3', '"version": NaN', "NaN is not a number in JSON"),
        ('"co-simulation"', '"schedule"', "netplace: 'schedule' found"),
        ('"checksum"', '"sum"', "checksum: is missing"),
        ("{", '{"plan": 1,', "key 'plan' appears twice"),
        ("{", "[" * 100_000 + "{", "nested too deeply"),
    ],
    ids=range(8),
)
def test_damage_is_told(netplace, folder, old, new, said):
    folder.write_text(folder.read_text().replace(old, new, 1))
    refused(netplace("whatif", "out", "--without", "1"), FILE, said)


@pytest.mark.parametrize(
    "place", [("plan", "jobs", "machine"), ("plan", "applications")], ids=lambda place: place[-1]
)
def test_code_that_a_folder_names_is_not_run(change, netplace, folder, tmp_path, place):
    (tmp_path / "evil.py").write_text(EVIL)
    change(folder, place, "evil.py:f")
    for command in (("explain", "out", "--job", "1"), ("whatif", "out", "--without", "1")):
        refused(netplace(*command), "evil.py")
    assert netplace("cosim", *flags(), "-o", "out").exit_code == 0  # another plan: it is made anew
    assert not (tmp_path / "ran").exists()


def flags():
    return [word for name, value in GIVEN.items() for word in (f"--{name}", value)] + ["--seed", "1"]


def test_a_network_of_a_plugin_is_used_while_the_plugin_is_the_same(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MACHINE)
    words = [*flags()[2:], "--machine", "grid"]
    made = netplace("--plugin", "mine.py", "cosim", *words, "-o", "out")
    assert made.exit_code == 0, made.stderr
    assert netplace("explain", "--plugin", "mine.py", "out", "--job", "1").exit_code == 0
    unload_plugins()
    refused(netplace("explain", "out", "--job", "1"), "mine.py: is not loaded; give --plugin mine.py")
    (tmp_path / "mine.py").write_text(MACHINE + "# other\n")
    again = netplace("--plugin", "mine.py", "whatif", "out", "--without", "1")
    refused(again, "cannot be repeated: plugin:mine.py: has changed")


def test_a_wiring_that_has_changed_is_told(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wiring = "a nodes=8\nb nodes=8\na b\n"
    (tmp_path / "wiring.txt").write_text(wiring)
    words = [*flags()[2:], "--machine", "service:nodes=15/graph:wiring.txt"]
    made = netplace("cosim", *words, "-o", "out")
    assert made.exit_code == 0, made.stderr
    again = ("whatif", "out", "--without", "1")
    assert netplace(*again).exit_code == 0
    (tmp_path / "wiring.txt").write_text(wiring + "a b\n")
    refused(netplace(*again), "out/cosim.json: cannot be repeated: wiring.txt: has changed")


@pytest.mark.parametrize("file", ["mix.toml", "log.csv"])
def test_a_log_and_its_mix_are_read_again_while_they_are_the_same(netplace, tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mix.toml").write_text('[[class]]\nprogram = "2d-torus,packets=2"\n')
    (tmp_path / "log.csv").write_text(
        "number,submit,nodes,run_time,estimate,program,tasks,repeats\n1,0,4,0.00001,,,,\n2,0,4,0.00002,,,,\n"
    )
    words = ["--machine", "torus:4x4", "--workload", "log.csv", "--applications", "mix.toml", "-o", "out"]
    made = netplace("cosim", *words)
    assert made.exit_code == 0, made.stderr
    assert netplace("explain", "out", "--job", "1").exit_code == 0
    changed = (tmp_path / file).read_text().replace("packets=2", "packets=3").replace("0.00002", "0.00003")
    (tmp_path / file).write_text(changed)
    refused(netplace("explain", "out", "--job", "1"), f"cannot be repeated: {file}: has changed")
