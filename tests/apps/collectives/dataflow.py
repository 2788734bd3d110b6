"""Follow the data of a collective, byte by byte: an independent account of what every rank ends up with."""

import numpy as np

from netplace.apps.collectives import ALGORITHMS, ROOTED, Call, Schedule

COPIED = ("allgather", "allgatherv", "alltoall", "alltoallv", "gather", "scatter")


def verify(call, rounds):
    """Require that senders have what they send, no value is added twice, and all end with their data.

    Each rank has, for each byte of the vector, a set of contributors as bits of a number: the ranks whose
    data are summed in it, or the one from which it came. A rank can forward a received sum apart from its
    own.
    """
    barrier, scans = call.operation == "barrier", call.operation in ("scan", "exscan")
    paired, everyone = call.operation.startswith("alltoall"), (1 << call.ranks) - 1
    length = 1 if barrier else call.offsets[-1] if paired else call.vector
    ranks = np.arange(call.ranks)[:, None]
    block = np.searchsorted(call.offsets, np.arange(length), "right") - 1
    owner = block // call.ranks if paired else block
    root = ranks == call.root
    start = root if call.operation in ("bcast", "scatter") else owner == ranks
    has = np.where(start | (call.operation not in ("bcast", *COPIED)), 1 << ranks, 0) + np.zeros(length, int)
    came, below = np.zeros_like(has), np.zeros_like(has)
    for messages in rounds:
        sent = []
        for message in messages:
            parts = ((0, 1),) if barrier else tuple(message.parts)
            here = np.concatenate([np.arange(*part) for part in parts] or [np.arange(0)])
            assert message.bytes == (0 if barrier else len(here)), (
                f"{message.bytes} bytes, {len(here)} in parts"
            )
            assert has[message.source, here].all(), "sends data that its sender does not have"
            sent.append((message, here, has[message.source, here], came[message.source, here]))
        for message, here, whole, received in sent:
            own = has[message.destination, here]
            taken = whole if barrier else np.where(_add_up(own, whole), whole, received)
            if scans:
                lower = taken < 1 << message.destination
                once = ~(lower & (taken & below[message.destination, here] != 0))
                below[message.destination, here] |= np.where(lower, taken, 0)
                assert once.all(), "adds a value that is already in the sum"
            assert barrier or (taken.astype(bool) & _add_up(own, taken)).all(), (
                "adds a value that is already in the sum"
            )
            came[message.destination, here] = taken
            has[message.destination, here] = own | taken
    mine, from_root = owner == ranks, has == 1 << call.root
    right = {
        "bcast": from_root,
        "scatter": ~mine | from_root,
        "gather": ~root | (has == 1 << owner),
        "reduce": ~root | (has == everyone),
        **dict.fromkeys(("allgather", "allgatherv"), has == 1 << owner),
        **dict.fromkeys(("alltoall", "alltoallv"), (block % call.ranks != ranks) | (has == 1 << owner)),
        **dict.fromkeys(("reduce_scatter", "reduce_scatter_block"), ~mine | (has == everyone)),
        **dict.fromkeys(("scan", "exscan"), below == (1 << ranks) - 1),
    }.get(call.operation, has == everyone)
    assert right.all(), f"rank {np.argmin(right.all(axis=1))} ends with wrong data"


def _add_up(own, sent):
    """Return where sums are disjoint and add, or what comes has all of the other and replaces it."""
    return (own & sent == 0) | (own | sent == sent)


def verified(operation, name, ranks=(1, 2, 3, 4, 5, 6, 7, 8, 12, 16), bytes=(37, 48), **options):
    """Verify an algorithm for numbers of ranks, sizes, and roots that it supports; return its schedules."""
    algorithm, schedules = ALGORITHMS[operation, name], []
    for count in ranks:
        if algorithm.needs(count):
            continue
        for size in bytes:
            for root in sorted({0, count // 2, count - 1}) if operation in ROOTED else [0]:
                call = Call(operation, count, size, root, **options)
                try:
                    rounds = [list(messages) for messages in algorithm.rounds(call)]
                except ValueError:
                    continue
                verify(call, rounds)
                schedules.append(Schedule.of(call, name, rounds))
    return schedules
