"""The store: what is kept comes back, and a file that cannot be used is told in one sentence."""

import multiprocessing
import os
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from netplace.runs import Ended, attempt, resolve
from netplace.runs.campaign import Claims, missing
from netplace.runs.store import Store, StoreError
from netplace.runs.store_schema import APPLICATION

RUNS = [resolve("torus:4x4", {"app": "2d-torus", "mapping": "random"}, seed=seed) for seed in range(3)]
WELL = Ended({"cycles": 5, "jobs": []}, None, 0.5, {"netplace": "1"}, "here")
ILL = Ended(None, "it broke", 0.0, {}, "here")


def test_what_is_kept_comes_back(tmp_path):
    ended = attempt(RUNS[0])
    with Store(tmp_path / "s.sqlite") as store:
        store.ask(RUNS)
        store.keep(RUNS[0].key, ended)
        store.keep(RUNS[1].key, ILL)
    with Store(tmp_path / "s.sqlite") as store:
        rows = {run.seed: (run, outcome, failure) for run, outcome, failure in store.rows()}
        assert rows == {
            0: (RUNS[0], ended.outcome, None),
            1: (RUNS[1], None, "it broke"),
            2: (RUNS[2], None, None),
        }
        assert list(store.rows(RUNS[:2])) == [rows[0], rows[1]]
        assert store.simulated() == {RUNS[0].key: True, RUNS[1].key: False}
        assert missing(RUNS, store) == [RUNS[2]]


@pytest.mark.parametrize("reason", ["nothing kept", "kept", "open elsewhere", "older"])
def test_a_new_store_in_which_nothing_was_kept_goes_with_its_command(tmp_path, reason):
    path = tmp_path / "s.sqlite"
    if reason == "older":
        Store(path).close()
    store = Store(path)
    if reason == "kept":
        store.ask(RUNS[:1])
    other = Store(path) if reason == "open elsewhere" else None
    store.__exit__(ValueError, ValueError("failed"), None)
    assert path.exists() == (reason != "nothing kept")
    if other:
        other.ask(RUNS[:1])
        other.close()


