"""Commands of netplace start no threads of libraries; programs that they start have those they were given."""

import os
import subprocess
import sys

import pytest

from netplace.checks.idle_threads import as_given, one_thread

THREADS = "OPENBLAS_NUM_THREADS"


def test_programs_of_the_user_get_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(THREADS, raising=False)
    before = dict(os.environ)
    one_thread()
    assert os.environ[THREADS] == "1"
    assert as_given(os.environ) == before


def test_what_the_user_asks_for_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(THREADS, "20")
    before = dict(os.environ)
    one_thread()
    assert as_given(os.environ) == dict(os.environ) == before


@pytest.mark.all
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by /proc")
def test_a_command_is_a_single_thread_until_it_reads_tables():
    code = (
        "from netplace.checks.idle_threads import one_thread; one_thread()\n"
        "import netplace.runs.executors, netplace.runs.processes as processes\n"
        "import netplace.cli.map, netplace.runs.mapping_search, netplace.runs.campaign, scipy.sparse\n"
        "print(processes.start_method().get_start_method())"
    )
    given = {name: value for name, value in os.environ.items() if name != THREADS}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    assert done.stdout == "fork\n"
