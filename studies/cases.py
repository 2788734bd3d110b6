"""Cases of a study, stored by their content hashes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any, ClassVar

__all__ = ["KeptCase"]


class KeptCase:
    """A dataclass with all inputs of an outcome; its content hash is the key in the store.

    Attributes
    ----------
    study : str
        Name of the study.
    revision : int
        Number to increase when a case no longer gives the same outcome.
    """

    study: ClassVar[str]
    revision: ClassVar[int] = 1

    def describe(self) -> dict[str, Any]:
        """Return the inputs of the outcome as a dict for JSON, with a log by its content."""
        plain = asdict(self)  # type: ignore[call-overload]
        if isinstance(plain.get("log"), dict):
            plain["log"].pop("path")
        return {"study": self.study, "revision": self.revision, **plain}

    @property
    def key(self) -> str:
        """Content hash."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()