def test_the_first_result_stays_and_failures_can_be_forgotten(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.ask(RUNS)
        for ended in (WELL, ILL):
            store.keep(RUNS[0].key, ended)
        store.keep(RUNS[1].key, ILL)
        store.forget(run.key for run in RUNS)
        assert store.simulated() == {RUNS[0].key: True}
        store.keep(RUNS[1].key, WELL)
        assert store.simulated() == {RUNS[0].key: True, RUNS[1].key: True}


def test_versions_and_host_are_kept(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.keep(RUNS[0].key, attempt(RUNS[0]))
    found = sqlite3.connect(tmp_path / "s.sqlite").execute(
        "SELECT host, ended, text FROM simulations JOIN versions ON versions = number"
    )
    [(host, ended, text)] = found.fetchall()
    assert host
    assert ended.startswith("20")
    assert '"numpy"' in text
    assert '"netplace"' in text


def test_an_ended_store_is_a_single_file(tmp_path):
    with Store(tmp_path / "s.sqlite") as store, Claims(store.path) as claims:
        assert claims.take(RUNS[0].key)
        store.keep(RUNS[0].key, WELL)
    with Store(tmp_path / "s.sqlite", read_only=True) as store:
        assert store.has(RUNS[0].key)
    assert [path.name for path in tmp_path.iterdir()] == ["s.sqlite"]


def broken(path: Path, kind: str) -> str:
    """Put something that is no store at `path`, and return what is said about it."""
    if kind == "text":
        path.write_text("app,cycles\n" * 100)
        return "is not a store of netplace"
    if kind == "folder":
        path.mkdir()
        return "cannot be opened"
    if kind == "store of another version":
        Store(path).close()
    with sqlite3.connect(path) as database:
        if kind == "store of another version":
            database.execute("PRAGMA user_version = 99")
        else:
            database.execute("CREATE TABLE theirs (x)")
            database.execute(f"PRAGMA application_id = {5 if kind == 'marked database' else 0}")
    database.close()
    return "format 99 found" if "version" in kind else "is a database of another program"


@pytest.mark.parametrize(
    "kind", ["text", "folder", "database", "marked database", "store of another version"]
)
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_store_is_refused_and_left_alone(tmp_path, kind, read_only):
    path = tmp_path / "s.sqlite"
    words = broken(path, kind)
    before = None if path.is_dir() else path.read_bytes()
    if kind == "folder" and read_only:
        words = "the store does not exist"
    with pytest.raises(StoreError, match=words) as caught:
        Store(path, read_only=read_only)
    assert str(path) in str(caught.value)
    assert path.is_dir() or path.read_bytes() == before


def test_the_mark_of_a_store_is_in_its_header(tmp_path):
    Store(tmp_path / "s.sqlite").close()
    assert (tmp_path / "s.sqlite").read_bytes()[68:72] == APPLICATION.to_bytes(4, "big") == b"nplc"


def test_no_store_and_no_folder(tmp_path):
    with pytest.raises(StoreError, match="the store does not exist"):
        Store(tmp_path / "s.sqlite", read_only=True)
    with pytest.raises(StoreError, match=r"the folder .* does not exist"):
        Store(tmp_path / "no" / "s.sqlite")


def test_reading_does_not_write(tmp_path):
    Store(tmp_path / "s.sqlite").close()
    with Store(tmp_path / "s.sqlite", read_only=True) as store:
        with pytest.raises(StoreError, match="the store is read-only"):
            store.keep(RUNS[0].key, WELL)
        assert store.simulated() == {}


def _use_read_only(path: str, answers) -> None:
    if os.geteuid() == 0:
        os.setuid(65534)  # root may write everywhere
    try:
        Store(path)
        answers.put("opened")
    except StoreError as error:
        answers.put(str(error))
    with Store(path, read_only=True) as store:
        answers.put(list(store.simulated()))


def test_a_read_only_store_is_refused_for_writing_and_can_be_read():
    folder = Path(tempfile.mkdtemp())
    try:
        with Store(folder / "s.sqlite") as store:
            store.keep("a1", WELL)
        (folder / "s.sqlite").chmod(0o444)
        folder.chmod(0o555)
        context = multiprocessing.get_context("spawn")
        answers = context.Queue()
        process = context.Process(target=_use_read_only, args=(str(folder / "s.sqlite"), answers))
        process.start()
        assert answers.get(timeout=60) == f"{folder}/s.sqlite: the store is read-only"
        assert answers.get(timeout=60) == ["a1"]
        process.join()
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_full_disk_is_told_and_what_was_stored_stays(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        # SQLite itself says that the disk is full when a file may not grow.
        store._database.execute("PRAGMA max_page_count = 14")
        with pytest.raises(StoreError, match=r"s\.sqlite: cannot be written, the disk is full") as caught:
            fill(store)
        assert "\n" not in str(caught.value)
    with Store(path) as store:
        kept = sorted(store.simulated())
        assert kept == [f"{number:04}" for number in range(len(kept))]
        assert kept
        store.keep("9999", WELL)


def fill(store: Store) -> None:
    for number in range(1000):
        store.keep(f"{number:04}", Ended({"text": "x" * 500}, None, 0.0, {}, "here"))


def test_claims_keep_others_out_and_end_with_their_process(tmp_path):
    keys = [run.key for run in RUNS]
    with Claims(tmp_path / "s.sqlite") as claims:
        assert claims.take(keys[0])
        context = multiprocessing.get_context("spawn")
        answers = context.Queue()
        process = context.Process(target=_claim, args=(tmp_path / "s.sqlite", keys[:2], answers))
        process.start()
        assert answers.get(timeout=60) == [False, True]
        assert not claims.take(keys[1])
        process.kill()
        process.join()
        assert claims.take(keys[1])


def _claim(path: Path, keys: list[str], answers) -> None:
    with Claims(path) as claims:
        answers.put([claims.take(key) for key in keys])
        multiprocessing.Event().wait(60)


def test_a_run_made_of_lists_is_the_run_made_of_tuples():
    run = resolve("torus:4x4", {"app": "butterfly"})
    made = replace(run, jobs=list(run.jobs), contents=[], revisions=[list(pair) for pair in run.revisions])
    assert (made, hash(made), made.key) == (run, hash(run), run.key)
