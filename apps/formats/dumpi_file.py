"""One rank's binary DUMPI file: decoded records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from netplace.apps.formats.stream import TraceError
from netplace.files import input_file
from netplace.inputs import check_size

# Layout of the records of DUMPI's binary files, as data.
#
# Taken from the description of the format that comes with DUMPI, and from its files.

# Every MPI function in the order of its number, with its arguments after the colon:
# i, b, h, q: a number of 32, 8, 16, 64 bits; t, c, g: a datatype, communicator, group (16 bits); r: a request
# (32 bits); I, B, T, R: a length of 32 bits and so many numbers of 32 bits, of 8, datatypes, requests; D: a
# length and so many I; s: a string with a length of 32 bits; A: a length and so many strings; S: statuses, if
# the record has any; J: I, in versions before 0.6.9 a single i; what is between slashes is there only at the
# root; -: cannot be told.
_LAYOUT = """
send:itiic recv:itiicS get_count:Sti bsend:itiic ssend:itiic rsend:itiic buffer_attach:i buffer_detach:i
isend:itiicr ibsend:itiicr issend:itiicr irsend:itiicr irecv:itiicr wait:rS test:riS request_free:r
waitany:iRiS testany:iRiiS waitall:iRS testall:iRiS waitsome:iRiIS testsome:iRiIS iprobe:iiciS
probe:iicS cancel:r test_cancelled:Si send_init:itiicr bsend_init:itiicr ssend_init:itiicr
rsend_init:itiicr recv_init:itiicr start:r startall:iR sendrecv:itiiitiicS sendrecv_replace:itiiiicS
type_contiguous:itt type_vector:iiitt type_hvector:iiitt type_indexed:iIItt type_hindexed:iIItt
type_struct:iIJTt address:i type_extent:ti type_size:ti type_lb:ti type_ub:ti type_commit:t type_free:t
get_elements:Sti pack:itiiic unpack:iiiitc pack_size:itci barrier:c bcast:itic gather:iitic/it/
gatherv:iiitic/IIt/t scatter:iitic/it/ scatterv:iititic/II/ allgather:ititc allgatherv:iitIItc
alltoall:ititc alltoallv:iIItIItc reduce:itbic op_create:ib op_free:b allreduce:itbc
reduce_scatter:iItbc scan:itbc group_size:gi group_rank:gi group_translate_ranks:giIgI group_compare:ggb
comm_group:cg group_union:ggg group_intersection:ggg group_difference:ggg group_incl:giIg
group_excl:giIg group_range_incl:giDg group_range_excl:giDg group_free:g comm_size:ci comm_rank:ci
comm_compare:ccb comm_dup:cc comm_create:cgc comm_split:ciic comm_free:c comm_test_inter:ci
comm_remote_size:ci comm_remote_group:cg intercomm_create:ciciic intercomm_merge:cic keyval_create:h
keyval_free:h attr_put:ci attr_get:cii attr_delete:ci topo_test:cb cart_create:ciIIic dims_create:iiII
graph_create:iciIIic graphdims_get:cii graph_get:iiciiII cartdim_get:ci cart_get:iciIIJ cart_rank:icIi
cart_coords:iciiI graph_neighbors_count:cii graph_neighbors:iciiI cart_shift:ciiii cart_sub:icIc
cart_map:ciIIi graph_map:iciIIi get_processor_name:si get_version:ii errhandler_create:h
errhandler_set:ch errhandler_get:ch errhandler_free:h error_string:isi error_class:ii wtime: wtick:
init:A finalize: initialized:i abort:ci pcontrol: close_port:s comm_accept:shicc comm_connect:shicc
comm_disconnect:c comm_get_parent:c comm_join:ic comm_spawn:- comm_spawn_multiple:- lookup_name:shs
open_port:hs publish_name:shs unpublish_name:shs accumulate:itiiitbh get:itiiith put:itiiith
win_complete:h win_create:iihch win_fence:bh win_free:h win_get_group:hg win_lock:bibh win_post:gbh
win_start:gbh win_test:hi win_unlock:ih win_wait:h alltoallw:iIITIITc exscan:itbc add_error_class:i
add_error_code:ii add_error_string:is comm_call_errhandler:ci comm_create_keyval:h comm_delete_attr:ch
comm_free_keyval:h comm_get_attr:chi comm_get_name:csi comm_set_attr:ch comm_set_name:cs
file_call_errhandler:hi grequest_complete:r grequest_start:r init_thread:Abb is_thread_main:i
query_thread:b status_set_cancelled:Si status_set_elements:Sti type_create_keyval:h type_delete_attr:th
type_dup:tt type_free_keyval:h type_get_attr:thi type_get_contents:iiitiiiIIT type_get_envelope:tiiib
type_get_name:tsi type_set_attr:th type_set_name:ts type_match_size:bit win_call_errhandler:hi
win_create_keyval:h win_delete_attr:hh win_free_keyval:h win_get_attr:hhi win_get_name:hsi
win_set_attr:hh win_set_name:hs alloc_mem:ih comm_create_errhandler:h comm_get_errhandler:ch
comm_set_errhandler:ch file_create_errhandler:h file_get_errhandler:hh file_set_errhandler:hh
finalized:i free_mem: get_address:i info_create:h info_delete:hs info_dup:hh info_free:h info_get:hsisi
info_get_nkeys:hi info_get_nthkey:his info_get_valuelen:hsii info_set:hss pack_external:sitiii
pack_external_size:siti request_get_status:riS type_create_darray:iiiIBIIbtt type_create_hindexed:iIItt
type_create_hvector:iiitt type_create_indexed_block:iiItt type_create_resized:tiit
type_create_struct:iIITt type_create_subarray:iIIIbtt type_get_extent:tii type_get_true_extent:tii
unpack_external:siiiit win_create_errhandler:h win_get_errhandler:hh win_set_errhandler:hh
file_open:csbhh file_close:h file_delete:sh file_set_size:hq file_preallocate:hq file_get_size:hq
file_get_group:hg file_get_amode:hb file_set_info:hh file_get_info:hh file_set_view:hqttsh
file_get_view:hqtts file_read_at:hqitS file_read_at_all:hqitS file_write_at:hqitS
file_write_at_all:hqitS file_iread_at:hqitr file_iwrite_at:hqitr file_read:hitS file_read_all:hitS
file_write:hitS file_write_all:hitS file_iread:hitr file_iwrite:hitr file_seek:hqb file_get_position:hq
file_get_byte_offset:hqq file_read_shared:hitS file_write_shared:hitS file_iread_shared:hitr
file_iwrite_shared:hitr file_read_ordered:hitS file_write_ordered:hitS file_seek_shared:hqb
file_get_position_shared:hq file_read_at_all_begin:hqit file_read_at_all_end:hS
file_write_at_all_begin:hqit file_write_at_all_end:hS file_read_all_begin:hit file_read_all_end:hS
file_write_all_begin:hit file_write_all_end:hS file_read_ordered_begin:hit file_read_ordered_end:hS
file_write_ordered_begin:hit file_write_ordered_end:hS file_get_type_extent:hti register_datarep:s
file_set_atomicity:hi file_get_atomicity:hi file_sync:h io_test:riS io_wait:rS io_testall:iRiS
io_waitall:iRS io_testany:iRiiS io_waitany:iRiS io_waitsome:iRiIS io_testsome:iRiIS
"""
FUNCTIONS: tuple[tuple[str, str], ...] = tuple(
    (name, layout) for name, _, layout in (word.partition(":") for word in _LAYOUT.split())
)
END_OF_STREAM = len(FUNCTIONS) + 3  # after two labels for functions of the program
# Arguments and results of a call by the names of MPI's parameters: numbers, lists of them, statuses.
Arguments = dict[str, Any]
# Name, line, time in nanoseconds (begin, end) by the machine's clock, arguments by name.
TextCall = tuple[str, int, tuple[int, int], Arguments]
MAGIC = b"\xff\xaa\xddDUMPI"
_STATUSES, _CPU, _WALL, _THREAD, _COUNTERS = 3, 1 << 2, 1 << 3, 1 << 6, 1 << 7
_SECOND = 1_000_000_000
_WRAP = 1 << 16  # seconds are stored in 16 bits
_NUMBERS = {"i": ">i", "r": ">i", "t": ">h", "c": ">h", "g": ">h", "h": ">h", "b": ">b", "q": ">q"}
_ARRAYS = {"I": "i", "R": "i", "T": "h", "B": "b"}


@dataclass(frozen=True)
class Status:
    """What a completed receive got; of a completed send it holds rubbish."""

    bytes: int
    source: int
    cancelled: int
    error: int
    tag: int


class Record(NamedTuple):
    """A call."""

    name: str  # MPI's name in lower case, without ``mpi_``
    place: int  # byte of the file at which it begins
    wall: tuple[int, int]  # begin and end in nanoseconds by the machine's clock
    # As `FUNCTIONS` lays them out: numbers, lists of numbers, text; statuses are a list of `Status`.
    arguments: list[Any]


class DumpiFile:
    def __init__(self, path: Path) -> None:
        try:
            check_size(path.stat().st_size, 1, "bytes that must be read as a whole", str(path))
            self._data = input_file(path).read_bytes()
        except OSError as error:
            raise ValueError(f"{path}: cannot be read, {error.strerror}") from None
        if not self._data.startswith(MAGIC):
            raise TraceError(0, "is not a DUMPI file", "byte")
        offsets = self._index()
        self._stream = offsets[2]
        self.version = self._version(offsets[3])  # version of the library that wrote it
        # Bytes of the predefined datatypes on the traced machine; empty if the file has none.
        self.sizes = self._sizes(offsets[6]) if len(offsets) > 6 and offsets[6] else []
        self.counts = self._counts(offsets[1])  # number of calls of each function

    def _index(self) -> list[int]:
        """Return the offsets at the end of the file, the last one first."""
        offsets: list[int] = []
        place = len(self._data) - 8
        while place >= 8 and len(offsets) <= 16:
            word = self._data[place : place + 8]
            if word == MAGIC:
                break
            offsets.append(int.from_bytes(word, "big"))
            place -= 8
        else:
            raise TraceError(len(self._data), "has no index at its end: it is incomplete or damaged", "byte")
        if len(offsets) < 4 or max(offsets) >= len(self._data):
            raise TraceError(place, "has a damaged index at its end", "byte")
        return offsets

    def _version(self, place: int) -> tuple[int, int, int]:
        version = tuple(self._data[place : place + 3])
        if len(version) != 3:
            raise TraceError(place, "has no header at the place in its index", "byte")
        return version[0], version[1], version[2]

    def _sizes(self, place: int) -> list[int]:
        (count,), place = self._unpacked(">I", place)
        if count > 1 << 16:
            raise TraceError(place, f"has {count} sizes of datatypes", "byte")
        return list(self._unpacked(f">{count}i", place)[0])

    def _counts(self, place: int) -> dict[str, int]:
        names = [name for name, _ in FUNCTIONS]
        room = min(len(names), (len(self._data) - place - 8) // 4)
        counts = self._unpacked(f">{room}I", place + 8)[0]
        return {name: count for name, count in zip(names, counts, strict=False) if count}

    def _unpacked(self, layout: str, place: int) -> tuple[tuple[Any, ...], int]:
        try:
            return struct.unpack_from(layout, self._data, place), place + struct.calcsize(layout)
        except struct.error:
            raise TraceError(place, "ends in the middle of a record", "byte") from None

    def records(self) -> Iterator[Record]:
        """Yield the calls in their order."""
        (bias,), place = self._unpacked(">4xI", self._stream)
        self._before: int = bias * _SECOND
        self._last = 0
        while True:
            (label,), after = self._unpacked(">H", place)
            if label == END_OF_STREAM:
                return
            if label >= len(FUNCTIONS):
                raise TraceError(place, f"unknown function {label}", "byte")
            record, place = self._record(label, place, after)
            yield record

    def _record(self, label: int, begin: int, place: int) -> tuple[Record, int]:
        (mask,), place = self._unpacked(">B", place)
        if mask & _THREAD:
            place += 2
        place += 12 * bool(mask & _CPU)
        wall = (0, 0)
        if mask & _WALL:
            fields, place = self._unpacked(">HIHI", place)
            wall = self._time(*fields[:2]), self._time(*fields[2:])
        if mask & _COUNTERS:
            (count,), place = self._unpacked(">B", place)
            place += 16 * count
        name, layout = FUNCTIONS[label]
        if layout == "-":
            raise TraceError(begin, f"MPI_{name.capitalize()} cannot be decoded", "byte")
        arguments, place = self._arguments(layout, place, bool(mask & _STATUSES))
        return Record(name, begin, wall, arguments), place

    def _time(self, seconds: int, nanoseconds: int) -> int:
        """Return a time; the 16 bits of seconds begin again when they are full."""
        time = self._before + seconds * _SECOND + nanoseconds
        if self._last - time > _WRAP * _SECOND // 2:
            self._before += _WRAP * _SECOND
            time += _WRAP * _SECOND
        self._last = max(self._last, time)
        return time

    def _arguments(self, layout: str, place: int, statuses: bool) -> tuple[list[Any], int]:
        always, _, rest = layout.partition("/")
        arguments: list[Any] = []
        place = self._read(always, arguments, place, statuses)
        if rest:
            # These begin with the rank of the caller, and end with root and communicator.
            at_root, _, after = rest.partition("/")
            if arguments[0] == arguments[-2]:
                place = self._read(at_root, arguments, place, statuses)
            place = self._read(after, arguments, place, statuses)
        return arguments, place

    def _read(self, layout: str, arguments: list[Any], place: int, statuses: bool) -> int:
        for letter in layout:
            value: Any
            if letter in _NUMBERS:
                (value,), place = self._unpacked(_NUMBERS[letter], place)
            elif letter in _ARRAYS or (letter == "J" and self.version >= (0, 6, 9)):
                value, place = self._array(_ARRAYS.get(letter, "i"), place)
            elif letter == "J":
                (value,), place = self._unpacked(">i", place)
            elif letter == "s":
                value, place = self._array("b", place)
            elif letter == "S":
                value, place = self._statuses(place) if statuses else ([], place)
            else:
                value, place = self._list("I" if letter == "D" else "s", place)
            arguments.append(value)
        return place

    def _array(self, code: str, place: int) -> tuple[list[int], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        values, place = self._unpacked(f">{count}{code}", place)
        return list(values), place

    def _list(self, letter: str, place: int) -> tuple[list[Any], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        values: list[Any] = []
        if letter == "s" and self.version < (0, 6, 2):
            place += 4
        for _ in range(count):
            place = self._read(letter, values, place, False)
        return values, place

    def _statuses(self, place: int) -> tuple[list[Status], int]:
        (count,), place = self._unpacked(">I", place)
        if count > len(self._data):
            raise TraceError(place - 4, f"a list of {count} is longer than the file", "byte")
        statuses = []
        layout = ">iiBBi" if self.version >= (0, 6, 3) else ">iiBB"
        for _ in range(count):
            fields, place = self._unpacked(layout, place)
            statuses.append(Status(*(*fields, -1)[:5]))
        return statuses, place
