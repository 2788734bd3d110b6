"""Workloads of applications, and the CSV files that hold them."""

import numpy as np
import pytest

from netplace.apps import APPLICATIONS
from netplace.scheduling.job import Job
from netplace.scheduling.workload import (
    CLASSES,
    INTENSITIES,
    SIZES,
    WORKLOADS,
    applications,
    make_workload,
    read,
    write,
)
from netplace.scheduling.workload.applications import published_sizes


@pytest.mark.parametrize("name", CLASSES["mixed"])
def test_every_application_exists_and_runs_on_every_size(name):
    """The largest sizes are made with the smallest message: that bytes are taken is what counts."""
    sizes = sorted(SIZES["large"])
    for size in sizes[:4] if name == "all-to-all" else sizes:
        program = APPLICATIONS[name](size, bytes=min(INTENSITIES.values()))
        assert program.tasks == size
        assert program.traffic().W.sum() == program.traffic().N.sum() * min(INTENSITIES.values())


@pytest.mark.parametrize("sizes", SIZES)
def test_sizes_have_their_weights(sizes):
    workload = applications(512, 40_000, seed=1, sizes=sizes)
    total = sum(SIZES[sizes].values())
    for size, weight in SIZES[sizes].items():
        share = weight / total
        assert abs(np.mean(workload.nodes == size) - share) < 4.5 * np.sqrt(share * (1 - share) / 40_000)


def _sizes(workload):
    return {job.program.partition("bytes=")[2] for job in workload}


def test_jobs_run_what_was_asked_for():
    workload = applications(512, 2000, classes=["2d", "3d"], intensity="low")
    assert {job.program for job in workload} == {f"{n},bytes=256" for n in (*CLASSES["2d"], *CLASSES["3d"])}
    assert _sizes(applications(512, 200)) == {str(size) for size in INTENSITIES.values()}
    assert _sizes(applications(512, 200, intensity=["low", "high"])) == {"256", "4096"}
    with pytest.raises(ValueError, match="intensities of applications: none given"):
        applications(512, 10, intensity=[])
    assert all(job.run_time == 0 and job.estimate is None for job in workload)


def test_hours_are_spread_over_orders_of_magnitude_and_change_nothing_else():
    jobs, plain = applications(512, 20_000, hours=(1, 100)), applications(512, 20_000)
    hours = jobs.run_time / 3600
    assert hours.min() >= 1
    assert hours.max() <= 100
    assert np.mean(hours < 10) == pytest.approx(0.5, abs=0.02)
    assert np.array_equal(jobs.nodes, plain.nodes)
    assert np.array_equal(jobs.kind, plain.kind)
    with pytest.raises(ValueError, match="hours of applications: 3 to 1, expected the smaller one first"):
        applications(512, 10, hours=(3, 1))


def test_repeats_are_spread_over_orders_of_magnitude():
    repeats = applications(512, 20_000, repeats=(100, 10_000)).repeats
    assert repeats.min() >= 100
    assert repeats.max() <= 10_000
    assert np.mean(repeats < 1000) == pytest.approx(0.5, abs=0.02)


def test_all_at_once_or_with_exponential_gaps():
    assert not applications(512, 100).submit.any()
    gaps = np.diff(applications(512, 40_000, mean_interarrival=60.0).submit)
    assert gaps.mean() == pytest.approx(60, rel=0.03)
    assert gaps.std() == pytest.approx(60, rel=0.05)
    assert np.mean(gaps > 60) == pytest.approx(np.exp(-1), abs=0.02)


def test_small_machines_get_small_jobs_and_a_note():
    workload = applications(100, 500)
    assert set(workload.nodes.tolist()) == {8, 16, 32, 64}
    assert workload.notes == ("sizes of 128, 256, 512 nodes do not fit 100 nodes and were not drawn",)


def test_the_seed_decides_about_applications():
    first, again, other = (list(applications(512, 100, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nodes": 7}, "nodes of applications: 7 are too few, expected at least 8"),
        ({"classes": "4d"}, "class of applications: unknown name '4d'"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        applications(**{"nodes": 512, "jobs": 10, **given})


def test_models_by_name():
    assert len(make_workload("lublin", 64, 50, kind="both")) == 50
    assert list(make_workload("applications", 64, 5, 3)) == list(applications(64, 5, 3))
    with pytest.raises(ValueError, match="workload: unknown name 'lublim'; did you mean lublin"):
        make_workload("lublim", 64, 5)
    with pytest.raises(ValueError, match="option of workload lublin: unknown name 'sizes'"):
        make_workload("lublin", 64, 5, sizes="small")
    assert all(kind.description and kind.options for kind in WORKLOADS.values())


def test_applications_are_written_and_read_back(tmp_path):
    workload = applications(512, 300, mean_interarrival=5.0)
    for name in ("w.csv", "w.csv.gz"):
        write(workload, tmp_path / name)
        again = read(tmp_path / name)
        assert list(again) == list(workload)
        assert again.machine_nodes == 512
        assert again.header == workload.header
    with pytest.raises(
        ValueError, match=r"w\.swf: SWF has no column for the program of a job, expected .*\.csv"
    ):
        write(workload, tmp_path / "w.swf")
    assert not (tmp_path / "w.swf").exists()


def test_columns_of_csv_may_be_missing_and_in_any_order(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("nodes,number,run_time, submit\n4,1,60,10\n\n2,2,1.5,0\n")
    assert list(read(path)) == [Job(2, 0.0, 2, 1.5), Job(1, 10.0, 4, 60.0)]
    assert read(path).machine_nodes is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("number,submit,nodes,run_time\n", "the file has no jobs"),
        ("number,submit,nodes,runtime\n", "line 1, column: unknown name 'runtime'; did you mean run_time"),
        ("number,submit,nodes,run_time\n1,0,0,9\n", "line 2, nodes: 0 is too small"),
        ("number,submit,nodes,run_time,estimate\n1,0,4,1,0\n", "whose estimate is not greater than 0"),
    ],
)
def test_csv_at_fault_names_file_and_line(tmp_path, text, words):
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"own\.csv") as caught:
        read(path)
    assert words in str(caught.value)


def test_published_classes_have_published_sizes():
    workload = applications(32768, 4000, 1, "I-IV", "medium", "low", repeats=(1, 1))
    assert set(workload.repeats.tolist()) == {1}
    assert len({job.program for job in workload}) == 17
    for job in workload:
        assert job.nodes in published_sizes(job.program.partition(",")[0])
    squares = applications(32768, 500, 1, "II", "large", "low")
    assert {job.nodes for job in squares} == {16, 64, 256}
    with pytest.raises(
        ValueError, match="nodes of applications: 8 are too few for 2d-mesh, expected at least 16"
    ):
        applications(8, 100, 0, "II")
