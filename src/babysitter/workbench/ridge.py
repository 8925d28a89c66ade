"""Ridge regression over sparse rows, for numpy alone.

Minimises |X W - Y|^2 + ridge |W|^2 for all columns of Y at once, by conjugate gradients: a few dozen products
with X, which has a dozen values in each of many thousand rows and columns.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_STEPS = 200
TOLERANCE = 1e-4  # of what is left, beside the start


class SparseRows:
    """A matrix by its rows: in each the columns that are not zero, all with one value."""

    def __init__(self, rows: Sequence[Sequence[int]], values: Sequence[float], columns: int) -> None:
        lengths = np.array([len(row) for row in rows])
        of_row = np.repeat(np.arange(len(rows)), lengths)
        of_column = np.array([place for row in rows for place in row], dtype=np.intp)
        self._shape = (len(rows), columns)
        self._by_row = (of_row, of_column, np.asarray(values)[of_row])
        order = np.argsort(of_column, kind="stable")
        self._by_column = (of_column[order], of_row[order], self._by_row[2][order])

    def times(self, weights: Array) -> Array:
        """X W."""
        return _products(self._by_row, weights, self._shape[0])

    def transposed_times(self, wanted: Array) -> Array:
        """X' Y."""
        return _products(self._by_column, wanted, self._shape[1])


def _products(entries: tuple[NDArray[np.intp], NDArray[np.intp], Array], other: Array, rows: int) -> Array:
    of_row, of_column, values = entries
    result = np.zeros((rows, other.shape[1]))
    if len(of_row):
        starts = np.flatnonzero(np.diff(of_row, prepend=-1))
        result[of_row[starts]] = np.add.reduceat(values[:, None] * other[of_column], starts, axis=0)
    return result


def solve_ridge(matrix: SparseRows, wanted: Array, ridge: float) -> Array:
    """The weights W: a row for each column of the matrix, a column for each of `wanted`."""
    left = matrix.transposed_times(wanted)
    weights = np.zeros_like(left)
    direction = left.copy()
    size = (left**2).sum(axis=0)
    enough = TOLERANCE**2 * np.maximum(size, 1e-12)
    for _ in range(MAX_STEPS):
        if (size <= enough).all():
            break
        image = matrix.transposed_times(matrix.times(direction)) + ridge * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-12)
        weights += step * direction
        left -= step * image
        before, size = size, (left**2).sum(axis=0)
        direction = left + size / np.maximum(before, 1e-12) * direction
    return weights
