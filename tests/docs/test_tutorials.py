"""The tutorial and the guides, followed step by step: files written, commands run, Python executed."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from netplace.apps import APPLICATIONS
from netplace.placement import MAPPINGS
from netplace.plugins import unload_plugins
from netplace.scheduling import PARTITIONERS, POLICIES
from netplace.topologies import TOPOLOGIES
from netplace.topologies.routing import ROUTINGS

DOCS = Path(__file__).parents[2] / "docs"
# The page that needs an MPI is followed by tests/apps/recording, the one that needs Slurm by tests/live.
ELSEWHERE = ("your-program.md", "slurm.md")
TUTORIALS = [page for page in sorted((DOCS / "tutorial").glob("*.md")) if page.name not in ELSEWHERE]
FOLLOWED = [*TUTORIALS, *sorted((DOCS / "guides").glob("own-*.md"))]
FOLLOWED += [DOCS / "guides" / name for name in ("sweeps.md", "fabrics.md", "congestion.md")]
FENCE = re.compile(r"^```(shell|toml|py|csv|pycon|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# The log of the operator's page has 300 jobs.
PAGES = [
    pytest.param(page, id=page.name, marks=pytest.mark.nightly if page.name == "operator.md" else ())
    for page in FOLLOWED
]


@pytest.mark.all
@pytest.mark.parametrize("document", PAGES)
def test_every_step_can_be_followed(document, tmp_path, monkeypatch, netplace, sketches):
    monkeypatch.chdir(tmp_path)
    registries = (APPLICATIONS, MAPPINGS, PARTITIONERS, POLICIES, ROUTINGS, TOPOLOGIES)
    known = [(registry, set(registry)) for registry in registries]
    names: dict[str, object] = {}
    told = ""
    steps = FENCE.findall(document.read_text(encoding="utf-8"))
    assert steps
    try:
        for kind, text in steps:
            if kind == "shell":
                told = ""
                for line in text.splitlines():
                    result = netplace(*shlex.split(line.removeprefix("$ netplace ")))
                    assert result.exit_code == 0, f"{line}\n{result.output}"
                    told += result.output
            elif kind == "output":
                rows = {row(line) for line in told.splitlines()}
                absent = [line for line in text.splitlines() if not any(row(line) in known for known in rows)]
                assert not absent, f"not printed: {absent}"
            elif kind == "pycon":
                execute(text, names, document.name)
            else:
                name = re.match(r"# (\S+)\n", text)
                assert name, f"the file is not named: {text[:40]}"
                Path(name[1]).write_text(text)
    finally:
        unload_plugins()
        for registry, before in known:
            for added in set(registry) - before:
                registry._remove(added)


def row(line: str) -> str:
    """Return a line with one blank wherever there are several: tables are as wide as the screen lets them."""
    return " ".join(line.split())


def execute(text: str, names: dict[str, object], where: str) -> None:
    example = doctest.DocTestParser().get_doctest(text, names, where, None, 0)
    example.globs = names  # what one block defines the next one uses
    report: list[str] = []
    failed, _ = doctest.DocTestRunner().run(example, out=report.append, clear_globs=False)
    assert not failed, "".join(report)


def test_an_own_application_takes_less_than_twenty_lines():
    text = (DOCS / "guides" / "own-application.md").read_text(encoding="utf-8")
    [code] = [block for kind, block in FENCE.findall(text) if kind == "py"]
    assert len(code.splitlines()) < 20
