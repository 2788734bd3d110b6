"""A traffic matrix of the user's own, from a file."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.matrix import pairs_in, places_of, table_of
from netplace.files import check_unpacked, input_file, text_of
from netplace.inputs import abbreviate

_EXACT = 2.0**62
_MOST = 20_000  # tasks: 3.2 GB as a matrix


def read_traffic(path: Path, maximum: int = _MOST) -> NDArray[Any]:
    """Return the matrix of bytes, shape (tasks, tasks), in a file; its diagonal is 0.

    Files are text (also MatrixMarket), ``.npy``, or ``.npz`` with an array W or by `scipy.sparse.save_npz`.
    """
    maximum = min(maximum, _MOST)
    path = input_file(path)
    W = _from_numpy(path, maximum) if path.suffix in (".npy", ".npz") else _from_text(path, maximum)
    if W.dtype.kind not in "buif":
        raise ValueError(f"{path}: contains values of type {str(W.dtype)[:60]}, expected numbers")
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not W.size:
        raise ValueError(f"{path}: shape {W.shape} is not square, expected a row and a column per task")
    _check_tasks(path, len(W), maximum)
    wrong = ~((W >= 0) & (W < _EXACT))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{path}: {W[row, column]} in row {row}, column {column} "
            "is not a number of at least 0 and below 2**62"
        )
    W = np.array(W, np.int64 if (W.astype(np.int64) == W).all() else None)
    np.fill_diagonal(W, 0)
    return W


def _check_tasks(path: Path, tasks: int, maximum: int) -> None:
    if tasks > maximum:
        raise ValueError(
            f"{path}: {abbreviate(tasks)} tasks are too many, expected at most {maximum}, one per node"
        )


def _from_numpy(path: Path, maximum: int) -> NDArray[Any]:
    try:
        if path.suffix == ".npy":  # a mapped file is no larger than its header says
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        with ZipFile(path) as members:
            check_unpacked(path, sum(member.file_size for member in members.infolist()))
        with np.load(path, allow_pickle=False) as arrays:
            if "W" in arrays or "shape" not in arrays:
                return np.asarray(arrays["W"])
            _check_tasks(path, int(np.max(arrays["shape"])), maximum)
        from scipy.sparse import load_npz

        return np.asarray(load_npz(path).toarray())
    except KeyError:
        raise ValueError(f"{path}: contains no matrix W") from None
    except Exception as error:  # what NumPy and its parsers raise for a damaged file is of many kinds
        if str(path) in str(error):  # said here, or by the system of a file that cannot be opened
            raise
        raise ValueError(f"{path}: is not a NumPy file of numbers, {error}") from None


def _from_matrix_market(path: Path, text: str, maximum: int) -> NDArray[Any]:
    from scipy.io import mminfo, mmread

    try:
        rows, columns, *_ = mminfo(StringIO(text))
        _check_tasks(path, max(rows, columns), maximum)
        read = mmread(StringIO(text))
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{path}: is not a matrix of MatrixMarket, {error}") from None
    return np.asarray(read if isinstance(read, np.ndarray) else read.toarray())


def _from_text(path: Path, maximum: int) -> NDArray[Any]:
    """Return a matrix, or that of a list of pairs."""
    text = text_of(path)
    if text.startswith("%%MatrixMarket"):
        return _from_matrix_market(path, text, maximum)
    table = table_of(text, str(path))
    if table.labels is None:
        ranks, pairs = pairs_in(table, str(path))
        _check_tasks(path, ranks, maximum)
        W = np.zeros((ranks, ranks), np.int64)
        for pair, (_, size) in pairs.items():
            W[pair] = size
        return W
    _check_tasks(path, len(table.rows), maximum)
    try:
        given = np.array([cells for _, cells in table.rows], np.float64)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    W = np.empty_like(given)
    W[np.ix_(*map(places_of, table.labels))] = given
    return W
