"""The store: what is kept comes back, it appears whole, and looking at it changes no file."""

import multiprocessing
import os
import shutil
import sqlite3
import struct
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from answers import refused

from netplace.runs import Ended, resolve, run_or_failure
from netplace.runs.campaign import Claims, missing
from netplace.runs.store import Store
from netplace.runs.store_files import APPLICATION

RUNS = [resolve("torus:4x4", {"app": "2d-torus", "mapping": "random"}, seed=seed) for seed in range(3)]
WELL = Ended({"cycles": 5, "jobs": []}, None, 0.5, {"netplace": "1"}, "here")
ILL = Ended(None, "it broke", 0.0, {}, "here")


def test_what_is_kept_comes_back(tmp_path):
    ended = run_or_failure(RUNS[0])
    with Store(tmp_path / "s.sqlite") as store:
        store.ask(RUNS)
        store.keep_all([(RUNS[0].key, ended)])
        store.keep_all([(RUNS[1].key, ILL)])
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
            store.keep_all([(RUNS[0].key, ended)])
        store.keep_all([(RUNS[1].key, ILL)])
        store.forget(run.key for run in RUNS)
        assert store.simulated() == {RUNS[0].key: True}
        store.keep_all([(RUNS[1].key, WELL)])
        assert store.simulated() == {RUNS[0].key: True, RUNS[1].key: True}


