"""Advice for an operator: by which rule a machine should give nodes to the jobs of a log."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.live.rules import install_files, shape_lists
from netplace.report.pages import page_of
from netplace.scheduling import Allocation, Job, make_partitioner, make_times
from netplace.scheduling.partitioner.slurm import read_placements
from netplace.topologies import parse
from netplace.topologies.slurm_grid import listed_placements

pytestmark = pytest.mark.all  # carries out advice


def run(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [*words])
    return found.exit_code, found.stdout, found.stderr


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.swf"
    status, *_ = run(
        "workload", "make", "lublin", "--nodes", "32", "--load", "0.7", "--jobs", "200", "-o", str(path)
    )
    assert status == 0
    return path


def test_spread_out_jobs_take_longer_and_compact_ones_do_not():
    mesh = parse("mesh:4x4")
    times = make_times("spread:0.5", mesh)
    job = Job(0, 0.0, 4, 100.0)
    assert times.seconds(job, Allocation(np.array([0, 1, 4, 5]))) == 100  # 4 / 3 hops, the least
    corners = times.seconds(job, Allocation(np.array([0, 3, 12, 15])))
    assert 100 < corners <= times.longest(job)
    assert times.seconds(Job(0, 0.0, 1, 9.0), Allocation(np.array([7]))) == 9


def test_advice_on_a_rule_as_one_page(tmp_path, log):
    page = tmp_path / "rules.html"
    words = ("--machine", "torus:4x4x2", "--log", str(log), "--seconds", "0.1", "-o", str(page))
    status, _, _ = run("advise", *words)
    assert status == 0
    assert '<ul class="verdict"><li>' in page.read_text()
    assert {path.name for path in tmp_path.glob("rules*")} == {"rules.html", "rules.html.provenance.json"}


def test_a_tree_of_slurm_is_advised_and_told_how(tmp_path, log):
    conf = "".join(f"SwitchName=leaf{i} Nodes=n[{8 * i:02d}-{8 * i + 7:02d}]\n" for i in range(4))
    (tmp_path / "topology.conf").write_text(conf + "SwitchName=top Switches=leaf[0-3]\n")
    folder = tmp_path / "rules"
    status, said, _ = run(
        "advise", "--machine", str(tmp_path / "topology.conf"), "--log", str(log), "-o", str(folder)
    )
    assert status == 0
    assert "the default rule is slurm:tree" in said
    found = json.loads((folder / "rules.json").read_text())
    assert {one["partition"] for one in found["tried"]} >= {"slurm:tree", "contiguous", "quasi-contiguous:20"}
    default = next(one for one in found["tried"] if one["partition"] == "slurm:tree")
    assert (default["gain"], default["verdict"], default["pays_from"]) == (0, "default", None)
    assert "local most = { 8, 16, 24, 32 }" in (folder / "job_submit.lua").read_text()
    made = page_of(folder)
    assert found["default"] in made.answer
    assert '<ul class="verdict"><li>' in (folder / "report.html").read_text()


def test_a_torus_is_told_which_shapes_to_list(tmp_path, log):
    folder = tmp_path / "rules"
    status, said, _ = run("advise", "--machine", "torus:4x4x2", "--log", str(log), "-o", str(folder))
    assert status == 0
    assert "torus3d, list 1" in said
    written = f"slurm:{folder / 'topology.yaml'}"
    found = json.loads((folder / "rules.json").read_text())
    lists = [one["partition"].partition("=")[2] for one in found["tried"] if "torus3d" in one["partition"]]
    assert listed_placements(written) in lists
    assert parse(written).hosts == tuple(f"n{node}" for node in range(32))


def test_lists_of_shapes_hold_the_whole_machine_and_fit_it():
    for sides in ((4, 4, 2), (8, 8, 8), (3, 5, 7), (6, 1, 1)):
        for shapes in shape_lists(sides, {3: 9, 7: 2, 500: 1}):
            placements = read_placements(shapes, sides, "shapes")
            assert placements[-1].dims == sides
            make_partitioner(f"slurm:torus3d={shapes}", parse(f"torus:{'x'.join(map(str, sides))}"))


def test_places_without_a_node_are_left_out_of_the_file(tmp_path):
    machine = parse("service:nodes=3/torus:2x2x1")
    text = install_files("slurm:torus3d=2x1x1", machine, ["a", "b", "c", "d"], 0.0)["topology.yaml"]
    (tmp_path / "topology.yaml").write_text(text)
    torus = parse(f"slurm:{tmp_path / 'topology.yaml'}")
    assert torus.service.tolist() == [3]
    assert torus.hosts[:3] == ("a", "b", "c")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--app", "2d-torus"), "--log: --app was given too; expected"),
        (("--spread-cost", "-1"), "cost of spread"),
        (("--queue", "none"), "policy"),
        (("--default", "none"), "partition"),
    ],
)
def test_mistakes_end_with_a_sentence(log, words, said):
    status, _, told = run("advise", "--machine", "torus:4x4x2", "--log", str(log), *words)
    assert status == 2
    assert said in told
    assert "Traceback" not in told


def test_jobs_larger_than_the_machine_are_left_out_and_told(log):
    status, _, told = run("advise", "--machine", "mesh:4x4", "--log", str(log), "--seconds", "0.1")
    assert status == 0
    assert "not simulated for lack of time" in told
    assert "are left out because" in told
    assert "--unpaired" not in told


def test_a_log_too_short_for_intervals(tmp_path):
    path = tmp_path / "short.swf"
    run("workload", "make", "lublin", "--nodes", "32", "--load", "0.7", "--jobs", "5", "-o", str(path))
    status, _, told = run("advise", "--machine", "torus:4x4x2", "--log", str(path))
    assert status == 2
    assert "too few jobs for confidence intervals" in told
