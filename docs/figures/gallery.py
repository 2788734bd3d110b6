"""Makes the reports of the gallery in ``docs/gallery/``: ``python docs/figures/gallery.py [NAME ..]``.

`scripts/docs` calls it before it builds the site, if they are not there.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
GALLERY = HERE.parent / "gallery"
MOST_BYTES = 3_000_000
# Name of a report: the command that writes it, as OUT.html.
REPORTS = {
    "run": "run --network torus:4x4 --trace LU.W.16 --mapping random --window 20000 -o OUT.html",
    "load": "load --network torus:8x8 --traffic uniform --offered 0.1:1.0:0.1 --seeds 2 "
    "--measure 4000 -o OUT.html",
    "co-simulation": "cosim --machine torus:8x8 --workload applications --jobs 12 --sizes small "
    "--partition random --explain -o OUT.html",
    "schedule": "schedule --machine torus:8x8x8 --workload lublin --jobs 400 --policy easy "
    "--partition contiguous -o OUT.html",
    "allocation": "allocate --machine mesh:16x16 --nodes 20 --all -o OUT.html",
}


def make(name: str, command: str) -> Path:
    """Write a report of at most `MOST_BYTES`, and return its file."""
    path = GALLERY / f"{name}.html"
    words = [word.replace("OUT", name) for word in shlex.split(command)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "netplace", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        path.write_bytes((Path(folder) / path.name).read_bytes())
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: {path.stat().st_size} bytes, expected at most {MOST_BYTES}")
    return path


if __name__ == "__main__":
    GALLERY.mkdir(exist_ok=True)
    for name in sys.argv[1:] or REPORTS:
        make(name, REPORTS[name])
