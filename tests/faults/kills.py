"""Commands that are killed at a random instant, and what they left behind.

``python kills.py FIRST COUNT`` kills so many commands, each once, with Ctrl-C, SIGTERM or ``kill -9``, and
prints a line for each fault: no sentence, another exit code, a file half-written, an empty folder, a process
that lives on, or the same command that does not go on to the same files afterwards, or leaves drafts of the
one before. ``--workers`` takes commands with worker processes alone, ``--only map`` those of that name.
Command, signal and instant follow from the number; where that instant finds the command depends on the
machine. One of eight is a process of its own, killed while it starts; the others are children of this
process, which has loaded everything.
"""

import argparse
import contextlib
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from limits import say
from samples import write_samples as make_files

PATIENCE = 300.0  # seconds of a command, also after it was killed: a busy machine is slow
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
SENTENCES = {130: "netplace: interrupted; ", 143: "netplace: stopped by SIGTERM; "}
COMMANDS = (
    ("run", "--network", "torus:4x4", "--app", "2d-torus,rounds=9", "--store", "new.sqlite", "-o",
     "loads.png",
     "--record-messages", "messages.csv", "--timeline", "line.json"),
    ("table", "sweep.toml", "--workers", "1", "--store", "new.sqlite", "--csv", "new.csv", "--parquet",
     "new.parquet"),
    ("table", "sweep.toml", "--workers", "2", "--store", "new.sqlite", "--csv", "new.csv"),
    ("load", "curves.toml", "--workers", "1", "--store", "new.sqlite", "-o", "curves.svg"),
    ("schedule", "study.toml", "--workers", "1", "--store", "new.sqlite", "-o", "new"),
    ("schedule", "--machine", "mesh:4x4", "--workload", "small.swf", "-o", "new"),
    ("cosim", "--machine", "torus:4x4", "--workload", "apps.csv", "--explain", "-o", "new"),
    ("cosim", "costudy.toml", "--workers", "2", "--store", "new.sqlite", "-o", "new"),
    ("trace", "convert", "m.trace", "-o", "new.trace.gz"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "random", "-o", "new.csv"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "td", "--seeds", "2", "--workers",
     "2", "-o", "new.csv"),
    ("run", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "random", "--seeds", "4",
     "--workers", "2", "-o", "new.json"),
    ("load", "curves.toml", "--workers", "2", "--store", "new.sqlite", "-o", "curves.svg"),
    ("schedule", "study.toml", "--workers", "2", "--store", "new.sqlite", "-o", "new"),
    ("report", "shared", "-o", "new.html"),
    ("pss", "derive", "--machine", "tree:2,3", "-o", "new.conf"),
)  # fmt: skip


@dataclass
class Ended:
    """How a command ended: exit code (negative: the signal), seconds, and what it said on stderr."""

    code: int
    seconds: float
    said: str


