"""``netplace`` and ``python -m netplace``: signals are heard before anything long is loaded."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working folder: what lies beside a trace is data, and no module
    __spec__ = None  # so that worker processes which are begun anew run this file first, as for the script

import os
import signal

_INTERRUPTED = signal.getsignal(signal.SIGINT)
if _INTERRUPTED is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the process without a traceback, until it is heard

# OpenBLAS, which NumPy includes, has no threads: netplace's matrices are small, and processes can be forked.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if _INTERRUPTED is signal.default_int_handler:
    signal.signal(signal.SIGINT, _INTERRUPTED)


def main() -> None:
    """Run the command line; the console script ``netplace``."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        from netplace.cli import app

        app()
    except KeyboardInterrupt:  # while commands were loaded
        sys.stderr.write("netplace: interrupted\n")
        sys.exit(130)
    except ImportError as error:
        if error.name != "netplace._native":
            raise
        sys.stderr.write(f"netplace: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
