"""What a notebook shows: a mechanism's picture, joints and freedoms, a motion's page, and how far a run is."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from symvi import Simulator
from symvi.demos import demo_file
from symvi.mechanism import Body, Joint, Mechanism, Sphere
from symvi.page import notebook, write_page
from symvi.page.notebook import freedoms_at_start
from symvi.simulate import progress
from tests.page.browser import WEBGL, Browser, find_chromium

NEEDS_CHROMIUM = pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


@pytest.mark.parametrize(
    ("name", "freedoms"), [("pendulum", 1), ("double_pendulum", 2), ("four_bar", 1), ("slider_crank", 1), ("walker", 7)]
)
def test_the_freedoms_are_those_that_one_counts_by_hand(name: str, freedoms: int) -> None:
    """The walker: a body in space, and a crank. Planar loops keep theirs although they hold more than they must."""
    assert freedoms_at_start(demo(name)) == freedoms


def test_a_mechanism_shows_picture_joints_and_freedoms() -> None:
    text = demo("four_bar")._repr_html_()
    assert "3 bodies, 4 joints, 1 freedom" in text and text.count("<tr>") == 5
    assert "<td>crank_pin</td><td>revolute</td><td>crank \u2192 coupler</td><td>1</td>" in text
    assert len(demo("walker")._repr_html_()) < 100_000 and "and 31 more" in demo("walker")._repr_html_()


def test_the_picture_shows_a_ball_as_wide_as_it_is() -> None:
    """Two balls on a level line, one twice as wide: seen from afar both are as large as they are."""
    balls = [Body(name=n, mass=1.0, shape=Sphere(radius=r), position=(x, 0, 0)) for n, r, x in
             (("large", 0.2, 0.0), ("small", 0.1, 1.0))]  # fmt: skip
    text = Mechanism(name="balls", bodies=balls)._repr_html_()
    shapes = [np.array([pair.split(",") for pair in points.split()], float) for points in
              re.findall(r'<polygon points="([^"]*)"', text)]  # fmt: skip
    heights = sorted(float(np.ptp(shape[:, 1])) for shape in shapes)
    assert heights[1] == pytest.approx(2 * heights[0], rel=0.02)


def test_names_and_words_of_a_user_stay_text() -> None:
    hostile = Mechanism(
        name="m", description="<script>alert(1)</script>", bodies=[Body(name="b", mass=1.0, shape=Sphere(radius=1))]
    )
    assert "<script>" not in hostile._repr_html_() and "&lt;script&gt;" in hostile._repr_html_()


def test_without_a_start_the_reason_stands_in_the_pictures_place() -> None:
    rod = Body(name="rod", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    lost = Joint(name="string", type="distance", child="rod", length=1.0)
    assert "<p>" in Mechanism(name="lost", bodies=[rod], joints=[lost])._repr_html_()


@pytest.fixture(scope="module")
def motion():
    return Simulator(demo("four_bar")).simulate(2.0, 0.01)


def test_a_motion_shows_its_page_in_a_frame(motion, tmp_path: Path) -> None:
    text = motion._repr_html_()
    (page,) = re.findall(r'srcdoc="([^"]*)"', text)
    assert unescape(page) == write_page(motion, tmp_path / "page.html", max_frames=601).read_text()


def test_the_page_of_a_long_motion_of_many_bodies_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(notebook, "page_text", lambda motion, max_frames: asked.append(max_frames) or "")
    for count in (1, 38, 1000):
        notebook.motion_html(SimpleNamespace(mechanism=SimpleNamespace(bodies=[None] * count, name="m")))
    assert asked[0] == 601 and asked[2] == 61
    assert asked[1] * 39 * 28 * 4 / 3 < 1.5e6  # bytes of seven floats a body, in base 64


@NEEDS_CHROMIUM
def test_the_frame_replays_the_motion_in_a_browser(motion, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset='utf-8'><table id='facts'><tr></table>{motion._repr_html_()}")
    with Browser(find_chromium(), *WEBGL) as browser:
        browser.open(file)
        inner = "document.querySelector('iframe').contentDocument"
        browser.wait(f"{inner}.getElementById('facts')?.rows.length > 3")
        assert browser.run(f"{inner}.getElementById('title').textContent") == "four_bar"
        assert browser.complaints() == []


# --- progress ---------------------------------------------------------------------------------------------------------
class Shell:
    """What IPython's kernel gives as the shell of a notebook."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook was given to show, in turn."""
    pictures: list[str] = []

    def display(picture, display_id):
        pictures.append(picture._repr_html_())
        return SimpleNamespace(update=lambda next_one: pictures.append(next_one._repr_html_()))

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=Shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    return pictures


def test_a_notebook_has_a_bar_that_goes_away_at_the_end(shown: list[str]) -> None:
    simulator = Simulator(demo("pendulum"))
    watched = simulator.simulate(20.0, 0.001)
    assert '<progress value="' in shown[0] and 'max="20000"' in shown[0] and shown[-1] == ""
    count = len(shown)
    assert simulator.simulate(20.0, 0.001, progress=False).state_hash() == watched.state_hash()
    assert len(shown) == count


def test_a_terminal_has_none_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    simulator = Simulator(demo("pendulum"))
    simulator.simulate(0.1, 0.01)
    assert capsys.readouterr().err == ""
    simulator.simulate(0.1, 0.01, progress=True)
    assert capsys.readouterr().err.endswith("10 of 10 steps\n")
