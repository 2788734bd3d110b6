"""``netplace metrics``: tables of metrics over configurations, and their correlation with run time."""

import json

import numpy as np
import pandas as pd
import pytest
from answers import described, refused
from scipy import stats

from netplace.apps import application
from netplace.netsim import simulate
from netplace.placement import map_tasks, partition
from netplace.placement.metrics import link_loads, metrics
from netplace.report.tables.configurations import (
    METRICS,
    TIMES,
    Configuration,
    ConfigurationRow,
    correlations,
    known,
    measure,
    seeds_of,
)
from netplace.runs import resolve
from netplace.topologies import parse

HALO = ("--network", "mesh:6x6", "--app", "2d-mesh", "--tasks", "9")
NINE = {"app": "2d-mesh", "tasks": 9}


def test_a_row_has_the_metrics_of_its_seed(netplace):
    found = described(netplace("metrics", *HALO, "--configurations", "3", "--seed", "4", "--json"))
    mesh, W = parse("mesh:6x6"), application("2d-mesh", 9).traffic().W
    assert [row["seed"] for row in found["rows"]] == [4, 5, 6]
    for row in found["rows"]:
        [nodes] = partition("random", mesh, [9], seed=row["seed"])
        wanted = metrics(mesh, nodes, W)
        assert [row[name] for name in METRICS[:-1]] == [getattr(wanted, name) for name in METRICS[:-1]]
        assert row["most_link_load"] == link_loads(mesh, nodes, W).max()
    diameters = [row["Diam"] for row in found["rows"]]
    assert found["spread"]["Diam"]["mean"] == pytest.approx(np.mean(diameters))
    assert "correlations" not in found


def test_several_jobs_count_by_their_mean():
    torus, program = parse("torus:8x4"), application("2d-torus", 16)
    job = {"app": "2d-torus", "tasks": 16}
    row = measure(Configuration(resolve("torus:8x4", [job, job], partition="nodes:0-15/16-31"), True))
    each = [metrics(torus, range(first, first + 16), program.traffic().W) for first in (0, 16)]
    assert row.TAD == (each[0].TAD + each[1].TAD) / 2
    loads = [link_loads(torus, range(first, first + 16), program.traffic().W) for first in (0, 16)]
    assert row.most_link_load == sum(loads).max()
    result = simulate(torus, (program, program), [range(16), range(16, 32)])
    assert row.cycles == result.cycles
    assert row.mean_cycles == np.mean([job.cycles for job in result.jobs])


def test_tasks_fewer_than_the_nodes_of_the_partition():
    mesh = parse("mesh:6x6")
    row = measure(Configuration(resolve("mesh:6x6", {**NINE, "mapping": "column"})))
    assert row.NA == metrics(mesh, map_tasks("column", mesh, 9)).NA < 36


@pytest.mark.parametrize(
    ("network", "simulated", "absent"),
    [("mesh:6x6", True, []), ("torus:6x6", False, list(TIMES)), ("tree:4,2", True, None)],
)
def test_a_row_is_kept_as_json_by_its_fields(network, simulated, absent):
    configuration = Configuration(resolve(network, NINE, partition="random", seed=3), simulated)
    row = measure(configuration)
    kept = json.loads(json.dumps(row.to_dict()))
    assert ConfigurationRow.from_dict(kept) == row
    expected = ["partition", "seed", *METRICS, *TIMES]
    if absent is None:  # of trees there are no boxes, and no dimensions
        absent = ["NA", "LA", "LA_sum", "centroid_distance"]
        absent += [name for name in METRICS if name.lower().endswith("_al")]
    assert list(kept) == [name for name in expected if name not in absent]
    assert known([row]) == list(kept)[2:]


def test_kept_rows_are_read_again(netplace, tmp_path):
    flags = ("metrics", *HALO, "--configurations", "2", "--store", tmp_path / "rows.sqlite", "--json")
    first = netplace(*flags)
    assert netplace(*flags).stdout == first.stdout


def test_only_chance_gives_several_configurations():
    assert len(seeds_of(resolve("mesh:6x6", NINE, partition="random"), 5, 4)) == 4
    assert len(seeds_of(resolve("mesh:6x6", {**NINE, "mapping": "random"}), 5, 4)) == 4
    assert list(seeds_of(resolve("mesh:6x6", NINE), 5, 4)) == [5]


def test_correlations_are_those_of_pearson():
    rng = np.random.default_rng(3)
    rows = [
        ConfigurationRow(
            partition="random",
            seed=n,
            cycles=n,
            **{name: float(rng.random()) for name in METRICS} | {"Diam": 4},
        )
        for n in range(6)
    ]
    found = correlations(rows)
    wanted = stats.pearsonr([row.TAD for row in rows], range(6))
    assert tuple(found["TAD"].values()) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert found["Diam"] is None  # does not vary
    assert set(correlations(rows[:2]).values()) == {None}


def test_metrics_beside_run_times(netplace, tmp_path):
    flags = ("--partition", "boxes:3x3", "--partition", "random", "--configurations", "4", "--simulate")
    files = ("-o", tmp_path / "m.csv", "-o", tmp_path / "m.png")
    found = described(netplace("metrics", *HALO, *flags, *files, "--json"))
    assert [row["partition"] for row in found["rows"]] == ["boxes:3x3"] + ["random"] * 4
    assert found["correlations"]["cycles"]["WTAD"]["r"] > 0.5  # a box is faster than nodes far apart
    frame = pd.read_csv(tmp_path / "m.csv")
    assert frame["cycles"].tolist() == [row["cycles"] for row in found["rows"]]
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    shown = netplace("metrics", *HALO, *flags).stdout
    assert "Correlation with run time" in shown
    assert "mean of jobs, r" in shown


def test_long_tables_are_cut_on_the_screen_alone(netplace):
    shown = netplace("metrics", *HALO, "--configurations", "53").stdout
    assert "Configurations; 3 more rows are in --json and -o" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*HALO, "--mapping", "shuffle"), "is defined on trees"),
        ((*HALO, "-o", "m.png"), "draws metrics against run time, expected --simulate"),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    refused(netplace("metrics", *arguments), words)
    assert list(tmp_path.iterdir()) == []
