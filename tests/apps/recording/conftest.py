"""The recorder is compiled once for each compiler, and without a warning: that takes seconds."""

import shutil
from pathlib import Path

import pytest

from netplace.apps.recording import build_interposer, launch


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    return {}, tmp_path_factory.mktemp("recorders")


@pytest.fixture(autouse=True)
def compiled_once(compiled, monkeypatch):
    libraries, folder = compiled

    def copy(compiler, into):
        if compiler not in libraries:
            (folder / str(len(libraries))).mkdir(exist_ok=True)
            strict = " -Wall -Wextra -Werror" if Path(compiler).name.startswith("mpicc") else ""
            libraries[compiler] = build_interposer(compiler + strict, folder / str(len(libraries)))
        return Path(shutil.copy(libraries[compiler], into))

    monkeypatch.setattr(launch, "build_interposer", copy)
