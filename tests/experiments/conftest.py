"""Studies are carried out in this process; their pictures are laid out, not painted."""

import pytest
from click.testing import CliRunner


@pytest.fixture(scope="session")
def carried_out(unpainted):
    """Return what carries a study out into a folder: all words after its name are those of the command."""
    from netplace.cli import app

    def study(name, folder, *words):
        with unpainted():
            done = CliRunner().invoke(app, ["study", name, *words, "-o", str(folder)])
        assert done.exit_code == 0, done.output
        return folder

    return study


@pytest.fixture(scope="session")
def quick(carried_out):
    """Return what carries out a quick study, in this process alone; with ``--stored`` from its store."""

    def study(name, folder, *words):
        workers = () if "--stored" in words else ("--workers", "1")
        return carried_out(name, folder, "--quick", *workers, *words)

    return study
