"""Co-simulations that are broken off anywhere go on to the same end, to the cycle."""

import hmac
import os
import pickle
import stat
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from netplace.checks.trusted import own_key
from netplace.cosim import checkpoint, cosimulate, make_cosim_plan
from netplace.cosim.checkpoint import Checkpoint, Memory
from netplace.cosim.plain_state import Saved, read_state, saved_state
from netplace.netsim import Network


class BrokenOffError(Exception):
    """Stands for a kill."""


def plan_on(machine, fidelity, **more):
    given = {"workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "policy": "easy"}
    if fidelity == "sampled":
        given |= {"repeats": "80:120"}
    if fidelity == "mixes":
        given |= {"jobs": 5}
    if fidelity == "draws":
        fidelity, more = "live", more | {"draws": "auto", "target_half_width": 0.03}
    if machine == "torus:8x8":
        given |= {"jobs": 12, "intensity": "medium", "mean_interarrival": 1e-5}
    return make_cosim_plan(
        given | {"machine": machine, "partition": "random", "fidelity": fidelity, **more}, 3
    )


def told(outcome):
    return [
        {name: row[name] for name in ("job", "start", "end", "live", "alone", "half_width")}
        for row in outcome["jobs"]
    ]


@pytest.mark.parametrize(
    ("machine", "fidelity", "threads"),
    [
        ("torus:8x8", "live", 2),
        ("torus:4x4", "draws", 1),
        ("tree:4,2", "sampled", 1),
        pytest.param("dragonfly:a=4,p=2,h=2", "sampled", 1, marks=pytest.mark.slow),
        ("tree:4,3", "mixes", 1),
    ],
)
def test_a_run_broken_off_goes_on_to_the_same_end(tmp_path, monkeypatch, machine, fidelity, threads):
    plan, path = plan_on(machine, fidelity), tmp_path / "unfinished"
    monkeypatch.setattr("netplace.cosim.fast_forward.LOOK", 0.0)  # so that iterations are skipped
    whole = cosimulate(plan).outcome
    looks, broken_off = Counter(), []
    advance = Network.advance

    def look(self, write):
        name = self._path.name
        looks[name] += 1
        if looks[name] in (2, 7, 15):
            write()
            broken_off.append(name)
            raise BrokenOffError

    def in_pieces(self, *limit):
        self._piece = 300
        return advance(self, *limit)

    monkeypatch.setattr(Network, "advance", in_pieces)
    monkeypatch.setattr(Checkpoint, "look", look)
    resumed = None
    while resumed is None:
        with suppress(BrokenOffError):
            resumed = cosimulate(plan, checkpoint=path, threads=threads).outcome
    monkeypatch.undo()
    live = ("", ".alone")
    wanted = {"live": live, "draws": live, "sampled": ("", ".alone", ".again"), "mixes": (".alone",)}[
        fidelity
    ]
    assert {*broken_off} == {f"unfinished{ending}" for ending in wanted}
    assert told(resumed) == told(whole)
    for figures in (resumed["figures"], whole["figures"]):
        del figures["schedule"]  # which holds CPU times
    assert resumed["figures"] == whole["figures"]
    assert not [*tmp_path.iterdir()]


def test_values_are_kept_from_time_to_time(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "_PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "_SHARE", 1e9)
    made = []

    def value(number):
        made.append(number)
        return float(number)

    for _ in range(2):
        memory = Memory(Checkpoint(tmp_path / "kept", "plan"))
        assert [memory.of(("value", n), lambda n=n: value(n)) for n in (1, 2, 1)] == [1.0, 2.0, 1.0]
    assert made == [1, 2]
    assert Checkpoint(tmp_path / "kept", "another plan").load() is None


def kept(path, key="plan", **known):
    return Checkpoint(path, key, known)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a folder for the user's key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "netplace"


CODE = len(checkpoint._BEGIN)  # where the code of a file begins


def resealed(path, change):
    """Change what a checkpoint says, as somebody could who has the key."""
    content = bytearray(path.read_bytes())
    body = bytes(content[CODE + 32 :])
    end = 8 + int.from_bytes(body[:8], "little")
    head = msgspec.msgpack.decode(body[8:end])
    change(head)
    head = msgspec.msgpack.encode(head)
    body = len(head).to_bytes(8, "little") + head + body[end:]
    path.write_bytes(content[:CODE] + hmac.digest(own_key(), body, "sha256") + body)


@pytest.mark.parametrize(
    "content", [b"", b"no pickle", pickle.dumps(eval), pickle.dumps((["plan", []], {})), checkpoint._BEGIN]
)
def test_a_file_that_is_no_checkpoint_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "unfinished"
    path.write_bytes(content)
    with pytest.raises(
        ValueError,
        match=r"unfinished: is not a checkpoint that netplace wrote .* start "
        r"from the beginning",
    ):
        cosimulate(plan_on("torus:4x4", "live"), checkpoint=path)
    assert path.read_bytes() == content


def test_a_checkpoint_calls_nothing(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "made"), "w"))

    path = tmp_path / "unfinished"
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match="is not a checkpoint"):
        cosimulate(plan_on("torus:4x4", "live"), checkpoint=path)
    assert not (tmp_path / "made").exists()


