"""``netplace run``: what it prints, writes and draws."""

from dataclasses import fields

import pytest
import rich_click as click
from answers import csv_rows, described, refused

from netplace.cli.run import run_command
from netplace.netsim import Config
from netplace.runs import resolve, run_or_failure
from netplace.runs.campaign import missing
from netplace.runs.store import Store

HALO = ("--network", "torus:4x4", "--app", "2d-torus")


def test_one_packet_over_four_hops(netplace, tmp_path):
    trace = tmp_path / "one.trc"
    trace.write_text("s 0 4 0 64\nr 0 4 0 64\n")
    found = described(netplace("run", "--network", "torus:8x8", "--trace", trace, "--json"))
    assert (
        found["cycles"] == 21
    )  # 4 + 16 - 1 until the tail is consumed, one more to retire the receive, from 0
    assert found["packet_hops"] == 4
    assert found["packets"] == 1


def test_json_holds_everything_that_a_script_needs(netplace):
    found = described(netplace("run", *HALO, "--seed", "7", "--json"))
    assert {"cycles", "drained_cycles", "packets", "packet_hops", "cpu_seconds", "seed"} <= set(found)
    assert found["seed"] == 7
    assert found["network"] == "torus:4x4"
    assert (found["partition"], found["mapping"]) == ("whole", "consecutive")
    assert found["jobs"][0]["nodes"] == list(range(16))
    assert found["config"]["vcs"] == 2
    assert "netplace" in found["versions"]


def test_seeds_vary_mapping_and_give_means(netplace):
    found = described(netplace("run", *HALO, "--mapping", "random", "--seeds", "3", "--seed", "5", "--json"))
    assert found["seeds"] == [5, 6, 7]
    assert [run["seed"] for run in found["runs"]] == [5, 6, 7]
    cycles = [run["cycles"] for run in found["runs"]]
    assert found["cycles"] == pytest.approx(sum(cycles) / 3)
    assert found["spread"]["cycles"]["min"] == min(cycles)
    assert len({tuple(run["jobs"][0]["nodes"]) for run in found["runs"]}) == 3


def test_the_same_seed_gives_the_same_run_on_any_number_of_processes(netplace):
    flags = ("run", *HALO, "--mapping", "random", "--seeds", "2", "--json")
    alone, pooled = described(netplace(*flags)), described(netplace(*flags, "--workers", "2"))
    assert [run["cycles"] for run in alone["runs"]] == [run["cycles"] for run in pooled["runs"]]


def test_parts_of_a_run_side_by_side_give_the_same_result(netplace, tmp_path):
    jobs = ("--jobs", "3x:2d-mesh,tasks=4", "--jobs", "1x:all-to-all,tasks=4,rounds=3")
    flags = ("run", "--network", "mesh:4x4", *jobs, "--partition", "quadrants", "--json")
    flags += ("--vc-policy", "random")
    told = []
    for more in ((), ("--threads", "2")):
        messages = tmp_path / f"messages{len(more)}.csv"
        result = netplace(*flags, *more, "--record-messages", messages)
        found = described(result)
        assert found.pop("cpu_seconds") > 0
        del found["checksum"]
        assert result.stderr == ""
        told.append((found, messages.read_text()))
    assert told[0] == told[1]
    assert len(told[0][0]["jobs"]) == 4


def test_workers_of_a_single_run_are_refused(netplace):
    refused(netplace("run", *HALO, "--workers", "3"), "given for a single run")


def test_windows_that_nothing_shows_are_refused(netplace):
    refused(netplace("run", *HALO, "--window", "100"), "--window: 100 affects only --json, --timeline and -o")


def test_jobs_are_reported_one_by_one_and_the_slowest(netplace):
    flags = ("--jobs", "2x:2d-torus,tasks=4", "--jobs", "1x:all-to-all,tasks=4,rounds=3")
    found = described(netplace("run", "--network", "torus:4x4", *flags, "--partition", "quadrants", "--json"))
    assert [job["name"] for job in found["jobs"]] == ["2d-torus", "2d-torus", "all-to-all"]
    assert found["slowest_job"] == 2
    assert found["slowest_cycles"] == found["cycles"] == found["jobs"][2]["cycles"]


