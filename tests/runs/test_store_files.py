"""A store appears whole; looking at it changes no file, and shows what others have committed."""

import os
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from answers import refused

from netplace.runs import Ended
from netplace.runs.store import Store, StoreError

WELL = Ended({"cycles": 5, "jobs": []}, None, 0.5, {"netplace": "1"}, "here")
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
        store.keep("a1", WELL)
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


def test_a_forged_journal_deletes_nothing_when_a_store_is_written_to(path):
    precious = path.with_name("precious")
    precious.write_text("mine")
    forge_journal(path, precious)
    with pytest.raises(StoreError, match=r"the rollback journal .*s\.sqlite-journal lies beside it"):
        Store(path)
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("read_only", [False, True])
def test_the_journal_beside_the_file_of_a_linked_store_counts(tmp_path, path, read_only):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "l.sqlite").symlink_to(path)
    forge_journal(path, tmp_path / "precious")
    with pytest.raises(StoreError, match="the rollback journal"):
        Store(tmp_path / "link" / "l.sqlite", read_only=read_only)
    assert (tmp_path / "precious").exists()


def test_rows_that_a_writer_has_committed_are_read(path):
    with Store(path) as writer:
        writer.keep("b2", WELL)
        assert Path(f"{path}-wal").stat().st_size > 0
        with Store(path, read_only=True) as reader:
            assert reader.simulated() == {"a1": True, "b2": True}
            writer.keep("c3", WELL)
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
            writer.keep("b2", WELL)
            assert reader.simulated() == {"a1": True}  # as it was: nothing has reached the file yet
        assert reader.simulated() == {"a1": True, "b2": True}


def test_several_write_and_read_at_once(tmp_path):
    path = tmp_path / "s.sqlite"

    def keep(name):
        for number in range(5):
            with Store(path) as writer:
                writer.keep(f"{name}{number}", WELL)
            with Store(path, read_only=True) as reader:
                assert reader.verify().faults == ()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(keep, "abc"))
    with Store(path, read_only=True) as store:
        assert len(store.simulated()) == 15


def test_a_link_that_leads_nowhere_is_no_new_store(tmp_path):
    (tmp_path / "s.sqlite").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()


def test_a_log_in_a_folder_without_write_permission_is_told(tmp_path, path, monkeypatch):
    (tmp_path / "copy").mkdir()
    with Store(path) as writer:
        writer.keep("b2", WELL)
        for ending in ("", "-wal"):
            Path(f"{tmp_path}/copy/s.sqlite{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(StoreError, match=r"the newest results are in .*s\.sqlite-wal"):
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
    with pytest.raises(StoreError, match=r"s\.sqlite: cannot be created, No space left on device"):
        Store(tmp_path / "s.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_two_that_make_a_store_make_one(tmp_path):
    with Store(tmp_path / "s.sqlite") as first, Store(tmp_path / "s.sqlite") as second:
        first.keep_outcome("loads", "a", {}, {"accepted": 1})
        assert second.outcome("loads", "a") == {"accepted": 1}
