"""Which mapping is fastest: the answer in words, and the simulated times beside the costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from netplace.report.tables.data_table import DataTable
from netplace.report.tables.mapping_search import bounds_of, name_of, pairs_of, traits
from netplace.runs.mapping_choice import ENOUGH, Candidate, Choice, Verdict, verdict_on, verdicts
from netplace.runs.mapping_search import Search

CONSECUTIVE = "consecutive"
_PAIRS = (("td", "classic"), ("link-load", "classic"))  # the first that was simulated follows the answer
_REFERENCES = (CONSECUTIVE, "classic")  # with which a CSV compares each kind
_COSTS = ("byte_hops", "byte_hops_al", "most_link_load")


def choice_results(choice: Choice, search: Search, notes: Sequence[str], budget: float) -> dict[str, Any]:
    """Return a comparison of mappings in JSON-compatible form, which pages and tables are made of."""
    found = verdicts(choice.candidates)
    measured, _ = traits(search.topology, choice.nodes, search.traffic)
    where = "" if search.partition == "whole" else f", partition {search.partition}"
    return {
        "title": f"Which mapping is fastest for {name_of(search)} ({search.tasks} tasks) on {search.topology}"
        f"{where}?",
        "answer": _fastest(choice, found),
        "sentences": [_chosen(choice), *_pair(choice, found), *_limits(choice, budget)],
        "network": str(search.topology),
        "partition": search.partition,
        "tasks": search.tasks,
        "seed": search.seed,
        "budget": budget,
        "cpu_seconds": choice.cpu_seconds,
        "mapping": choice.mapping,
        "mapping_seed": choice.seed,
        "cycles": choice.cycles,
        "draws": choice.draws,
        **asdict(measured),
        "candidates": [_candidate(one, search) for one in choice.candidates],
        "verdicts": [_verdict(each) | {"sentence": _sentence(each, choice)} for each in found],
        "notes": [
            *notes,
            *(
                f"{one.mapping} is left out: the job does not end ({one.failure})"
                for one in choice.candidates
                if one.failure
            ),
        ],
        "traffic": pairs_of(search.traffic),
        **bounds_of(search, choice.nodes, measured.most_link_load),
        "nodes": choice.nodes.tolist(),
    }


def _candidate(one: Candidate, search: Search) -> dict[str, Any]:
    """Return a kind of mapping with its times, and the costs of its fastest mapping."""
    described: dict[str, Any] = {name: getattr(one, name) for name in ("mapping", "rule", "exact")}
    described["cycles"] = list(one.cycles)
    if not one.cycles:
        return described | {"mean": None, "half_width": None, "seed": None, "failure": one.failure}
    measured, _ = traits(search.topology, one.mappings[one.fastest], search.traffic)
    return {
        **described,
        "mean": one.estimate.mean,
        "half_width": _known(one.half_width),
        "seed": one.seeds[one.fastest],
        **asdict(measured),
    }


def _verdict(each: Verdict) -> dict[str, Any]:
    low, high = each.faster - each.half_width, each.faster + each.half_width
    values = {"faster": each.faster, "low": low, "high": high, "p_value": each.p_value}
    return {
        "mapping": each.mapping,
        "than": each.than,
        **{name: _known(value) for name, value in values.items()},
        "verdict": each.words,
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _fastest(choice: Choice, found: Sequence[Verdict]) -> str:
    """Return which kind is fastest, and by how much faster than consecutive, or else than the next."""
    ranked = sorted((one for one in choice.candidates if one.cycles), key=lambda one: one.estimate.mean)
    best, *others = (one.mapping for one in ranked)
    if not others:
        return f"{best} is the only mapping that was simulated; nothing is decided."
    against = {other: each for other in others if (each := verdict_on(found, best, other))}
    words = {name: each.words for name, each in against.items()}
    if set(words.values()) == {"equal"}:
        return "All kinds of mapping take the same time."
    fastest = f"{best} is fastest"
    other = CONSECUTIVE if CONSECUTIVE in words else next(name for name in others if words[name] != "equal")
    if words[other] != "equal":
        fastest += f": {_effect(against[other])}"
    for word, sentence in (
        ("equal", "as is {}"),
        ("not clear", "but not clearly faster than {}"),
        ("not decided", "but against {} this is not decided"),
    ):
        if names := [name for name, own in words.items() if own == word]:
            fastest += ", " + sentence.format(" and ".join(names))
    return f"{fastest[0].upper()}{fastest[1:]}."


def _pair(choice: Choice, found: Sequence[Verdict]) -> list[str]:
    """Return TD against classic, or what stands for it."""
    kinds = {one.mapping.partition(":")[0]: one.mapping for one in choice.candidates if one.cycles}
    pair = next(((kinds[one], kinds[than]) for one, than in _PAIRS if one in kinds and than in kinds), None)
    verdict = verdict_on(found, *pair) if pair else None
    return [f"{_sentence(verdict, choice)}."] if verdict else []


def _sentence(each: Verdict, choice: Choice) -> str:
    """Return a verdict with its effect and interval, without a full stop."""
    one, than = choice.candidate(each.mapping), choice.candidate(each.than)
    if each.words == "equal":
        return f"{one.mapping} takes as long as {than.mapping}"
    if each.words == "not decided":
        by = " and ".join(f"{len(kind.cycles)} of {kind.mapping}" for kind in (one, than) if not kind.exact)
        return f"{one.mapping} is {_effect(each)}, which is not decided by {by} (expected {ENOUGH} each)"
    doubt = f", which is not clear (p = {each.p_value:.2g} after Holm)" if each.words == "not clear" else ""
    return f"{one.mapping} is {_effect(each)}{doubt}"


def _effect(each: Verdict) -> str:
    effect = abs(each.faster)
    size = f"{_percent(effect)} % {'faster' if each.faster > 0 else 'slower'} than {each.than}"
    if math.isnan(each.half_width):
        return size
    low, high = effect - each.half_width, effect + each.half_width
    if not each.half_width:
        return f"{size} (exact)"
    alone = " of this pair alone" if each.words == "not clear" else ""  # the verdict is on all pairs together
    return f"{size} (95 % interval{alone} {_percent(low)} to {_percent(high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}" if abs(share) >= 0.001 or not share else f"{100 * share:.1g}"


def _chosen(choice: Choice) -> str:
    time = f"{choice.cycles:,.0f} cycles"
    if choice.draws > 1:
        time += f" on average over {choice.draws} simulations"
    if choice.mapping == CONSECUTIVE:
        why = "no other that was found takes less"
        if not choice.repeated:
            why = "the budget ends before others can be simulated often enough, give a larger --budget"
        return f"The mapping to use is consecutive: {time}; {why}."
    if all(one.mapping != CONSECUTIVE for one in choice.candidates if one.cycles):
        return f"The mapping to use is that of {choice.mapping}, seed {choice.seed}: {time}."
    default = choice.candidate(CONSECUTIVE).estimate.mean
    saved = _percent(1 - choice.cycles / default)
    return (
        f"The mapping to use is that of {choice.mapping}, seed {choice.seed}: {time}, {saved} % less than "
        f"consecutive ({default:,.0f})."
    )


def _limits(choice: Choice, budget: float) -> list[str]:
    if not choice.left:
        return []
    done = sum(len(one.cycles) for one in choice.candidates)
    return [
        f"The budget of {budget:g} CPU s ended after {done} of {done + choice.left} searches; verdicts need "
        f"about {math.ceil(choice.needed):,} CPU s ({ENOUGH} searches of each kind)."
    ]


def choice_tables(results: dict[str, Any]) -> list[DataTable]:
    """Return the times, and the verdicts if there are any."""
    return [time_table(results), *([verdict_table(results)] if results["verdicts"] else [])]


def time_table(results: dict[str, Any]) -> DataTable:
    """Return a row for each kind of mapping: its times, and the costs of its fastest mapping."""
    columns = {
        "mapping": "mapping",
        "runs": "searches",
        "mean": "mean time (cycles)",
        "half_width": "+/-",
        "fastest": "fastest (cycles)",
        "change": "to consecutive (%)",
        "byte_hops": "distance of a byte (hops)",
        "byte_hops_al": "with asymmetry",
        "most_link_load": "largest link load (bytes)",
    }
    kinds = results["candidates"]
    default = next((one["mean"] for one in kinds if one["mapping"] == CONSECUTIVE), None)
    rows = [
        one
        | {
            "runs": len(one["cycles"]),
            "fastest": min(one["cycles"], default=None),
            "change": 100 * (one["mean"] / default - 1) if one["mean"] and default else None,
        }
        for one in kinds
    ]
    shown = [key for key in columns if any(row.get(key) is not None for row in rows)]
    digits = {"change": 2, "byte_hops": 3, "byte_hops_al": 3}
    return DataTable(
        "Simulated times and costs",
        [columns[key] for key in shown],
        [[row.get(key) for key in shown] for row in rows],
        "Means with 95 % intervals over searches; costs are those of the fastest mapping of a kind.",
        digits=[digits.get(key, 0) for key in shown],
    )


def verdict_table(results: dict[str, Any]) -> DataTable:
    """Return a row for each pair of kinds."""
    rows = []
    for each in results["verdicts"]:
        shares = [None if each[name] is None else 100 * each[name] for name in ("faster", "low", "high")]
        rows.append([each["mapping"], each["than"], *shares, each["p_value"], each["verdict"]])
    return DataTable(
        "Verdicts",
        ["mapping", "than", "faster by (%)", "from", "to", "p (Holm)", "verdict"],
        rows,
        "Negative: slower. Intervals of 95 % are for each pair alone; verdicts are at the level of 0.05, by "
        "Welch's t-test with p values after Holm for all pairs.",
        digits=[0, 0, 2, 2, 2, 4, 0],
    )


def csv_rows(choice: Choice, search: Search) -> list[dict[str, Any]]:
    """Return a row for each kind of mapping: times, costs, and verdicts against the reference kinds."""
    found, rows = verdicts(choice.candidates), []
    for one in choice.candidates:
        plain = _candidate(one, search)
        row = {"mapping": one.mapping, "searches": len(one.cycles), "fastest": min(one.cycles, default=None)}
        row |= {key: plain.get(key) for key in ("mean", "half_width", "seed", *_COSTS)}
        for name in _REFERENCES:
            each = verdict_on(found, one.mapping, name)
            values = _verdict(each) if each else {}
            row |= {
                f"{key}_{name}": values.get(key) for key in ("faster", "low", "high", "p_value", "verdict")
            }
        rows.append(row)
    return rows
