"""Sweep and study files: all of it is checked before anything runs, and a mistake names file and line."""

import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.runs.sweep import read_sweep

HALO = 'network = "torus:4x4"\napp = "butterfly,packets=1"\ntasks = 16\n'

SWEEPS = [
    (HALO.replace("app", "#") + "jobs = [1]\n", "expected tables [[jobs]]"),
    (HALO + 'seeds = "0:99999999999999999999"\n', "seed after the last"),
    (HALO + '[config]\ncycle_ns = "x"\n', "cycle_ns: 'x' is not a number"),
    (HALO + "[config]\nvcs = [2, 4611686018427387904]\n", "vcs"),
    (HALO + "[config]\nbuffer_phits = [0, 4]\n", "buffer_phits: 4 is wormhole switching"),
    ('network = "torus:4x4"\n[[jobs]]\napp = "butterfly"\ntasks = 1\ncount = 30000000\n', "count"),
    (HALO.replace('"torus:4x4"', '["torus:4x4", "tree:4,2"]') + 'mapping = "column"\n', "mapping"),
    (HALO + 'mapping = "file:none.csv"\n', "none.csv"),
]


@pytest.mark.parametrize(("text", "words"), SWEEPS, ids=range(len(SWEEPS)))
def test_a_sweep_that_cannot_run_leaves_nothing(tmp_path, monkeypatch, text, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(text)
    result = CliRunner().invoke(app, ["table", "sweep.toml", "--workers", "1"])
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert words in result.stderr
    assert len(result.stderr.splitlines()[-1]) < 1000
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_a_search_is_not_made_twice(tmp_path):
    """A mapping that searches for long is tried for an instant when the sweep is checked."""
    (tmp_path / "sweep.toml").write_text(HALO + 'mapping = ["td:seconds=1000", "best:5"]\n')
    sweep = read_sweep(tmp_path / "sweep.toml")
    sweep.check_programs(sweep.runs())
