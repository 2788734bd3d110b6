"""Communicators of DUMPI traces: every rank has its own numbers, and all ranks together define a split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from netplace.apps.formats.dumpi_file import Arguments
from netplace.apps.recorded.trace import Trace

WORLD, SELF, NULL = 2, 3, 1
CREATING = ("comm_dup", "comm_create", "comm_split", "cart_create", "cart_sub", "graph_create")
GROUPS = (
    *("comm_group", "group_incl", "group_excl", "group_range_incl", "group_range_excl"),
    *("group_union", "group_intersection", "group_difference"),
)
Step = tuple[str, Arguments]


@dataclass(frozen=True)
class Made:
    """A communicator that a rank has made: its number in the trace, and its members."""

    number: int
    members: tuple[int, ...]
    dims: tuple[int, ...] = ()


@dataclass
class _Rank:
    """A rank's communicators and groups by its own numbers, and its remaining calls."""

    steps: Sequence[Step]
    communicators: dict[int, Made]
    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    done: int = 0
    made: list[Made | None] = field(default_factory=list)


def communicators_of(trace: Trace, steps: Sequence[Sequence[Step]]) -> list[list[Made | None]]:
    """Return the communicator, or None, that each call of `CREATING` of each rank creates, in order."""
    world = Made(0, tuple(range(trace.ranks)))
    ranks = [
        _Rank(own, {WORLD: world, SELF: Made(trace.communicator((rank,), "self"), (rank,))})
        for rank, own in enumerate(steps)
    ]
    # Who has come to the next call that makes one from a communicator, by its number.
    waiting: dict[int, dict[int, Step]] = defaultdict(dict)
    times: dict[int, int] = defaultdict(int)
    ready = list(range(len(ranks)))
    while ready:
        rank = ready.pop()
        parent = _advance(ranks[rank], rank, waiting)
        if parent is not None and len(waiting[parent.number]) == len(parent.members):
            _make(trace, ranks, parent, waiting.pop(parent.number), times[parent.number])
            times[parent.number] += 1
            ready += parent.members
    for rank, state in enumerate(ranks):
        if state.done < len(state.steps):
            name = state.steps[state.done][0].capitalize()
            raise ValueError(
                f"rank {rank} calls MPI_{name} as number {state.done} of its calls that create "
                f"communicators and groups, but other ranks of its communicator do not"
            )
    return [state.made for state in ranks]


def _advance(state: _Rank, rank: int, waiting: dict[int, dict[int, Step]]) -> Made | None:
    """Continue to the next call that needs the other ranks, and return its communicator."""
    while state.done < len(state.steps):
        name, given = state.steps[state.done]
        if name in CREATING:
            parent = state.communicators.get(given["oldcomm"])
            if parent is None:
                raise ValueError(f"rank {rank}: unknown communicator {given['oldcomm']}")
            waiting[parent.number][rank] = (name, given)
            return parent
        state.done += 1
        _GROUPS[name](state, given)
    return None


def _make(trace: Trace, ranks: list[_Rank], parent: Made, calls: dict[int, Step], number: int) -> None:
    """Give the ranks of a communicator the communicators that they create from it together."""
    names = {name for name, _ in calls.values()}
    if len(names) > 1:
        raise ValueError(f"ranks call {' and '.join(sorted(names))} on one communicator")
    name = names.pop()
    parts = _PARTS[name](ranks, parent, {rank: given for rank, (_, given) in calls.items()})
    for rank in parent.members:
        state, given = ranks[rank], calls[rank][1]
        members, dims = parts.get(rank, ((), ()))
        made = None
        if members and rank in members:
            key = (parent.number, number, members)
            made = Made(trace.communicator(members, key), members, dims)
            state.communicators[given["newcomm"]] = made
        state.made.append(made)
        state.done += 1


_Parts = dict[int, tuple[tuple[int, ...], tuple[int, ...]]]


