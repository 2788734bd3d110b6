"""The description of one run: a frozen value with a canonical form and a content hash for the store."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from netplace.netsim import Config
from netplace.records import check_fields
from netplace.runs.revisions import Revisions, key_of
from netplace.settings import read_back

Value = int | float | str | None
REVISION = 1  # to be raised when a run would no longer give what it gave


@dataclass(frozen=True)
class Job:
    """One application or trace in a run.

    Attributes
    ----------
    program : str
        Name of an application, ``module:function``, or name of a trace without folder and suffix.
    tasks : int or None
        Number of tasks; None means the number in the trace.
    options : tuple of (str, value)
        All options of the application, ordered by name.
    section : str
        Key of `netplace.runs.programs.SECTIONS`.
    iterations : str
        ``"a:b"`` means only iterations a to b; empty means all.
    cpu_scale : float
        Factor by which recorded computation is multiplied; 0 omits it.
    mapping : str
        Rule that gives each task its node; see `netplace.placement.MAPPINGS`.
    start : int
        First cycle in which the tasks act.
    repeats : int
        Number of times that the program runs, one after the other, without a barrier between them.
    digest : str
        SHA-256 of the trace, or of the file of a user's own application; empty for netplace's applications.
    path : str
        Path of the trace. It is not part of the job's identity, because only the contents count.
    """

    program: str
    tasks: int | None = None
    options: tuple[tuple[str, Value], ...] = ()
    section: str = "whole"
    iterations: str = ""
    cpu_scale: float = 0.0
    mapping: str = "consecutive"
    start: int = 0
    repeats: int = 1
    digest: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Run:
    """Jobs on a network, and a seed for all random choices.

    `netplace.runs.resolve.resolve` makes a run from a user's request. Two runs with the same `key` have the
    same result.

    Attributes
    ----------
    network : str
        Canonical text form of the network.
    jobs : tuple of Job
        Jobs on the network.
    partition : str
        Rule that gives each job its nodes; see `netplace.placement.PARTITIONS`.
    config : Config
        Settings of the network.
    seed : int
        Seed of the placement and the network.
    network_seed : int or None
        Separate seed of the network, with which a placement can be simulated several times; None means
        `seed`.
    max_cycles : int or None
        Largest allowed number of cycles.
    contents : tuple of (str, str)
        Files that placement rules read, each with its SHA-256.
    revisions : tuple of (str, int)
        Rules in use whose outcome has changed; see `netplace.runs.revisions`.
    """

    network: str
    jobs: tuple[Job, ...]
    partition: str = "whole"
    config: Config = field(default_factory=Config)
    seed: int = 0
    max_cycles: int | None = None
    contents: tuple[tuple[str, str], ...] = ()
    network_seed: int | None = None
    revisions: Revisions = ()

    def __post_init__(self) -> None:
        check_fields(self)

    @cached_property
    def key(self) -> str:
        """Content hash of all values but the paths of traces, in hexadecimal."""
        plain = self.to_dict() | {"config": self.config.described()}
        for job in plain["jobs"]:
            del job["path"]
        return key_of(REVISION, plain)

    def to_dict(self) -> dict[str, Any]:
        """Return the values in a JSON-compatible form that `from_dict` reads."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        return plain | {"config": dict(vars(self.config)), "jobs": [dict(vars(job)) for job in self.jobs]}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Run:
        """Return the run that a dict from `to_dict` describes."""
        return read_back(cls, plain, "run")

    def seeded(self, seed: int) -> Run:
        """Return the same run with another seed."""
        return replace(self, seed=seed)
