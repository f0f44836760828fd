"""Closed loops in URDF: every form that is in use closes exactly, and moves like the same linkage written by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import load
from symvi.mechanism import Mechanism
from symvi.mechanism.rotation import rotate
from symvi.simulate.simulator import Simulator
from tests.importers.four_bars import FORMS, by_hand, four_bar
from tests.importers.urdf_texts import joint, link, robot

STEP, SECONDS = 0.01, 10.0


def imported(form: str, folder: Path) -> Mechanism:
    path = folder / "four_bar.urdf"
    path.write_text(four_bar(form))
    return load(path).mechanism


def motion(mechanism: Mechanism) -> np.ndarray:
    """(knots, 3 bars, 7) positions and orientations."""
    run = Simulator(mechanism).simulate(SECONDS, STEP)
    assert run.closure.max() < 1e-12
    return np.concatenate([run.position, run.orientation], axis=2)


@pytest.fixture(scope="module")
def reference() -> np.ndarray:
    return motion(by_hand())


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_loop_has_the_same_motion(form: str, reference: np.ndarray, tmp_path: Path) -> None:
    """What differs is the order of the rows, and with it round-off, which this motion does not let grow."""
    found = motion(imported(form, tmp_path))
    assert np.ptp(reference[:, 0, 3]) > 0.1
    assert np.abs(found - reference).max() < 1e-9


@pytest.mark.slow
def test_what_is_written_back_moves_alike(reference: np.ndarray, tmp_path: Path) -> None:
    written = Mechanism.from_toml(imported("loop_joint", tmp_path).to_toml())
    assert np.abs(motion(written) - reference).max() < 1e-9


@pytest.mark.parametrize("form", FORMS)
def test_the_report_names_the_loop(form: str, tmp_path: Path) -> None:
    path = tmp_path / "four_bar.urdf"
    path.write_text(four_bar(form))
    found = load(path)
    assert found.mechanism.body_names == ("crank", "coupler", "rocker")
    assert any(notice.what in ("loop", "fixed joint") for notice in found.report.notices)
    assert not found.report.of("ignored", "approximated", "dropped")


def test_a_weld_joins_two_bodies_by_a_frame_on_each(tmp_path: Path) -> None:
    weld = '<loop_joint name="w" type="fixed"><link1 link="arm" xyz="0.1 0 0"/><link2 link="tool" xyz="0 0.2 0"/>'
    path = tmp_path / "robot.urdf"
    path.write_text(
        robot(
            *(link(name) for name in ("base", "arm", "tool")),
            joint("hinge", "continuous", "base", "arm"),
            joint("hang", "floating", "base", "tool"),
            weld + "</loop_joint>",
        )
    )
    found = load(path)
    assert found.mechanism.body_names == ("arm",)
    assert found.links["tool"].body == "arm" and found.links["tool"].pose.position == (0.1, -0.2, 0.0)


@pytest.mark.parametrize("form", [form for form in FORMS if "ball" not in form])
def test_the_closing_hinge_has_its_axis_on_both_sides(form: str, tmp_path: Path) -> None:
    """Along x in both bars, which are parallel to the world, however the frames of the loop are turned."""
    hinge = imported(form, tmp_path).joint("c")
    assert np.allclose(np.abs(hinge.axis), (1, 0, 0), rtol=0, atol=1e-15)
    assert np.allclose(np.abs(rotate(hinge.orientation, hinge.axis)), (1, 0, 0), rtol=0, atol=1e-15)


def test_a_loop_may_lead_back_to_the_root(tmp_path: Path) -> None:
    """The root stays the root, and the world is the parent whichever way the loop is written."""
    loop = '<loop_joint name="c" type="spherical"><link1 link="arm" xyz="0 0 1"/><link2 link="base" xyz="0 0.5 0"/>'
    path = tmp_path / "robot.urdf"
    path.write_text(
        robot(link("base"), link("arm"), joint("hinge", "continuous", "base", "arm"), loop + "</loop_joint>")
    )
    found = load(path).mechanism.joint("c")
    assert (found.parent, found.child) == ("world", "arm")
    assert (found.parent_anchor, found.child_anchor) == ((0.0, 0.5, 0.0), (0.0, 0.0, 1.0))


INSIDE = '<limit lower="-0.5" upper="0.25" effort="1" velocity="2"/><dynamics damping="2" friction="0.1"/>'


@pytest.mark.parametrize("form", [form for form in FORMS if "ball" not in form and "weld" not in form])
def test_a_loop_has_stops_damping_and_friction_like_any_joint(form: str, tmp_path: Path) -> None:
    text = four_bar(form)
    tag = re.search(r'<(\w+) name="c"', text)[1]
    head = text.index(f"</{tag}>", text.index(f'<{tag} name="c"'))
    path = tmp_path / "bars.urdf"
    path.write_text(
        (text[:head] + INSIDE + text[head:]).replace('name="c" type="continuous"', 'name="c" type="revolute"')
    )
    mechanism = load(path, strict=True).mechanism
    (limit,) = mechanism.limits
    assert (limit.joint, limit.lower, limit.upper) == ("c", -0.5, 0.25)
    damped = {type(force).__name__: force for force in mechanism.forces if getattr(force, "joint", "") == "c"}
    assert len(damped) == 2


def test_a_loop_mimics_like_any_joint(tmp_path: Path) -> None:
    path = tmp_path / "bars.urdf"
    mimic = '<mimic joint="a" multiplier="0.5" offset="0"/></loop_joint>'
    path.write_text(four_bar("loop_joint").replace("</loop_joint>", mimic))
    (coupling,) = load(path, strict=True, repair=True).mechanism.couplings
    assert coupling.joints == ("c", "a")


@pytest.mark.parametrize("inside", ['<mimic joint="a"/>', '<limit lower="-1" upper="1"/>'])
def test_a_ball_in_a_loop_has_neither_stops_nor_a_leader(inside: str, tmp_path: Path) -> None:
    path = tmp_path / "bars.urdf"
    path.write_text(four_bar("loop_joint with a ball, link1 twice").replace("</loop_joint>", f"{inside}</loop_joint>"))
    with pytest.raises(MechanismError, match="loop_joint 'c': .*(one coordinate|have no stops)"):
        load(path, strict=True)


ENDS = '<parent link="base"/><child link="arm"/>'
SIDES = '<link1 link="base"/><link2 link="arm"/>'
# what is wrong -> type, the tag's children, words
UNCLEAR = {
    "an origin of nobody": ("spherical", ENDS + '<origin xyz="1 0 0"/>', "<origin> says not of which of two links"),
    "an origin beside sides": ("revolute", SIDES + '<origin xyz="1 0 0"/>', "xyz and rpy of <link1> and <link2>"),
    "two frames of one link": ("revolute", SIDES + '<child_origin xyz="1 0 0"/>', "has <child_origin> beside <link1>"),
    "a third link": ("revolute", SIDES + '<parent link="base"/>', "has <parent> beside <link1> and <link2>"),
    "three axes": (
        "revolute",
        ENDS + '<axis xyz="0 1 0"/><parent_axis xyz="0 0 1"/><child_axis xyz="0 0 1"/>',
        "has <axis> beside <parent_axis> and <child_axis>",
    ),
}


def closed(kind: str, inside: str, folder: Path, tag: str = "loop_joint", **options: object):
    path = folder / "robot.urdf"
    loop = f'<{tag} name="l" type="{kind}">{inside}</{tag}>'
    path.write_text(robot(link("base"), link("arm"), joint("hinge", "continuous", "base", "arm"), loop))
    return load(path, **options)


@pytest.mark.parametrize("what", UNCLEAR)
def test_a_frame_or_axis_that_the_loop_would_not_get_is_refused(what: str, tmp_path: Path) -> None:
    kind, inside, words = UNCLEAR[what]
    with pytest.raises(MechanismError, match=rf"robot.urdf:\d+: loop_joint 'l': .*{words}"):
        closed(kind, inside, tmp_path)


@pytest.mark.parametrize("sides", [ENDS, SIDES])
def test_each_side_of_a_loop_can_have_its_own_axis(sides: str, tmp_path: Path) -> None:
    axes = '<parent_axis xyz="0 0 1"/><child_axis xyz="0 1 0"/>'
    loop = closed("universal", sides + axes, tmp_path).mechanism.joint("l")
    assert (loop.axis, loop.child_axis) == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def test_an_axis_does_not_turn_what_has_none(tmp_path: Path) -> None:
    """Two frames that stand alike are held alike, whatever axes a program has written."""
    text = ENDS + '<parent_axis xyz="0 0 1"/><child_axis xyz="0 1 0"/>'
    found = closed("spherical", text, tmp_path, tag="constraint")
    assert found.mechanism.joint("l").orientation == (1.0, 0.0, 0.0, 0.0)
    assert [notice.what for notice in found.report.of("skipped")] == ["<parent_axis>", "<child_axis>"]


def test_the_frame_that_an_axis_names_is_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    axis = '<axis xyz="0 1 0" frame="world"/>'
    path.write_text(robot(link("base"), link("arm"), joint("hinge", "continuous", "base", "arm", axis)))
    (notice,) = load(path).report.of("ignored")
    assert (notice.element, notice.what) == ("joint 'hinge'", "frame of <axis>")
    with pytest.raises(MechanismError, match="1 loss"):
        load(path, strict=True)
