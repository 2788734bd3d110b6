"""Small good traces in binary forms of several files, DUMPI and OTF2, and command lines that read them."""

import importlib.util
import struct
from pathlib import Path

from netplace.apps.formats.dumpi_file import END_OF_STREAM, FUNCTIONS, MAGIC

__all__ = ["ARCHIVES", "make_archives"]

# The files of each archive that are spoiled, and the name by which it is read.
ARCHIVES = {
    "bin/run-0000.bin": "bin/run.meta",
    "bin/run-0001.bin": "bin/run.meta",
    "bin/run.meta": "bin/run.meta",
    "otf2/traces.otf2": "otf2/traces.otf2",
    "otf2/traces.def": "otf2/traces.otf2",
    "otf2/traces/0.evt": "otf2/traces.otf2",
}

if importlib.util.find_spec("otf2") is None:
    ARCHIVES = {name: read for name, read in ARCHIVES.items() if not name.startswith("otf2")}

_NUMBERS = [name for name, _ in FUNCTIONS]
_WALL = 1 << 3


def make_archives(folder: Path) -> None:
    """Write the archives into a folder."""
    (folder / "bin").mkdir()
    (folder / "bin" / "run.meta").write_text("hostname=here\nnumprocs=2\nfileprefix=run\nversion=1\n")
    for rank in range(2):
        (folder / "bin" / f"run-{rank:04d}.bin").write_bytes(_dumpi(rank))
    if "otf2/traces.otf2" in ARCHIVES:
        _write_otf2(folder / "otf2")


def _dumpi(rank: int) -> bytes:
    """Return the binary DUMPI file of a rank: a message to rank 1, and an allreduce."""
    world, whole_number, sum_up = 2, 9, 3
    message = struct.pack(">ihiih", 8, whole_number, 1 - rank, 5, world)
    calls = [
        ("init", struct.pack(">I", 0)),
        ("comm_rank", struct.pack(">hi", world, rank)),
        ("comm_size", struct.pack(">hi", world, 2)),
        ("recv" if rank else "send", message),
        ("allreduce", struct.pack(">ihbh", 4, whole_number, sum_up, world)),
        ("finalize", b""),
    ]
    stream = struct.pack(">iI", 0, 0)
    for now, (name, arguments) in enumerate(calls):
        clock = struct.pack(">HIHI", 0, 1000 * now, 0, 1000 * now + 10)
        stream += struct.pack(">HB", _NUMBERS.index(name), _WALL) + clock + arguments
    stream += struct.pack(">H", END_OF_STREAM)
    version, sizes = bytes((0, 6, 9)), struct.pack(">I30i", 30, *([4] * 30))
    names = [name for name, _ in calls]
    counts = bytes(8) + b"".join(struct.pack(">I", names.count(name)) for name in _NUMBERS)
    content, places = MAGIC, []
    for part in (stream, version, sizes, counts):
        places.append(len(content))
        content += part
    at_stream, at_version, at_sizes, at_counts = places
    index = [at_sizes, 0, 0, at_version, at_stream, at_counts, 0]
    return content + MAGIC + struct.pack(">7Q", *index)


def _write_otf2(folder: Path) -> None:
    """Write an archive of two ranks: a message and an allreduce."""
    import otf2

    with otf2.writer.open(str(folder), timer_resolution=1_000_000) as trace:
        known = trace.definitions
        node = known.system_tree_node("machine")
        regions = {
            name: known.region(f"MPI_{name}", paradigm=otf2.Paradigm.MPI)
            for name in ("Send", "Recv", "Allreduce")
        }
        locations = [
            known.location(f"main {rank}", group=known.location_group(f"{rank}", system_tree_parent=node))
            for rank in range(2)
        ]
        mpi = {"paradigm": otf2.Paradigm.MPI, "members": locations}
        known.group("ranks", group_type=otf2.GroupType.COMM_LOCATIONS, **mpi)
        both = known.group("world", group_type=otf2.GroupType.COMM_GROUP, **mpi | {"members": [0, 1]})
        world = known.comm("MPI_COMM_WORLD", group=both)
        writers = [trace.event_writer_from_location(location) for location in locations]
        for rank, writer in enumerate(writers):
            name = "Recv" if rank else "Send"
            writer.enter(10, regions[name])
            (writer.mpi_recv if rank else writer.mpi_send)(12, 1 - rank, world, 7, 100)
            writer.leave(14, regions[name])
            writer.enter(30, regions["Allreduce"])
            writer.mpi_collective_begin(30)
            writer.mpi_collective_end(40, otf2.CollectiveOp.ALLREDUCE, world, 0xFFFFFFFF, 8, 8)
            writer.leave(40, regions["Allreduce"])
