"""Compiled parts of netplace.placement."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def add_grid_loads(starts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wraps: bool, factorial: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], load: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Add the load of each flow to those of the links."""
