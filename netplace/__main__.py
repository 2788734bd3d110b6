"""``python -m netplace``: the command ``netplace``."""

from __future__ import annotations

from netplace.cli import main

if __name__ == "__main__":
    main()
