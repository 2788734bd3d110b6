"""The journal: the state after restarts is the state before, whatever the disk did."""

import os
import resource
import signal
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.live import Cluster, Explain, Mark, Place, Plan, Release, RequestError, State
from netplace.live.journal import Journal
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.topologies import parse

TREE = parse("xgft:2;4,8;1,1")
MESH = parse("mesh:8x4")
NAMES = st.sampled_from("abcdefgh")
KEYS = st.sampled_from(["", "", "k", "l"])
RULES = {
    "xgft:2;4,8;1,1": ["slurm", "contiguous", "nearly-contiguous:20", "quasi-contiguous:20", "paging:1"],
    "mesh:4x4x4": ["planes:2"],
    "mesh:8x8": ["buddy", "curve:snake,first-fit", "slurm"]
    + [
        kind.example
        for name, kind in PARTITIONERS.items()
        if name not in ("buddy", "line", "nearly-contiguous", "quasi-contiguous", "optimal", "planes")
    ],
}
CHANGES = st.one_of(
    st.builds(Place, NAMES, st.integers(1, 20), wait=st.booleans(), seconds=st.just(90.0), key=KEYS),
    st.builds(Place, NAMES, st.integers(1, 8), st.just("random"), seed=st.integers(0, 9)),
    st.builds(Place, NAMES, st.integers(2, 4), mapping=st.just("random"), among=st.just("n[0-9]")),
    st.builds(Release, NAMES),
    st.builds(Mark, st.sampled_from(["n[0-3]", "n5", "n[8-20]"]), st.sampled_from(["up", "down", "off"])),
)
QUESTIONS = st.one_of(
    st.builds(Explain, NAMES),
    st.builds(Plan, st.sampled_from(["timeout:3", "reserve:4,2", "always-on"])),
    st.just(State(True)),
)
RESTARTS = st.sampled_from(["restart", "cut", "anew"])


@pytest.fixture(autouse=True, scope="module")
def _no_wait_for_the_disk():
    """No test here ends the machine: what is written need not reach the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


def answer(cluster, request):
    try:
        return cluster.handle(request)
    except RequestError as error:
        return str(error)


class Life:
    """A cluster that is made again from its journal, on the clock of another that never is."""

    def __init__(self, folder, machine, clock, **more):
        self.folder, self.machine, self.clock, self.more = folder, machine, clock, more
        self.told = []
        self.start()

    def start(self, longest=200_000):
        self.cluster = Cluster(self.machine, clock=self.clock, **self.more)
        self.journal = Journal(self.folder, self.cluster, self.told.append, longest)

    def again(self, how, torn=b""):
        """Start again: as it is, with a record that was not finished, or with a journal that is made anew."""
        self.journal.close()
        if how == "cut":
            path = self.folder / "journal"
            last = path.read_bytes().splitlines(keepends=True)[-1]
            path.write_bytes(path.read_bytes() + (torn or last[:-1]))
        self.start(1 if how == "anew" else 200_000)


@given(
    steps=st.lists(st.one_of(CHANGES, CHANGES, QUESTIONS, RESTARTS), max_size=30), torn=st.binary(max_size=20)
)
def test_every_answer_is_the_same_after_restarts(steps, torn, tmp_path_factory):
    now = [1000.0]
    life = Life(tmp_path_factory.mktemp("service"), TREE, lambda: now[0], queue=3)
    other = Cluster(TREE, queue=3, clock=lambda: now[0])
    for step in [*steps, "restart", Plan("timeout:3"), State(True), *map(Explain, "abc")]:
        now[0] += 1.0
        if isinstance(step, str):
            life.again(step, torn)
        else:
            assert answer(life.cluster, step) == answer(other, step)
    assert life.cluster.since.tolist() == other.since.tolist()


@pytest.mark.parametrize(
    ("machine", "rule"), [(name, rule) for name, rules in RULES.items() for rule in rules]
)
def test_no_rule_chooses_otherwise_after_a_restart(machine, rule, tmp_path):
    """Its account of free nodes is made anew, and must not depend on how they became free."""
    machine = parse(machine)
    life = Life(tmp_path, machine, lambda: 0.0, partition=rule)
    other = Cluster(machine, partition=rule, clock=lambda: 0.0)
    for step in range(60):
        job = f"j{step * 7 % 11}"
        request = Release(job) if job in other.jobs else Place(job, step * 5 % 9 + 1, seed=step)
        assert answer(life.cluster, request) == answer(other, request)
        if step % 4 == 3:
            life.again("anew" if step % 8 == 7 else "restart")


@contextmanager
def full_disk(room, path):
    """Let no file grow beyond the size of `path` and some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("room", [0, 1, 20, 40])
