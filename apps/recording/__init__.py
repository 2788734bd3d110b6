"""Recording of the MPI calls of a program: a C interposer, compiled with the user's compiler, and its start.

`netplace.apps.formats` reads the result, a folder with two files per rank, like any other trace.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.inputs import abbreviate

__all__ = ["Recorded", "build_interposer", "record"]

SOURCES = Path(__file__).parent / "interposer"


def build_interposer(compiler: str, folder: Path) -> Path:
    """Compile the interposer into a folder, with the MPI compiler for C and its options."""
    words = shlex.split(compiler)
    if not words or shutil.which(words[0]) is None:
        raise ValueError(
            f"--mpicc {abbreviate(compiler)}: no such command; expected the C compiler of the MPI library "
            f"of the program (Debian: openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev)"
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


FOLDER = "NETPLACE_RECORDING"
_SEPARATORS = ":$"  # beside blanks: what LD_PRELOAD takes for the end of a path, or for a name to fill in
_PATIENCE = 10.0  # seconds for ranks to end after a signal


@dataclass(frozen=True)
class Recorded:
    """The end of a recorded program."""

    folder: Path  # recorded calls: two files per rank
    code: int  # exit code of the launcher; if negative, the number of a signal
    interrupted: bool  # whether it was stopped by Ctrl-C


def launcher_of(compiler: str) -> str:
    """Return the launcher that belongs to a compiler: ``mpirun.mpich`` beside ``mpicc.mpich``."""
    first = Path(shlex.split(compiler)[0])
    ending = first.name.partition("mpicc")[2]
    for name in (f"mpirun{ending}", f"mpiexec{ending}", "mpirun", "mpiexec"):
        launcher = first.with_name(name) if first.name != str(first) else Path(name)
        for command in (str(launcher), name):
            if shutil.which(command):
                return command
    raise ValueError(
        "--launcher: mpirun and mpiexec do not exist; expected a launcher of MPI programs, such as srun"
    )


def record(
    program: Sequence[str], ranks: int, folder: Path, compiler: str = "mpicc", launcher: str | None = None
) -> Recorded:
    """Run an MPI program and record its calls.

    Parameters
    ----------
    program : sequence of str
        The program and its arguments.
    folder : Path
        Folder for the calls, which every host must see.
    compiler : str
        The MPI compiler for C.
    launcher : str, optional
        Launcher with its options; by default the one next to the compiler.
    """
    words = shlex.split(launcher if launcher is not None else launcher_of(compiler))
    if not words or shutil.which(words[0]) is None:
        raise ValueError(
            f"--launcher {abbreviate(launcher)}: no such command, expected a launcher such as mpirun or srun"
        )
    if not program or shutil.which(program[0]) is None:
        label = abbreviate(program[0]) if program else "nothing"
        raise ValueError(f"{label} after --: no such program, expected an executable")
    place = folder.resolve().as_posix()
    if apart := [character for character in place if character in _SEPARATORS or character.isspace()]:
        raise ValueError(
            f"{abbreviate(place)}: the recorder is loaded from this folder, but LD_PRELOAD does not support "
            f"{abbreviate(apart[0])}; expected a folder without spaces, colons and dollar signs"
        )
    library = build_interposer(compiler, folder)
    before = [f"{place}/{library.name}", *filter(None, [os.environ.get("LD_PRELOAD")])]
    settings = [f"LD_PRELOAD={':'.join(before)}", f"{FOLDER}={place}"]
    # The launcher itself is not recorded, and passes no environment on by itself to other hosts.
    command = [*words, "-n", str(ranks), "env", *settings, *program]
    child = subprocess.Popen(command, env=_environment())
    interrupted = False
    try:
        code = child.wait()
    except KeyboardInterrupt:
        interrupted = True
        code = _stop(child)
    finally:
        library.unlink(missing_ok=True)
    return Recorded(folder, code, interrupted)


def _stop(child: subprocess.Popen[bytes]) -> int:
    """End a launcher that a Ctrl-C may not have reached, and return its exit code."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            return child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.send_signal(number)
    return child.wait()


def _environment() -> dict[str, str]:
    """Return the environment of the launcher: a small machine may run more ranks than it has cores."""
    settings = dict(os.environ)
    if settings.get("OPENBLAS_NUM_THREADS") == "1":  # set by the command line of netplace, for itself
        del settings["OPENBLAS_NUM_THREADS"]
    settings.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
    settings.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
    if os.geteuid() == 0:  # Open MPI refuses root, which is the only user of many containers
        settings.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        settings.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return settings
