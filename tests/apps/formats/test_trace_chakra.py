import json

import numpy as np
import pytest

from netplace.apps import Op
from netplace.apps.formats import files_of, open_trace, read
from netplace.apps.recorded import summary_of

COMP, SEND, RECV, COLL = 4, 5, 6, 7


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value, field=9):
    if isinstance(value, str):
        return text(10, text(1, name.encode()) + text(13, value.encode()))
    return text(10, text(1, name.encode()) + number(field, value))


def node(identity, kind, needs=(), micros=0, **attributes):
    body = (number(1, identity) if identity else b"") + number(3, kind)
    body += text(5, b"".join(map(varint, needs))) if needs else b""
    body += number(7, micros) if micros else b""
    return body + b"".join(attribute(name, value) for name, value in attributes.items())


@pytest.fixture
def written(tmp_path):
    def write(npus, version=b"0.0.4"):
        for npu, nodes in enumerate(npus):
            messages = [text(1, version), *nodes]
            content = b"".join(varint(len(message)) + message for message in messages)
            (tmp_path / f"job.{npu}.et").write_bytes(content)
        return tmp_path / "job.0.et"

    return write


def exchange(me, other):
    """Receive, compute on it, and send before that: in the file the receive stands first."""
    return [
        node(0, RECV, comm_src=other, comm_size=500, comm_tag=3),
        node(1, COMP, needs=[0], micros=7),
        node(2, SEND, comm_dst=other, comm_size=500, comm_tag=3),
    ]


def test_sends_go_before_receives_that_they_do_not_need(written):
    path = written([exchange(0, 1), exchange(1, 0)])
    program = read(path, cycles_per_us=100)
    program.check(eager_limit=0)
    assert program.kind[program.first[0] : program.first[1]].tolist() == [
        Op.ISEND,
        Op.RECV,
        Op.COMPUTE,
        Op.WAIT,
    ]
    assert program.size[program.kind == Op.COMPUTE].tolist() == [700, 700]
    assert np.array_equal(program.traffic().W, [[0, 500], [500, 0]])


def test_a_folder_is_read_as_its_files(written):
    path = written([exchange(0, 1), exchange(1, 0)])
    assert read(path.parent).equals(read(path))


def test_collectives_have_the_sizes_of_the_simulator(written):
    kinds = {"allreduce": 0, "allgather": 2, "alltoall": 6, "reduce_scatter": 7}
    nodes = [
        node(k, COLL, comm_type=kind, comm_size=1 << 20, is_cpu_op=0) for k, kind in enumerate(kinds.values())
    ]
    trace = open_trace(written([nodes] * 4))
    found = summary_of(trace).as_data()
    sizes = {item["operation"]: item["bytes"] for item in found["collectives"]}
    assert sizes == {
        "allreduce": 1 << 20,
        "allgather": 1 << 20,
        "alltoall": 1 << 18,
        "reduce_scatter": 1 << 20,
    }


TENSOR = [node(1, COLL, comm_type=0, comm_size=64, is_cpu_op=0, pg_name="7")]


def operations(trace):
    return [
        (item["operation"], item["ranks"], item["bytes"])
        for item in summary_of(trace).as_data()["collectives"]
    ]


def test_collectives_are_of_the_process_groups_of_a_file(written):
    path = written([TENSOR] * 4)
    (path.parent / "comm_group.json").write_text('{"7": [0, 2], "8": [1, 3]}')
    with pytest.raises(ValueError, match="process group '7' does not contain NPU 1"):
        read(path)
    other = [node(1, COLL, comm_type=6, comm_size=64, is_cpu_op=0, pg_name="8")]
    path = written([TENSOR, other, TENSOR, other])
    assert operations(open_trace(path)) == [("allreduce", 2, 64), ("alltoall", 2, 32)]
    assert np.argwhere(read(path).traffic().N).tolist() == [[0, 2], [1, 3], [2, 0], [3, 1]]
    assert len(files_of(path)) == 5


def test_process_groups_stand_in_a_node(written):
    groups = '[{"pg_name": "7", "ranks": [0, 1]}, {"pg_name": "0", "ranks": []}]'
    init = number(1, 9) + text(2, b"## process_group:init ##") + number(3, 1)
    for values in (groups, json.dumps([groups])):
        nodes = [init + text(8, text(1, values.encode())), *TENSOR]
        assert operations(open_trace(written([nodes, nodes]))) == [("allreduce", 2, 64)]


def test_a_group_of_which_nothing_is_known_is_all(written):
    trace = open_trace(written([TENSOR] * 3))
    assert operations(trace) == [("allreduce", 3, 64)]
    assert trace.notes == ["the files do not list the members of process group '7', so it contains all NPUs"]


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ("{", "comm_group.json: is not JSON"),
        ('{"7": [0, 4]}', "group '7': is \\[0, 4\\], expected different NPUs from 0 to 1"),
    ],
)
def test_process_groups_that_are_refused(written, groups, sentence):
    path = written([TENSOR] * 2)
    (path.parent / "comm_group.json").write_text(groups)
    with pytest.raises(ValueError, match=sentence):
        read(path)


def test_host_calls_of_collectives_count_once(written):
    nodes = [
        node(0, COLL, is_cpu_op=1),
        node(1, COLL, needs=[0], comm_type=0, comm_size=64, is_cpu_op=0),
        node(2, COMP, micros=5, is_cpu_op=1),
        node(3, COMP, micros=3, is_cpu_op=0),
    ]
    trace = open_trace(written([nodes] * 2))
    found = summary_of(trace).as_data()
    assert [item["calls"] for item in found["collectives"]] == [2]
    assert found["compute_seconds"] == [3e-6, 3e-6]


def test_a_node_waits_for_a_later_one_and_not_for_an_absent_one(written):
    nodes = [node(5, COMP, micros=1, needs=[9, 6]), node(6, COMP, micros=2)]
    (batch,) = open_trace(written([nodes])).batches
    assert batch.calls["gap"].tolist() == [2e-6, 1e-6]


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([node(1, COMP, needs=[2]), node(2, COMP, needs=[1])], "depend on each other in a cycle"),
        ([node(1, SEND, comm_size=4)], "node 1: has no comm_dst"),
        ([node(1, SEND, comm_dst=4, comm_size=4)], "comm_dst is 4, but there are 1 NPUs"),
        ([node(1, COLL, comm_type=33, comm_size=8)], "unknown comm_type 33"),
    ],
)
def test_what_is_refused(written, nodes, sentence):
    path = written([nodes])
    with pytest.raises(ValueError, match=sentence) as raised:
        read(path)
    assert str(path) in str(raised.value)


def test_an_unknown_schema_is_told(written):
    with pytest.raises(ValueError, match=r"unknown schema '9\.1', expected one of 0\.0\.1"):
        read(written([[node(1, COMP)]], version=b"9.1"))


def test_a_file_that_is_cut_off_is_told(written):
    path = written([exchange(0, 0)])
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="ends inside a message"):
        read(path)
