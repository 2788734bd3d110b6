"""The project's own text format, for the calls of an MPI tracer and for every program.

A line has eight words: ``rank op peer bytes tag comm req gap_us``. The order of lines of different ranks
has no meaning; empty lines and lines that begin with ``#`` are skipped, but for ``# left out: 4 put``, which
counts calls that the trace does not hold. Peers are world ranks. ``op`` is one of:

============  ========================================================================================
send, recv    to or from ``peer``; ``req`` is -1
isend, irecv  the same; opens request ``req``, unique within the rank
wait          completes request ``req``
compute       ``bytes`` cycles of computation
coll          the collective that ``tag`` names (one of `netplace.apps.recorded.calls.OPERATIONS`) with root
              ``peer`` among the members of ``comm``; ``req`` lists the bytes for each member where they
              differ (``4,6``), and names the request of one that does not block (``r12``, ``r12:4,6``)
comm          communicator ``comm`` has the ``bytes`` world ranks that ``req`` lists
mark          ``tag`` is ``iter``: iteration ``peer`` begins (-1: the last one ends); or it is
              ``<section>_begin`` or ``<section>_end``; ``warm_iter`` is skipped
============  ========================================================================================

Communicator 0 is the world. Messages of different communicators cannot be confused. Collectives become the
messages of `netplace.apps.collectives`, on tags of their own. ``gap_us`` is the computation before the line,
in us.

A program is written with operations only: collectives are converted to messages, tags are whole and
communicators 0. A comment in the first line contains the number of tasks, and ``receives by length`` if a
receive takes the first message of its own length instead of the first of its channel. Written files read back
equal.
"""

from __future__ import annotations

from pathlib import Path

from netplace.apps.formats.text_calls import open_lines
from netplace.apps.formats.text_lines import COLUMNS, KINDS
from netplace.apps.recorded.trace import Reading, Trace


def recognises(path: Path, head: bytes) -> bool:
    """Return whether the first line that is no comment has the eight words of this format."""
    for line in head.split(b"\n"):
        words = line.split()
        if words and not words[0].startswith(b"#"):
            return len(words) == len(COLUMNS) and words[1].decode("ascii", "replace") in KINDS
    return False


def open_text(path: Path, reading: Reading) -> Trace:
    """Open a trace in the text format; see `netplace.apps.formats.open_trace`."""
    return open_lines(path, reading)
