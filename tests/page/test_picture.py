"""The picture of README is what its command draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.page.browser import find_chromium
from tests.page.picture import SIZE, draw

KEPT = Path(__file__).parents[2] / "symvi" / "manual" / "walker.png"


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"), float)


@pytest.mark.thorough
def test_the_kept_picture_is_drawn_again(tmp_path: Path) -> None:
    """But for what another Chromium makes of edges and letters, and the time that the demo took."""
    if find_chromium() is None:
        pytest.skip("needs the package chromium")
    draw(tmp_path / "walker.png")
    kept, drawn = pixels(KEPT), pixels(tmp_path / "walker.png")
    assert kept.shape == drawn.shape == (SIZE[1], SIZE[0], 3)
    assert np.abs(kept - drawn).mean() < 3.0
    assert kept.std() > 20.0  # it is not empty
