"""Outcomes side by side: what differs in what was asked, and which results differ beyond chance."""

import json

import pytest
from answers import refused

from netplace.report.comparison import Entry, Outcome, Result, Sample, compare, read_outcome


def outcome(results, **asked):
    return Outcome("run", "x", [Entry(asked, results)])


def seeds(*values):
    return Sample.of({str(seed): float(value) for seed, value in enumerate(values)}, "seeds")


def result(sample, better=-1):
    return Result("run time", sample, better)


def verdict(first, second, better=-1, **asked):
    found = compare(
        outcome([result(first, better)], rule="a"), outcome([result(second, better)], rule="b", **asked)
    )
    return found.differences[0]


def test_pairs_of_seeds_see_what_their_spread_hides():
    first, second = seeds(100, 200, 300, 400), seeds(102, 203, 302, 403)
    paired = verdict(first, second)
    assert (paired.verdict, paired.test) == ("worse", "Student's t of pairs of seeds")
    apart = verdict(first, Sample.of({f"b{k}": v for k, v in second.values.items()}, "seeds"))
    assert (apart.verdict, apart.test) == ("within chance", "Welch's t")


@pytest.mark.parametrize(("better", "word"), [(-1, "better"), (1, "worse"), (0, "less")])
def test_what_is_exact_compares_exactly(better, word):
    found = verdict(Sample.exact(10.0), Sample.exact(9.0), better)
    assert (found.verdict, found.test, found.half_width) == (word, "exact", 0.0)
    assert verdict(Sample.exact(10.0), Sample.exact(10.0)).verdict == "equal"
    assert verdict(seeds(10, 10), seeds(9, 9), better).verdict == word  # seeds that change nothing


def test_of_single_draws_nothing_is_said():
    assert verdict(seeds(10), seeds(9)).verdict == "one run"


def test_where_the_same_was_asked_every_difference_counts():
    first, second = outcome([result(seeds(10, 12))], rule="a"), outcome([result(seeds(10, 12.5))], rule="a")
    found = compare(first, second)
    assert found.same_asked
    assert (found.differences[0].verdict, found.differences[0].test) == ("worse", "exact")
    assert compare(first, first).sentences() == ["All 1 results are the same."]


def test_many_results_are_corrected_for_their_number():
    def of(values):
        return [Result(f"result {k}", seeds(*values), -1) for k in range(40)]

    few = verdict(seeds(10, 11, 12), seeds(10.9, 11.8, 13.1))
    assert few.verdict == "worse"
    first, second = outcome(of((10, 11, 12)), rule="a"), outcome(of((10.9, 11.8, 13.1)), rule="b")
    assert compare(first, second, ["all"]).count("within chance") == 40
    main = compare(first, second)
    assert (main.differences[0].verdict, main.count("not tested")) == ("worse", 39)
    assert main.tested == ["result 0"]
    two = compare(first, second, ["result 3", "result 7"])
    assert (two.tested, two.count("not tested")) == (["result 3", "result 7"], 38)
    with pytest.raises(ValueError, match="--figure"):
        compare(first, second, ["result"])


def test_entries_meet_by_what_is_not_asked_differently():
    def of(partition):
        entries = [
            Entry({"policy": policy, "partition": partition}, [result(seeds(1, 2, 3))])
            for policy in ("fcfs", "easy")
        ]
        return Outcome("store", partition, entries)

    found = compare(of("random"), of("contiguous"))
    assert found.asked == [("partition", "random", "contiguous")]
    assert [one.of for one in found.differences] == ["fcfs", "easy"]
    less = Outcome("store", "less", of("random").entries[:1])
    assert compare(of("random"), less).count("only in the first") == 1


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, unpainted):
    from click.testing import CliRunner

    from netplace.cli import app

    folder = tmp_path_factory.mktemp("outcomes")

    def made(name, *words):
        asked = [str(word) for word in words]
        with unpainted():
            result = CliRunner().invoke(app, asked)
        assert result.exit_code == 0, result.output
        if name.endswith(".json"):
            (folder / name).write_text(result.stdout)
        return folder / name

    run = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--seeds", 4, "--json")
    load = ("load", "--network", "torus:4x4", "--offered", "0.3,1", "--seeds", 3, "--measure", 1000, "--json")
    jobs = ("schedule", "--machine", "torus:4x4x4", "--workload", "lublin", "--jobs", 800, "--load", 0.3)
    shared = ("cosim", "--machine", "mesh:4x4", "--workload", "applications", "--jobs", 6, "--sizes", "small")
    store = folder / "a.sqlite"
    return {
        "run": (
            made("run-a.json", *run, "--mapping", "consecutive", "--store", store),
            made("run-b.json", *run, "--mapping", "random", "--store", folder / "b.sqlite"),
        ),
        "load": (made("load-a.json", *load), made("load-b.json", *load, "--vcs", 1)),
        "schedule": (
            made("s-a", *jobs, "--policy", "fcfs", "-o", folder / "s-a"),
            made("s-b", *jobs, "--policy", "easy", "-o", folder / "s-b"),
        ),
        "co-simulation": (
            made("c-a", *shared, "--partition", "contiguous", "-o", folder / "c-a"),
            made("c-b", *shared, "--partition", "random", "-o", folder / "c-b"),
        ),
        "store": (store, folder / "b.sqlite"),
    }


