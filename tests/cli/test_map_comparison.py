"""``netplace map`` without a single mapping: candidates simulated, verdicts, the fastest written."""

import pytest
from answers import csv_rows, described, refused

from netplace.netsim import simulate
from netplace.report.pages import page_of
from netplace.report.tables.mapping_choice import choice_results
from netplace.runs.mapping_choice import Candidate, Choice
from netplace.runs.mapping_search import Search
from netplace.runs.programs import request_of
from netplace.runs.resolve import resolve
from netplace.topologies import parse

MESH = ("--network", "mesh:4x4", "--program", "butterfly", "--search-iterations", "50")


def test_the_mapping_that_is_written_is_the_fastest_of_all_that_were_simulated(netplace, tmp_path):
    path = tmp_path / "mapping.csv"
    found = described(netplace("map", *MESH, "--seeds", "3", "-o", path, "--json"))
    assert [one["mapping"] for one in found["candidates"]] == [
        "consecutive", "classic", "td", "link-load", "random",
    ]  # fmt: skip
    assert found["cycles"] == min(min(one["cycles"]) for one in found["candidates"])
    written = [int(row["node"]) for row in csv_rows(path)]
    assert written == found["nodes"]
    run = described(netplace("run", *MESH[:2], "--app", "butterfly", "--mapping", f"file:{path}", "--json"))
    assert run["jobs"][0]["cycles"] == found["cycles"]


def test_the_fastest_is_the_answer_and_td_against_classic_follows(netplace):
    said = netplace("map", *MESH, "--seeds", "5").stdout.splitlines()
    assert said[0] == "Which mapping is fastest for butterfly (16 tasks) on mesh:4x4?"
    assert said[1].startswith("Consecutive is fastest: ")
    assert said[2].startswith("The mapping to use is consecutive: ")
    assert said[3].startswith("td is ")
    assert "than classic (95 % interval" in said[3]


def test_fewer_than_five_searches_decide_nothing(netplace):
    found = described(
        netplace("map", *MESH, "--mapping", "td", "--mapping", "classic", "--seeds", "4", "--json")
    )
    assert "not decided by 4 of td and 4 of classic (expected 5 each)" in found["sentences"][1]
    words = {(each["mapping"], each["than"]): each for each in found["verdicts"]}
    assert words["td", "classic"]["verdict"] == "not decided"
    assert words["td", "classic"]["low"] is None


def test_a_budget_that_ends_is_told_with_what_verdicts_need(netplace):
    result = netplace("map", *MESH, "--budget", "0")
    assert result.exit_code == 0
    assert "consecutive is the only mapping that was simulated" in result.stdout
    assert "The budget of 0 CPU s ended after 1 of 41 searches; verdicts need about " in result.stdout


def test_a_page_opens_with_the_question_the_answer_and_a_figure(netplace, tmp_path):
    assert netplace("map", *MESH, "--seeds", "5", "-o", tmp_path / "which").exit_code == 0
    page = page_of(tmp_path / "which")
    assert page.question.endswith("on mesh:4x4?")
    assert page.verdict[0].startswith("Consecutive is fastest: ")
    assert [part.title for part in page.parts] == [
        "Run time relative to the consecutive mapping",
        "Simulated times and costs",
        "Verdicts",
        "Traffic between tasks",
        "Nodes",
    ]
    assert (tmp_path / "which" / "mapping.csv").is_file()
    assert "Which mapping is fastest" in (tmp_path / "which" / "report.html").read_text()


def test_tables_are_written_as_csv_and_latex(netplace, tmp_path):
    tables = ("--csv", tmp_path / "times.csv", "--latex", tmp_path / "times.tex")
    found = described(netplace("map", *MESH, "--seeds", "5", *tables, "--json"))
    rows = {row["mapping"]: row for row in csv_rows(tmp_path / "times.csv")}
    td = found["candidates"][2]
    assert float(rows["td"]["mean"]) == td["mean"]
    [verdict] = [each for each in found["verdicts"] if (each["mapping"], each["than"]) == ("classic", "td")]
    assert rows["td"]["verdict_classic"] == {"faster": "slower"}.get(verdict["verdict"], verdict["verdict"])
    text = (tmp_path / "times.tex").read_text()
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 2
    assert "to consecutive (\\%)" in text
    assert f"td & 5 & {td['mean']:,.0f} & " in text


