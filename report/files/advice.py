"""Advice in a folder: the result as JSON, and the files that start a program accordingly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from netplace.checks.results_file import read_results, results_text
from netplace.checks.schema import amount, listed, maybe, number, table, table_of, text
from netplace.checks.writing import write_atomically
from netplace.report.files.rank_files import LAUNCHERS, rank_file

FILE = "advice.json"
VERSION = 2  # to be raised when keys change
_NODES = listed(number())
_TRIED = table({"partition": text, "mapping": text, "ratio": maybe(amount(0)), "draws": number()})
_KIND = table(
    {
        **dict.fromkeys(
            ("verdict", "partition", "mapping", "default_rule", "machine", "job", "host_list"), text
        ),
        **dict.fromkeys(("nodes", "default", "best", "best_cycles", "default_cycles"), _NODES),
        **dict.fromkeys(("hosts", "default_hosts", "sentences", "grounds"), listed(text)),
        "gain": amount(),
        "half_width": amount(0),
        "tried": listed(_TRIED),
        "seconds": amount(0),
        "free": number(),
        "asked": table_of(text),
        "versions": table_of(text),
    }
)


def write_advice(folder: Path, content: dict[str, Any], hosts: Sequence[str]) -> dict[str, str]:
    """Write advice to a folder, and return the command that starts the job so, by launcher."""
    folder.mkdir(exist_ok=True)
    nodes = content["nodes"]
    texts = {"mapping.csv": "\n".join(["task,node", *(f"{task},{n}" for task, n in enumerate(nodes)), ""])}
    texts["nodes.txt"] = content["host_list"] + "\n"
    texts |= {f"ranks.{name}": rank_file(name, hosts, nodes) for name in LAUNCHERS}
    texts[FILE] = results_text("advice", VERSION, content)
    for name, written in texts.items():
        write_atomically(folder / name, written)
    return {
        name: launcher.command.format(file=folder / f"ranks.{name}", ranks=len(nodes))
        for name, launcher in LAUNCHERS.items()
    }


def read_advice(folder: Path) -> dict[str, Any]:
    return read_results(folder / FILE, "advice", VERSION, _KIND)
