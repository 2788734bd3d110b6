"""Advice in a folder: the result as JSON, and the files that start a program accordingly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from netplace.checks.writing import write_atomically
from netplace.report.files.rank_files import LAUNCHERS, rank_file


def write_advice(folder: Path, text: str, content: dict[str, Any], hosts: Sequence[str]) -> dict[str, str]:
    """Write advice to a folder, and return the command that starts the job so, by launcher.

    `text` is the JSON of `content`.
    """
    folder.mkdir(exist_ok=True)
    nodes = content["nodes"]
    texts = {"mapping.csv": "\n".join(["task,node", *(f"{task},{n}" for task, n in enumerate(nodes)), ""])}
    texts["nodes.txt"] = content["host_list"] + "\n"
    texts |= {f"ranks.{name}": rank_file(name, hosts, nodes) for name in LAUNCHERS}
    texts["advice.json"] = text
    for name, written in texts.items():
        write_atomically(folder / name, written)
    return {
        name: launcher.command.format(file=folder / f"ranks.{name}", ranks=len(nodes))
        for name, launcher in LAUNCHERS.items()
    }
