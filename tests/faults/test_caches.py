"""Folders that others can write: no link is followed, and nothing of others is trusted."""

import os

import pytest

from netplace.checks.trusted import read_trusted
from netplace.runs.campaign import Claims


def test_claims_follow_no_link(tmp_path):
    (tmp_path / "s.sqlite-claims").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="claims"):
        Claims(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()


def test_what_all_can_write_is_not_read(tmp_path):
    path = tmp_path / "a.key"
    path.write_bytes(b"code")
    path.chmod(0o644)
    assert read_trusted(path) == b"code"
    path.chmod(0o666)
    with pytest.raises(PermissionError, match="other users can write to it"):
        read_trusted(path)


def test_what_of_another_user_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "a.key"
    path.write_bytes(b"code")
    path.chmod(0o644)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    if path.stat().st_uid == 0:
        read_trusted(path)  # the system's
    else:
        with pytest.raises(PermissionError, match="belongs to another user"):
            read_trusted(path)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError, match="link"):
        read_trusted(tmp_path / "link")
