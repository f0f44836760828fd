"""Closed loops in MJCF: soft there, exact here, and moving like the same linkage written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.importers import load
from symvi.simulate.simulator import Simulator
from tests.importers.four_bars import by_hand
from tests.importers.mjcf_texts import LOOPS, four_bar, model

peers = pytest.importorskip("tests.importers.mujoco_peer", reason="needs the extra mjcf")
STEP, SECONDS, BARS = 0.01, 10.0, ("crank", "coupler", "rocker")


def places(mechanism, links) -> np.ndarray:
    """(knots, 3 bars, 4, 4) poses."""
    run = Simulator(mechanism).simulate(SECONDS, STEP)
    assert run.closure.max() < 1e-12
    found = []
    for bar in BARS:
        row, inner = mechanism.body_names.index(links[bar].body), peers.homogeneous(*links[bar].pose)
        poses = zip(run.position[:, row], run.orientation[:, row], strict=True)
        found.append([peers.homogeneous(*pose) @ inner for pose in poses])
    return np.array(found).swapaxes(0, 1)


@pytest.fixture(scope="module")
def reference() -> np.ndarray:
    from symvi.importers import Placed
    from symvi.importers.pose import STANDING

    return places(by_hand(), {bar: Placed(bar, STANDING) for bar in BARS})


def written(text: str, folder: Path) -> Path:
    path = folder / "model.xml"
    path.write_text(text)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("form", LOOPS)
def test_every_form_of_a_loop_has_the_same_motion(form: str, reference: np.ndarray, tmp_path: Path) -> None:
    found = load(written(four_bar(form), tmp_path))
    assert np.abs(places(found.mechanism, found.links) - reference).max() < 1e-9


@pytest.mark.parametrize(
    "form, kind", [("one connect", "spherical"), ("two connects", "revolute"), ("connected sites", "spherical")]
)
def test_connects_are_the_joint_that_they_hold(form: str, kind: str, tmp_path: Path) -> None:
    found = load(written(four_bar(form), tmp_path))
    assert found.mechanism.joint("c").type == kind
    told = [notice for notice in found.report.of("taken") if "connect" in notice.what]
    assert told and f"a {kind} joint" in told[0].why and told[0].source.line == 2


BODIES = (
    '<body name="a" pos="0 0 1"><joint name="p" axis="1 0 0" ref="0.2"/><geom size="0.1"/></body>'
    '<body name="b" pos="1 0 1"><joint name="q" axis="1 0 0"/><geom size="0.1"/>'
    '<body name="c" pos="0 1 0"><joint name="r" type="slide" axis="0 0 1"/><geom size="0.1"/></body></body>'
)


def test_three_connects_that_are_not_in_line_are_a_weld(tmp_path: Path) -> None:
    points = ("0 0 0", "0.5 0 0", "0 0.5 0")
    text = "".join(f'<connect body1="a" body2="c" anchor="{point}"/>' for point in points)
    found = load(written(model(f"<equality>{text}</equality>", world=BODIES), tmp_path))
    assert found.links["a"].body == found.links["c"].body


def test_points_at_different_distances_are_refused(tmp_path: Path) -> None:
    sites = [f'<site name="s{k}" pos="{x} 0 0"/>' for k, x in enumerate((0, 0.5, 0, 0.4))]
    world = BODIES.replace('<joint name="p"', "".join(sites[:2]) + '<joint name="p"').replace(
        '<joint name="q"', "".join(sites[2:]) + '<joint name="q"'
    )
    text = '<connect site1="s0" site2="s2"/><connect site1="s1" site2="s3"/>'
    with pytest.raises(Exception, match=r"model.xml:2: .*0.5 m and 0.4 m apart"):
        load(written(model(f"<equality>{text}</equality>", world=world), tmp_path))


def test_an_equality_of_joints_is_a_gear_between_coordinates_with_their_references(tmp_path: Path) -> None:
    text = '<joint name="g" joint1="p" joint2="q" polycoef="0.1 -2 0 0 0"/>'
    (gear,) = load(written(model(f"<equality>{text}</equality>", world=BODIES), tmp_path)).mechanism.couplings
    assert gear.joints == ("p", "q") and gear.ratio == -2.0 and gear.offset == pytest.approx(0.2 * np.pi / 180 + 0.1)


def test_an_equality_of_one_joint_fixes_it(tmp_path: Path) -> None:
    text = '<joint joint1="r" polycoef="0.25 0 0 0 0"/>'
    found = load(written(model(f"<equality>{text}</equality>", world=BODIES), tmp_path))
    assert found.links["c"].body == "b" and found.links["c"].pose.position == (0.0, 1.0, 0.25)


def test_a_curve_between_joints_is_refused_with_a_remedy(tmp_path: Path) -> None:
    text = '<joint joint1="p" joint2="q" polycoef="0 1 0.5 0 0"/>'
    with pytest.raises(Exception, match=r"model.xml:2: .*custom joint"):
        load(written(model(f"<equality>{text}</equality>", world=BODIES), tmp_path))


def test_what_is_switched_off_holds_nothing(tmp_path: Path) -> None:
    text = '<weld body1="a" body2="c" active="false"/>'
    found = load(written(model(f"<equality>{text}</equality>", world=BODIES), tmp_path))
    assert len(found.mechanism.bodies) == 3 and any("off" in notice.what for notice in found.report.of("ignored"))


def test_a_weld_without_torque_holds_its_point_as_a_connect_does(tmp_path: Path) -> None:
    """MuJoCo's rows of the rotation are zero there, so that its own residual does not feel a turn about the point."""
    hanging = '<body name="h" pos="0.3 0 0.8"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>'
    weld = '<weld name="w" body1="a" body2="h" anchor="0.1 -0.2 0.3" torquescale="0.0"/>'
    text = model(f"<equality>{weld}</equality>", world=BODIES + hanging)
    found = load(written(text, tmp_path))
    joint = found.mechanism.joint("w")
    assert joint.type == "spherical" and joint.child_anchor == (0.1, -0.2, 0.3)
    assert joint.parent_anchor == pytest.approx((0.4, -0.2, 0.1))
    assert not [notice for notice in found.report.of("ignored") if "torquescale" in notice.what]

    peer = peers.mujoco.MjModel.from_xml_string(text)
    data = peers.mujoco.MjData(peer)
    free = peer.joint(3).qposadr[0]
    turn = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    data.qpos[free + 3 : free + 7] = turn
    anchor = np.array([0.1, -0.2, 0.3])
    turned = np.empty(3)
    peers.mujoco.mju_rotVecQuat(turned, anchor, turn)
    data.qpos[free : free + 3] += anchor - turned
    peers.mujoco.mj_forward(peer, data)
    assert np.abs(data.efc_pos[:6]).max() < 1e-15

    stiffer = load(written(text.replace('"0.0"', '"2"'), tmp_path))
    assert stiffer.links["h"].body == stiffer.links["a"].body
    assert "torquescale of <weld>" in [notice.what for notice in stiffer.report.of("ignored")]
