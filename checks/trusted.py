"""How files are opened that others may have put there."""

from __future__ import annotations

import os

# No link is followed, and no pipe waited for.
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
