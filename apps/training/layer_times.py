"""Compute times of layers from a file, where they were measured.

Comma-separated values with the columns ``layer,forward,backward``: the number of a layer, from 0, or
``head``, which is the projection to the vocabulary, and seconds that a rank computes for a micro-batch.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from netplace.checks import abbreviate, check_float, read_content
from netplace.checks.calls import checked

__all__ = ["HEAD", "LayerTimes", "read_layer_times"]

HEAD = -1  # the number that stands for the projection to the vocabulary
LayerTimes = Mapping[int, tuple[float, float]]
_COLUMNS = ["layer", "forward", "backward"]
_LONGEST = 1e6  # seconds


@checked
def read_layer_times(path: str | Path, layers: int) -> dict[int, tuple[float, float]]:
    """Return the seconds, forward and backward, of the layers that a file has, and of `HEAD`."""
    try:
        lines = read_content(Path(path)).decode().splitlines()
    except OSError as error:
        raise ValueError(f"times: {path} cannot be read, {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"times: {path} is no text, expected {','.join(_COLUMNS)}") from None
    rows = csv.reader(lines)
    header = [word.strip() for word in next(rows, [])]
    if header != _COLUMNS:
        raise ValueError(f"{path}, line 1: {abbreviate(','.join(header))}, expected {','.join(_COLUMNS)}")
    times: dict[int, tuple[float, float]] = {}
    for row in filter(None, rows):
        where = f"{path}, line {rows.line_num}"
        if len(row) != len(_COLUMNS):
            raise ValueError(f"{where}: {len(row)} columns, expected {len(_COLUMNS)}")
        layer = _layer(row[0].strip(), layers, where)
        if layer in times:
            raise ValueError(f"{where}: layer {row[0].strip()} stands there twice")
        forward, backward = (
            check_float(word.strip(), f"{where}: {name}", 0.0, _LONGEST)
            for name, word in zip(_COLUMNS[1:], row[1:], strict=True)
        )
        times[layer] = forward, backward
    return times


def _layer(word: str, layers: int, where: str) -> int:
    if word == "head":
        return HEAD
    if not word.isdecimal() or int(word) >= layers:
        raise ValueError(f"{where}: {abbreviate(word)} is no layer, expected 0 to {layers - 1}, or head")
    return int(word)
