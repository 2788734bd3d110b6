"""The interposer, compiled with the MPI that the program uses."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

from netplace.checks import abbreviate

__all__ = ["build_interposer"]

SOURCES = Path(__file__).parent / "interposer"


def build_interposer(compiler: str, folder: Path) -> Path:
    """Compile the interposer.

    Parameters
    ----------
    compiler : str
        The MPI compiler for C, such as ``mpicc``; words after the first are its options.
    folder : Path
        Where the library goes.
    """
    words = shlex.split(compiler)
    if not words or shutil.which(words[0]) is None:
        raise ValueError(
            f"--mpicc {abbreviate(compiler)}: no such command; expected the C compiler of the MPI that the "
            "program uses (Debian: openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev)"
        )
    library = folder / "recorder.so"
    sources = sorted(str(source) for source in SOURCES.glob("*.c"))
    command = [*words, "-shared", "-fPIC", "-O2", "-o", str(library), *sources, "-ldl", "-lpthread"]
    made = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if made.returncode or not library.is_file():
        lines = [line for line in made.stderr.splitlines() if line.strip()]
        first = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "no message")
        raise ValueError(
            f"--mpicc {abbreviate(compiler)}: cannot compile the recorder: {abbreviate(first.strip())}"
        )
    return library
