"""Contacts of MJCF with the ground are those that MuJoCo itself makes: who meets whom, and with what friction."""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from tests.importers.mjcf_texts import model

mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")

PLANE = '<geom name="f" type="plane" size="1 1 1" {}/>'
SPHERE = '<body name="a" pos="0 0 0.05"><freejoint/><geom name="s" size="0.1" {}/></body>'
PAIR = '<contact><pair geom1="s" geom2="f" friction="{}"/></contact>'
EXCLUDED = '<contact><exclude body1="world" body2="a"/></contact>'
# plane, sphere, other parts
FILES = {
    "as they are": ("", "", ""),
    "other bits": ("", 'contype="2" conaffinity="2"', ""),
    "one bit is enough": ('contype="4" conaffinity="0"', 'contype="0" conaffinity="4"', ""),
    "a pair without bits": ('contype="0"', 'contype="0"', PAIR.format("2 2 0.1")),
    "excluded": ("", "", EXCLUDED),
    "a pair of what is excluded": ("", "", EXCLUDED + PAIR.format("0.3 0.3 0.1")),
    "the larger friction": ('friction="0.4"', 'friction="0.7"', ""),
    "the sphere decides": ('friction="1"', 'friction="0.1" priority="1"', ""),
    "the plane decides": ('friction="0.2" priority="2"', 'friction="0.9" priority="1"', ""),
    "a pair decides": ('friction="0.2" priority="2"', "", PAIR.format("0.6 0.6 0.1")),
    "no friction where both say so": ('condim="1"', 'condim="1" friction="0.7"', ""),
    "friction where one has it": ('condim="1"', 'friction="0.7"', ""),
    "no friction where the one that decides says so": ("", 'condim="1" priority="1"', ""),
    "a pair without friction": ("", "", PAIR.format('0.6" condim="1')),
    "contacts are off": ("", "", '<option><flag contact="disable"/></option>'),
    "constraints are off": ("", "", '<option><flag constraint="disable"/></option>'),
}


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "model.xml"
    path.write_text(text)
    return load(path, **options)


def told(found: Imported, *kinds) -> str:
    return "\n".join(str(notice) for notice in found.report.of(*kinds))


@pytest.mark.parametrize("kind", FILES)
def test_there_is_a_contact_where_mujoco_makes_one_and_with_its_friction(kind: str, tmp_path: Path) -> None:
    """The sphere starts in the plane, so that MuJoCo's list of contacts has it at once if ever."""
    plane, sphere, parts = FILES[kind]
    text = model(parts, world=PLANE.format(plane) + SPHERE.format(sphere))
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    wanted = [contact.friction[0] * (contact.dim > 1) for contact in data.contact] if data.nefc else []
    if not wanted:
        words = "switched off by <option>'s flag" if "off" in kind else "no geom of the file can meet the ground"
        with pytest.raises(MechanismError, match=f"none is made: {words}.*without collision shapes: 'a'"):
            read(text, tmp_path, contacts="collision")
        return
    found = read(text, tmp_path, contacts="collision")
    assert [contact.friction for contact in found.mechanism.contacts] == pytest.approx(wanted)


def test_a_pair_with_two_frictions_is_approximated(tmp_path: Path) -> None:
    found = read(
        model(PAIR.format("0.3 0.8 0.1"), world=PLANE.format("") + SPHERE.format("")), tmp_path, contacts="collision"
    )
    assert "geom 's': friction: of the first of two directions" in told(found, "approximated")


def test_ground_that_the_file_has_not_is_told(tmp_path: Path) -> None:
    found = read(model(world=SPHERE.format("")), tmp_path, contacts="collision")
    assert len(found.mechanism.contacts) == 1 and "the ground at z = 0 is added" in told(found, "repaired")


def test_a_file_without_shapes_for_contacts_is_refused(tmp_path: Path) -> None:
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    with pytest.raises(MechanismError, match="none is made: no geom of the file can meet the ground; without .*: 'a'"):
        read(model(world=f'<body name="a"><freejoint/>{mass}</body>'), tmp_path, contacts="collision")


def test_points_of_the_caller_stand_on_the_plane_of_the_file(tmp_path: Path) -> None:
    text = model(world=PLANE.format('pos="0 0 0.5"') + SPHERE.format(""))
    (contact,) = read(text, tmp_path, contact_points={"a": [(0, 0, 0)]}).mechanism.contacts
    assert contact.parent_anchor == (0.0, 0.0, 0.5)


def test_a_shape_that_makes_no_contact_says_so(tmp_path: Path) -> None:
    sphere = SPHERE.format('type="ellipsoid"').replace('size="0.1"', 'size="0.1 0.2 0.3"')
    with pytest.raises(MechanismError, match="none is made: geom 's': with the ground none: they are made of boxes"):
        read(model(world=PLANE.format("") + sphere), tmp_path, contacts="collision")
    two = SPHERE.format("").replace('"a"', '"b"').replace('"s"', '"t"')
    found = read(model(world=PLANE.format("") + sphere + two), tmp_path, contacts="collision")
    assert len(found.mechanism.contacts) == 1
    assert "geom 's': contacts: with the ground none" in told(found, "ignored")
    assert "1 point of 1 link; none of 1 link: 'a'; 1 collision shape left out" in told(found, "taken")


STILL = {
    "a body without a joint": '<body pos="0 0 1" euler="0 10 0"><body pos="0.2 0 -0.5" euler="5 0 0">{}</body></body>',
    "a body that a program could move": '<body mocap="true" pos="0 0 0.4" euler="0 10 0">{}</body>',
}


@pytest.mark.parametrize("kind", STILL)
def test_a_plane_on_what_stands_still_is_the_ground_where_it_stands(kind: str, tmp_path: Path) -> None:
    """A sphere that is in it starts as deep in it as in MuJoCo, with the same normal and friction."""
    floor = STILL[kind].format(PLANE.format('friction="0.9" pos="0 0.1 0"'))
    text = model(world=floor + SPHERE.format('friction="0.3"').replace("0.05", "0.45"))
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    (wanted,) = data.contact
    found = read(text, tmp_path, contacts="collision")
    (contact,) = found.mechanism.contacts
    assert contact.normal == pytest.approx(tuple(wanted.frame[:3]), abs=1e-12)
    depth = sum(n * (a - b) for n, a, b in zip(contact.normal, (0.0, 0.0, 0.45), contact.parent_anchor, strict=True))
    assert depth - contact.radius == pytest.approx(wanted.dist, abs=1e-12)
    assert contact.friction == wanted.friction[0] and not found.report.of("repaired")
