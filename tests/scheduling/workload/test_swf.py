"""The Standard Workload Format: what is kept, what is dropped and counted, and what is refused."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.scheduling.job import Job
from netplace.scheduling.workload import Workload, read, read_swf, write, write_swf

HEADER = "; Version: 2.2\n;  Computer: Köln\n; MaxNodes: 32\n;MaxProcs: 128\n;\n"


def line(number=1, submit=0, run=100, used=4, asked=4, estimate=200, status=1) -> str:
    return f"{number} {submit} 7 {run} {used} 55.5 -1 {asked} {estimate} -1 {status} 3 1 9 1 -1 -1 -1\n"


@pytest.fixture
def log(tmp_path):
    def written(*lines: str, name="log.swf") -> Workload:
        path = tmp_path / name
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return written


def test_a_log_is_read(log):
    workload = read_swf(log(HEADER, line(), "\n", "  ; in between\n", line(2, 5, 0, 6, 8, -1, 0)), drop=())
    assert list(workload) == [
        Job(1, 0.0, 4, 100.0, 200.0, user=3, queue=1, executable=9),
        Job(2, 5.0, 6, 0.0, user=3, queue=1, executable=9),
    ]
    assert workload.header[:3] == (" Version: 2.2", "  Computer: Köln", " MaxNodes: 32")
    assert workload.header[-1] == " in between"
    assert workload.machine_nodes == 128
    assert workload.status.tolist() == [1, 0]
    assert workload.notes == ()
    assert workload.dropped == {}


def test_compressed_with_commas_more_columns_and_other_comments(log):
    usual = read_swf(log(HEADER, line(), line(2, 5)))
    lines = "".join(text.replace(" ", ", ").replace("\n", ", 0.5, 7\r\n") for text in (line(), line(2, 5)))
    path = log(name="log.gz")
    path.write_bytes(gzip.compress((HEADER.replace(";", "#") + lines).encode("latin-1")))
    workload = read(path)
    assert (list(workload), workload.header[0]) == (list(usual), usual.header[0])
    assert workload.notes == ("columns after the 18 of SWF are ignored: 2",)


def test_processors_become_nodes(log):
    path = log(
        HEADER, line(used=1), line(2, used=4), line(3, used=5), line(4, used=-1, asked=9), line(5, used=0)
    )
    assert [job.nodes for job in read_swf(path)] == [1, 4, 5, 9, 4]
    per_node = read_swf(path, cores_per_node=4)
    assert [job.nodes for job in per_node] == [1, 1, 2, 3, 1]
    assert per_node.machine_nodes == 32
    with pytest.raises(ValueError, match="cores per node: 0 is too small"):
        read_swf(path, cores_per_node=0)


def test_the_machine_is_in_the_header_or_unknown(log):
    assert read_swf(log("; MaxNodes: 12\n", line())).machine_nodes == 12
    assert read_swf(log("; MaxNodes: -1\n; MaxJobs: 7\n", line())).machine_nodes is None


DIVERSE = (
    line(1),
    line(2, status=0),
    line(3, status=5),
    line(4, run=-1, used=-1, status=5),
    line(5, run=0, status=0),
    line(6, run=-1, used=-1),
    line(7, run=-1),
    line(8, used=-1, asked=-1),
    line(9, submit=-1),
    line(10, status=2),
    line(11, status=4),
)


def test_what_cannot_be_scheduled_is_dropped_and_counted(log):
    usual = read_swf(log(*DIVERSE))
    assert [job.number for job in usual] == [1, 2, 3]
    assert usual.dropped["never ran"] == 3
    assert "jobs dropped: 3 of 11, never ran" in usual.notes
    workload = read_swf(log(*DIVERSE), drop=())
    assert [job.number for job in workload] == [1, 2, 3, 4, 5, 6]
    assert [job.run_time for job in workload] == [100, 100, 100, 0, 0, 0]
    assert workload.dropped == {
        "part of a job that another line contains as a whole": 2,
        "unknown submission time": 1,
        "unknown size": 1,
        "unknown run time": 1,
    }
    assert workload.records == 11
    assert "jobs dropped: 2 of 11, part of a job that another line contains as a whole" in workload.notes
    assert "jobs that never ran, kept with run time 0: 2" in workload.notes


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        (["failed"], [1, 3, 4, 6]),
        (["cancelled"], [1, 2, 5, 6]),
        (["never-ran"], [1, 2, 3]),
        (["never-ran", "cancelled", "failed"], [1]),
    ],
)
def test_jobs_are_dropped_as_asked(log, drop, left):
    workload = read_swf(log(*DIVERSE), drop=drop)
    assert [job.number for job in workload] == left
    assert workload.records == 11


def test_jobs_out_of_order_are_sorted_with_one_note(log):
    workload = read_swf(log(line(1, 10), line(2, 5), line(3, 10), line(4, 20), line(5, 5)))
    assert [job.number for job in workload] == [2, 5, 1, 3, 4]
    [note] = workload.notes
    assert note == "jobs sorted by submit time: 2 followed a later one, 2 share their time with another"


def test_numbers_that_occur_again_are_made_anew(log):
    workload = read_swf(log(line(7), line(7, 1), line(9, 2)))
    assert [job.number for job in workload] == [1, 2, 3]
    assert workload.notes == ("job numbers are not unique (1 appear again): jobs are renumbered",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file has no jobs"),
        (line() + "1 2 3\n", "line 2: 3 columns, expected 18"),
        (line() + line() + line(run="ten"), "line 3: column 4 is 'ten', expected a number"),
        (line(submit=-3), "line 1: submit time -3"),
        (line(used=-1, asked=-1), "all jobs in the file are dropped: unknown size"),
    ],
)
def test_a_log_at_fault_names_file_and_line(log, text, words):
    path = log(text)
    with pytest.raises(ValueError, match=r"log\.swf") as caught:
        read_swf(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_what_their_names_say(tmp_path):
    path = tmp_path / "log.swf.gz"
    path.write_text(line())
    with pytest.raises(ValueError, match="is not gzip, although its name says so"):
        read(path)
    path.write_bytes(gzip.compress((line() * 99).encode())[:40])
    with pytest.raises(ValueError, match="is a broken gzip file"):
        read(path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.swf")
    with pytest.raises(ValueError, match="did you mean failed"):
        read_swf(path, drop=["fail"])


SECONDS = st.integers(0, 10**9).map(float) | st.floats(0, 1e9, allow_nan=False)


@given(
    st.lists(
        st.builds(
            Job,
            number=st.integers(1, 10**9),
            submit=SECONDS,
            nodes=st.integers(1, 10**6),
            run_time=SECONDS,
            estimate=st.none() | SECONDS.filter(bool),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda job: job.number,
    ),
    st.sampled_from(["w.swf", "w.swf.gz", "w.csv", "w.csv.gz"]),
)
def test_what_is_written_is_read_back(tmp_path_factory, jobs, name):
    path = tmp_path_factory.mktemp("round") / name
    workload = Workload.of(jobs, machine_nodes=10**6, header=(" Note: here",))
    write(workload, path)
    again = read(path, **({"drop": ()} if ".swf" in name else {}))
    assert list(again) == list(workload)
    assert again.machine_nodes == 10**6
    assert again.header[0] == " Note: here"


def test_a_log_that_is_read_and_written_stays_the_same(log, tmp_path):
    workload = read_swf(log(HEADER, line(), line(2, 5, status=5)))
    write_swf(workload, tmp_path / "again.swf.gz")
    again = read_swf(tmp_path / "again.swf.gz")
    assert again.header == workload.header
    assert again.status.tolist() == [1, 5]
    write_swf(again, tmp_path / "third.swf.gz")
    assert (tmp_path / "third.swf.gz").read_bytes() == (tmp_path / "again.swf.gz").read_bytes()


def test_sizes_in_nodes_are_written_with_a_header_in_nodes(log, tmp_path):
    workload = read_swf(log(HEADER, line(used=8)), cores_per_node=4)
    write(workload, tmp_path / "nodes.swf")
    again = read(tmp_path / "nodes.swf")
    assert again.machine_nodes == 32
    assert again.header == workload.header
    assert np.array_equal(again.nodes, [2])


def test_users_queues_and_preceding_jobs(tmp_path):
    path = tmp_path / "log.swf"
    lines = ["1 0 -1 9 4 -1 -1 4 9 -1 1 7 1 1 2 1 -1 -1", "2 5 -1 9 4 -1 -1 4 9 -1 1 -1 1 1 0 1 1 30"]
    path.write_text("\n".join([*lines, "3 6 -1 9 4 -1 -1 4 9 -1 1 0.5 1 1 -7 1 -1 30"]) + "\n")
    workload = read_swf(path)
    found = [(job.user, job.queue, job.after, job.think) for job in workload]
    assert found == [(7, 2, -1, 0), (-1, 0, 1, 30), (-1, -1, -1, 0)]
    write(workload, tmp_path / "again.swf")
    assert list(read_swf(tmp_path / "again.swf")) == list(workload)


def test_sizes_of_machines_may_mark_thousands(tmp_path):
    (tmp_path / "log.swf").write_text("; MaxProcs: 1,024\n1 0 5 600 16 -1 -1 16 900 -1 1 1 1 -1 1 -1 -1 -1\n")
    assert read_swf(tmp_path / "log.swf").machine_nodes == 1024
