"""Every number that independent readers counted in traces of others."""

import math
from collections import Counter

import pytest
from golden_traces import counted, expected, folder, place_of, table

from netplace.apps.formats import open_trace, read
from netplace.apps.formats.otf2_process import Library

pytestmark = pytest.mark.all  # reads large traces

# What a reader of calls does not say: texts about formats, and what belongs to another application.
_TEXTS = {"inexpressible_operations", "span", "wildcard_receives", "irregularity", "tasks"}
_OF_RECORDS = {  # counts of the records of a format, which calls do not keep
    *("actions", "applications", "clock_ticks_per_second", "collective_rank_calls_with_sizes"),
    *(
        "communicator_definitions",
        "communicator_members",
        "communicators_defined",
        "compute_cpu_ns",
        "compute_ticks",
    ),
    *("compute_flops_inside_collectives", "datatype_ids", "datatype_sizes", "dependencies", "events"),
    *("first_call_walltime_ns", "format_version", "header_duration", "in_call_ns", "inside_mpi_ns"),
    *("irregularities", "irregularity", "irregularity_count", "measurement_off_time", "mpi_calls"),
    *("operations", "p2p_distinct_tags", "p2p_physical_receive_before_physical_send", "record_count"),
    *("records", "records_out_of_time_order", "requests_completed_in", "span", "span_ns", "span_ticks"),
    *("state_records", "state_time", "time_unit"),
}


_HANDLES = ("CREATE_HANDLE", "DESTROY_HANDLE")


def rank_of(key):
    return int(key.removeprefix("rank "))


def seconds(scale):
    """Return the rule for computation in units of which a second has `scale`, of a rank or of all."""

    def found(data, key):
        each = data["compute_seconds"]
        return scale * (sum(each) if key == "all" else each[rank_of(key)])

    return found


def operations(data, key, calls=False):
    """Return collectives of one kind: as each rank calls them, or each once."""
    name = key.lower().removeprefix("mpi_")
    rows = [row for row in data["collectives"] if row["operation"] == name or key == "all"]
    return sum(row["calls"] / (1 if calls else row["ranks"]) for row in rows)


COMMON = {
    "ranks": lambda data, key: data["ranks"],
    "p2p_messages": lambda data, key: data["messages"],
    "p2p_bytes": lambda data, key: data["bytes"],
    "p2p_pairs": lambda data, key: len(data["pairs"]),
    "p2p_self_messages": lambda data, key: sum(n for a, b, n, _ in data["pairs"] if a == b),
    "p2p_bytes_sent": lambda data, key: sum(n for a, _, _, n in data["pairs"] if a == rank_of(key)),
    "p2p_bytes_received": lambda data, key: sum(n for _, b, _, n in data["pairs"] if b == rank_of(key)),
    "posted_receives": lambda data, key: data["receives"],
    "compute_time": lambda data, key: data["compute_seconds"][rank_of(key)],
    "collective_rank_calls": lambda data, key: operations(data, key, calls=True),
    "collective_operations": operations,
    "wildcard_receives": lambda data, key: data["wildcards"],
    "wildcard_receives_recorded": lambda data, key: data["wildcards"],
}
OWN = {
    "otf2": {
        "collective_rank_calls_without_sizes": lambda data, key: sum(x["number"] for x in data["left_out"])
    },
    "dumpi": {"compute_ns": seconds(1e9)},
    "tit": {"compute_flops": seconds(1e9)},
    "goal": {"compute_units": seconds(1e9)},
    "paraver": {"ranks": lambda data, key: data["ranks"], "compute_ns": seconds(1e9)},
}


SEPARATE = {"unmatched_channels", "alltoallv_send_recv_tables_agree", "alltoallv_bytes"}


def agrees(found, value):
    if isinstance(found, list):
        return value in found
    if isinstance(found, str):
        return found == value
    return math.isclose(float(found), float(value), rel_tol=1e-9, abs_tol=6e-10)


def traces():
    try:
        return sorted({row["trace"] for row in expected()})
    except pytest.skip.Exception:
        return ["none"]


