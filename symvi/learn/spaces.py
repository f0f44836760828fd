"""The spaces of a task: boxes of numbers in single precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, missing_extra
from symvi.learn.worlds import Worlds
from symvi.mechanism.names import shown

try:
    import gymnasium
    from gymnasium.utils import seeding
except ImportError as error:
    raise missing_extra("learn", "Gymnasium") from error

if TYPE_CHECKING:
    from gymnasium.spaces import Box

__all__ = ["RENDER_MODES", "checked_render_mode", "gymnasium", "seeding", "spaces_of"]

RENDER_MODES = ["rgb_array"]


def spaces_of(worlds: Worlds) -> tuple[Box, Box]:
    """Of observations and of actions."""
    return _box(*worlds.observed), _box(*worlds.acted)


def _box(low: NDArray[np.float64], high: NDArray[np.float64]) -> Box:
    return gymnasium.spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def checked_render_mode(given: object) -> str | None:
    """Raises ArgumentError for a mode that there is not."""
    if given is not None and given not in RENDER_MODES:
        raise ArgumentError(f"render_mode {shown(given)}: give None or 'rgb_array'; write_page writes a page")
    return given  # type: ignore[return-value]
