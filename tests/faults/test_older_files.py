"""A file of results that lacks a field added later is read with that field's default."""

import json
import re
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from click.testing import CliRunner

from netplace.advice.rules import RuleAdvice
from netplace.checks.results_file import results_text
from netplace.checks.schema import kind_of
from netplace.cli import app
from netplace.cosim.figures import CosimFigures
from netplace.cosim.job_row import JobRow
from netplace.cosim.plan import CosimPlan
from netplace.cosim.waiting import Waiting
from netplace.netsim import Config
from netplace.report.tables.configurations import ConfigurationRow
from netplace.runs.loads import LoadFigures
from netplace.runs.outcomes import METRICS
from netplace.runs.plan import Plan
from netplace.runs.run_figures import RunFigures
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.scheduling.metrics import Metrics
from netplace.scheduling.metrics.per_job import FIRST

KINDS = (
    Config, ConfigurationRow, CosimFigures, CosimPlan, JobRow, LoadFigures, Metrics, Plan, RuleAdvice,
    RunFigures, ScheduleFigures, Waiting,
)  # fmt: skip


@dataclass
class Inner:
    known: int
    added: int = field(default=7, metadata={"bounds": None, "choices": ()})  # as those of Config have


@dataclass
class Outer:
    one: Inner
    several: tuple[Inner, ...]
    pair: tuple[Inner, int]
    maybe: Inner | None
    either: str | Inner
    by_name: dict[str, Inner]
    later: list[int] = field(default_factory=lambda: [1])


def test_absent_fields_are_filled_at_any_depth() -> None:
    old = {"known": 3}
    read = {
        "one": dict(old),
        "several": [dict(old)],
        "pair": [dict(old), 1],
        "maybe": dict(old),
        "either": dict(old),
        "by_name": {"a": dict(old)},
    }
    kind_of(Outer)(read, "old.json")
    new = {"known": 3, "added": 7}
    assert read == {
        "one": new,
        "several": [new],
        "pair": [new, 1],
        "maybe": new,
        "either": new,
        "by_name": {"a": new},
        "later": [1],
    }


def test_a_field_without_default_must_be_there() -> None:
    with pytest.raises(ValueError, match=r"old.json: one.known: is missing"):
        kind_of(Outer)(
            {"one": {}, "several": [], "pair": [], "maybe": None, "either": "", "by_name": {}}, "old.json"
        )


def _within(hint: Any) -> set[type]:
    """Return the dataclasses that a type is made of."""
    if not is_dataclass(hint):
        return set().union(*(_within(part) for part in get_args(hint)))
    assert isinstance(hint, type)
    return {hint}.union(*(_within(inner) for inner in get_type_hints(hint).values()))


def _oldest(hint: Any) -> Any:
    """Return JSON of a value of a type, with one member in each list and no field that has a default."""
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        bare = (item for item in fields(hint) if item.default is MISSING and item.default_factory is MISSING)
        return {
            item.name: next(iter(item.metadata.get("choices", ())), None) or _oldest(hints[item.name])
            for item in bare
        }
    simple = {Any: 0, str: "text", bool: True, int: 1, float: 1.5}
    if hint in simple:
        return simple[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _oldest(next((part for part in parts if is_dataclass(part)), parts[0]))
    if origin is dict:
        return {"name": _oldest(parts[1])}
    if origin is list or parts[-1:] == (...,):
        return [_oldest(parts[0])]
    assert origin is tuple, hint
    return [_oldest(part) for part in parts]


CASES = [(top, inner) for top in KINDS for inner in sorted(_within(top), key=lambda kind: kind.__name__)]


@pytest.mark.parametrize(("top", "inner"), CASES, ids=[f"{a.__name__}-{b.__name__}" for a, b in CASES])
def test_an_added_field_breaks_no_older_file(top: type, inner: type, monkeypatch: pytest.MonkeyPatch) -> None:
    old = _oldest(top)
    monkeypatch.setitem(inner.__dataclass_fields__, "added", Inner.__dataclass_fields__["added"])
    monkeypatch.setitem(inner.__annotations__, "added", "int")
    monkeypatch.setattr(inner, "added", 7, raising=False)
    kind_of(top)(old, "old.json")
    if inner is top:
        assert old["added"] == 7


def test_older_schedules_lack_later_measures_of_jobs() -> None:
    old = _oldest(Metrics)
    old["per_job"] = dict.fromkeys(FIRST, old["per_job"]["name"])
    METRICS(old, "old.json")
    del old["per_job"]["wait"]
    with pytest.raises(ValueError, match=r"old.json: per_job.wait: is missing"):
        METRICS(old, "old.json")


def _with_other_keys(path: Path) -> None:
    """Write a file of results again as another version would have, with a key that is unknown today."""
    content = json.loads(path.read_text())
    what, version = content.pop("netplace"), content.pop("version")
    del content["checksum"]
    if "versions" in content:
        content["versions"]["netplace"] = "0.9"
    path.write_text(results_text(what, version, content | {"rule_of_old": 1}))


@pytest.mark.parametrize(
    ("words", "written", "reading"),
    [
        ("schedule --machine mesh:8 --workload a.csv", "figures.json", ["report o", "compare o o"]),
        ("cosim --machine mesh:8 --workload b.csv", "cosim.json", ["report o", "explain o --job 1"]),
        ("run --network mesh:8 --app gups", "provenance.json", ["report o", "rerun o", "compare o o"]),
        ("run --network mesh:8 --app gups", "run.json", ["report o/run.json", "report o"]),
    ],
)
def test_what_another_version_wrote_is_called_so(
    words: str, written: str, reading: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("number,submit,nodes,run_time\n1,0,4,9\n")
    Path("b.csv").write_text(
        'number,submit,nodes,run_time,program,tasks,repeats\n1,0,4,0,"2d-torus,bytes=256",,1\n'
    )
    assert CliRunner().invoke(app, [*words.split(), "-o", "o"]).exit_code == 0
    _with_other_keys(Path("o", written))
    for line in reading:
        ended = CliRunner().invoke(app, line.split())
        assert ended.exit_code == 2, line
        assert re.fullmatch(
            rf"netplace: o/{written}: was written by .+ of netplace, with contents that this version does "
            r"not read \(rule_of_old: .+\); use the version that wrote it, "
            r"or repeat the command that made it\n",
            ended.stderr,
        ), ended.stderr
