"""Every number that independent readers counted in traces of others."""

import math
import re
from collections import Counter

import pytest
from golden_traces import counted, expected, folder, place_of, table

from netplace.apps.formats import open_trace, read
from netplace.apps.formats.otf2_process import Library

pytestmark = pytest.mark.all  # reads large traces

# What a reader of calls does not say: texts about formats, and what belongs to another application.
_TEXTS = {"inexpressible_operations", "span", "wildcard_receives", "irregularity", "tasks"}


def rank_of(key):
    return int(key.removeprefix("rank "))


def by_rank(name, scale=1):
    return lambda data, key: data["facts"][name][rank_of(key)] * scale


def of_tracer(text):
    """Return an irregularity in the words of the table, which says enter, leave and top."""
    inside = re.fullmatch(r"region (.+) ends inside region (.+)", text)
    if inside:
        return f"leave of {inside[1]} while top is {inside[2]}"
    return "leave without enter" if re.fullmatch(r"region .+ ends, but did not begin", text) else text


def fact(name):
    return lambda data, key: data["facts"][name]


def counts(name):
    return lambda data, key: data["facts"][name].get(key, 0)


def operations(data, key, calls=False):
    """Return collectives of one kind: as each rank calls them, or each once."""
    name = key.lower().removeprefix("mpi_")
    if name in ("create_handle", "destroy_handle"):
        rows = [row for row in data["facts"]["collective_records"] if row["operation"] == key]
    else:
        rows = [row for row in data["collectives"] if row["operation"] == name or key == "all"]
    return sum(row["calls"] / (1 if calls else row["ranks"]) for row in rows)


def communicator(data, key):
    words = key.removeprefix("application 1 ").split()
    found = {each["number"]: each["ranks"] for each in data["facts"]["communicators"]}[int(words[1])]
    return found if isinstance(found, str) else ";".join(map(str, found))


def span(data, key):
    facts = data["facts"]
    if key == "all":
        return facts["span_ticks"] / facts["clock_ticks_per_second"]
    return facts["span_seconds"][rank_of(key)]


def goal_operations(data, key):
    facts = data["facts"]
    if key.startswith("rank "):
        return facts["operations_of_rank"][rank_of(key)]
    return facts["operations"][key]


def state(column):
    def found(data, key):
        number = int(key.split()[0])
        return next(each[column] for each in data["facts"]["states"] if each["state"] == number)

    return found


def flops(data, key):
    found = data["facts"]["compute_flops"]
    return sum(found) if key == "all" else found[rank_of(key)]


