"""Folders that others can write: no link is followed."""

import pytest

from netplace.runs.campaign import Claims


def test_claims_follow_no_link(tmp_path):
    (tmp_path / "s.sqlite-claims").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="claims"):
        Claims(tmp_path / "s.sqlite")
    assert not (tmp_path / "elsewhere").exists()
