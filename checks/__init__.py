"""Checks of user input: the lowest layer, which imports nothing else from the project.

Every function raises ``ValueError`` with one sentence that names the value, what was expected and
where it came from. The command line turns such an error into that sentence and exit code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from netplace.checks.amounts import MOST, check_bytes, check_float, check_int, check_ranges
from netplace.checks.content import check_unpacked, is_packed, read_content
from netplace.checks.display import abbreviate, escaped, printable, shortened
from netplace.checks.sizes import check_size, check_steps

__all__ = [
    "MOST",
    "FaultsError",
    "abbreviate",
    "check_bytes",
    "check_choice",
    "check_float",
    "check_int",
    "check_ranges",
    "check_size",
    "check_steps",
    "check_unpacked",
    "escaped",
    "is_packed",
    "printable",
    "read_content",
    "shortened",
]


class FaultsError(ValueError):
    """All faults of a file, a sentence each."""

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


_LISTED = 600  # characters of a list of names: those of a file may be thousands


def check_choice(value: object, options: Iterable[str], what: str) -> str:
    """Return `value` if it is one of `options`; otherwise, the error suggests the nearest names.

    `what` says in errors what the value is and where it came from, such as ``"--arbiter"``.
    """
    names = list(options)
    if isinstance(value, str) and value in names:
        return value
    written = value[:_LISTED].lower() if isinstance(value, str) else ""
    near = difflib.get_close_matches(written, names, n=3, cutoff=0.5)
    listed = f"valid: {_listed(names)}"
    hint = f"did you mean {' or '.join(near)}? ({listed})" if near else listed
    raise ValueError(f"{what}: unknown name {abbreviate(value)}; {hint}")


def _listed(names: list[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= _LISTED else text[:_LISTED].rpartition(",")[0] + ", .."
