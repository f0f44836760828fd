"""Marks at steps that were hard, and the legend of arrows: what a page says is what the trajectory keeps."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from symvi.mechanism import Body, Box, Contact, Mechanism
from symvi.page import write_page
from symvi.page.hard_steps import MOST_MARKS, hard_steps
from symvi.simulate import Simulator
from tests.page.browser import WEBGL, Browser, find_chromium
from tests.simulate.test_substeps import arch

NEEDS_CHROMIUM = pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")
STEP = 0.02  # s


@pytest.fixture(scope="module")
def folding():
    """Six links that come to lie in one line: steps are split where that goes fast."""
    return Simulator(arch(6)).simulate(2.0, STEP)


def test_every_split_step_is_marked_and_no_other(folding) -> None:
    marked = np.zeros(len(folding), bool)
    for one in hard_steps(folding):
        assert "parts" in one["text"]
        marked |= (folding.time > one["begin"] + STEP / 2) & (folding.time < one["end"] + STEP / 2)
    assert (folding.substeps > 1).any() and np.array_equal(marked, folding.substeps > 1)


def test_each_reason_is_told_in_words() -> None:
    """Knots by hand: whole, split, begun again, singular, round-off, failed."""
    motion = SimpleNamespace(
        time=np.arange(7.0),
        substeps=np.array([0, 1, 4, 1, 1, 1, 1]),
        retries=np.array([0, 0, 0, 2, 0, 0, 0]),
        status=np.array([0, 0, 0, 0, 2, 1, -2]),
    )
    found = [(one["begin"], one["end"], one["text"].split(";")[0]) for one in hard_steps(motion)]
    assert found == [
        (1.0, 2.0, "taken in 4 parts"),
        (2.0, 3.0, "begun again 2 times"),
        (3.0, 4.0, "the step was solved at a singular position"),
        (5.0, 6.0, "no shorter increment lowers the residual"),
    ]


def test_marks_that_nobody_could_tell_apart_are_put_together() -> None:
    count = 10_001
    motion = SimpleNamespace(time=np.arange(count), substeps=1 + np.arange(count) % 2)
    found = hard_steps(motion)
    assert len(found) <= MOST_MARKS and found[0]["begin"] == 0.0 and found[-1]["end"] >= count - 3


@NEEDS_CHROMIUM
def test_the_page_goes_to_hard_steps_and_says_why(folding, tmp_path) -> None:
    page = write_page(folding, tmp_path / "arch.html")
    with Browser(find_chromium(), *WEBGL) as browser:
        browser.open(page, "t=0")
        assert browser.run("document.getElementById('hard').textContent") == ""
        assert browser.run("document.getElementById('legend').hidden")
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'h', bubbles: true}))")
        first = hard_steps(folding)[0]
        browser.wait(f"document.getElementById('hard').textContent === 'hard step: {first['text']}'")
        shown = float(browser.run("document.getElementById('time').textContent").split()[0])
        assert first["begin"] <= shown <= first["end"]
        assert browser.complaints() == []


@NEEDS_CHROMIUM
def test_the_legend_says_how_long_a_newton_is(tmp_path) -> None:
    cube = Body(name="cube", mass=2.0, shape=Box(size=(0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.8))
    floor = Contact(name="floor", child="cube", whole_shape=True, parent_anchor=(0.0, 0.0, 0.5), friction=0.5)
    landed = Simulator(Mechanism(name="cube", bodies=[cube], contacts=[floor])).simulate(0.5, 0.01)
    page = write_page(landed, tmp_path / "cube.html")
    with Browser(find_chromium(), *WEBGL) as browser:
        browser.open(page, "t=0.5")
        text = str(browser.run("document.getElementById('legend').textContent"))
        grid = float(str(browser.run("document.getElementById('scale').textContent")).split()[1])  # m
        largest = max(np.linalg.norm(contact.force, axis=1).max() for contact in landed.contacts.values())
        newtons, cut = float(text.split(" is ")[1].split()[0]), float(text.split("drawn as ")[1].split()[0])
        assert cut < largest  # the impact
        diagonal = grid / newtons * 2.0 * 9.81 / 0.6  # an arrow of the whole weight is 0.6 of the room's diagonal
        assert cut == pytest.approx(0.3 * diagonal * newtons / grid, rel=1e-3)