def test_on_a_tree_td_is_left_out_with_a_note(netplace):
    flags = ("--network", "tree:2,3", "--program", "butterfly", "--seeds", "5", "--search-iterations", "50")
    result = netplace("map", *flags)
    assert "td is left out: tree:2,3 has no dimensions" in result.stderr
    assert result.stdout.splitlines()[3].startswith("link-load ")


@pytest.mark.all
def test_stored_searches_give_the_same_answer_with_workers(netplace, tmp_path):
    flags = (*MESH, "--seeds", "2", "--store", tmp_path / "runs.sqlite", "--json")
    first = described(netplace("map", *flags, "--workers", "2"))
    again = described(netplace("map", *flags))
    for name in ("answer", "candidates", "cpu_seconds", "nodes"):  # even times of the processor are stored
        assert first[name] == again[name]


def test_the_partition_is_the_same_for_all_searches(netplace):
    flags = ["--network", "mesh:4x4", "--program", "butterfly,tasks=4", "--partition", "random", "--seed", 3]
    found = described(netplace("map", *flags, "--mapping", "random", "--mapping", "classic", "--json"))
    assert len(found["candidates"][0]["cycles"]) == 1  # consecutive: neither it nor the network is random
    time = simulate(parse("mesh:4x4"), _program("butterfly,tasks=4"), found["nodes"]).cycles
    assert time == found["cycles"]


def _program(text):
    from netplace.runs.job_programs import programs_of

    return programs_of(resolve("mesh:4x4", request_of(text)))[0]


def test_a_mapping_is_never_praised_that_is_slower_than_consecutive():
    run = resolve("mesh:2x2", request_of("butterfly"))
    search = Search("mesh:2x2", run=run, config=run.config)
    nodes = search.nodes
    slow, usual = Candidate("td", (120,) * 5), Candidate("consecutive", (100,), exact=True)
    slow, usual = (
        Candidate(
            one.mapping, one.cycles, one.exact, tuple(range(len(one.cycles))), (nodes,) * len(one.cycles)
        )
        for one in (slow, usual)
    )
    choice = Choice((usual, slow), "consecutive", 0, nodes, 100.0, 1, True, 1.0, 0, 1.0)
    results = choice_results(choice, search, [], 60.0)
    assert results["answer"] == "Consecutive is fastest: 16.7 % faster than td (exact)."
    assert results["verdicts"][0]["sentence"] == "consecutive is 16.7 % faster than td (exact)"
    assert results["sentences"] == [
        "The mapping to use is consecutive: 100 cycles; no other that was found takes less."
    ]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--program", "lu,class=S", "--class", "W"), "--class: W given, but --program lu,class=S says S"),
        (("--program", "lu", "--app", "lu"), "expected one of --program, --trace, --app and --jobs"),
        (("--app", "lu", "--mapping", "td", "--budget", "3"), "--budget: 3.0 given with a single mapping"),
        (
            ("--app", "lu", "--mapping", "td", "--latex", "t.tex"),
            "--latex: t.tex given with a single mapping",
        ),
        (("--from", "W.csv", "--budget", "3"), "--budget: 3.0 given with a matrix"),
        (
            ("--from", "W.csv", "--mapping", "td", "--mapping", "random"),
            "a matrix, which cannot be simulated",
        ),
        (("--app", "lu", "--criterion", "td"), "--criterion: td is the cost of one mapping"),
        (
            ("--app", "lu", "--mapping", "random", "--mapping", "consecutive", "--seconds", "1"),
            "--seconds: 1.0 given, but none of the mappings random, consecutive takes it",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, monkeypatch, flags, words):
    monkeypatch.chdir(tmp_path)
    refused(netplace("map", "--network", "mesh:4x4", *flags), words)
    assert list(tmp_path.iterdir()) == []
