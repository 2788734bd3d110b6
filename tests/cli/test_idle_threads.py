"""Idle threads sleep in commands of netplace, and as they are asked to in programs that it starts."""

from __future__ import annotations

import os

import pytest

from netplace.checks.idle_threads import as_given, sleep_at_once

SPINNING = "OPENBLAS_THREAD_TIMEOUT"


def test_programs_of_the_user_get_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(SPINNING, raising=False)
    before = dict(os.environ)
    sleep_at_once()
    assert int(os.environ[SPINNING]) < 10
    assert as_given(os.environ) == before


def test_what_the_user_asks_for_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(SPINNING, "20")
    before = dict(os.environ)
    sleep_at_once()
    assert as_given(os.environ) == dict(os.environ) == before
