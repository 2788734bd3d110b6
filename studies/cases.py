"""Cases of a study that are kept by what they are."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any, ClassVar

__all__ = ["KeptCase"]


class KeptCase:
    """A dataclass with all that makes an outcome, whose content hash is the key under which that is kept.

    Attributes
    ----------
    study : str
        Name of the study.
    revision : int
        To be raised when a case would no longer give the outcome that it gave.
    """

    study: ClassVar[str]
    revision: ClassVar[int] = 1

    def describe(self) -> dict[str, Any]:
        """Return what makes the outcome, as JSON can hold it; a log by its content, wherever it lies."""
        plain = asdict(self)  # type: ignore[call-overload]
        if isinstance(plain.get("log"), dict):
            plain["log"].pop("path")
        return {"study": self.study, "revision": self.revision, **plain}

    @property
    def key(self) -> str:
        """Content hash."""
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()
