"""``netplace demo``: recorded NPB runs under several mappings, and schedules with their run times."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import as_epilog
from netplace.cli.flags import SEEDS, flag


@click.command("demo", cls=FilesCommand, epilog=as_epilog("netplace demo --seeds 2"))
@flag("--seeds", "Runs of each case.", SEEDS, 3)
@flag("--output", "Folder for the files.", default="demo-output", metavar="FOLDER")
def demo_command(seeds: int, output: str) -> None:
    """Replay recorded NPB runs on a torus and a tree under several mappings, and schedule jobs that run them.

    The command prints tables, and writes every run to a CSV file, a picture, a page, and the study with its
    run-time table.
    """
    from netplace.experiments.demo.runs import run_demo
    from netplace.inputs import check_int

    run_demo(check_int(seeds, "--seeds"), Path(output))
