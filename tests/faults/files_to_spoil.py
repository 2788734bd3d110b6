"""Small good files of every format, and command lines that read them."""

from pathlib import Path

import good_archives
import good_jobs
import good_networks
import good_results
import good_traces
import numpy as np

__all__ = ["COMMANDS", "make_files"]

# The command lines that read a file, by its place in the folder.
COMMANDS: dict[str, list[tuple[str, ...]]] = {
    **good_traces.COMMANDS,
    **good_networks.COMMANDS,
    **good_jobs.COMMANDS,
    **good_results.COMMANDS,
}


def make_files(folder: Path, results: bool = True) -> None:
    """Write the good files; those of results, if they are wanted, are made by netplace."""

    for texts in (good_traces.TEXTS, good_networks.TEXTS, good_jobs.TEXTS):
        for name, text in texts.items():
            (folder / name).write_text(text)
    good_traces.make_traces(folder)
    good_archives.make_archives(folder)
    W = (3 * np.arange(16)[:, None] + 7 * np.arange(16)) % 11
    np.save(folder / "w.npy", W)
    np.savez_compressed(folder / "w.npz", W=W)
    good_results.make_results(folder, results)
