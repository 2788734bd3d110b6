"""``netplace demo``: recorded NPB runs under several mappings, and a shared machine."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from netplace.cli.amounts import SEEDS
from netplace.cli.clashes import FilesCommand
from netplace.cli.examples import as_epilog


@click.command("demo", cls=FilesCommand, epilog=as_epilog("netplace demo --seeds 2"))
@click.option("--seeds", type=SEEDS, default=3, show_default=True, help="Runs of each case.")
@click.option(
    "--output", default="demo-output", show_default=True, metavar="FOLDER", help="Folder for the files."
)
def demo_command(seeds: int, output: str) -> None:
    """Replay recorded NPB runs on a torus and a tree under three mappings each, and let jobs share a torus.

    The command prints tables, and writes every run to a CSV file, and a picture of each table.
    """
    from netplace.checks import check_int
    from netplace.experiments.demo.runs import run_demo

    run_demo(check_int(seeds, "--seeds"), Path(output))
