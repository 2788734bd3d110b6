"""The recorder is compiled once for each compiler, and without a warning: that takes seconds."""

import fcntl
import re
import shutil
from pathlib import Path

import pytest

from netplace.apps import recording
from netplace.apps.recording import build_interposer


@pytest.fixture(scope="session")
def recorders(tmp_path_factory, worker_id):
    """Return a folder for compiled recorders, the same for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "recorders"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def compiled_once(recorders, monkeypatch):
    def copy(compiler, into):
        place = recorders / re.sub(r"\W+", "-", compiler)
        place.mkdir(exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (place / "recorder.so").is_file():
                strict = " -Wall -Wextra -Werror" if Path(compiler).name.startswith("mpicc") else ""
                build_interposer(compiler + strict, place)
        return Path(shutil.copy(place / "recorder.so", into))

    monkeypatch.setattr(recording, "build_interposer", copy)