def events(data, key):
    found = data["facts"]["events"]
    return sum(found.values()) if key == "all" else found.get(key, 0)


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
    "mpi_calls": counts("mpi_calls"),
    "requests_completed_in": counts("requests_completed_in"),
    "wildcard_receives": lambda data, key: data["wildcards"],
    "wildcard_receives_recorded": lambda data, key: data["wildcards"],
}
OWN = {
    "otf2": {
        "clock_ticks_per_second": fact("clock_ticks_per_second"),
        "communicator_members": communicator,
        "communicators_defined": lambda data, key: len(data["facts"]["communicators"]),
        "compute_ticks": fact("compute_ticks"),
        "span_ticks": fact("span_ticks"),
        "span": span,
        "measurement_off_time": by_rank("unmeasured_seconds"),
        "irregularities": lambda data, key: len(data["facts"]["irregularities"]),
        "irregularity": lambda data, key: [
            of_tracer(text.partition(": ")[2])
            for text in data["facts"]["irregularities"]
            if text.startswith(key)
        ],
        "events": events,
        "collective_rank_calls_with_sizes": lambda data, key: data["facts"]["events"].get(
            "MpiCollectiveEnd", 0
        ),
        "collective_rank_calls_without_sizes": lambda data, key: sum(x["number"] for x in data["left_out"]),
    },
    "dumpi": {
        "format_version": lambda data, key: ";".join(data["facts"]["version"]),
        "compute_ns": by_rank("compute_ns"),
        "compute_cpu_ns": by_rank("compute_cpu_ns"),
        "in_call_ns": by_rank("in_call_ns"),
        "span_ns": lambda data, key: dumpi_span(data["facts"], key),
        "first_call_walltime_ns": by_rank("first_call_walltime_ns"),
        "records": by_rank("records"),
        "irregularity_count": lambda data, key: (
            data["facts"]["requests_completed_in"]["MPI_Wait (send)"]
            if "SEND" in key
            else data["facts"]["irregularities"].get(key, 0)
        ),
        "datatype_sizes": lambda data, key: ";".join(map(str, data["facts"]["datatype_sizes"])),
        "communicator_members": lambda data, key: ";".join(map(str, range(data["ranks"]))),
    },
    "tit": {
        "actions": counts("actions"),
        "compute_flops": flops,
        "compute_flops_inside_collectives": by_rank("compute_flops_inside_collectives"),
        "datatype_ids": lambda data, key: ";".join(map(str, data["facts"]["datatype_ids"])) or "none",
        "irregularity": lambda data, key: (
            f"{data['facts']['requests_never_waited_for'][key.split()[1]]} request(s) never waited for: "
            "(1, 0, 1)"
        ),
    },
    "goal": {
        "operations": goal_operations,
        "dependencies": counts("dependencies"),
        "compute_units": fact("compute_units"),
    },
    "paraver": {
        "ranks": lambda data, key: data["ranks"],
        "applications": fact("applications"),
        "header_duration": fact("header_duration"),
        "time_unit": fact("time_unit"),
        "record_count": counts("record_count"),
        "communicator_definitions": lambda data, key: len(data["facts"]["communicators"]),
        "communicator_members": communicator,
        "p2p_distinct_tags": fact("distinct_tags"),
        "p2p_physical_receive_before_physical_send": fact("received_before_sent"),
        "records_out_of_time_order": fact("records_out_of_time_order"),
        "state_time": state("time"),
        "state_records": state("records"),
        "compute_ns": lambda data, key: data["compute_seconds"][rank_of(key)] * 1e9,
        "inside_mpi_ns": by_rank("inside_mpi"),
        "span_ns": fact("span"),
    },
}
SEPARATE = {"unmatched_channels", "alltoallv_send_recv_tables_agree", "alltoallv_bytes"}


def dumpi_span(facts, key):
    if key != "all":
        return facts["span_ns"][rank_of(key)]
    firsts = facts["first_call_walltime_ns"]
    return max(a + b for a, b in zip(firsts, facts["span_ns"], strict=True)) - min(firsts)


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
        if row["trace"] != trace or quantity in SEPARATE or (texts and quantity != "irregularity"):
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


def test_score_p_counts_what_a_collective_sends_for_each_rank():
    trace = "otf2/sst-macro-mpi-coverage-10"
    for row in counted(trace)["facts"]["collective_records"]:
        if row["operation"] in ("ALLGATHER", "ALLREDUCE", "ALLTOALL"):
            size = row["sent"] // row["ranks"]
            assert any(
                (each["operation"], each["ranks"], each["bytes"])
                == (row["operation"].lower(), row["ranks"], size)
                for each in counted(trace)["collectives"]
            )


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
    from netplace.apps.formats.dumpi import NAMES, text_calls, text_sizes
    from netplace.apps.formats.dumpi_file import DumpiFile
    from netplace.apps.recorded import Reading

    place = place_of("dumpi/sst-dumpi-testtrace-4")
    binary = DumpiFile(place / "testtrace-0000.bin")
    texts = list(text_calls(place / "testtrace-0000.txt", Reading()))
    records = list(binary.records())
    assert [(r.name, r.cpu, r.wall) for r in records] == [
        (name, cpu, wall) for name, _, cpu, wall, _ in texts
    ]
    for record, (_, _, _, _, said) in zip(records, texts, strict=True):
        for name, value in zip(NAMES.get(record.name, ()), record.arguments, strict=False):
            assert said[name] == value or (value == [] and said[name] == "<IGNORED>")
    assert text_sizes(place / "testtrace-0000.txt") == binary.sizes


def test_nobody_leaves_it_behind(tmp_path):
    library = Library(tmp_path / "none.otf2")
    process = library._process
    del library
    assert process.returncode is not None