def run(
    words: tuple[str, ...], folder: Path, kill: tuple[int, float] | None = None, fresh: bool = False
) -> Ended:
    """Run a command in a folder; perhaps send a signal to it, and to no child of its, after some seconds."""
    begun = time.monotonic()
    with open(folder.with_suffix(".stderr"), "w+b") as heard:
        child = _fresh(words, folder, heard.fileno()) if fresh else _forked(words, folder, heard.fileno())
        code = None
        while code is None and time.monotonic() - begun < PATIENCE:
            if kill is not None and time.monotonic() - begun >= kill[1]:
                os.kill(child, kill[0])
                kill = None
            time.sleep(0.002)
            ended, status = os.waitpid(child, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if ended else None
        seconds = time.monotonic() - begun
        if code is None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        heard.seek(0)
        said = heard.read().decode(errors="replace")
    return Ended(999 if code is None else code, seconds, said + _orphans(child))


def _fresh(words: tuple[str, ...], folder: Path, stderr: int) -> int:
    """Start a command as a process of its own, and return its number."""
    command = [sys.executable, "-m", "netplace", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True
    )
    process.returncode = 0  # it is waited for elsewhere
    return process.pid


def _forked(words: tuple[str, ...], folder: Path, stderr: int) -> int:
    """Start a command in a child of this process, and return its number."""
    from netplace.__main__ import main
    from netplace.checks.stopping import Stopped, signals_raised

    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        return child
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(stderr, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        sys.argv = ["netplace", *words]
        try:
            with signals_raised():  # as `main` does; a process of its own is not to be heard before
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                main()
            code = 0
        except Stopped as stopped:
            sys.stderr.write(f"netplace: {stopped.sentence()}\n")
            code = stopped.status
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _orphans(group: int) -> str:
    """Return a sentence if processes of a group live on; they are killed."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return ""
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    return "\nORPHANS live on"


def fault_of_file(path: Path, whole: dict[str, bytes]) -> str | None:
    """Return what is wrong with a file that a killed command has left; None if it is whole."""
    content, name = path.read_bytes(), path.name
    checks: dict[str, Callable[[], bool]] = {
        ".sqlite": lambda: not content or _is_sound(path),
        ".json": lambda: json.loads(content) is not None,
        ".png": lambda: content.endswith(b"IEND\xaeB`\x82"),
        ".svg": lambda: content.rstrip().endswith(b"</svg>"),
        ".html": lambda: content.rstrip().endswith(b"</html>"),
        ".parquet": lambda: content.endswith(b"PAR1"),
        ".gz": lambda: gzip.decompress(content) is not None,
        ".csv": lambda: content.endswith(b"\n") and content.count(b"\n") == whole[name].count(b"\n"),
        ".conf": lambda: content == whole[name],
    }
    try:
        return None if checks.get(path.suffix, lambda: True)() else f"{name} is cut"
    except (ValueError, OSError, EOFError, sqlite3.Error) as error:
        return f"{name} is not whole: {error}"


def _is_sound(path: Path) -> bool:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def new_files(folder: Path, good: Path) -> list[Path]:
    """Return the files of a folder that the good one lacks, but for those of SQLite beside a store."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not (good / path.relative_to(folder)).exists()
        and not path.name.endswith(("-wal", "-shm", "-journal"))
    )


def attempt(
    number: int,
    good: Path,
    place: Path,
    known: dict[int, tuple[float, dict[str, bytes]]],
    places: Sequence[int] = range(len(COMMANDS)),
) -> str:
    """Kill one of the commands in these places, and return how that ended; what begins with FAULT is one."""
    rng = np.random.default_rng([2030, number])
    which, sent = int(rng.choice(places)), SIGNALS[int(rng.integers(len(SIGNALS)))]
    words, fresh = COMMANDS[which], bool(rng.random() < 0.125)
    if which not in known:
        shutil.copytree(good, place / "whole")
        ended = run(words, place / "whole")
        assert ended.code == 0, (words, ended)
        made = {path.name: path.read_bytes() for path in new_files(place / "whole", good)}
        known[which] = ended.seconds, made
        shutil.rmtree(place / "whole")
    seconds, whole = known[which]
    folder = place / str(number)
    shutil.copytree(good, folder)
    instant = float(rng.random()) * (1.5 if fresh else 1.1 * seconds)
    ended = run(words, folder, (sent, instant), fresh)
    what = f"{number} {sent.name} after {instant:.3f} s{' of a fresh start' * fresh} of {' '.join(words)}"
    faults = [_fault_of_end(ended, sent, fresh), *_faults_of_files(folder, good, sent, whole)]
    again = run(words, folder)
    if again.code or "ORPHANS" in again.said:
        faults.append(f"the same command ends with {again.code}: {again.said[-300:]}")
    lacking = sorted(set(whole) - {path.name for path in new_files(folder, good)})
    if lacking:
        faults.append(f"the same command did not make {lacking}")
    faults += [fault_of_file(path, whole) for path in new_files(folder, good) if path.name[0] != "."]
    drafts = [path.name for path in new_files(folder, good) if path.name[0] == "."]
    if drafts:
        faults.append(f"the same command has left {drafts}")
    shutil.rmtree(folder)
    told = [fault for fault in faults if fault]
    return f"FAULT {what}: {'; '.join(told)}" if told else f"ENDED {ended.code} {what}"


def _fault_of_end(ended: Ended, sent: int, fresh: bool) -> str | None:
    """Return what is wrong with how a killed command ended."""
    if "Traceback" in ended.said or "Exception ignored" in ended.said or "ORPHANS" in ended.said:
        return f"code {ended.code}, and it said: {ended.said[-700:]}"
    if ended.code == 0 or (-ended.code == sent and (sent == signal.SIGKILL or fresh)):
        return None  # it was faster, or nothing of ours had begun
    last = ended.said.strip().splitlines()[-1:]
    if ended.code != 128 + sent or not last or not last[0].startswith(SENTENCES[ended.code]):
        return f"code {ended.code}, and it said: {ended.said[-300:]}"
    return None


def _faults_of_files(folder: Path, good: Path, sent: int, whole: dict[str, bytes]) -> list[str | None]:
    """Return what is wrong with the files that a killed command has left; drafts after kill -9 are none."""
    made = new_files(folder, good)
    drafts = [path for path in made if path.name.startswith(".")]
    faults: list[str | None] = [fault_of_file(path, whole) for path in made if path not in drafts]
    if drafts and sent != signal.SIGKILL:
        faults.append(f"leaves {[path.name for path in drafts]}")
    empty = [path.name for path in folder.rglob("*") if path.is_dir() and not any(path.iterdir())]
    if empty and sent != signal.SIGKILL:
        faults.append(f"leaves the empty folders {empty}")
    return faults


def main() -> int:
    """Kill the commands that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--workers", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    parted = [("--workers", "2") in pairwise(words) or "--workers" in words for words in COMMANDS]
    places = [
        place
        for place, words in enumerate(COMMANDS)
        if words[0].startswith(given.only) and parted[place] >= given.workers
    ]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell it is ignored
    ends: Counter[str] = Counter()
    known: dict[int, tuple[float, dict[str, bytes]]] = {}
    with tempfile.TemporaryDirectory(prefix="netplace-kills-") as name:
        place = Path(name)
        (place / "good").mkdir()
        make_files(place / "good")
        for number in range(given.first, given.first + given.count):
            told = attempt(number, place / "good", place, known, places)
            ends[told.split()[0] if told.startswith("FAULT") else told.split()[1]] += 1
            if told.startswith("FAULT"):
                say(told.replace("\n", " "))
    say(f"exit codes {dict(ends)}")
    say(f"DONE {given.count} {ends['FAULT']}")
    return 1 if ends["FAULT"] else 0


if __name__ == "__main__":
    sys.exit(main())
