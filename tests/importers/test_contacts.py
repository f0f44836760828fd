"""Collision shapes and named points as contacts with the ground, and where a robot on them starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.simulate.simulator import Simulator
from tests.importers.urdf_texts import inertial, joint, link, robot

SHAPES = {
    "box": ('<box size="0.2 0.4 0.6"/>', 8, 0.3),
    "sphere": ('<sphere radius="0.25"/>', 1, 0.25),
    "capsule": ('<capsule radius="0.1" length="0.5"/>', 2, 0.35),
    "cylinder": ('<cylinder radius="0.1" length="0.5"/>', 16, 0.25),
}


def body(shape: str, origin: str = "") -> str:
    return link("base", inertial(2.0, (0.1, 0.1, 0.1)) + f"<collision>{origin}<geometry>{shape}</geometry></collision>")


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "robot.urdf"
    path.write_text(text)
    return load(path, base="floating", **options)


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_stands_on_the_ground(kind: str, tmp_path: Path) -> None:
    """It starts with its lowest point there, weighs what it weighs, and stays."""
    shape, points, height = SHAPES[kind]
    found = read(robot(body(shape)), tmp_path, contacts="collision", friction=0.5)
    assert len(found.mechanism.contacts) == points
    assert {contact.friction for contact in found.mechanism.contacts} == {0.5}
    run = Simulator(found.mechanism).simulate(0.2, 0.01)
    assert run.position[:, 0, 2] == pytest.approx(height, abs=1e-6)
    force = sum(contact.normal_force[-1] for contact in run.contacts.values())
    assert force == pytest.approx(2.0 * 9.81, rel=1e-5)


def test_a_shape_has_its_place_on_its_link_and_that_on_its_body(tmp_path: Path) -> None:
    """A sphere at (0.1, 0, 0) of a foot that is mounted at (0, 0, -1), turned by a quarter about z."""
    foot = link("foot", '<collision><origin xyz="0.1 0 0"/><geometry><sphere radius="0.02"/></geometry></collision>')
    mount = '<joint name="m" type="fixed"><origin xyz="0 0 -1" rpy="0 0 1.5707963267948966"/><parent link="base"/>'
    text = robot(link("base"), foot, mount + '<child link="foot"/></joint>')
    found = read(text, tmp_path, contacts=["foot"])
    (contact,) = found.mechanism.contacts
    assert (contact.child, contact.radius) == ("base", 0.02)
    assert np.allclose(contact.child_anchor, (0.0, 0.1, -1.0), rtol=0, atol=1e-15)
    assert found.mechanism.joint("root_joint").coordinate[2] == pytest.approx(1.02)


def test_only_the_links_that_are_named_have_contacts(tmp_path: Path) -> None:
    """And a cylinder's edges lie where its origin puts them: here along x, half a metre up."""
    lying = '<origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/>'
    arm = link("arm", inertial() + f"<collision>{lying}<geometry>{SHAPES['cylinder'][0]}</geometry></collision>")
    found = read(robot(body(SHAPES["sphere"][0]), arm, ARM), tmp_path, contacts=["arm"])
    assert {contact.child for contact in found.mechanism.contacts} == {"arm"}
    places = np.array([contact.child_anchor for contact in found.mechanism.contacts])
    assert np.allclose(np.abs(places[:, 0]), 0.25) and np.allclose(np.hypot(places[:, 1], places[:, 2] - 0.5), 0.1)


def test_points_and_spheres_that_the_caller_names(tmp_path: Path) -> None:
    points = {"base": [(0.1, 0.1, 0), (-0.1, 0.1, 0), (0, -0.1, 0, 0.03)]}
    found = read(robot(link("base")), tmp_path, contact_points=points)
    assert [contact.radius for contact in found.mechanism.contacts] == [0.0, 0.0, 0.03]
    assert found.mechanism.contacts[1].child_anchor == (-0.1, 0.1, 0.0)


@pytest.mark.parametrize(
    "options", [{"contacts": "collision"}, {"contacts": ["base"]}, {"contact_points": {"base": [(0, 0, 0)]}}]
)
def test_contacts_of_what_the_world_holds_are_told_to_have_no_effect(options: dict, tmp_path: Path) -> None:
    """And where there are no others, that is an error."""
    path = tmp_path / "robot.urdf"
    path.write_text(robot(body(SHAPES["box"][0]), link("arm"), ARM))
    with pytest.raises(MechanismError, match="held by the world, as the ground is: 'base'.*or let the root link float"):
        load(path, **options)
    points = {"arm": [(0, 0, -1)]}
    found = load(path, **options | {"contact_points": points | options.get("contact_points", {})})
    (told,) = [notice for notice in found.report.notices if notice.what == "contacts with the ground"]
    assert told.element == "link 'base'" and "held by the world" in told.why and told.source.line == 3
    assert [contact.child for contact in found.mechanism.contacts] == ["arm"]
    free = load(path, base="floating", **options)
    assert free.mechanism.contacts and all("no effect" not in notice.why for notice in free.report.notices)


ARM = joint("h", "continuous", "base", "arm")


def test_servos_hold_joints_where_they_start(tmp_path: Path) -> None:
    text = robot(body(SHAPES["box"][0]), link("arm", inertial(0.5, xyz=(0, 0, 0.2))), ARM)
    found = read(text, tmp_path, contacts="collision", start={"h": 0.3}, hold=(50.0, 2.0))
    run = Simulator(found.mechanism).simulate(1.0, 0.01)
    assert run.coordinates("h")[-1] == pytest.approx(0.3, abs=0.05)


def test_true_means_all_collision_shapes(tmp_path: Path) -> None:
    """As the option --contacts of the command line, which has no value."""
    text = robot(body(SHAPES["box"][0]))
    assert read(text, tmp_path, contacts=True).mechanism == read(text, tmp_path, contacts="collision").mechanism