def test_the_table_shows_runs_summary_and_jobs(netplace):
    flags = ("--jobs", "4x:2d-mesh", "--tasks", "4", "--partition", "quadrants", "--seeds", "2")
    shown = netplace("run", "--network", "torus:4x4", *flags).stdout
    assert "4x 2d-mesh on torus:4x4, partition quadrants, mapping consecutive, VC policy smart" in shown
    words = ("seed", "cycles", "packet-hops", "M packet-hops/s", "mean", "std", "min", "max", "3 2d-mesh")
    assert all(word in shown for word in words)


def test_a_carried_trace_is_found_whatever_its_case(netplace):
    flags = ("--iterations", "1:1", "--json")
    lower = described(netplace("run", "--network", "torus:4x4", "--trace", "lu.w.16.TRACE.gz", *flags))
    upper = described(netplace("run", "--network", "torus:4x4", "--trace", "LU.W.16", *flags))
    assert lower["cycles"] == upper["cycles"] > 0


def test_sections_iterations_and_computation(netplace):
    def cycles(*flags: str) -> int:
        return described(netplace("run", "--network", "torus:4x4", "--trace", "is.W.16", *flags, "--json"))[
            "cycles"
        ]

    timed = cycles("--section", "timed")
    assert cycles("--section", "timed", "--iterations", "1:2") < timed < cycles()
    assert (
        timed
        < cycles("--section", "timed", "--cpu-scale", "1")
        < cycles("--section", "timed", "--cpu-scale", "2")
    )


def test_options_of_an_application_by_flag_or_behind_its_name(netplace):
    flags = ("--network", "torus:4x4", "--json")
    by_flag = described(netplace("run", "--app", "all-to-all", "--packets", "3", "--rounds", "2", *flags))
    by_name = described(netplace("run", "--app", "all-to-all,packets=3,rounds=2", *flags))
    assert by_flag["packets"] == by_name["packets"] == 16 * 15 * 3 * 2
    larger = described(
        netplace("run", "--app", "all-to-all", "--packets", "3", "--packet-phits", "32", *flags)
    )
    assert larger["packets"] == 16 * 15 * 3
    sort = ("--app", "is", "--class", "S", "--iterations", "2"), ("--app", "is,class=S,iterations=2")
    one, other = (described(netplace("run", *words, "--tasks", "4", *flags)) for words in sort)
    assert one["cycles"] == other["cycles"]


def test_an_application_of_ones_own(netplace, plugin):
    plugin(
        "from netplace.apps import APPLICATIONS\n"
        "def ring(task, bytes=64):\n"
        "    task.send((task.task + 1) % task.tasks, bytes)\n"
        "    task.recv((task.task - 1) % task.tasks, bytes)\n"
        "APPLICATIONS.add('ring', ring)\n"
    )
    found = described(netplace("run", "--network", "torus:8", "--app", "ring,bytes=128", "--json"))
    assert found["packets"] == 16


def test_messages_are_recorded(netplace, tmp_path):
    path = tmp_path / "messages.csv"
    assert netplace("run", *HALO, "--record-messages", path, "--seeds", "2").exit_code == 0
    rows = csv_rows(path)
    assert len(rows) == 2 * 16 * 4
    assert {row["seed"] for row in rows} == {"0", "1"}
    assert all(int(row["end"]) > int(row["start"]) >= 0 for row in rows)
    assert rows[0]["source"] == "0"
    assert rows[0]["bytes"] == "64"


def test_windows_add_up_to_the_whole_run(netplace):
    found = described(netplace("run", *HALO, "--window", "20", "--json"))
    loads = [window["mean_link_load"] for window in found["windows"]]
    assert found["windows"][0]["end"] == 20
    assert sum(loads) * 20 * 64 == pytest.approx(found["packet_hops"] * 16)  # 64 links, 16 phits a packet