def test_every_kind_of_outcome_is_compared(outcomes):
    for kind, (first, second) in outcomes.items():
        same = compare(read_outcome(first), read_outcome(first))
        assert same.kind == kind
        assert same.count("equal") == len(same.differences) > 0
        found = compare(read_outcome(first), read_outcome(second))
        assert found.asked, kind
        assert not found.same_asked
        assert len(found.differences) == len(same.differences)


def test_a_folder_of_a_run_is_what_its_command_prints(netplace, tmp_path):
    asked = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", "16", "--seeds", "2")
    printed = netplace(*asked, "-o", tmp_path / "folder", "--json").stdout
    (tmp_path / "printed.json").write_text(printed)
    found = compare(*map(read_outcome, (tmp_path / "folder", tmp_path / "printed.json")))
    assert found.same_asked
    assert found.count("equal") == len(found.differences) > 0


def test_a_policy_that_backfills_is_clearly_better(outcomes):
    found = compare(*map(read_outcome, outcomes["schedule"]))
    [wait] = [one for one in found.differences if one.name == "mean wait (s)"]
    assert (wait.verdict, wait.test) == ("better", "Student's t of pairs of batches")
    assert found.asked == [("policy", "fcfs", "easy")]


def test_the_command_writes_what_the_ending_says(outcomes, netplace, tmp_path):
    first, second = outcomes["schedule"]
    for ending in ("html", "png", "json", "csv"):
        result = netplace("compare", first, second, "-o", tmp_path / f"a.{ending}")
        assert result.exit_code == 0, result.output
    assert "Student's t of pairs of batches" in result.stdout
    found = json.loads((tmp_path / "a.json").read_text())
    assert found == json.loads(netplace("compare", first, second, "--json").stdout)
    page = (tmp_path / "a.html").read_text()
    assert "Relative differences of results" in page
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + len(found["differences"])


def test_fail_if_says_it_with_the_exit_code(outcomes, netplace):
    slow, fast = outcomes["schedule"]
    assert netplace("compare", fast, slow, "--fail-if", "worse").exit_code == 1
    assert netplace("compare", slow, slow, "--fail-if", "different").exit_code == 0
    assert netplace("compare", slow, fast, "--fail-if", "different").exit_code == 1
    refused(netplace("compare", slow, fast, "--fail-if", "slow"), "--fail-if")


def test_what_cannot_be_compared_is_a_sentence(outcomes, netplace, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    refused(netplace("compare", "none", outcomes["run"][0]), "does not exist")
    refused(
        netplace("compare", tmp_path / "a.txt", outcomes["run"][0]), "is not an outcome that netplace can"
    )
    refused(netplace("compare", outcomes["run"][0], outcomes["load"][0], "-o", tmp_path / "a.html"))
    assert not (tmp_path / "a.html").exists()


def test_tables_and_studies_are_compared_row_by_row(tmp_path, netplace):
    for name, number in (("a", 2.5), ("b", 2.75)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.md").write_text("# Study\n\nMade by `netplace study x`.\n")
        (tmp_path / name / "t.csv").write_text(f"app,mean\nBT,{number}\nLU,1.5\n")
    found = compare(read_outcome(tmp_path / "a"), read_outcome(tmp_path / "b"))
    assert {one.of: one.verdict for one in found.differences} == {"app BT": "more", "app LU": "equal"}
    assert found.same_asked
