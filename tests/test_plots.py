"""The plot: a PNG with something on it, the same bytes every time, and the extra named if it is missing."""

from __future__ import annotations

import io
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread

from symvi.errors import MissingExtraError
from symvi.plots import write_plot
from tests.page.motions import pendulum, strandbeest_leg, thrown_top


@pytest.mark.thorough
@pytest.mark.parametrize("motion", [pendulum, strandbeest_leg, thrown_top])
def test_the_plot_is_a_picture_with_four_panels(tmp_path, motion):
    image = imread(io.BytesIO(write_plot(motion(), tmp_path / "plot.png").read_bytes()))[..., :3]
    middle, centre = (size // 2 for size in image.shape[:2])
    assert image.shape[0] > 600 and image.shape[1] > 1000
    for panel in (image[:middle, :centre], image[:middle, centre:], image[middle:, :centre], image[middle:, centre:]):
        assert (panel.min(axis=-1) < 0.6).sum() > 1000


def test_the_same_motion_gives_the_same_bytes_whatever_the_user_has_set(tmp_path):
    first = write_plot(pendulum(), tmp_path / "first.png").read_bytes()
    with matplotlib.rc_context({"lines.linewidth": 7.0, "figure.dpi": 33, "font.size": 20}):
        assert write_plot(pendulum(), tmp_path / "second.png").read_bytes() == first
        assert matplotlib.rcParams["lines.linewidth"] == 7.0
    assert first.startswith(b"\x89PNG\r\n\x1a\n") and b"tEXt" not in first and b"tIME" not in first


@pytest.mark.parametrize("count", [1, 2])
def test_a_motion_of_one_or_two_knots(tmp_path, count):
    assert write_plot(pendulum(count), tmp_path / "plot.png").stat().st_size > 10_000


@pytest.mark.filterwarnings("error")
def test_what_is_not_finite_leaves_gaps(tmp_path):
    motion = strandbeest_leg()
    motion.position[-1] = motion.orientation[-1] = motion.energy[100:200] = np.nan
    motion.closure[:] = np.nan
    motion.iterations = np.full(len(motion.time), np.nan)
    assert write_plot(motion, tmp_path / "plot.png").stat().st_size > 10_000


@pytest.mark.filterwarnings("error")
def test_a_closure_of_exactly_zero_has_no_logarithm(tmp_path):
    motion = thrown_top()
    motion.closure[:] = 0.0
    assert write_plot(motion, tmp_path / "plot.png").stat().st_size > 10_000


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"needs the package matplotlib; .* -m pip install .*matplotlib"):
        write_plot(pendulum(10), tmp_path / "plot.png")


def test_a_folder_that_is_missing_is_named_and_nothing_is_left(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        write_plot(pendulum(10), tmp_path / "missing" / "plot.png")
    assert list(tmp_path.iterdir()) == []
