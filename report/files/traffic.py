"""A traffic matrix of the user's own, from a file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.lib import format as numpy_format
from numpy.typing import NDArray

from netplace.apps.formats.matrix import pairs_of
from netplace.files import check_unpacked, input_file, text_of
from netplace.inputs import abbreviate

KINDS = (".csv", ".npy", ".npz")
_EXACT = 2.0**62
_MOST = 20_000  # tasks: 3.2 GB as a matrix
_HEADERS = {(1, 0): numpy_format.read_array_header_1_0, (2, 0): numpy_format.read_array_header_2_0}


def read_traffic(path: Path, most: int = _MOST) -> NDArray[Any]:
    """Return the matrix of bytes, shape (tasks, tasks), in a CSV, .npy or .npz file; its diagonal is 0."""
    if path.suffix not in KINDS:
        raise ValueError(f"{path}: unknown kind of file, expected a name that ends in {' or '.join(KINDS)}")
    read = _from_csv if path.suffix == ".csv" else _from_numpy
    W = read(input_file(path), min(most, _MOST))
    wrong = ~((W >= 0) & (W < _EXACT))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{path}: {W[row, column]} in row {row}, column {column} "
            "is not a number of at least 0 and below 2**62"
        )
    if W.dtype.kind == "f" and W.max() < _EXACT and (W.astype(np.int64) == W).all():
        W = W.astype(np.int64)
    W = W.copy()
    np.fill_diagonal(W, 0)
    return W


def _check(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any], most: int) -> None:
    """Check that an array would be a matrix of traffic between at most so many tasks."""
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
        raise ValueError(
            f"{path}: shape {abbreviate(shape)} is not square, expected a row and a column per task"
        )
    if dtype.kind not in "buif":
        raise ValueError(f"{path}: contains values of type {str(dtype)[:60]}, expected numbers")
    _check_tasks(path, shape[0], most)


def _check_tasks(path: Path, tasks: int, most: int) -> None:
    if tasks > most:
        raise ValueError(
            f"{path}: {abbreviate(tasks)} tasks are too many, expected at most {most}, one per node"
        )


def _from_numpy(path: Path, most: int) -> NDArray[Any]:
    try:
        with path.open("rb") as file:
            if path.suffix == ".npy":
                return _array(path, file, path.stat().st_size, most)
            with ZipFile(file) as members:
                check_unpacked(path, sum(member.file_size for member in members.infolist()))
                with members.open("W.npy") as member:
                    return _array(path, member, members.getinfo("W.npy").file_size, most)
    except KeyError:
        raise ValueError(f"{path}: contains no matrix W") from None
    except MemoryError:
        raise
    except Exception as error:  # what NumPy and its parsers raise for a damaged file is of many kinds
        if str(path) in str(error):  # said here, or by the system of a file that cannot be opened
            raise
        raise ValueError(f"{path}: is not a NumPy file of numbers, {error}") from None


def _array(path: Path, file: IO[bytes], size: int, most: int) -> NDArray[Any]:
    """Return the array in a file of so many bytes; its header is checked before anything is made for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that old versions wrote, or that are damaged
        version = numpy_format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{path}: has version {version[0]}.{version[1]}, expected 1.0 or 2.0")
        shape, by_columns, dtype = _HEADERS[version](file)
    _check(path, shape, dtype, most)
    follow, expected = size - file.tell(), shape[0] ** 2 * dtype.itemsize
    if follow != expected:
        raise ValueError(
            f"{path}: {follow} bytes of numbers, expected {expected} for the shape {shape} of its header"
        )
    return np.frombuffer(file.read(expected), dtype).reshape(shape, order="F" if by_columns else "C")


def _from_csv(path: Path, most: int) -> NDArray[Any]:
    text = text_of(path)
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    first = next((line.split(",") for line in lines if line), [])
    if not first:
        raise ValueError(f"{path}: is empty, expected a matrix, or a list of pairs")
    square = len([line for line in lines if line]) == len(first)
    if first and not square and (len(first) in (3, 4) or not _is_number(first[0])):
        return _from_list(path, most)
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        if line:
            rows.append([_number(word.strip(), f"{path}:{number}") for word in line.split(",")])
            if len(rows[-1]) != len(rows[0]):
                raise ValueError(f"{path}:{number}: {len(rows[-1])} columns, expected {len(rows[0])}")
    _check(path, (len(rows), len(rows[0]) if rows else 0), np.dtype(float), most)
    return np.array(rows, float)


def _from_list(path: Path, most: int) -> NDArray[Any]:
    ranks, pairs = pairs_of(path)
    _check_tasks(path, ranks, most)
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
        raise ValueError(f"{where}: {abbreviate(word)} is not a number") from None
