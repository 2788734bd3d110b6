"""``netplace doctor``."""

import csv
import json
from pathlib import Path

from netplace.cli.doctor import GOLDEN_COUNTS

ROOT = Path(__file__).parents[2]


def test_an_installation_is_told(netplace):
    found = json.loads(netplace("doctor", "--no-test", "--json").stdout)
    assert found["cores"] >= 1
    assert found["versions"]["numpy"]
    assert Path(found["compiled_part"]).is_file()
    assert set(found["extras"]) >= {"dask", "otf2"}
    assert found["self_test"] == []


def test_counts_that_differ_are_a_problem(netplace, monkeypatch):
    golden = trace, network, cycles, settings = GOLDEN_COUNTS[8]
    wrong = (trace, network, cycles + 1, settings)
    monkeypatch.setattr("netplace.cli.doctor.GOLDEN_COUNTS", (golden, wrong))
    result = netplace("doctor", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [one["right"] for one in found["self_test"]] == [True, False]
    assert "expected 1,336,468" in found["problems"][-1]


def test_golden_counts_are_those_of_the_golden_file():
    with (ROOT / "tests" / "golden" / "exact_npb.csv").open() as file:
        rows = {(row["trace"], row["network"]): int(row["insee_clock"]) for row in csv.DictReader(file)}
    kinds = {"torus": "torus", "mesh": "mesh", "tree": "fattree"}
    for trace, network, cycles, _ in GOLDEN_COUNTS:
        kind, _, sizes = network.partition(":")
        recorded = "_".join([kinds[kind], *sizes.replace("x", ",").split(",")])
        assert rows[f"npb_{trace.replace('.', '_')}", recorded] == cycles + 1
    assert len(GOLDEN_COUNTS) == 10
