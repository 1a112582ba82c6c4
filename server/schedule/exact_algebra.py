"""Products and inverses of matrices, the same to the last bit on every machine, at the speed of its own library.

A linear algebra library adds up in an order of its own, and with instructions that round differently, so its results
differ from machine to machine. **Whole numbers below 2^53 have no such freedom**: whatever the order, no sum of them is
ever rounded. So every matrix is split into two of whole numbers, small enough that their products add up exactly, and
only those are multiplied by the library. The rest is done element by element, with the four basic operations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DIGITS = 53
"""Binary digits of a float: whole numbers with no more digits are exact."""

FEW = 60
"""For matrices with at most this many rows, basic operations alone find an inverse faster."""


def product(left: Floats, right: Floats) -> Floats:
    """Multiply two matrices, with some 43 binary digits of the largest number in a row or column."""
    bits = (DIGITS - len(right).bit_length()) // 2
    high, low, row_scale = _split(left, 1, bits)
    other_high, other_low, column_scale = _split(right, 0, bits)
    total = high @ other_low
    total += low @ other_high
    total *= 2.0**-bits
    total += high @ other_high
    total *= row_scale
    total *= column_scale
    return np.asarray(total)


def _split(matrix: Floats, axis: int, bits: int) -> tuple[Floats, Floats, Floats]:
    """Split a matrix into whole numbers of so many bits, those of as many bits that follow, and the unit of the
    first, by row or column."""
    highest, lowest = (end(axis=axis, keepdims=True, initial=0.0) for end in (matrix.max, matrix.min))
    exponent = np.frexp(np.maximum(highest, -lowest))[1]
    scaled = matrix * np.ldexp(1.0, bits - exponent)
    high = np.rint(scaled)
    scaled -= high
    scaled *= 2.0**bits
    return high, np.rint(scaled, out=scaled), np.ldexp(1.0, exponent - bits)


def invert(matrix: Floats) -> Floats:
    """Invert a symmetric positive matrix: one half of the rows first, then the other without the first."""
    count = len(matrix)
    if count <= FEW:
        return invert_plainly(matrix)
    first, second = slice(0, count // 2), slice(count // 2, count)
    across = matrix[first, second]
    half = invert(matrix[first, first])
    seen = product(half, across)
    rest = invert(matrix[second, second] - product(across.T, seen))
    both = product(seen, rest)
    inverse = np.empty_like(matrix)
    inverse[first, first] = half + product(both, seen.T)
    inverse[first, second] = -both
    inverse[second, first] = -both.T
    inverse[second, second] = rest
    return inverse


def invert_plainly(matrix: Floats) -> Floats:
    """Invert a symmetric positive matrix row by row (Gauss-Jordan; such a matrix needs no pivots)."""
    inverse = matrix.copy()
    room = np.empty_like(inverse)
    for at in range(len(inverse)):
        pivot = 1.0 / inverse[at, at]
        row = inverse[at] * pivot
        column = inverse[:, at].copy()
        inverse -= np.multiply(column[:, None], row, out=room)
        inverse[:, at] = column * -pivot
        inverse[at] = row
        inverse[at, at] = pivot
    return inverse
