"""Process groups of Chakra traces: which NPUs take part in a collective that names one.

PyTorch's traces have them in a node called ``## process_group:init ##``, as a list of groups with ``pg_name``
and ``ranks``; of a group without ranks all NPUs are. ASTRA-sim has them in a file of their own beside the
traces, ``{"1": [0, 1, 2, 3], ..}``, here ``comm_group.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from netplace.apps.formats.protobuf import fields
from netplace.apps.formats.stream import whole_content
from netplace.apps.recorded.trace import Reading
from netplace.checks import abbreviate

__all__ = ["GROUPS_FILE", "INIT", "Groups", "groups_beside", "groups_of_node"]

GROUPS_FILE = "comm_group.json"
INIT = "## process_group:init ##"
Groups = dict[str, tuple[int, ...]]
_HELD = 10  # bytes in memory for each of a file


def groups_beside(path: Path, npus: int, reading: Reading) -> Groups:
    """Return the groups of the file beside a trace; none, if there is no such file."""
    file = path.parent / GROUPS_FILE
    if not file.exists():
        return {}
    parsed = _parsed(whole_content(file, reading, _HELD), str(file))
    if not isinstance(parsed, dict):
        raise ValueError(f"{file}: is {abbreviate(parsed)}, expected lists of NPUs by the name of the group")
    return {
        name: _members(members, npus, f"{file}: group {abbreviate(name)}") for name, members in parsed.items()
    }


def groups_of_node(inputs: bytes, npus: int) -> Groups:
    """Return the groups that a node called `INIT` has among its inputs."""
    text = next((value for number, value in fields(inputs) if number == 1 and isinstance(value, bytes)), b"")
    # A list of inputs, as the field is text: of one that is itself JSON.
    listed = _parsed(text, INIT)
    if isinstance(listed, list) and listed and isinstance(listed[0], str):
        listed = _parsed(listed[0].encode(), INIT)
    if not isinstance(listed, list) or not all(isinstance(group, dict) for group in listed):
        raise ValueError(f"{INIT}: is {abbreviate(listed)}, expected a list of process groups")
    return {
        str(group.get("pg_name")): _members(
            group.get("ranks") or range(npus), npus, f"{INIT}: group {abbreviate(group.get('pg_name'))}"
        )
        for group in listed
    }


def _members(listed: Any, npus: int, what: str) -> tuple[int, ...]:
    if not isinstance(listed, Iterable) or isinstance(listed, str | dict):
        raise ValueError(f"{what}: is {abbreviate(listed)}, expected a list of NPUs")
    members = tuple(listed)
    wrong = [npu for npu in members if type(npu) is not int or not 0 <= npu < npus]
    if wrong or len(set(members)) < len(members) or not members:
        raise ValueError(
            f"{what}: is {abbreviate(list(members))}, expected some NPUs of 0 to {npus - 1}, each once"
        )
    return members


def _parsed(content: bytes, what: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{what}: is no JSON, expected process groups") from None
