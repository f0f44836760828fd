"""Numbers that users give: what counts as one, before anything is computed with it."""

from __future__ import annotations

from math import isfinite
from numbers import Real

import numpy as np


def real_numbers(value: object) -> np.ndarray | None:
    """An array of doubles of at least one dimension, or None for what is no array of real numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return np.atleast_1d(array.astype(float)) if array.dtype.kind in "iufb" else None


def is_positive(value: object) -> bool:
    """Whether a value is one finite number above zero, of Python or of NumPy."""
    return isinstance(value, Real) and isfinite(value) and value > 0
