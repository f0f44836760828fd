"""The spaces of a task: boxes of numbers in single precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import ArgumentError, missing_extra
from symvi.learn.worlds import Worlds
from symvi.mechanism.names import shown

try:
    import gymnasium
except ImportError as error:
    raise missing_extra("learn", "Gymnasium") from error

if TYPE_CHECKING:
    from gymnasium.spaces import Box

RENDER_MODES = ["rgb_array"]


def spaces_of(worlds: Worlds) -> tuple[Box, Box]:
    """Of observations and of actions."""
    observed, acted = (
        gymnasium.spaces.Box(*(side.astype(np.float32) for side in sides), dtype=np.float32)
        for sides in (worlds.observed, worlds.acted)
    )
    return observed, acted


def checked_render_mode(given: object) -> str | None:
    """Raises ArgumentError for a mode that there is not."""
    if given is not None and given not in RENDER_MODES:
        raise ArgumentError(f"render_mode {shown(given)}: give None or 'rgb_array'; write_page writes a page")
    return given  # type: ignore[return-value]
