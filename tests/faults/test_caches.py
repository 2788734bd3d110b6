"""Folders of compiled code that others can write: no link is followed, and no code of others is run."""

from __future__ import annotations

import os

import pytest

from netplace.checks.trusted import check_owner, read_trusted
from netplace.netsim.kernel import kept
from netplace.runs.claims import Claims


def test_a_lock_that_is_a_link_empties_nothing(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "loop.lock").symlink_to(precious)
    with kept.alone(tmp_path / "loop.kernel"):
        pass
    assert precious.read_text() == "mine"


def test_a_lock_that_is_a_pipe_is_one(tmp_path):
    os.mkfifo(tmp_path / "loop.lock")
    with kept.alone(tmp_path / "loop.kernel"):
        pass


def test_a_lock_that_somebody_keeps_is_not_waited_for_without_end(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="there are no such locks here")
    monkeypatch.setattr(kept, "_PATIENCE", 0.05)
    with open(tmp_path / "loop.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with kept.alone(tmp_path / "loop.kernel"):
            pass


def test_claims_follow_no_link(tmp_path):
    (tmp_path / "s.sqlite-claims").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="claims"):
        Claims(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()


def test_code_that_all_can_write_is_not_read(tmp_path):
    path = tmp_path / "a.kernel"
    path.write_bytes(b"code")
    path.chmod(0o644)
    assert read_trusted(path) == b"code"
    path.chmod(0o666)
    with pytest.raises(PermissionError, match="can be written by all"):
        read_trusted(path)
    assert kept.loaded(path) is None


def test_code_of_another_user_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "a.kernel"
    path.write_bytes(b"code")
    path.chmod(0o644)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    if path.stat().st_uid == 0:
        check_owner(path)  # the system's
    else:
        with pytest.raises(PermissionError, match="belongs to others"):
            check_owner(path)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="link"):
        read_trusted(tmp_path / "link")
