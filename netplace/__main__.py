"""``netplace`` and ``python -m netplace``: signals are heard before anything long is loaded."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the working folder: what lies beside a trace is data, and no module

from netplace.checks.idle_threads import sleep_at_once
from netplace.checks.stopping import Stopped, signals_raised

__all__ = ["main"]


def main() -> None:
    """Run the command line; the console script ``netplace``."""
    sleep_at_once()
    try:
        with signals_raised(last=True):
            from netplace.cli import app

            app()
    except Stopped as stopped:  # while commands were loaded
        sys.stderr.write(f"netplace: {stopped.sentence()}\n")
        sys.exit(stopped.status)


if __name__ == "__main__":
    main()