@pytest.mark.parametrize("trace", traces())
def test_every_expected_count_is_met(trace):
    folder()
    kind, checked, wrong = trace.partition("/")[0], 0, []
    for row in expected():
        quantity, key, value = row["quantity"], row["key"], row["value"]
        texts = quantity in _TEXTS and (row["unit"] == "text" or quantity == "tasks")
        unsaid = quantity in SEPARATE | _OF_RECORDS or key in _HANDLES
        if row["trace"] != trace or unsaid or texts:
            continue
        rule = OWN[kind].get(quantity) or COMMON[quantity]
        found = rule(counted(trace), key)
        checked += 1
        if not agrees(found, value):
            wrong.append((quantity, key, value, found))
    assert not wrong
    assert checked > 5


@pytest.mark.parametrize("trace", traces())
def test_every_pair_of_ranks_has_its_messages_and_bytes(trace):
    rows = table("matrices", trace)
    if rows is None:
        assert trace.startswith("tit/") or "binary" not in trace
        return
    wanted = [[int(row[name]) for name in ("source", "destination", "messages", "bytes")] for row in rows]
    assert counted(trace)["pairs"] == wanted


@pytest.mark.parametrize("trace", traces())
def test_collectives_have_their_calls_and_ranks(trace):
    rows = table("trace_collectives", trace)
    if rows is None:
        assert trace.startswith("goal/")
        return
    wanted = Counter()
    for row in rows:
        name = row["operation"].lower().removeprefix("mpi_")
        if name not in ("create_handle", "destroy_handle"):
            wanted[name, int(row["communicator_size"])] += int(row["rank_calls"])
    found = Counter()
    for row in counted(trace)["collectives"]:
        found[row["operation"], row["ranks"]] += row["calls"]
    assert found == wanted


@pytest.mark.parametrize("trace", [name for name in traces() if name.startswith(("tit/", "dumpi/"))])
def test_a_call_of_a_collective_has_its_bytes(trace):
    wanted = Counter()
    for row in table("trace_collectives", trace) or ():
        size = row.get("bytes_sent") or row.get("size_sent")
        if size != "unknown_type":
            wanted[row["operation"].lower(), int(size)] += int(row["rank_calls"])
    found = Counter()
    for row in counted(trace)["collectives"]:
        found[row["operation"], row["bytes"]] += row["calls"]
    assert wanted.items() <= found.items()


@pytest.mark.parametrize("trace", traces())
def test_every_send_has_its_receive_and_the_program_comes_to_its_end(trace):
    # Older Score-P tells no size of collectives that do not block.
    ignore = ("other",) if trace == "otf2/sst-macro-mpi-coverage-10" else ()
    program = read(place_of(trace), cycles_per_us=312.5, ignore=ignore)
    program.check()
    program.check(eager_limit=0)
    assert program.tasks == counted(trace)["ranks"]


def test_the_table_of_an_alltoallv_is_kept():
    trace = "tit/simgrid-ti_traces_32"
    wanted = {
        (int(row["source"]), int(row["destination"])): int(row["bytes"]) for row in _alltoallv_table(trace)
    }
    found = Counter()
    for batch in open_trace(place_of(trace)).batches:
        for call in batch.calls[batch.calls["sizes"] >= 0]:
            for target, size in enumerate(batch.sizes[call["sizes"]]):
                found[int(call["rank"]), target] += size
    assert found == wanted
    assert sum(found.values()) == 6691542352


def _alltoallv_table(trace):
    rows = table("matrices", trace + "__alltoallv")
    assert rows is not None
    return rows


def test_the_text_of_a_dumpi_file_says_what_the_file_says():
    from netplace.apps.formats.dumpi import text_calls, text_sizes
    from netplace.apps.formats.dumpi_file import NAMES, DumpiFile
    from netplace.apps.recorded import Reading

    place = place_of("dumpi/sst-dumpi-testtrace-4")
    binary = DumpiFile(place / "testtrace-0000.bin")
    texts = list(text_calls(place / "testtrace-0000.txt", Reading()))
    records = list(binary.records())
    assert [(r.name, r.wall) for r in records] == [(name, wall) for name, _, wall, _ in texts]
    for record, (_, _, _, said) in zip(records, texts, strict=True):
        for name, value in zip(NAMES.get(record.name, ()), record.arguments, strict=False):
            assert said[name] == value or (value == [] and said[name] == "<IGNORED>")
    assert text_sizes(place / "testtrace-0000.txt") == binary.sizes


def test_nobody_leaves_it_behind(tmp_path):
    library = Library(tmp_path / "none.otf2")
    process = library._process
    del library
    assert process.returncode is not None
