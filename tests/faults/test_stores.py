"""A store knows when what it holds was altered or damaged, and says so instead of showing it."""

import json
import sqlite3
import sys

import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.runs import resolve, run_or_failure
from netplace.runs.campaign import Claims
from netplace.runs.execute import Ended
from netplace.runs.store import Store

RUNS = [resolve("torus:4x4", {"app": "butterfly", "mapping": "random"}, seed=seed) for seed in range(3)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.ask(RUNS)
        for run in RUNS:
            store.keep_all([(run.key, run_or_failure(run))])
        store.keep_outcome("schedules", "plan", {"policy": "easy"}, {"metrics": {"jobs": 3}})
    return path


def change(path, statement, *values):
    with sqlite3.connect(path) as database:
        assert database.execute(statement, values).rowcount == 1
    database.close()


def test_a_sound_store_is_sound(path):
    with Store(path, read_only=True) as store:
        found = store.verify()
        assert (found.rows, found.faults) == (7, ())
        assert len(list(store.rows())) == 3


KEY = RUNS[1].key
MORE_PACKETS = """replace(outcome, '"packets": ', '"packets": 1')"""
ALTERED = [
    (f"UPDATE simulations SET outcome = {MORE_PACKETS} WHERE key = ?", KEY),
    ("UPDATE simulations SET outcome = NULL, failure = 'broke' WHERE key = ?", KEY),
    ("UPDATE simulations SET checksum = NULL WHERE key = ?", KEY),
    ("UPDATE runs SET run = replace(run, '4x4', '4x5') WHERE key = ?", KEY),
    (f"UPDATE runs SET run = ? WHERE key = '{KEY}'", "[" * 20_000),
    (f"UPDATE runs SET simulation = '{RUNS[0].key}' WHERE key = ?", KEY),
]


@pytest.mark.parametrize(("statement", "value"), ALTERED, ids=range(len(ALTERED)))
def test_what_was_altered_is_told(path, statement, value):
    change(path, statement, value)
    with Store(path, read_only=True) as store:
        with pytest.raises(
            ValueError, match=r"s\.sqlite: (run|simulation) '\w+' does not match its checksum"
        ):
            list(store.rows())
        assert len(store.verify().faults) == 1


def test_an_altered_schedule_is_told(path):
    change(path, "UPDATE schedules SET outcome = replace(outcome, '3', '4') WHERE key = ?", "plan")
    with Store(path, read_only=True) as store:
        for read in (lambda: store.outcome("schedules", "plan"), lambda: list(store.outcomes("schedules"))):
            with pytest.raises(ValueError, match="schedule 'plan' does not match its checksum"):
                read()


def test_two_results_that_changed_places_are_told(path):
    with sqlite3.connect(path) as database:
        columns = "outcome, failure, checksum"
        first, second = database.execute(f"SELECT key, {columns} FROM simulations LIMIT 2").fetchall()
        for key, row in ((first[0], second[1:]), (second[0], first[1:])):
            database.execute(f"UPDATE simulations SET ({columns}) = (?, ?, ?) WHERE key = ?", (*row, key))
    database.close()
    with Store(path, read_only=True) as store:
        assert len(store.verify().faults) == 2


def test_pages_that_changed_places_are_no_missing_runs(tmp_path):
    """A row that cannot be found because the file is damaged is not taken for one that was never made."""
    path = tmp_path / "s.sqlite"
    runs = [resolve("torus:4x4", {"app": "butterfly", "mapping": "random"}, seed=seed) for seed in range(200)]
    with Store(path) as store:
        store.ask(runs)
        counts = ("cycles", "drained_cycles", "packets", "packet_hops", "injection_blocked", "most_link_load")
        outcome = {**dict.fromkeys(counts, 1), "jobs": [], "text": "x" * 400}
        outcome |= {"packet_delay": {"mean": 1.0}, "message_delay": {"mean": 1.0}}
        for run in runs:
            store.keep_all([(run.key, Ended(outcome, None, 0.0, {}, "here"))])
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    pages = range(size, len(content), size)
    leaves = [at for at in pages if content[at] == 10 and b"xxxx" in content[at : at + size]]
    first, second = leaves[1], leaves[-2]
    content[first : first + size], content[second : second + size] = (
        content[second : second + size],
        content[first : first + size],
    )
    path.write_bytes(content)
    with Store(path, read_only=True) as store:
        with pytest.raises(ValueError, match=r"s\.sqlite: is damaged"):
            list(store.rows(runs))
        assert store.verify().faults


def test_verify_on_the_command_line(path):
    result = CliRunner().invoke(app, ["table", "--verify", str(path)])
    assert (result.exit_code, result.stdout) == (0, f"{path}: 7 rows, no faults\n")
    change(path, *ALTERED[0])
    result = CliRunner().invoke(app, ["table", "--verify", str(path), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["stores"][str(path)]["rows"] == 7
    assert f"simulation '{KEY}' does not match its checksum" in result.stderr
    result = CliRunner().invoke(app, ["table", str(path)])
    assert (result.exit_code, result.stdout) == (2, "")


def test_what_the_machine_did_is_no_result(path):
    with Store(path) as store, pytest.raises(ValueError, match="a failure of the machine is not a result"):
        store.keep_all([("new", Ended(None, "killed", 0.0, {}, "here", by_machine=True))])


@pytest.mark.parametrize("error", [MemoryError("no room"), OSError(28, "No space left on device")])
def test_no_memory_and_no_disk_are_the_machines_doing(monkeypatch, error):
    def fails(*_):
        raise error

    monkeypatch.setattr(sys.modules["netplace.runs.execute"], "repeated_of", fails)
    ended = run_or_failure(RUNS[0])
    assert ended.by_machine
    assert str(error) in ended.failure


def test_a_trace_that_has_gone_is_no_failure_of_the_run(tmp_path):
    trace = tmp_path / "a.trc"
    trace.write_text("s 0 1 0 64\nr 0 1 0 64\n")
    run = resolve("torus:2x2", {"trace": str(trace)})
    trace.unlink()
    ended = run_or_failure(run)
    assert ended.by_machine
    assert "cannot be read" in ended.failure


def test_a_text_in_a_store_is_no_longer_than_may_be_read(tmp_path, monkeypatch):
    with Store(tmp_path / "s.sqlite") as store:
        store.keep_outcome("loads", "a", {}, {"x": "y" * 20_000})
    monkeypatch.setattr("netplace.files.MOST_UNPACKED", 10 << 10)
    with Store(tmp_path / "s.sqlite", read_only=True) as store, pytest.raises(ValueError, match="too big"):
        store.outcome("loads", "a")


def test_claims_follow_no_link(tmp_path):
    (tmp_path / "s.sqlite-claims").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="claims"):
        Claims(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()
