"""The experiments stand on the product as the code of anyone else would."""

import ast
from pathlib import Path

import netplace

ROOT = Path(__file__).parents[2]
# Modules of the product that no page documents, and that studies reach into all the same. No line may be
# added: what a study needs is exported by a package, or documented.
INSIDE = {
    "netplace.benchmarks.first_fit",
    "netplace.checks.csv_cells",
    "netplace.checks.inputs",
    "netplace.checks.writing",
    "netplace.cli.flags",
    "netplace.cli.clashes",
    "netplace.cli.examples",
    "netplace.cli.sweep_progress",
    "netplace.cli.many",
    "netplace.cli.settings",
    "netplace.cosim.alone",
    "netplace.cosim.fast_forward_execution",
    "netplace.cosim.mix",
    "netplace.cosim.ranking",
    "netplace.cosim.runner",
    "netplace.cosim.sampled",
    "netplace.cosim.table",
    "netplace.cosim.work",
    "netplace.netsim.laps",
    "netplace.netsim.threads",
    "netplace.runs.executors",
    "netplace.runs.plan",
    "netplace.runs.schedules",
    "netplace.runs.set_costs",
    "netplace.scheduling.power.program",
}


def imported() -> set[str]:
    """Return the modules of the product that the experiments import names from."""
    return {
        node.module
        for path in (ROOT / "experiments").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith(f"{netplace.__name__}.")
        if node.module.split(".")[1] not in ("experiments", "native")
    }


def test_the_product_never_imports_an_experiment():
    importers = [
        f"{path.relative_to(ROOT)}"
        for folder in ROOT.iterdir()
        if folder.name not in ("experiments", "tests", "docs") and (folder / "__init__.py").exists()
        for path in folder.rglob("*.py")
        if "netplace.experiments" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("netplace.experiments")
    ]
    assert importers == []


def test_experiments_use_what_packages_export_or_the_reference_documents():
    documented = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    private = {
        name
        for name in imported()
        if not name.startswith("netplace.report.")  # drawing and printing have no page of the reference yet
        and not (ROOT / Path(*name.split(".")[1:]) / "__init__.py").exists()
        and f"::: {name}" not in documented
    }
    assert private <= INSIDE
