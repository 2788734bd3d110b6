"""Outcomes of which pages are made, and the figures that are drawn."""

import pytest
from click.testing import CliRunner

from netplace.cli import app


@pytest.fixture
def drawn(monkeypatch):
    """Collect the figures that are written."""
    from matplotlib.figure import Figure

    figures = []
    save = Figure.savefig

    def savefig(figure, *arguments, **options):
        figures.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", savefig)
    return figures


@pytest.fixture(scope="session")
def outcomes(tmp_path_factory, unpainted):
    folder = tmp_path_factory.mktemp("outcomes")

    def made(name, *words):
        with unpainted():
            result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        if name.endswith(".json"):
            (folder / name).write_text(result.stdout)
        return folder / name

    machine = ("--machine", "torus:4x4")
    return {
        "co-simulation": made(
            "cosim", "cosim", *machine, "--workload", "applications", "--jobs", 6, "--sizes", "small",
            "--partition", "random", "--explain", "-o", folder / "cosim",
        ),
        "schedule": made(
            "schedule", "schedule", *machine, "--workload", "lublin", "--jobs", 60, "--policy", "easy",
            "--partition", "non-contiguous", "-o", folder / "schedule",
        ),
        "run": made(
            "run", "run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--seeds", 2,
            "--mapping", "random", "--window", 100, "-o", folder / "run",
        ),
        "load": made(
            "load.json", "load", "--network", "torus:4x4", "--offered", "0.2,1.0", "--seeds", 2,
            "--measure", 2000, "--json",
        ),
        "mapping": made(
            "mapping.json", "map", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16,
            "--mapping", "random", "--seeds", 2, "--json",
        ),
        "metrics": made(
            "metrics.json", "metrics", "--network", "mesh:4x4", "--app", "butterfly", "--tasks", 8,
            "--configurations", 4, "--simulate", "--json",
        ),
        "explanation": made("explanation.json", "explain", folder / "cosim", "--job", 2, "--json"),
        "changes": made("changes.json", "whatif", folder / "cosim", "--without", 1, "--json"),
        "allocation": made(
            "allocation.json", "allocate", "--machine", "mesh:8x8", "--nodes", 10, "--all", "--json"
        ),
    }  # fmt: skip


@pytest.fixture(scope="session")
def reports(outcomes, tmp_path_factory):
    """Return the page of each outcome."""
    folder = tmp_path_factory.mktemp("reports")
    for kind, path in outcomes.items():
        result = CliRunner().invoke(app, ["report", str(path), "-o", str(folder / f"{kind}.html")])
        assert result.exit_code == 0, result.output
    return {kind: folder / f"{kind}.html" for kind in outcomes}