def _dup(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    return dict.fromkeys(parent.members, (parent.members, parent.dims))


def _create(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    return {rank: (ranks[rank].groups.get(arguments["group"], ()), ()) for rank, arguments in given.items()}


def _split(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    colours: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for place, rank in enumerate(parent.members):
        if given[rank]["newcomm"] != NULL:
            colours[given[rank]["color"]].append((given[rank]["key"], place, rank))
    members = {colour: tuple(rank for _, _, rank in sorted(those)) for colour, those in colours.items()}
    return {rank: (members.get(given[rank]["color"], ()), ()) for rank in parent.members}


def _cart(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    # Ranks may be reordered; the record does not say how, so they are taken as they were.
    dims = tuple(next(iter(given.values()))["dims"])
    count = 1
    for length in dims:
        count *= length
    return dict.fromkeys(parent.members[:count], (parent.members[:count], dims))


def _cart_sub(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    kept = next(iter(given.values()))["remain_dims"]
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, rank in enumerate(parent.members):
        groups[_fixed(place, parent.dims, kept)].append(rank)
    dims = tuple(length for length, stays in zip(parent.dims, kept, strict=False) if stays)
    return {rank: (tuple(those), dims) for those in groups.values() for rank in those}


def _fixed(place: int, dims: tuple[int, ...], kept: Sequence[int]) -> tuple[int, ...]:
    """Return the coordinates of a place in a grid along the axes that are not kept."""
    coordinates = []
    for length in reversed(dims):
        place, at = divmod(place, max(length, 1))
        coordinates.append(at)
    return tuple(at for at, stays in zip(reversed(coordinates), kept, strict=False) if not stays)


def _graph(ranks: list[_Rank], parent: Made, given: dict[int, Arguments]) -> _Parts:
    count = next(iter(given.values()))["nodes"]
    return dict.fromkeys(parent.members[:count], (parent.members[:count], ()))


_PARTS: dict[str, Callable[[list[_Rank], Made, dict[int, Arguments]], _Parts]] = {
    "comm_dup": _dup,
    "comm_create": _create,
    "comm_split": _split,
    "cart_create": _cart,
    "cart_sub": _cart_sub,
    "graph_create": _graph,
}


def _chosen(group: Sequence[int], places: Iterable[int]) -> tuple[int, ...]:
    return tuple(group[place] for place in places if 0 <= place < len(group))


def _ranges(ranges: Iterable[Sequence[int]]) -> list[int]:
    places: list[int] = []
    for first, last, step in (each[:3] for each in ranges if len(each) >= 3 and each[2]):
        places += range(first, last + (1 if step > 0 else -1), step)
    return places


def _group(state: _Rank, given: Arguments, members: Iterable[int]) -> None:
    state.groups[given["newgroup"]] = tuple(members)


def _of(state: _Rank, given: Arguments, name: str = "group") -> tuple[int, ...]:
    return state.groups.get(given[name], ())


def _without(group: tuple[int, ...], places: Iterable[int]) -> tuple[int, ...]:
    dropped = set(places)
    return tuple(rank for place, rank in enumerate(group) if place not in dropped)


def _comm_group(state: _Rank, given: Arguments) -> None:
    made = state.communicators.get(given["comm"])
    state.groups[given["group"]] = made.members if made else ()


_GROUPS: dict[str, Callable[[_Rank, Arguments], None]] = {
    "comm_group": _comm_group,
    "group_incl": lambda s, g: _group(s, g, _chosen(_of(s, g), g["ranks"])),
    "group_excl": lambda s, g: _group(s, g, _without(_of(s, g), g["ranks"])),
    "group_range_incl": lambda s, g: _group(s, g, _chosen(_of(s, g), _ranges(g["ranges"]))),
    "group_range_excl": lambda s, g: _group(s, g, _without(_of(s, g), _ranges(g["ranges"]))),
    "group_union": lambda s, g: _group(s, g, dict.fromkeys((*_of(s, g, "group1"), *_of(s, g, "group2")))),
    "group_intersection": lambda s, g: _group(
        s, g, [rank for rank in _of(s, g, "group1") if rank in _of(s, g, "group2")]
    ),
    "group_difference": lambda s, g: _group(
        s, g, [rank for rank in _of(s, g, "group1") if rank not in _of(s, g, "group2")]
    ),
}
