"""Packets beside a flow model: measures ``peers.csv``, CPU seconds of commands that replay the same traces.

It needs ``smpirun`` of SimGrid (Debian: ``apt install simgrid``). ``peers.py threads`` measures two threads
by the clock instead, which says something on an idle machine alone.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path
from statistics import geometric_mean
from tempfile import TemporaryDirectory

import pandas as pd

NETPLACE = (sys.executable, "-m", "netplace")
# Links as fast as netplace's: 4 bytes in a cycle of 3.2 ns.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="torus" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="1.25GBps" lat="10ns"
   topology="TORUS" topo_parameters="8,8" sharing_policy="SPLITDUPLEX"
   loopback_bw="100GBps" loopback_lat="0"/>
</platform>
"""


def seconds(*words: str, clock: bool = False) -> float:
    """Return the CPU seconds of a command, or those by the clock."""

    def now() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.perf_counter() if clock else used.ru_utime + used.ru_stime

    began = now()
    subprocess.run(words, check=True, capture_output=True)
    return now() - began


def compared(first: tuple[str, ...], second: tuple[str, ...], clock: bool = False) -> tuple[float, ...]:
    """Return the seconds of two commands, one after the other, and their ratio."""
    one, two = seconds(*first, clock=clock), seconds(*second, clock=clock)
    return one, two, one / two


def replays() -> pd.DataFrame:
    Path("torus.xml").write_text(PLATFORM)
    Path("hosts").write_text("".join(f"n{node}\n" for node in range(64)))
    Path("list").write_text("it.tit\n")
    words = "smpirun -np 64 -platform torus.xml -hostfile hosts -replay list"
    flows, rows = tuple(words.split()), []
    for name in ("BT", "CG", "FT", "IS", "LU", "MG", "SP"):
        trace = f"{name}.A.64"
        seconds(*NETPLACE, "trace", "convert", trace, "-o", "it.tit")
        packets = (*NETPLACE, "run", "--network", "torus:8x8", "--trace", trace, "--compute", "recorded")
        rows.append((trace, *compared(packets, flows)))
    rows.append(("geometric mean", None, None, geometric_mean(row[-1] for row in rows)))
    return pd.DataFrame(rows, columns=["trace", "netplace", "smpirun -replay", "ratio"])


def threads() -> pd.DataFrame:
    rows = []
    for network in ("torus:16x16x16", "torus:32x32x32"):
        load = (*NETPLACE, "load", "--network", network, "--offered", "1", "--threads")
        rows.append((network, *compared((*load, "1"), (*load, "2"), clock=True)))
    return pd.DataFrame(rows, columns=["network", "one thread", "two threads", "ratio"])


if __name__ == "__main__":
    if sys.argv[1:] == ["threads"]:
        made = threads()
    else:
        with TemporaryDirectory() as folder, chdir(folder):
            made = replays()
        made.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.3g")
    sys.stdout.write(made.to_string(index=False, float_format="%.3g") + "\n")