def test_versions_and_host_are_kept(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.keep_all([(RUNS[0].key, run_or_failure(RUNS[0]))])
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
        store.keep_all([(RUNS[0].key, WELL)])
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
    with pytest.raises(ValueError, match=words) as caught:
        Store(path, read_only=read_only)
    assert str(path) in str(caught.value)
    assert path.is_dir() or path.read_bytes() == before


def test_the_mark_of_a_store_is_in_its_header(tmp_path):
    Store(tmp_path / "s.sqlite").close()
    assert (tmp_path / "s.sqlite").read_bytes()[68:72] == APPLICATION.to_bytes(4, "big") == b"nplc"


def test_reading_does_not_write(tmp_path):
    Store(tmp_path / "s.sqlite").close()
    with Store(tmp_path / "s.sqlite", read_only=True) as store:
        with pytest.raises(ValueError, match="the store is read-only"):
            store.keep_all([(RUNS[0].key, WELL)])
        assert store.simulated() == {}


def _use_read_only(path: str, answers) -> None:
    if os.geteuid() == 0:
        os.setuid(65534)  # root may write everywhere
    try:
        Store(path)
        answers.put("opened")
    except ValueError as error:
        answers.put(str(error))
    with Store(path, read_only=True) as store:
        answers.put(list(store.simulated()))


def test_a_read_only_store_is_refused_for_writing_and_can_be_read():
    folder = Path(tempfile.mkdtemp())
    try:
        with Store(folder / "s.sqlite") as store:
            store.keep_all([("a1", WELL)])
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
        with pytest.raises(ValueError, match=r"s\.sqlite: cannot be written, the disk is full") as caught:
            fill(store)
        assert "\n" not in str(caught.value)
    with Store(path) as store:
        kept = sorted(store.simulated())
        assert kept == [f"{number:04}" for number in range(len(kept))]
        assert kept
        store.keep_all([("9999", WELL)])


def fill(store: Store) -> None:
    for number in range(1000):
        store.keep_all([(f"{number:04}", Ended({"text": "x" * 500}, None, 0.0, {}, "here"))])


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


MAGIC = bytes.fromhex("d9d505f920a163d7")
LOCK_PAGE = 0x40000000 // 4096 + 1


def forge_journal(store: Path, target: Path) -> Path:
    """Put a hot journal beside a store: rolled back, it deletes `target`, its super-journal."""
    journal, name = Path(f"{store}-journal"), str(target).encode()
    header = MAGIC + struct.pack(">5I", 0, 0, 1, 512, 4096)
    end = struct.pack(">I", LOCK_PAGE) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    journal.write_bytes(header.ljust(512, b"\0") + end)
    return journal


@pytest.fixture
def path(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.keep_all([("a1", WELL)])
    return tmp_path / "s.sqlite"


@pytest.mark.parametrize(
    "words",
    [
        ("table",),
        ("table", "--verify"),
        ("compare", "s.sqlite"),
        ("plot", "-o", "a.png"),
        ("report", "-o", "a.html"),
        ("export", "-o", "a.csv"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_forged_journal_deletes_nothing(path, words, netplace, monkeypatch):
    monkeypatch.chdir(path.parent)
    Path("precious").write_text("mine")
    forge_journal(path, path.with_name("precious"))
    command, *flags = words
    refused(netplace(command, path.name, *flags), "s.sqlite-journal lies beside it")
    assert {one.name for one in path.parent.iterdir()} == {"s.sqlite", "s.sqlite-journal", "precious"}


@pytest.mark.parametrize("read_only", [False, True])
def test_the_journal_beside_the_file_of_a_linked_store_counts(tmp_path, path, read_only):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "l.sqlite").symlink_to(path)
    forge_journal(path, tmp_path / "precious")
    with pytest.raises(ValueError, match="the rollback journal"):
        Store(tmp_path / "link" / "l.sqlite", read_only=read_only)
    assert (tmp_path / "precious").exists()


def test_rows_that_a_writer_has_committed_are_read(path):
    with Store(path) as writer:
        writer.keep_all([("b2", WELL)])
        assert Path(f"{path}-wal").stat().st_size > 0
        with Store(path, read_only=True) as reader:
            assert reader.simulated() == {"a1": True, "b2": True}
            writer.keep_all([("c3", WELL)])
            assert reader.has("c3")


def test_looking_leaves_no_files_beside_a_store(path):
    before = path.read_bytes()
    with Store(path, read_only=True) as store:
        assert store.has("a1")
        assert [one.name for one in path.parent.iterdir()] == ["s.sqlite"]
    assert (path.read_bytes(), len([*path.parent.iterdir()])) == (before, 1)


def test_a_store_that_changed_while_it_was_read_is_read_anew(path):
    with Store(path, read_only=True) as reader:
        with Store(path) as writer:
            writer.keep_all([("b2", WELL)])
            assert reader.simulated() == {"a1": True}  # as it was: nothing has reached the file yet
        assert reader.simulated() == {"a1": True, "b2": True}


def test_several_write_and_read_at_once(tmp_path):
    path = tmp_path / "s.sqlite"

    def keep(name):
        for number in range(5):
            with Store(path) as writer:
                writer.keep_all([(f"{name}{number}", WELL)])
            with Store(path, read_only=True) as reader:
                assert reader.verify().faults == ()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(keep, "abc"))
    with Store(path, read_only=True) as store:
        assert len(store.simulated()) == 15


def test_a_link_that_leads_nowhere_is_no_new_store(tmp_path):
    (tmp_path / "s.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="cannot be opened"):
        Store(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()


def test_a_log_in_a_folder_without_write_permission_is_told(tmp_path, path, monkeypatch):
    (tmp_path / "copy").mkdir()
    with Store(path) as writer:
        writer.keep_all([("b2", WELL)])
        for ending in ("", "-wal"):
            Path(f"{tmp_path}/copy/s.sqlite{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ValueError, match=r"the newest results are in .*s\.sqlite-wal"):
        Store(tmp_path / "copy" / "s.sqlite", read_only=True)


def test_a_store_killed_at_birth_is_a_new_one(tmp_path, netplace, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text('network = "torus:4x4"\napp = "butterfly"\n')
    (tmp_path / "sweep.sqlite").write_bytes(b"")
    refused(
        netplace("table", "--verify", "sweep.sqlite"),
        "sweep.sqlite: is empty, probably because its command was killed",
    )
    made = netplace("table", "sweep.toml")
    assert made.exit_code == 0
    assert "sweep.sqlite: was empty, probably because its command was killed" in made.stderr
    assert netplace("table", "--verify", "sweep.sqlite").exit_code == 0


def test_a_store_is_made_under_another_name(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(ValueError, match=r"s\.sqlite: cannot be created, No space left on device"):
        Store(tmp_path / "s.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_two_that_make_a_store_make_one(tmp_path):
    with Store(tmp_path / "s.sqlite") as first, Store(tmp_path / "s.sqlite") as second:
        first.keep_outcome("loads", "a", {}, {"accepted": 1})
        assert second.outcome("loads", "a") == {"accepted": 1}