def test_what_is_kept_in_a_store_is_what_a_sweep_finds_there(netplace, tmp_path):
    path = tmp_path / "kept.sqlite"
    flags = ("--mapping", "random", "--seeds", "2", "--store", path, "--json")
    found = described(netplace("run", *HALO, *flags))
    runs = [resolve("torus:4x4", {"app": "2d-torus", "mapping": "random"}, seed=seed) for seed in (0, 1)]
    with Store(path) as store:
        assert missing(runs, store) == []
        kept = [outcome for _, outcome, _ in store.rows(runs)]
    assert [run["cycles"] for run in found["runs"]] == [outcome["cycles"] for outcome in kept]
    assert kept == [run_or_failure(run).outcome for run in runs]
    refused(netplace("run", *HALO, "--store", path, "--engine", "reference"), "stores results of the kernel")


@pytest.mark.parametrize(
    ("network", "ending"), [("torus:4x4", "png"), ("mesh:2x2x2", "svg"), ("tree:2,3", "svg")]
)
@pytest.mark.pictures
def test_link_loads_are_drawn(netplace, tmp_path, network, ending):
    path = tmp_path / f"loads.{ending}"
    result = netplace("run", "--network", network, "--app", "all-to-all", "--tasks", "8", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert path.stat().st_size > 5000
    assert [file.name for file in tmp_path.iterdir() if file.suffix != ".json"] == [path.name]


def test_every_setting_of_the_network_is_a_flag_with_its_default():
    context = click.Context(run_command, help_option_names=["-h", "--help"])
    flags = {flag.name: flag.to_info_dict()["default"] for flag in run_command.get_params(context)}
    for field in fields(Config):
        assert flags[field.name] == field.default


@pytest.mark.parametrize(
    ("flag", "value"),
    [("packet-phits", 8), ("vcs", 3), ("vc_policy", "oblivious"), ("eager_limit", 128), ("cycle-ns", 1.5)],
)
def test_every_setting_reaches_the_network(netplace, flag, value):
    found = described(netplace("run", *HALO, f"--{flag}", value, "--json"))
    assert found["config"][flag.replace("-", "_")] == value


def test_the_routing_of_trees_reaches_a_tree(netplace):
    flags = ("--network", "tree:4,2", "--app", "2d-torus", "--tree-routing", "static", "--json")
    assert described(netplace("run", *flags))["config"]["tree_routing"] == "static"


def rows_of(shown: str, title: str) -> list[list[str]]:
    """Return the cells of the rows of a table on the screen, those of its head first."""
    lines = shown.split(title)[1].split("\n")[1:]
    return [line.split() for line in lines if line.strip(" \u2500") and "limited by" not in line]


def test_the_table_of_faults_has_what_each_run_lost(netplace):
    flags = ("--network", "dragonfly:a=4,p=2,h=1", "--app", "all-to-all", "--mapping", "random", "--seeds", 2)
    fault = ("--faults", "at=50,links=0.1,packets=again")
    results = described(netplace("run", *flags, *fault, "--json"))
    shown = rows_of(netplace("run", *flags, *fault).stdout, "faults")
    assert len(results["runs"]) == 2
    for run, row in zip(results["runs"], shown[-2:], strict=True):
        [report] = run["faults"]
        counts = [run["seed"], *(report[name] for name in ("at", "links", "routers", "slow"))]
        assert row == [
            *map(str, counts),
            "-",
            "-",
            str(report["lost"]),
            str(report["again"]),
            report["routing"],
        ]
    assert any(run["faults"][0]["again"] for run in results["runs"])


def test_the_table_of_a_run_without_packets_has_no_delay(netplace):
    flags = ("--network", "torus:4x4", "--app", "cg", "--class", "S", "--tasks", "1")
    assert described(netplace("run", *flags, "--json"))["packet_delay"]["mean"] is None
    shown = rows_of(netplace("run", *flags).stdout, "cg.S.1")
    assert shown[-1][:6] == ["0", "0", "0.000", "0", "0", "-"]


def test_the_fastest_mapping_of_each_job_is_shown_by_seed(netplace):
    flags = ("--network", "torus:4x4", "--jobs", "2x:all-to-all", "--tasks", "4", "--mapping", "best")
    results = described(netplace("run", *flags, "--seeds", "2", "--json"))
    shown = rows_of(netplace("run", *flags, "--seeds", "2").stdout, "each job alone")
    winners = [
        " ".join([str(run["seed"]), *(job["winner"] for job in run["jobs"])]) for run in results["runs"]
    ]
    assert [" ".join(row) for row in shown[-2:]] == winners


def test_a_run_says_what_bounds_each_kind_of_job(netplace):
    flags = ("--network", "torus:8x4", "--jobs", "2x:all-to-one", "--tasks", "16", "--bytes", "64000")
    jobs = described(netplace("run", *flags, "--json"))["jobs"]
    assert all(job["bounds"]["binding"] == "ejection" for job in jobs)
    assert all(job["bounds"]["least"] <= job["cycles"] for job in jobs)
    shown = netplace("run", *flags).stdout
    [line] = [line for line in shown.split("\n") if "limited by" in line]
    assert line.startswith(
        "all-to-one: limited by a link, which is busy 100 % of the time; task 0 needs 60,000"
    )
    assert line.endswith("a mapping can save at most 26 %")


def test_one_collective_runs_alone(netplace):
    asked = ("run", "--network", "torus:4x4", "--bytes", "2048", "--json")
    named = described(netplace(*asked, "--collective", "allreduce", "--algorithm", "recursive_doubling"))
    app = described(netplace(*asked, "--app", "collective:operation=allreduce,algorithm=recursive_doubling"))
    ring = described(netplace(*asked, "--collective", "allreduce", "--algorithm", "ring"))
    assert named["cycles"] == app["cycles"] != ring["cycles"]
    assert named["packets"] == 4 * 16 * 32  # log2 of 16 rounds, in which each rank sends 32 packets


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--collective", "allreduce", "--algorithm", "recursive_dubling"), "recursive_doubling"),
        (("--collective", "allreduce", "--app", "2d-torus"), "--app was given; expected one of the two"),
        (("--app", "2d-torus", "--algorithm", "ring"), "expected --collective OPERATION"),
    ],
)
def test_mistakes_about_a_collective_that_runs_alone(netplace, flags, says):
    refused(netplace("run", "--network", "torus:4x4", *flags), says)


