"""A traffic matrix of one's own, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from netplace.apps.formats.matrix import pairs_of
from netplace.checks import check_unpacked, shown

__all__ = ["KINDS", "read_traffic"]

KINDS = (".csv", ".npy", ".npz")
_EXACT = 2.0**62
_MOST_LISTED = 20_000  # ranks: 3.2 GB as a matrix


def read_traffic(path: Path) -> NDArray[Any]:
    """Return the matrix in a CSV file or a NumPy file (``W`` of an .npz file).

    A CSV file has a line for each task, or for each pair: source, destination, bytes; see
    `netplace.apps.formats.matrix`.

    Parameters
    ----------
    path : Path
        Its ending says which it is.

    Returns
    -------
    ndarray, shape (tasks, tasks)
        Bytes from the task of the row to that of the column, with a diagonal of zero: what a task sends to
        itself crosses no link.

    Raises
    ------
    ValueError
        If the file is of another kind or cannot be read, or the matrix is not square or holds something that
        is no number of at least 0.
    """
    if path.suffix not in KINDS:
        raise ValueError(f"{path}: unknown kind of file, expected a name that ends in {' or '.join(KINDS)}")
    W = _from_csv(path) if path.suffix == ".csv" else _from_numpy(path)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not W.size:
        raise ValueError(f"{path}: shape {W.shape} is not that of a square matrix, a row and a column a task")
    if W.dtype.kind not in "buif":
        raise ValueError(f"{path}: holds values of type {W.dtype}, expected numbers")
    wrong = ~((W >= 0) & np.isfinite(W))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{path}: {W[row, column]} in row {row}, column {column} is not a number of at least 0"
        )
    if W.dtype.kind == "f" and W.max() < _EXACT and (W.astype(np.int64) == W).all():
        W = W.astype(np.int64)
    W = W.copy()
    np.fill_diagonal(W, 0)
    return W


def _from_numpy(path: Path) -> NDArray[Any]:
    try:
        with path.open("rb") as file:
            if path.suffix == ".npz":
                with ZipFile(file) as members:
                    check_unpacked(path, sum(member.file_size for member in members.infolist()))
                file.seek(0)
            with np.errstate(all="ignore"):  # sizes in a damaged header may overflow; what follows tells
                found = np.load(file, allow_pickle=False)
            return np.asarray(found["W"] if isinstance(found, NpzFile) else found)
    except KeyError:
        raise ValueError(f"{path}: holds no matrix called W") from None
    except (OSError, MemoryError):
        raise
    except Exception as error:  # what NumPy and its parsers raise for a damaged file is of many kinds
        if str(path) in str(error):
            raise
        raise ValueError(f"{path}: is not a NumPy file of numbers, {error}") from None


def _from_csv(path: Path) -> NDArray[Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file") from None
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    first = next((line.split(",") for line in lines if line), [])
    square = len([line for line in lines if line]) == len(first)
    if first and not square and (len(first) in (3, 4) or not _is_number(first[0])):
        return _from_list(path)
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        if line:
            rows.append([_number(word.strip(), f"{path}:{number}") for word in line.split(",")])
            if len(rows[-1]) != len(rows[0]):
                raise ValueError(f"{path}:{number}: {len(rows[-1])} columns, expected {len(rows[0])}")
    return np.array(rows, float)


def _from_list(path: Path) -> NDArray[Any]:
    """Return the matrix of a list of pairs."""
    ranks, pairs = pairs_of(path)
    if ranks > _MOST_LISTED:
        raise ValueError(f"{path}: {ranks} ranks are too many for a matrix, expected at most {_MOST_LISTED}")
    W = np.zeros((ranks, ranks), np.int64)
    for pair, (_, size) in pairs.items():
        W[pair] = size
    return W


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(word: str, where: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{where}: {shown(word)} is not a number") from None