def test_a_full_disk_is_told_and_changes_nothing(room, tmp_path):
    life = Life(tmp_path, TREE, lambda: 5.0)
    path = tmp_path / "journal"
    life.cluster.handle(Place("a", 3))
    with full_disk(room, path):
        for request in (Place("b", 4), Release("a"), Mark("n9", "down"), Place("c", 32, wait=True)):
            assert answer(life.cluster, request) == f"{path}: File too large, nothing was changed"
    assert life.cluster.handle(Place("d", 2)).state == "placed"
    before = answer(life.cluster, State(True))
    assert before["held_by"].keys() == {"a", "d"}
    life.again("restart")
    assert answer(life.cluster, State(True)) == before
    assert not life.told


def test_waiting_jobs_start_later_where_their_start_does_not_fit_on_the_disk(tmp_path):
    life = Life(tmp_path, TREE, lambda: 5.0)
    for request in (Place("a", 30), Place("b", 20, wait=True)):
        life.cluster.handle(request)
    with full_disk(70, tmp_path / "journal"):
        told = life.cluster.handle(Release("a"))
    assert told["started"] == []
    assert "start at the next release or mark" in told["note"]
    life.again("restart")
    assert life.cluster.handle(Mark("n0", "down"))["started"] == ["b"]


def test_a_journal_that_cannot_be_written_anew_grows_on(tmp_path):
    life = Life(tmp_path, TREE, lambda: 5.0)
    life.start(2)
    for job in "abc":
        life.cluster.handle(Place(job, 1))
    blocked = tmp_path / "journal.new"
    blocked.mkdir()
    life.start(2)
    life.cluster.handle(Place("d", 1))
    assert "it grows meanwhile" in life.told[-1]
    blocked.rmdir()
    life.again("restart")
    assert list(life.cluster.jobs) == list("abcd")


def test_a_journal_of_another_machine_or_damaged_in_its_middle_is_refused_and_stays(tmp_path):
    life = Life(tmp_path, TREE, lambda: 5.0)
    for job in "abc":
        life.cluster.handle(Place(job, 3))
    path = tmp_path / "journal"
    with pytest.raises(ValueError, match=r"record 1: is the journal of xgft:2;4,8;1,1, expected mesh:32"):
        Journal(tmp_path, Cluster(parse("mesh:32")))
    lines = path.read_bytes().splitlines(keepends=True)
    twice = b"".join([*lines, lines[1]])
    changed = b"".join([*lines[:2], lines[2].replace(b'"nodes":3', b'"nodes":4'), lines[3]])
    for text, said in (
        (twice, "record 5: job a cannot take its nodes"),
        (changed, f"is damaged after {len(lines[0] + lines[1]):,} of {len(changed):,} bytes"),
        (b"rubbish\n", "is damaged after 0 of 8 bytes"),
        (b"", "is damaged after 0 of 0 bytes"),
    ):
        path.write_bytes(text)
        with pytest.raises(ValueError, match=said):
            Journal(tmp_path, Cluster(TREE))
        assert path.read_bytes() == text


def test_a_record_that_was_not_finished_is_cut_off_and_told(tmp_path):
    life = Life(tmp_path, TREE, lambda: 5.0)
    life.cluster.handle(Place("a", 3))
    path = tmp_path / "journal"
    whole = path.read_bytes()
    record = whole.splitlines(keepends=True)[1]
    for torn in (record[:1], record[:18], record[:-1], bytes(4096), b"0000ffff " * 9):
        path.write_bytes(whole + torn)
        life.start()
        assert f"the last {len(torn):,} bytes, which were never answered, are cut off" in life.told[-1]
        assert path.read_bytes() == whole
        life.journal.close()
