"""The winners of an operation as a picture: a square for each cell and setting, a color an algorithm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from netplace.experiments.collectives.cells import SETTINGS
from netplace.report.plots.page import page

__all__ = ["draw_winners"]


def draw_winners(path: Path, winners: pd.DataFrame, title: str) -> None:
    """Draw which algorithm wins: a panel a kind of network, a row for ranks and bytes, a column a setting."""
    names = winners["winner"].value_counts().index.tolist()
    colour = dict(zip(names, _colours(len(names)), strict=True))
    kinds = winners["network"].str.partition(":")[0]
    networks = kinds.drop_duplicates().tolist()
    rows = winners[["ranks", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    lines = list(rows)
    with page(path, 2.3 + 0.22 * len(lines)) as figure:
        for axes, network in zip(
            np.atleast_1d(figure.subplots(1, len(networks), sharey=True)), networks, strict=True
        ):
            own = winners[kinds == network].set_index(["ranks", "bytes", "setting"])
            image = np.array(
                [[colour[own["winner"][(*line, setting)]] for setting in SETTINGS] for line in lines]
            )
            axes.imshow(image, aspect="auto", interpolation="nearest")
            for row, line in enumerate(lines):
                for column, setting in enumerate(SETTINGS):
                    equal = len(own["as good"][(*line, setting)])
                    if equal:
                        axes.text(column, row, f"+{equal}", ha="center", va="center", fontsize=6)
            axes.set_xticks(range(len(SETTINGS)), SETTINGS, rotation=40, ha="right", fontsize=7)
            axes.set_yticks(
                range(len(lines)), [f"{ranks} x {bytes:,} B" for ranks, bytes in lines], fontsize=7
            )
            axes.set_title(network, fontsize="small")
        figure.legend(
            handles=[Patch(color=colour[name], label=name) for name in names],
            loc="outside lower center",
            ncols=4,
            fontsize=7,
        )
        figure.suptitle(title, fontsize="medium")


def _colours(count: int) -> list[tuple[float, float, float]]:
    """Return as many light colors, those of the most frequent first."""
    import matplotlib as mpl

    table = mpl.colormaps["Set3"].colors + mpl.colormaps["Pastel1"].colors  # type: ignore[attr-defined]
    return [tuple(table[n % len(table)]) for n in range(count)]
