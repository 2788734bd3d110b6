"""Slurm's hook, which lets a new job prefer the nodes that netplace has chosen for a job of its size."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

OFFERS = "offers"  # in the follower's folder: when it looked at Slurm, until when that counts, nodes by size


def hook(folder: Path) -> str:
    """Return a job_submit.lua for a follower with the given folder."""
    path = str((folder / OFFERS).resolve())
    if not path.isprintable() or any(letter in path for letter in "\\\"'"):
        raise ValueError(
            f"--folder {folder}: expected a path without quotes, backslashes and control characters"
        )
    script = resources.files("netplace.live") / "hook.lua"
    return script.read_text(encoding="utf-8").replace("@OFFERS@", path)
