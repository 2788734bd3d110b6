"""Recording of the MPI calls of a program: a C interposer, compiled with the user's compiler, and its start.

`netplace.apps.formats` reads the result, a folder with two files per rank, like any other trace.
"""

from __future__ import annotations

from netplace.apps.recording.launch import Recorded, build_interposer, record

__all__ = ["Recorded", "build_interposer", "record"]
