"""Placement studies: one TOML file from programs to schedules.

Lists of ``[machine]``, ``[jobs]`` and ``[schedule]`` multiply. ``[machine]`` has the network and its
settings; ``[table]`` where run times are kept, which mappings are simulated and with how many seeds;
``[schedule]`` any key of a schedule (without it: boxes or subtrees, and the best known mapping). Instead of
``[[job]]``, ``[jobs]`` has ``workload`` and its options, and ``[applications]`` the programs of the jobs of a
log; see `netplace.runs.mix`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from netplace.inputs import FaultsError, abbreviate, check_choice
from netplace.netsim.config import SETTINGS, Config
from netplace.plan_settings import OF_TABLES, SCHEDULE_SETTINGS
from netplace.runs.job_list import read_job_list
from netplace.runs.job_programs import program_once
from netplace.runs.mix import read_mix
from netplace.runs.networks import hosts_of, network_of
from netplace.runs.placing import place_jobs
from netplace.runs.plan import CANDIDATES, Plan, known_mapping, make_plan
from netplace.runs.study_file import axis, seeds_of
from netplace.runs.toml_lines import line_of, read_toml
from netplace.scheduling import PARTITIONERS, make_partitioner
from netplace.scheduling.workload.workload import MOST_NODES
from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host

_TABLES = ("machine", "table", "job", "jobs", "schedule", "applications")
_OF_TABLE = ("store", "mappings", "seeds", "repeats", "equal_rotations", "scattered_factor")
_OF_JOBS = ("workload", "jobs", "load", "kind", "classes", "sizes", "intensity", "mean_interarrival",
            "repeats", "hours", "cores_per_node", "drop")  # fmt: skip
_ELSEWHERE = {*_OF_JOBS, "machine", "times", *OF_TABLES}
_OF_SCHEDULE = (*(name for name in SCHEDULE_SETTINGS if name not in _ELSEWHERE), "seeds")
_USUAL_RULES = {"partition": "contiguous", "mapping": "best-known"}  # without [schedule]
_MOST = 10_000  # plans of one file
_TRIED_TASKS = 16


@dataclass(frozen=True)
class PlacementStudy:
    """The plans of a placement study, and what was left out of it, a sentence each."""

    plans: list[Plan]
    notes: list[str]


def is_placement_file(path: str | Path) -> bool:
    """Return whether a file is a placement study: TOML with a table ``[machine]``."""
    path = Path(path)
    return path.suffix == ".toml" and isinstance(read_toml(path)[1].get("machine"), dict)


def read_placement_file(path: str | Path) -> PlacementStudy:
    """Return the plans of a placement study.

    Raises
    ------
    ValueError
        If something in the file is not valid; the error has a line for each fault.
    """
    path = Path(path)
    return _Reader(path, *read_toml(path, flags=True)).study()


class _Reader:
    def __init__(self, path: Path, text: str, data: dict[str, Any]) -> None:
        self._path, self._text, self._data = path, text, data
        self._faults: list[str] = []
        self._notes: list[str] = []

    def study(self) -> PlacementStudy:
        for key in self._data:
            self._try("", key, lambda key=key: check_choice(key, _TABLES, "table"))
        machine = self._table("machine", ("network", *SETTINGS))
        table = self._table("table", _OF_TABLE)
        schedule = self._table("schedule", _OF_SCHEDULE) or dict(_USUAL_RULES)
        jobs = self._jobs(machine.get("network"))
        if "network" not in machine:
            self._fault("machine", "", "network: not given, expected a network such as torus:8x8")
        mappings = self._mappings(table)
        seeds = self._try("schedule", "seeds", lambda: seeds_of(schedule.pop("seeds", 1)))
        places, workloads, rules_of_schedules = (
            self._combinations(name, values)
            for name, values in (("machine", machine), ("jobs", jobs), ("schedule", schedule))
        )
        same = self._of_table(table)
        if self._faults:
            self._probe(machine, schedule, same | next(iter(workloads), {}))
        self._end()
        plans: list[Plan] = []
        for place in places:
            network = str(place["network"])
            usable = self._usable(network, mappings)
            for of_jobs, rules in itertools.product(workloads, rules_of_schedules):
                if not self._can_place(network, rules):
                    continue
                mapping = rules.get("mapping", "consecutive")
                if mapping != "best-known" and mapping not in usable and mapping in mappings:
                    continue  # said already
                values = same | of_jobs | place | rules | {"machine": network, "mappings": ",".join(usable)}
                del values["network"]
                made = self._try("schedule", "", lambda values=values: make_plan(values))
                if made is not None:
                    plans += [made.seeded(seed) for seed in seeds]
            if len(plans) > _MOST:
                self._fault("", "", f"describes more than {_MOST:,} schedules")
                break
        self._end()
        if not plans:
            raise ValueError(
                f"{self._path}: no combination of the file is possible: {'; '.join(self._notes)}"
            )
        return PlacementStudy(plans, list(dict.fromkeys(self._notes)))

    def _table(self, name: str, keys: tuple[str, ...]) -> dict[str, Any]:
        table = self._data.get(name, {})
        if not isinstance(table, dict):
            self._fault("", name, f"{name} is {abbreviate(table)}, expected a table [{name}]")
            return {}
        for key in table:
            self._try(name, key, lambda key=key: check_choice(key, keys, "key"))
        return dict(table)

    def _jobs(self, networks: Any) -> dict[str, Any]:
        """Return the settings of the workload."""
        if ("job" in self._data) == ("jobs" in self._data):
            self._fault("", "", "expected either tables [[job]] or a table [jobs]")
            return {}
        if "jobs" in self._data:
            jobs = self._table("jobs", _OF_JOBS)
            workload = str(jobs.get("workload", ""))
            if workload and "." in workload and not Path(workload).is_absolute():
                jobs["workload"] = str(self._path.parent / workload)
            if "applications" in self._data:
                jobs["applications"] = str(self._path)
                self._try("applications", "", lambda: read_mix(self._path))
            return jobs
        if "applications" in self._data:
            self._fault("", "applications", "applications: given with [[job]], expected a log in [jobs]")
        known = []  # which networks exist is told with the plans
        for network in networks if isinstance(networks, list) else [networks]:
            with suppress(ValueError):
                known.append(network_of(str(network)))
        slots = max(map(slots_a_host, known), default=1)
        hosts = max((network_of_hosts(network).nodes for network in known), default=MOST_NODES)
        try:
            read_job_list(self._path, slots, hosts)
        except FaultsError as error:
            self._faults += error.faults
        return {"workload": str(self._path)}

    def _of_table(self, table: Mapping[str, Any]) -> dict[str, Any]:
        store = self._path.parent / str(table.get("store", self._path.with_suffix(".sqlite").name))
        fixed = store.suffix in (".csv", ".parquet")
        values: dict[str, Any] = {"times": f"table:{store}", "simulate": None if fixed else True}
        if not fixed:
            values["table_seeds"] = table.get("seeds")
        repeats = table.get("repeats", "loop")
        self._try("table", "repeats", lambda: check_choice(repeats, ("loop", "separate"), "repeats"))
        return values | {
            "separate_repeats": True if repeats == "separate" else None,
            "scattered_factor": table.get("scattered_factor"),
            "equal_rotations": table.get("equal_rotations"),
        }

    def _mappings(self, table: Mapping[str, Any]) -> list[str]:
        given = table.get("mappings", list(CANDIDATES))
        names = given if isinstance(given, list) else [given]
        for name in names:
            self._try("table", "mappings", lambda name=name: known_mapping(str(name)))
        return [str(name) for name in names]

    def _combinations(self, name: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return every combination of the values of a table, whose lists multiply."""
        axes = [self._try(name, key, lambda key=key: axis(key, table[key])) or [] for key in table]
        return [dict(choice) for choice in itertools.product(*axes)]

    def _probe(self, machine: dict[str, Any], schedule: dict[str, Any], same: Mapping[str, Any]) -> None:
        """Find what is wrong with each value alone, beside faults for which no plan can be made."""
        plain: dict[str, Any] = {"machine": "torus:4x4", "workload": "applications"}
        plain |= {"times": "table:times.sqlite", "simulate": True}
        of_table = {"seeds": "table_seeds"} | {key: key for key in ("scattered_factor", "equal_rotations")}
        values = [
            *(("table", key, name, [same.get(name)]) for key, name in of_table.items()),
            *(
                (table, key, "machine" if key == "network" else key, given[key])
                for table, given in (("machine", machine), ("schedule", schedule))
                for key in given
                if key in ("network", *SETTINGS, *_OF_SCHEDULE)
            ),
        ]
        for table, key, name, given in values:
            for value in given if isinstance(given, list) else [given]:
                self._try(table, key, lambda name=name, value=value: make_plan(plain | {name: value}))

    def _usable(self, network: str, mappings: list[str]) -> list[str]:
        """Return the mappings that exist on a network; the others are noted."""
        usable = []
        try:
            topology = network_of(network)
        except ValueError:
            return mappings  # which is told with the plan
        program = program_once("all-to-all", min(_TRIED_TASKS, topology.nodes), Config())
        for mapping in mappings:
            try:
                place_jobs(topology, [program], [mapping])
                usable.append(mapping)
            except ValueError as error:
                self._notes.append(f"mapping {mapping} is left out on {network}: {error}")
        return usable

    def _can_place(self, network: str, rules: Mapping[str, Any]) -> bool:
        """Return whether an allocator exists on a network; if not, this is noted."""
        text = str(rules.get("partition", SCHEDULE_SETTINGS["partition"].default))
        try:
            topology = hosts_of(network)
            PARTITIONERS.split(text, "partition")
        except ValueError:
            return True  # which is told with the plan
        try:
            make_partitioner(text, topology, ranking=lambda job: [])
        except ValueError as error:
            self._notes.append(f"partition {text} is left out on {network}: {error}")
            return False
        return True

    def _try(self, table: str, key: str, make: Any) -> Any:
        try:
            return make()
        except ValueError as error:
            name = key or str(error).partition(":")[0]
            self._fault(table, name if name in self._data.get(table, self._data) else key, str(error))
            return None

    def _fault(self, table: str, key: str, reason: str) -> None:
        line = line_of(self._text, table, key) if table or key else 1
        fault = reason if reason.startswith(f"{self._path}:") else f"{self._path}:{line}: {reason}"
        if fault not in self._faults:
            self._faults.append(fault)

    def _end(self) -> None:
        if self._faults:
            raise FaultsError(self._faults)
