"""Slurm's account of jobs as a workload: the same jobs from every form of it."""

import gzip
import json

import numpy as np
import pytest

from netplace.scheduling.workload import read

TABLE = """JobID|JobName|Partition|Submit|Start|End|Elapsed|NNodes|Timelimit|State|User
101|a|short|2026-01-01T00:00:10|2026-01-01T00:00:20|2026-01-01T01:00:20|01:00:00|4|02:00:00|COMPLETED|ann
101.batch|batch||2026-01-01T00:00:20|2026-01-01T00:00:20|2026-01-01T01:00:20|01:00:00|1||COMPLETED|
101.0|x||2026-01-01T00:00:20|2026-01-01T00:00:20|2026-01-01T01:00:20|01:00:00|1||COMPLETED|
102_1|b|long|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-03T01:00:01|2-01:00:01|2|UNLIMITED|TIMEOUT|bob
103|c|long|2026-01-01T00:00:30|Unknown|Unknown|00:00:00|8|1-00:00:00|PENDING|ann
104|d|long|2026-01-01T00:00:40|None|2026-01-01T00:01:40|00:00:00|8|1-00:00:00|CANCELLED by 1000|ann
105|e|short|2026-01-01T00:00:50|2026-01-01T00:01:00|2026-01-01T00:01:30|00:00:30|1|10:00|FAILED|ann
106|f|short|2026-01-01T00:01:50|2026-01-01T00:02:00|Unknown|11:00:00|1|1-00:00:00|RUNNING|cid
"""
RAW = """JobIDRaw|Submit|Start|End|ElapsedRaw|AllocNodes|TimelimitRaw|State|User|Partition|
101|1767225610|1767225620|1767229220|3600|4|120|COMPLETED|ann|short|
102|1767225600|1767225600|1767402001|176401|2||TIMEOUT|bob|long|
103|1767225630|Unknown|Unknown|0|8|1440|PENDING|ann|long|
104|1767225640|None|1767225700|0|8|1440|CANCELLED by 1000|ann|long|
105|1767225650|1767225660|1767225690|30|1|10|FAILED|ann|short|
106|1767225710|1767225720|Unknown|39600|1|1440|RUNNING|cid|short|
"""


def as_json(plain_limits: bool = False) -> str:
    """Return the same jobs as ``sacct --json`` writes them, up to Slurm 22.05 with limits as numbers."""
    jobs = []
    for line in RAW.splitlines()[1:]:
        number, submit, start, end, elapsed, nodes, limit, state, user, partition, _ = line.split("|")
        seconds = {"submission": submit, "start": start, "end": end, "elapsed": elapsed}
        time = {key: int(word) if word.isdigit() else 0 for key, word in seconds.items()}
        time["limit"] = {"set": bool(limit), "infinite": not limit, "number": int(limit or 0)}
        if plain_limits:  # with the number of 32 bits for no limit
            time["limit"] = int(limit or 0xFFFFFFFF)
        current = [state.split()[0]]
        jobs.append(
            {
                "job_id": int(number), "time": time, "allocation_nodes": int(nodes), "user": user,
                "partition": partition, "state": {"current": current, "reason": "None"}, "steps": [],
            }
        )  # fmt: skip
    return json.dumps({"jobs": jobs, "meta": {}}, indent=1)


FORMS = {
    "table.txt": TABLE,
    "offset.txt": TABLE.replace("2026-01-01T00:00:10", "2026-01-01T02:00:10+0200"),
    "jobs.csv": RAW,
    "log.swf": "\n" + TABLE.replace("\n", "\r\n"),
    "jobs.json": as_json(),
    "old.json": as_json(plain_limits=True),
    "delimiter.txt": TABLE.replace("|", "|#"),
    "comment_of_two_lines.txt": TABLE.replace("|a|", "|a\nb|"),
    "cpus.txt": TABLE.replace("NNodes", "AllocCPUS"),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_has_the_same_jobs(tmp_path, name, packed):
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(FORMS[name].encode()) if packed else FORMS[name].encode())
    log = read(path)
    assert log.number.tolist() == [102, 101, 105]
    assert log.submit.tolist() == [0, 10, 50]
    assert log.nodes.tolist() == [2, 4, 1]
    assert log.run_time.tolist() == [(2 * 24 + 1) * 3600 + 1, 3600, 30]
    assert np.array_equal(log.estimate, [np.nan, 7200, 600], equal_nan=True)
    assert log.status.tolist() == [0, 1, 0]
    assert log.user.tolist() == [2, 1, 1]
    assert log.queue.tolist() == [2, 1, 1]
    assert log.header == (" UnixStartTime: 1767225600", " Queue: 1 short", " Queue: 2 long")
    assert dict(log.dropped) == {"unknown run time": 2, "never ran": 1}
    assert len(read(path, drop=("failed",))) == 2  # the cancelled one is kept with run time 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "JobID|State|User\n1|COMPLETED|a\n",
            r"line 1: no column Submit of sacct, expected the output of "
            r"sacct -a",
        ),
        (TABLE.replace("|4|", "|4K|"), r"line 2, nnodes: '4K' is not a whole number; sacct --noconvert"),
        (TABLE.replace("2026-01-01T00:00:10", "yesterday"), r"line 2, Submit: 'yesterday' is not a time"),
        (
            TABLE.replace("|01:00:00|4", "|one hour|4"),
            r"line 2, Elapsed: 'one hour', expected a form such as 1-02",
        ),
        ("ElapsedRaw|QOS|State\n60|normal|COMPLETED\n", "line 1: no column Submit of sacct, expected"),
        (
            "JobID    JobName  Partition\n------ ----- ------\n1   a   b\n",
            "without separators, expected the output of",
        ),
        (
            '{"jobs": [{"job_id": 1, "job_state": ["RUNNING"]}]}',
            "jobs of squeue --json have no run time",
        ),
        ('{"jobs": [{"job_id": 1}]}', "neither output of sacct --json nor a workload of Batsim: .*`time`"),
    ],
)
def test_what_is_none_is_named(tmp_path, content, words):
    path = tmp_path / "jobs.txt"
    path.write_text(content)
    with pytest.raises(ValueError, match=words) as refused:
        read(path)
    assert str(refused.value).startswith(str(path))
