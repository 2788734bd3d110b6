"""Whether a user asked for silence: nothing on stderr but mistakes, and no bars."""

from __future__ import annotations

import os

QUIET = "NETPLACE_QUIET"


def is_quiet() -> bool:
    return bool(os.environ.get(QUIET))
