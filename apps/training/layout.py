"""The role of each rank: the degrees of parallelism, and their order along the ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from netplace.checks import abbreviate, check_int

DIMENSIONS = ("tp", "cp", "dp", "pp")


@dataclass(frozen=True)
class Layout:
    """Ranks as points of a grid."""

    # Tensor, context, data and pipeline parallel ranks.
    tp: int = 1
    cp: int = 1
    dp: int = 1
    pp: int = 1
    # Expert parallel ranks: this number of consecutive places of the data-parallel dimension share the
    # experts.
    ep: int = 1
    # `DIMENSIONS`, beginning with the one along which consecutive ranks lie.
    order: tuple[str, ...] = DIMENSIONS

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.tp * self.cp * self.dp * self.pp

    def place(self, rank: int) -> dict[str, int]:
        """Return the coordinates of a rank."""
        coordinates = {}
        for dimension in self.order:
            rank, coordinates[dimension] = divmod(rank, getattr(self, dimension))
        return coordinates

    def rank(self, place: dict[str, int]) -> int:
        """Return the rank at some coordinates."""
        number = 0
        for dimension in reversed(self.order):
            number = number * getattr(self, dimension) + place[dimension]
        return number

    def group(self, rank: int, *dimensions: str) -> list[int]:
        """Return the ranks that differ from `rank` along `dimensions` only, in order."""
        places = [self.place(rank)]
        for dimension in dimensions:
            places = [place | {dimension: i} for place in places for i in range(getattr(self, dimension))]
        return sorted(map(self.rank, places))

    def expert_group(self, rank: int) -> list[int]:
        """Return the ranks that share the experts of a layer with `rank`."""
        place = self.place(rank)
        first = place["dp"] - place["dp"] % self.ep
        return [self.rank(place | {"dp": first + i}) for i in range(self.ep)]

    def expert_replicas(self, rank: int) -> list[int]:
        """Return the ranks that have the same experts as `rank`, over the data- and context-parallel ones."""
        own = self.place(rank)["dp"] % self.ep
        return [r for r in self.group(rank, "dp", "cp") if self.place(r)["dp"] % self.ep == own]


def layout_of(tasks: int, tp: int, cp: int, dp: int | None, pp: int, ep: int, order: str) -> Layout:
    """Return the layout of `tasks` ranks; data parallel ones are as many as are left, if not given."""
    degrees = {"tp": check_int(tp, "tp"), "cp": check_int(cp, "cp"), "pp": check_int(pp, "pp")}
    others = prod(degrees.values())
    if dp is None:
        if tasks % others:
            listed = " x ".join(f"{name}={degree}" for name, degree in degrees.items())
            raise ValueError(
                f"tasks: {listed} = {others} does not divide {tasks} ranks, {_nearest(tasks, others)}, "
                f"or a product of {_nearest_divisors(tasks, others)}"
            )
        dp = tasks // others
    if others * check_int(dp, "dp") != tasks:
        raise ValueError(
            f"dp: tp x cp x dp x pp = {others * dp} differs from the {tasks} ranks, "
            + (f"expected dp={tasks // others}" if tasks % others == 0 else _nearest(tasks, others))
            + f", or --tasks {others * dp}"
        )
    if dp % check_int(ep, "ep"):
        near = [n for n in range(1, dp + 1) if dp % n == 0]
        raise ValueError(f"ep: {ep} does not divide dp={dp}, expected one of {near}")
    words = tuple(order.split("-")) if isinstance(order, str) else ()
    if sorted(words) != sorted(DIMENSIONS):
        raise ValueError(
            f"order: {abbreviate(order)} is not tp, cp, dp and pp in some order, such as tp-cp-dp-pp"
        )
    return Layout(degrees["tp"], degrees["cp"], dp, degrees["pp"], ep, words)


def _nearest_divisors(number: int, wanted: int) -> str:
    divisors = [n for n in range(1, number + 1) if number % n == 0]
    return " or ".join(map(str, sorted(sorted(divisors, key=lambda n: abs(n - wanted))[:2])))


def _nearest(tasks: int, others: int) -> str:
    below = tasks // others * others
    return "expected " + " or ".join(str(n) for n in (below, below + others) if n) + " of them"


@dataclass(frozen=True)
class Step:
    """A pass of one micro-batch through one chunk of layers of a stage."""

    forward: bool
    micro: int
    chunk: int


def steps_of(stage: int, stages: int, micros: int, chunks: int = 1) -> Iterator[Step]:
    total = micros * chunks
    if chunks == 1:
        ahead = min(stages - 1 - stage, total)
    else:
        ahead = min(2 * (stages - 1 - stage) + (chunks - 1) * stages, total)
    forward = [_step(k, stages, chunks, forward=True) for k in range(total)]
    backward = [_step(k, stages, chunks, forward=False) for k in range(total)]
    yield from forward[:ahead]
    for number, step in enumerate(forward[ahead:]):
        yield step
        yield backward[number]
    yield from backward[total - ahead :]


def _step(k: int, stages: int, chunks: int, forward: bool) -> Step:
    """Return pass number `k` of a stage in one direction."""
    if chunks == 1:
        return Step(forward, k, 0)
    batch, place = divmod(k, stages * chunks)
    chunk, micro = divmod(place, stages)
    return Step(forward, batch * stages + micro, chunk if forward else chunks - 1 - chunk)
