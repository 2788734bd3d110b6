"""What PBS and LSF print, in the formats of their manual pages."""

import math

import pytest

from netplace.live.managers import MANAGERS, read_jobs, read_nodes

PBS_NODES = """n0
     Mom = n0.site.org
     state = free
     resources_available.ncpus = 4
n1
     state = job-exclusive
     jobs = 7.server/0, 7.server/1

n2
     state = free
     jobs = 8.server/0
n3
     state = state-unknown,down
n4
     state = resv-exclusive
n5
     state = sleep
n6
     state = offline,job-exclusive
"""
PBS_JOBS = """Job Id: 7.server
    Job_Name = a = b
    job_state = R
    exec_host = n1/0*4+n2/0*4+n1/1
    Resource_List.nodect = 2
    Resource_List.walltime = 01:00:00
    resources_used.walltime = 00:15:00
    Priority = -3
    ctime = Sat Nov 28 02:45:12 2026
    Variable_List = PBS_O_HOME=/root,
\tPBS_O_LANG=C

Job Id: 8[].server
    job_state = H
    Resource_List.nodect = 16

Job Id: 9.server
    job_state = F
"""
TORQUE_HOSTS = "    exec_host = n1/0+n1/1+n2/0+n2/1"
LSF_NODES = """HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV
n0                 ok              -       4      0      0      0      0      0
n1                 closed_Full     -       4      4      4      0      0      0
n2                 ok              -       4      1      1      0      0      0
n3                 unavail         -       4      0      0      0      0      0
n4                 closed_Adm      -       4      0      0      0      0      0
n5                 closed_Power    -       4      0      0      0      0      0
n6                 unreach         -       4      0      0      0      0      0
"""
LSF_JOBS = """JOBID|STAT|EXEC_HOST|NREQ_SLOT|RUNTIMELIMIT|RUN_TIME|EFFECTIVE_RESREQ
7|RUN|4*n1:4*n2|8|60.0/n1|900 second(s)|select[type == any]
8|PSUSP|-|64|-|-|select[(a) || (b)] span[ptile=4]
9|DONE|n1|1|-|-|-
"""


@pytest.mark.parametrize(("manager", "text"), [("pbs", PBS_NODES), ("lsf", LSF_NODES)])
def test_states_of_nodes(manager, text):
    nodes = read_nodes(MANAGERS[manager], text)
    assert [node.name for node in nodes] == [f"n{place}" for place in range(7)]
    last = ["down", "reserved", "off", "down"] if manager == "pbs" else ["down", "down", "off", "down"]
    assert [node.state for node in nodes] == ["idle", "held", "held", *last]


@pytest.mark.parametrize(
    ("manager", "text"),
    [
        ("pbs", PBS_JOBS),
        ("pbs", PBS_JOBS.replace("    exec_host = n1/0*4+n2/0*4+n1/1", TORQUE_HOSTS)),
        ("pbs", PBS_JOBS.replace("n1/0*4+n2/0*4+n1/1", "(n1:ncpus=4)+(n2:ncpus=4)")),
        ("lsf", LSF_JOBS),
    ],
)
def test_jobs(manager, text):
    runs, waits = read_jobs(MANAGERS[manager], text, 1000.0)
    assert (runs.number.partition(".")[0], runs.state, runs.nodes, runs.size) == (
        "7",
        "RUNNING",
        ("n1", "n2"),
        2,
    )
    assert (runs.limit, runs.ends) == (3600.0, 1000.0 + 2700)
    assert (waits.state, waits.held, waits.size, waits.nodes) == ("PENDING", True, 16, ())
    assert math.isinf(waits.limit)
    if manager == "pbs":
        assert runs.priority == -3
        assert runs.submitted > 1.7e9


@pytest.mark.parametrize(
    ("manager", "read", "text", "said"),
    [
        ("pbs", read_nodes, "n0\n     state\n", "pbsnodes -a, line 2: 'state', expected KEY = VALUE"),
        ("pbs", read_nodes, "    state = free\n", "expected KEY = VALUE"),
        ("pbs", read_nodes, "n0\n     jobs = 1\n", "has no state"),
        ("lsf", read_nodes, LSF_NODES + "n9 ok\n", "bhosts -w, line 9: 2 columns, expected the 9 of line 1"),
        ("lsf", lambda *words: read_jobs(*words, 0.0), "JOBID STAT\n- -\nA\n", "bjobs -u, line 3: 1 columns"),
        ("lsf", lambda *words: read_jobs(*words, 0.0), "JOBID\n7\n", "has no STAT"),
    ],
)
def test_what_they_do_not_print(manager, read, text, said):
    with pytest.raises(ValueError, match=r"^[pb]") as caught:
        list(read(MANAGERS[manager], text))
    assert said in str(caught.value)


@pytest.mark.parametrize(("manager", "names"), [("pbs", ("pbsnodes", "qstat")), ("lsf", ("bhosts", "bjobs"))])
def test_commands_show_and_never_act(manager, names, tmp_path, netplace):
    for name, text in zip(
        names, {"pbs": (PBS_NODES, PBS_JOBS), "lsf": (LSF_NODES, LSF_JOBS)}[manager], strict=True
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\ncat <<'END'\n{text}END\n")
        (tmp_path / name).chmod(0o755)
    rest = ("--folder", tmp_path / "state", "--manager", manager, "--bin", tmp_path)
    watched = netplace("slurm", "watch", "--machine", "mesh:8", *rest)
    assert watched.exit_code == 0, watched.output
    assert "2 jobs, 0 pairs" in watched.output
    switched = netplace("slurm", "power", "--rule", "always-on", "--machine", "mesh:8", *rest)
    assert "boot n5" in switched.output
    assert netplace("slurm", "power", "--machine", "mesh:8", *rest, "--act").exit_code == 2
    assert "needs --machine" in netplace("slurm", "watch", *rest).output