def test_hosts_are_a_mapping_and_the_number_of_ranks(netplace, tmp_path):
    (tmp_path / "hosts").write_text("n[9-12]\n")
    asked = ("run", "--network", "torus:4x4", "--collective", "allreduce", "--bytes", "4096", "--json")
    placed = described(netplace(*asked, "--hosts", tmp_path / "hosts"))
    listed = described(netplace(*asked, "--tasks", "4", "--mapping", f"hosts:{tmp_path / 'hosts'}"))
    assert placed["jobs"][0]["tasks"] == 4
    assert placed["cycles"] == listed["cycles"]
    for flags, says in (
        (("--tasks", "5"), "--hosts {0} lists the hosts of 4 ranks"),
        (("--mapping", "random"), "--mapping was given; expected one of the two"),
    ):
        refused(netplace(*asked, "--hosts", tmp_path / "hosts", *flags), says.format(tmp_path / "hosts"))


def test_a_fabric_names_its_network(netplace):
    flags = ("--fabric", "lumi-g", "--app", "all-to-all", "--tasks", "4", "--json")
    assert described(netplace("run", *flags))["network"] == "dragonfly:a=32,p=16,h=14,g=24"
    refused(netplace("run", "--fabric", "omnipath", "--app", "all-to-all"), "Missing option '--network'")
