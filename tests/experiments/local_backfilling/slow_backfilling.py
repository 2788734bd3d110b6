"""Rules and backfilling on sets of processors, reservation by reservation; written apart from the package."""

from netplace.scheduling import Job

Choice = frozenset[int] | None


def pieces(free: set[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for processor in sorted(free):
        if found and found[-1][-1] == processor - 1:
            found[-1].append(processor)
        else:
            found.append([processor])
    return found


def fill(groups: list[list[int]], size: int) -> Choice:
    """Whole groups, the last one cut from its low end."""
    taken = [processor for group in groups for processor in sorted(group)]
    return frozenset(taken[:size]) if len(taken) >= size else None


def by_cluster(free: set[int], cluster: int) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for processor in sorted(free):
        groups.setdefault(processor // cluster, []).append(processor)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


def with_tight_end(groups: list[list[int]], size: int) -> list[list[int]]:
    """Groups in their order; what is left and fits into one goes to the smallest that it fits into."""
    taken: list[list[int]] = []
    while groups and size > 0:
        holding = [group for group in groups if len(group) >= size]
        group = min(holding, key=len) if holding else groups[0]
        taken, size = [*taken, group], size - len(group)
        groups = [other for other in groups if other is not group]
    return taken


def choose(rule: str, levels: tuple[int, ...], free: set[int], size: int) -> Choice:
    """What a rule takes of `free`; None: it refuses."""
    if len(free) < size:
        return None
    cluster, basic = levels[-1] // levels[-2], frozenset(sorted(free)[:size])
    longest = sorted(pieces(free), key=lambda piece: -len(piece))
    roomy = [piece for piece in pieces(free) if len(piece) >= size]
    if rule == "basic":
        return basic
    if rule in ("cont", "becont"):
        return frozenset(roomy[0][:size]) if roomy else (basic if rule == "becont" else None)
    if rule == "becont-largest":
        return fill(longest, size)
    if rule == "cont-largest":
        return frozenset(longest[0][:size]) if len(longest[0]) >= size else None
    tight = rule.endswith("-tightest")
    if rule.removesuffix("-tightest") in ("loc", "beloc"):
        groups = by_cluster(free, cluster)
        if rule.startswith("loc"):
            few = groups[: -(-size // cluster)]
            if sum(map(len, few)) < size:
                return None
            groups = groups if tight else few
        return fill(with_tight_end(groups, size) if tight else groups, size)
    for count in reversed(levels[:-1]):
        block = levels[-1] // count
        if block < size:
            continue
        insides = [free & set(range(low, low + block)) for low in range(0, levels[-1], block)]
        roomy_blocks = [inside for inside in insides if len(inside) >= size]
        if roomy_blocks:
            inside = min(roomy_blocks, key=len) if tight else roomy_blocks[0]
            if rule.endswith("-rank"):
                return frozenset(sorted(inside)[:size])
            groups = by_cluster(inside, cluster)
            return fill(with_tight_end(groups, size) if tight else groups, size)
        if rule.startswith("plat"):
            return None
    return None


class SlowBackfilling:
    """Reservations in a plain list: (job, start, processors); integer times."""

    def __init__(self, levels: tuple[int, ...], jobs: list[Job], rule: str, factor: float) -> None:
        self.levels, self.jobs, self.rule, self.factor = levels, jobs, rule, factor
        self.held: dict[int, tuple[float, frozenset[int]]] = {}
        self.start: dict[int, float] = {}
        self.end: dict[int, float] = {}
        self.places: dict[int, frozenset[int]] = {}
        self.failed: set[int] = set()

    def run(self) -> None:
        waiting = list(range(len(self.jobs)))
        while len(self.end) < len(self.jobs) or any(row in self.held for row in self.end):
            coming = [self.jobs[row].submit for row in waiting]
            coming += [self.end[row] for row in self.held if row in self.end]
            coming += [begin for row, (begin, _) in self.held.items() if row not in self.end]
            now = min(coming)
            over = [row for row in self.held if self.end.get(row) == now]
            for row in over:
                del self.held[row]
            for row in sorted(self.held):
                if row not in self.end and self.held[row][0] == now:
                    self.begin(row, now)
            for row in sorted(self.held) if over else ():
                if row not in self.end:
                    own = self.held.pop(row)
                    found = self.place(row, now)
                    self.held[row] = (now, found) if found else own
                    if found:
                        self.begin(row, now)
            while waiting and self.jobs[waiting[0]].submit == now:
                self.reserve(waiting.pop(0), now)

    def reserve(self, row: int, now: float) -> None:
        instants = {now}
        for other, (begin, _) in self.held.items():
            instants |= {begin, begin + self.wall(other)}
        for begin in sorted(instant for instant in instants if instant >= now):
            found = self.place(row, begin)
            if found:
                self.held[row] = (begin, found)
                break
        if self.held[row][0] == now:
            self.begin(row, now)

    def wall(self, row: int) -> float:
        return self.jobs[row].estimate or 0.0

    def place(self, row: int, begin: float) -> Choice:
        free = set(range(self.levels[-1]))
        for other, (since, processors) in self.held.items():
            if since < begin + self.wall(row) and begin < since + self.wall(other):
                free -= processors
        return choose(self.rule, self.levels, free, self.jobs[row].nodes)

    def begin(self, row: int, now: float) -> None:
        processors, job = self.held[row][1], self.jobs[row]
        self.start[row], self.places[row] = now, processors
        above = self.level(processors) - self.level(frozenset(range(job.nodes)))
        seconds = job.run_time * self.factor**above
        if seconds > self.wall(row):
            self.failed.add(row)
        self.end[row] = now + min(seconds, self.wall(row))

    def level(self, processors: frozenset[int]) -> int:
        for level, count in enumerate(reversed(self.levels[:-1])):
            if len({processor // (self.levels[-1] // count) for processor in processors}) == 1:
                return level
        raise AssertionError