def test_what_another_user_wrote_or_all_can_write_or_a_link_is_refused(tmp_path, home, monkeypatch):
    path = tmp_path / "kept"
    kept(path).write({"a": 1.5})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept(path).load() == {"a": 1.5}
    path.chmod(0o666)
    with pytest.raises(ValueError, match="other users can write to it"):
        kept(path).load()
    path.chmod(0o600)
    with monkeypatch.context() as other:
        other.setattr(os, "getuid", lambda: os.geteuid() + 1)
        if os.geteuid():
            with pytest.raises(ValueError, match="belongs to another user"):
                kept(path).load()
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(ValueError, match="is not a checkpoint"):
        kept(tmp_path / "link").load()
    (home / "key").unlink()  # as on the machine of somebody else
    with pytest.raises(ValueError, match="is not a checkpoint"):
        kept(path).load()


def test_writing_follows_no_link(tmp_path, home):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("kept", f"kept.{os.getpid()}"):
        (tmp_path / name).symlink_to(precious)
    kept(tmp_path / "kept").write([1])
    assert precious.read_text() == "mine"
    assert kept(tmp_path / "kept").load() == [1]


def test_every_flipped_bit_is_told(tmp_path, home):
    path = tmp_path / "kept"
    kept(path).write({"values": np.arange(7), "more": [1, 2.5, "text"]})
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        with pytest.raises(ValueError, match="is not a checkpoint"):
            kept(path).load()
        path.write_bytes(content[:place])
        with pytest.raises(ValueError, match="is not a checkpoint"):
            kept(path).load()


FORGED = [
    ["object", "netplace.netsim.kernel_engine:compiled", [None], []],
    ["object", "netplace.netsim.kernel_engine:KernelEngine", [None], []],
    ["object", "builtins:object", [None], []],
    ["class", "netplace.cosim.checkpoint:hashlib", [], []],
    ["named", "netplace.cosim.placed:Placed", [1], []],
    ["object", "netplace.cosim.placed:Placed", [[0]], []],
    ["object", "netplace.no.such:Thing", [None], []],
    ["method", "mine", ["clear"], []],
    ["known", "yours", [], []],
    ["array", "O", [], [0, 1, 2]],
    ["array", "i8", [], [0, 1, 1 << 40]],
    ["array", "i8", [], [-16, 1, 2]],
    ["array", "i8", [], [0, 1, -2]],
    ["dict", "", [1], []],
    ["list", "", [[99]], []],
    ["frozenset", "", [[0]], []],
    ["eval", "", ["1"], []],
    [17, "", [], []],
]


@pytest.mark.parametrize("node", FORGED)
def test_a_state_that_cannot_have_been_written_is_refused_though_the_code_is_right(tmp_path, home, node):
    path = tmp_path / "kept"
    kept(path, mine={}).write([])

    def change(saved):
        saved[2][:] = [node]

    resealed(path, change)
    with pytest.raises(ValueError, match="is not a checkpoint"):
        kept(path, mine={}).load()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner) | st.sets(st.integers())
    ),
    max_leaves=12,
)


@given(values)
def test_states_come_back_as_they_were(state):
    saved, arrays = saved_state(state, "", {})
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(saved), type=Saved)
    assert read_state(again, memoryview(b"".join(arrays)), {}) == state


@given(arrays(st.sampled_from(["i1", "i8", "u4", "f8", "?", "c16"]), array_shapes(min_dims=0, min_side=0)))
def test_arrays_come_back_as_they_were(array):
    array.flags.writeable = False
    shared = [array, array, array.dtype, *array.reshape(-1)[:1]]
    saved, parts = saved_state(shared, "", {})
    first, second, kind, *one = read_state(saved, memoryview(b"".join(parts)), {})
    assert first is second
    assert not first.flags.writeable
    assert (first.dtype, first.shape, first.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert kind == array.dtype
    assert [value.tobytes() for value in one] == [value.tobytes() for value in shared[3:]]


def test_what_refers_to_itself_and_what_is_known():
    circle = [deque([1]), frozenset([2])]
    circle.append(circle)
    mine = {"here": circle}
    saved, _ = saved_state([circle, mine], "", {"mine": mine})
    again, known = read_state(saved, memoryview(b""), {"mine": mine})
    assert again[2] is again
    assert again[:2] == circle[:2]
    assert known is mine


@pytest.mark.parametrize(
    "value", [eval, lambda: None, object(), Counter("a"), np.array([None]), type, Path()]
)
def test_what_is_no_plain_data_is_not_written(value):
    with pytest.raises(TypeError):
        saved_state([value], "", {})


def test_the_key_is_made_once_and_for_nobody_else(home, monkeypatch, tmp_path):
    first = own_key()
    assert first is not None
    assert own_key() == first
    assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["key"]
    (home / "key").chmod(0o644)
    assert own_key() is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert own_key() is None
    kept(tmp_path / "kept").write([1])
    assert not (tmp_path / "kept").exists()
