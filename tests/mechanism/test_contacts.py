"""Contacts, end stops and dry friction as descriptions: where their points are, and what is refused."""

import pickle
import re

import numpy as np
import pytest

from symvi import placements
from symvi.errors import MechanismError
from symvi.mechanism import (
    Body,
    Box,
    Capsule,
    Contact,
    Cylinder,
    DryFriction,
    Joint,
    Limit,
    Mechanism,
    Rod,
    Sphere,
    contact_points,
    start_state,
)
from tests.support.contact_geometry import deepest, gap_values, gaps, points_of
from tests.support.kinematics import gradient
from tests.support.placing import random_quaternion, random_unit
from tests.support.poses import Pose, multiply, poses_of

ROUND_OFF = 1e-14  # sums of a few numbers of size one
ARM = {"mass": 1, "inertia": (1, 1, 1)}
HINGE = {"type": "revolute", "child": "arm"}
SLIDE = {"type": "cylindrical", "child": "arm"}
ASKEW = {"position": (0.1, -0.2, 0.3), "orientation": (0.5, 0.1, -0.7, 0.5)}  # length 1 within a rounding


def one_body(shape, *contacts, **placement):
    """A body of this shape, free to move, with contacts."""
    body = Body(name="thing", mass=1, inertia=(1, 1, 1), shape=shape, **placement)
    return Mechanism(name="scene", bodies=[body], contacts=contacts)


def problems(**tables):
    """The problems of a mechanism given as tables, with one good arm on one good hinge."""
    tables = {"bodies": {"arm": ARM}, "joints": {"hinge": HINGE}} | tables
    with pytest.raises(MechanismError) as caught:
        Mechanism(**({"name": "m"} | tables))
    return caught.value.problems


# Points of shapes


def test_the_points_of_a_box_are_its_corners_in_a_fixed_order():
    """Seen from the box itself they lie half an edge to each side: signs ---, --+, -+-, -++, +--, ..."""
    size = (0.6, 0.4, 0.2)
    scene = one_body(Box(size=size, **ASKEW), Contact(name="floor", child="thing", whole_shape=True))
    points = contact_points(scene)
    assert [point.name for point in points] == [f"floor.{k}" for k in range(8)]
    assert all(point.radius == 0.0 and point.contact is scene.contacts[0] for point in points)
    box = Pose(np.array(ASKEW["position"]), np.array(ASKEW["orientation"]))
    seen = np.array([box.R.T @ (point.anchor - box.x) for point in points]) / (0.5 * np.array(size))
    signs = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assert np.allclose(seen, signs, rtol=0, atol=ROUND_OFF)


def test_the_point_of_a_ball_is_its_centre_with_its_radius():
    (point,) = contact_points(one_body(Sphere(radius=0.3, **ASKEW), Contact(name="c", child="thing", whole_shape=True)))
    assert (point.name, point.anchor, point.radius) == ("c.0", ASKEW["position"], 0.3)


def test_the_points_of_a_capsule_are_the_spheres_that_end_it():
    scene = one_body(Capsule(radius=0.1, length=0.8, **ASKEW), Contact(name="c", child="thing", whole_shape=True))
    low, high = contact_points(scene)
    capsule = Pose(np.array(ASKEW["position"]), np.array(ASKEW["orientation"]))
    assert (low.radius, high.radius) == (0.1, 0.1)
    assert np.allclose(np.subtract(high.anchor, low.anchor), 0.8 * capsule.R[:, 2], rtol=0, atol=ROUND_OFF)
    assert np.allclose(np.add(high.anchor, low.anchor), 2.0 * capsule.x, rtol=0, atol=ROUND_OFF)


def test_the_points_are_those_of_the_child():
    bodies = [Body(name=name, mass=1, shape=Sphere(radius=r)) for name, r in (("a", 0.3), ("b", 0.2))]
    contacts = [Contact(name=f"under_{name}", child=name, whole_shape=True) for name in "ba"]
    found = contact_points(Mechanism(name="m", bodies=bodies, contacts=contacts))
    assert [(point.name, point.radius) for point in found] == [("under_b.0", 0.2), ("under_a.0", 0.3)]


def test_a_single_point_has_the_name_of_its_contact():
    scene = one_body(
        None,
        Contact(name="heel", child="thing", child_anchor=(0, 0, -1), radius=0.1),
        Contact(name="toe", child="thing", child_anchor=(1, 0, -1)),
    )
    assert [(p.name, p.anchor, p.radius) for p in contact_points(scene)] == [
        ("heel", (0.0, 0.0, -1.0), 0.1), ("toe", (1.0, 0.0, -1.0), 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "shape", [Box(size=(1, 2, 3), **ASKEW), Sphere(radius=1, **ASKEW), Capsule(radius=1, length=2)]
)
def test_the_witness_finds_the_same_points(shape):
    """tests/support/contact_geometry.py counts corners by bits and turns them by matrices of its own."""
    scene = one_body(shape, Contact(name="c", child="thing", whole_shape=True))
    found = contact_points(scene)
    wanted = points_of(scene.contacts[0], shape)
    assert [point.radius for point in found] == [radius for _, radius in wanted]
    assert np.allclose([p.anchor for p in found], [point for point, _ in wanted], rtol=0, atol=ROUND_OFF)


# Gaps


def test_a_cube_on_the_ground_stands_on_four_corners():
    scene = one_body(
        Box(size=(0.5, 0.5, 0.5)), Contact(name="floor", child="thing", whole_shape=True), position=(3, -2, 0.25)
    )
    heights = list(gaps(scene, start_state(scene)).values())
    assert heights == [0.0, 0.5] * 4


def test_a_cube_on_its_tip_touches_with_one_corner():
    """Its diagonal upright: heights in thirds of the diagonal, one corner below and one above."""
    tilt = np.arccos(np.sqrt(1.0 / 3.0))
    turn = (np.cos(0.5 * tilt), *(np.sin(0.5 * tilt) * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)))
    height = 0.5 * np.sqrt(3.0)
    floor = Contact(name="floor", child="thing", whole_shape=True)
    scene = one_body(Box(size=(1, 1, 1)), floor, position=(0, 0, height), orientation=turn)
    heights = sorted(gaps(scene, start_state(scene)).values())
    thirds = np.array([0, 1, 1, 1, 2, 2, 2, 3]) * np.sqrt(3.0) / 3.0
    assert np.allclose(heights, thirds, rtol=0, atol=ROUND_OFF)


def test_a_ball_on_a_slope_is_its_distance_from_the_plane_less_its_radius():
    slope = Contact(
        name="slope", child="thing", child_anchor=(0.1, 0, 0), radius=0.2, parent_anchor=(0, 0, 1), normal=(3, 0, 4)
    )
    scene = one_body(None, slope, position=(1, 5, 3))
    assert gaps(scene, start_state(scene))["slope"] == pytest.approx(0.6 * 1.1 + 0.8 * 2.0 - 0.2, abs=ROUND_OFF)


def test_balls_touch_where_their_centres_are_both_radii_apart():
    balls = [Body(name=name, mass=1, shape=Sphere(radius=r)) for name, r in (("a", 0.3), ("b", 0.2))]
    placed = [balls[0].changed(position=(1, 1, 1)), balls[1].changed(position=(1, 1.4, 1.3))]
    hit = Contact(name="hit", kind="sphere", parent="a", child="b", parent_radius=0.3, whole_shape=True)
    scene = Mechanism(name="m", bodies=placed, contacts=[hit])
    assert gaps(scene, start_state(scene)) == {"hit.0": pytest.approx(0.0, abs=ROUND_OFF)}


def test_a_gap_of_ones_own_can_say_what_a_half_space_says():
    """n·(x_b + R_b p - o) - r, written out with SymPy, on a plane that a tilted body carries."""
    at = placements()
    n, p, o, r = (0.48, 0.6, 0.64), (0.1, 0.2, 0.3), (0.4, -0.1, 0.2), 0.05
    point = [at.x_b[i] + sum(at.R_b[i, j] * p[j] for j in range(3)) - at.x_a[i] for i in range(3)]
    normal = [sum(at.R_a[i, j] * n[j] for j in range(3)) for i in range(3)]
    away = [sum(at.R_a[i, j] * o[j] for j in range(3)) for i in range(3)]
    expression = sum(normal[i] * (point[i] - away[i]) for i in range(3)) - r
    common = {"parent": "plate", "child": "thing"}
    mechanism = Mechanism(
        name="m",
        bodies=[
            Body(name="plate", position=(1, 2, 3), orientation=(0.8, 0, 0.6, 0), **ARM),
            Body(name="thing", position=(2, 1, 4), orientation=(0.6, 0.8, 0, 0), **ARM),
        ],
        contacts=[
            Contact(name="plane", child_anchor=p, radius=r, parent_anchor=o, normal=n, **common),
            Contact(name="own", kind="gap", expression=expression, **common),
        ],
    )
    found = gaps(mechanism, start_state(mechanism))
    assert found["own"] == pytest.approx(found["plane"], abs=ROUND_OFF) and abs(found["plane"]) > 0.1
    assert Mechanism.from_toml(mechanism.to_toml()) == mechanism


@pytest.mark.parametrize("seed", range(3))
def test_gaps_do_not_change_when_the_whole_scene_is_turned(seed):
    random = np.random.default_rng(seed)
    turn = np.array(random_quaternion(random))
    shift = random.normal(size=3)
    contacts = [
        Contact(name="plane", parent="a", child="b", normal=random_unit(random), whole_shape=True),
        Contact(name="ball", kind="sphere", parent="a", child="b", parent_radius=0.1, parent_anchor=(0.2, 0.1, 0)),
    ]
    poses = [(random.normal(size=3), np.array(random_quaternion(random))) for _ in "ab"]

    def seen(frame):
        bodies = [
            Body(name=name, position=frame.x + frame.R @ x, orientation=multiply(frame.q, q), shape=shape, **ARM)
            for name, (x, q), shape in zip("ab", poses, (None, Box(size=(1, 2, 3), **ASKEW)), strict=True)
        ]
        scene = Mechanism(name="m", bodies=bodies, contacts=contacts)
        return gaps(scene, start_state(scene))

    here, there = seen(Pose(np.zeros(3), np.array([1.0, 0, 0, 0]))), seen(Pose(shift, turn))
    assert list(here) == list(there) == [f"plane.{k}" for k in range(8)] + ["ball"]
    assert np.allclose(list(here.values()), list(there.values()), rtol=0, atol=ROUND_OFF)


def test_a_gap_opens_along_the_normal():
    """The witness on complex poses: gradients by position n and, of balls, the line of centres; by turn R^T (p x n)."""
    anchor, n = np.array([0.1, 0.2, -0.3]), np.array([0.48, 0.6, 0.64])
    at, turn = np.array([1.0, 2.0, 2.0]), np.array([0.8, 0.0, 0.6, 0.0])
    plane = Contact(name="plane", child="thing", child_anchor=anchor, radius=0.1, normal=n)
    ball = Contact(name="ball", kind="sphere", child="thing", radius=0.5)
    scene = one_body(None, plane, ball, position=at, orientation=turn)
    poses = poses_of(start_state(scene))
    slope = gradient(lambda moved: np.array(list(gap_values(scene, moved).values())), poses, ["thing"], ["thing"])
    R = poses["thing"].R
    expected = [[*n, *(R.T @ np.cross(R @ anchor, n))], [*(at / 3.0), 0, 0, 0]]
    assert np.allclose(slope, expected, rtol=0, atol=ROUND_OFF)


def test_a_start_below_the_ground_is_found_with_its_depth():
    scene = one_body(
        Box(size=(1, 1, 1)), Contact(name="floor", child="thing", whole_shape=True), position=(0, 0, 0.375)
    )
    assert deepest(scene, start_state(scene)) == ("floor.0", -0.125)


# Descriptions


def test_a_contact_has_no_friction_unless_it_is_given():
    contact = Contact(name="c", child="arm")
    assert (contact.kind, contact.parent, contact.normal) == ("half_space", "world", (0.0, 0.0, 1.0))
    assert (contact.friction, contact.cone) == (0.0, "second_order")


@pytest.mark.parametrize("expression", ["R_b[2, 2] - 0.5", "q_b[0]"])
def test_a_gap_without_friction_may_depend_on_the_turn_alone(expression):
    assert Contact(name="c", kind="gap", child="arm", expression=expression).expression == expression


def test_a_normal_has_length_one():
    assert Contact(name="c", child="arm", normal=(0, -3, 4)).normal == (0.0, -0.6, 0.8)


def test_contacts_and_limits_are_values():
    def legs():
        return Mechanism(
            name="m",
            bodies={"arm": ARM},
            joints={"hinge": HINGE},
            contacts={"foot": {"child": "arm", "friction": 0.5, "cone": "linear", "directions": 8}},
            limits={"stop": {"joint": "hinge", "lower": -1}},
            forces={"dry": {"kind": "dry_friction", "joint": "hinge", "bound": 2}},
        )

    assert legs() == legs() and hash(legs()) == hash(legs()) and legs().digest == legs().digest
    assert pickle.loads(pickle.dumps(legs())) == legs()
    assert legs().contact("foot").directions == 8 and legs().limit("stop").lower == -1.0
    assert isinstance(legs().force("dry"), DryFriction)
    digests = {
        legs().changed(contacts=[legs().contact("foot").changed(friction=0.6)]).digest,
        legs().changed(limits=[legs().limit("stop").changed(upper=1)]).digest,
        legs().changed(limits=()).digest, legs().changed(contacts=()).digest, legs().digest,
    }  # fmt: skip
    assert len(digests) == 5
    with pytest.raises(MechanismError, match="mechanism 'm': no contact 'fot'; did you mean 'foot'"):
        legs().contact("fot")
    with pytest.raises(MechanismError, match="mechanism 'm': no limit 'stp'; did you mean 'stop'"):
        legs().limit("stp")


def test_merged_mechanisms_keep_their_contacts():
    leg = Mechanism(
        name="leg",
        bodies={"thigh": ARM, "shank": ARM},
        joints={"knee": {"type": "revolute", "parent": "thigh", "child": "shank"}},
        contacts=[Contact(name="foot", child="shank"), Contact(name="clap", parent="thigh", child="shank")],
        limits=[Limit(name="stop", joint="knee", upper=1)],
        forces=[DryFriction(name="dry", joint="knee", bound=1)],
    )
    both = Mechanism.merge("both", leg, leg, prefixes=("left", "right"))
    assert [(c.name, c.parent, c.child) for c in both.contacts] == [
        ("left_foot", "world", "left_shank"), ("left_clap", "left_thigh", "left_shank"),
        ("right_foot", "world", "right_shank"), ("right_clap", "right_thigh", "right_shank"),
    ]  # fmt: skip
    assert both.limit("right_stop").joint == both.force("right_dry").joint == "right_knee"
    crossing = Contact(name="crossing", kind="sphere", parent="left_shank", child="right_shank", radius=0.1)
    assert both.changed(contacts=[*both.contacts, crossing]).contact("crossing").child == "right_shank"


# Files

LEG = """\
[mechanism]
name = "leg"
[bodies.arm]
mass = 1
shape = { kind = "box", size = ["10 cm", 1, 1] }
[joints.slide]
type = "cylindrical"
child = "arm"
[forces.seal]
kind = "dry_friction"
joint = "slide"
bound = ["5 N", "20 N m"]
[contacts.floor]
child = "arm"
child_anchor = [0, 0, "-25 mm"]
radius = "1 cm"
parent_anchor = [0, 0, "1 m"]
normal = [0, 1, 1]
friction = 0.8
[contacts.wall]
kind = "gap"
child = "arm"
expression = "d - x_b[0]"
parameters = { d = "40 cm" }
[contacts.box]
child = "arm"
whole_shape = true
cone = "linear"
directions = 6
[limits.travel]
joint = "slide"
lower = "-5 mm"
upper = "5 mm"
[limits.twist]
joint = "slide"
coordinate = 1
upper = "90 deg"
"""


def test_contacts_are_read_into_si():
    leg = Mechanism.from_toml(LEG)
    floor = leg.contact("floor")
    assert (floor.child_anchor, floor.radius, floor.parent_anchor) == ((0.0, 0.0, -0.025), 0.01, (0.0, 0.0, 1.0))
    assert leg.contact("wall").parameters == {"d": 0.4}
    assert leg.contact("box").whole_shape and leg.contact("box").directions == 6
    assert (leg.limit("travel").lower, leg.limit("travel").upper) == (-0.005, 0.005)
    assert (leg.limit("twist").lower, leg.limit("twist").upper) == (None, np.pi / 2)
    assert leg.force("seal").bound == (5.0, 20.0)


def test_contacts_are_written_and_read_back():
    leg = Mechanism.from_toml(LEG)
    assert Mechanism.from_toml(leg.to_toml()) == leg == Mechanism.from_json(leg.to_json())
    assert list(leg.changed(contacts=(), limits=()).to_json().split('"contacts"')) == [
        leg.changed(contacts=(), limits=()).to_json()
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('"-5 mm"', '"-5 deg"', 32, "limit 'travel': lower '-5 deg' has the unit deg"),
        ('"90 deg"', '"90 mm"', 37, "limit 'twist': upper '90 mm' has the unit mm"),
        ('upper = "5 mm"', 'upper = "-5 mm"', 33, "limit 'travel': upper -0.005 must be greater than lower -0.005"),
        ("coordinate = 1", "coordinate = 2", 36, "coordinate 2 of joint 'slide' does not exist: it has 2 free axes"),
        ('coordinate = 1\nupper = "90 deg"', "lower = -1", 35, "already limited by 'travel'; give lower and"),
        ("coordinate = 1", "coordinate = '1 m'", 36, "limit 'twist': coordinate '1 m'"),
        ('"20 N m"', '"20 N"', 12, "force 'seal': bound.1 '20 N' has the unit N"),
        ('"20 N m"', "-1", 12, r"force 'seal': bound \(5.0, -1.0\) must not be negative"),
        ("[0, 1, 1]", "[0, 0, 0]", 18, r"contact 'floor': normal \[0, 0, 0\] has length zero"),
        ('"1 cm"', '"-1 cm"', 16, "contact 'floor': radius -0.01 must not be negative"),
        ('"1 cm"', "nan", 16, "contact 'floor': radius nan must be finite"),
        ("friction = 0.8", 'friction = "0.8 N"', 19, "contact 'floor': friction '0.8 N' must be a number"),
        ("friction = 0.8", "friction = -0.8", 19, "contact 'floor': friction -0.8 must not be negative"),
        ("d - x_b", "e - x_b", 23, "contact 'wall': expression 'e - x_b.*unknown name 'e'"),
        ('d = "40 cm"', 'd = "40 px"', 24, "contact 'wall': parameters.d '40 px'"),
        ("directions = 6", "directions = 7", 29, "contact 'box': directions 7 must be even"),
        ("= true", '= "yes"', 27, "contact 'box': whole_shape 'yes'"),
        ('"box", size = ["10 cm", 1, 1]', '"rod", length = 1', 27, "contact 'box': whole_shape .* is a rod; give it"),
        ("[contacts.wall]", '[contacts."a wall"]', 20, "contact 'a wall': name 'a wall' must be"),
        ("[contacts.wall]", "[contacts.floor]", 20, "is not valid TOML"),
        ("[contacts.wall]", "[contact.wall]", 20, "unknown table 'contact'; did you mean 'contacts'"),
        ('[contacts.wall]\nkind = "gap"', '[contacts.wall]\nkind = "wall"', 21, "contact 'wall': kind 'wall'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_named_with_its_line(old, new, line, reason):
    assert LEG.count(old) == 1
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_toml(LEG.replace(old, new))
    assert len(caught.value.problems) == 1
    assert re.match(f"text:{line}: .*{reason}", caught.value.problems[0])


# Wrong values

CONTACT_CASES = [
    ({"child": "world"}, "child is the world; make the world the parent"),
    ({"parent": "arm"}, "joins the body 'arm' to itself"),
    ({"kind": "box"}, "kind 'box' is no kind of contact; known: half_space, sphere, gap"),
    ({"friction": float("inf")}, "friction inf must be finite"),
    ({"friction": True}, "friction True must be a number"),
    ({"normal": (0, 0, float("nan"))}, "normal .* must be finite"),
    ({"normal": (0, 1)}, "normal .* must be 3 numbers, but has 2"),
    ({"parent_radius": 1}, "parent_radius belongs to contacts of kind 'sphere', but the kind is 'half_space'"),
    ({"expression": "x_b[2]"}, "expression belongs to contacts of kind 'gap'"),
    ({"parameters": {"d": 1}}, "parameters belongs to contacts of kind 'gap'"),
    ({"kind": "sphere", "radius": 1, "normal": (1, 0, 0)}, "normal belongs to contacts of kind 'half_space'"),
    ({"kind": "sphere"}, "both radii are zero, and two points do not meet; give radius or parent_radius"),
    ({"kind": "sphere", "parent_radius": -1}, "parent_radius -1 must not be negative"),
    ({"kind": "gap"}, "a contact of kind 'gap' needs expression"),
    ({"kind": "gap", "expression": "x_b[2]", "whole_shape": True}, "whole_shape belongs to contacts of kind"),
    ({"kind": "gap", "expression": "x_b[2]", "parent_anchor": (1, 0, 0)}, "parent_anchor belongs to contacts of kind"),
    ({"kind": "gap", "expression": "x_b[3]"}, "expression 'x_b\\[3\\]', column 1: x_b has 3 parts"),
    ({"kind": "gap", "expression": "open('x')"}, "unknown function 'open'"),
    ({"kind": "gap", "expression": "x_a[0] - xx_b", "parameters": {"xx_b": 1}}, "the child cannot change it"),
    ({"kind": "gap", "expression": "R_b[2, 2]", "friction": 1}, "friction acts across .* has no part of x_b"),
    ({"kind": "gap", "expression": "x_b[0] - t", "parameters": {"t": 1}}, "parameter 't' has a name of the grammar"),
    ({"whole_shape": True, "child_anchor": (1, 0, 0)}, "child_anchor follows from the child's shape; leave it out"),
    ({"whole_shape": True, "radius": 1}, "radius follows from the child's shape"),
    ({"whole_shape": 1}, "whole_shape 1 is refused"),
    ({"cone": "linear", "directions": 5}, "directions 5 must be even"),
    ({"cone": "linear", "directions": 2}, "directions 2 is refused: .* greater than or equal to 4"),
    ({"cone": "linear", "directions": 10**9}, "directions 1000000000 is refused"),
    ({"cone": "linear", "directions": 6.0}, "directions 6.0 is refused"),
    ({"directions": 8}, "directions belongs to the linear cone, but the cone is 'second_order'"),
    ({"cone": "pyramid"}, "cone 'pyramid' is refused"),
    ({"restitution": 0.5}, "unknown field 'restitution'"),
    ({"frction": 0.5}, "unknown field 'frction'; did you mean 'friction'"),
    ({"name": "x;y"}, "name 'x;y' must be"),
    ({"name": "float"}, "name 'float' is a reserved word"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), CONTACT_CASES, ids=[reason for _, reason in CONTACT_CASES])
def test_wrong_contacts(fields, reason):
    with pytest.raises(MechanismError, match=f"contact '.*': .*{reason}") as caught:
        Contact(**({"name": "c", "child": "arm"} | fields))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "has neither lower nor upper; give one or both"),
        ({"lower": 1, "upper": 1}, "upper 1.0 must be greater than lower 1.0"),
        ({"lower": 1, "upper": -1}, "upper -1.0 must be greater than lower 1.0"),
        ({"lower": float("-inf")}, "lower -inf must be finite"),
        ({"upper": "1"}, "upper '1' must be a number"),
        ({"upper": 1, "coordinate": -1}, "coordinate -1"),
        ({"upper": 1, "coordinate": 0.5}, "coordinate 0.5"),
    ],
)
def test_wrong_limits(fields, reason):
    with pytest.raises(MechanismError, match=f"limit 'stop': .*{reason}") as caught:
        Limit(name="stop", joint="hinge", **fields)
    assert len(caught.value.problems) == 1


FOOT = {"child": "arm"}
STOP = {"joint": "hinge", "upper": 1}
CUSTOM = {"type": "custom", "child": "arm", "expressions": ["x_b[0]"]}
TABLE_CASES = [
    ({"contacts": {"c": {"child": "am"}}}, "contact 'c': child 'am' is no body; did you mean 'arm'"),
    ({"contacts": {"c": {"child": "arm", "parent": "wrld"}}}, "parent 'wrld' is no body; did you mean 'world'"),
    ({"contacts": {"c": {"child": "hinge"}}}, "contact 'c': child 'hinge' is no body, but a joint"),
    ({"contacts": {"c": {"child": "c"}}}, "contact 'c': child 'c' is no body, but a contact"),
    ({"contacts": {"c": {}}}, "contact 'c': child is missing"),
    ({"contacts": {"hinge": FOOT}}, "contact 'hinge': its name is that of the joint 'hinge'"),
    ({"contacts": [FOOT | {"name": "c"}] * 2}, "contact 'c': its name is that of the contact 'c'"),
    ({"contacts": {"c": FOOT}, "limits": {"C": STOP}}, "limit 'C': its name is up to case that of the contact 'c'"),
    ({"contacts": [Limit(name="stop", **STOP)]}, "contact 'stop': .* must be a contact or a table"),
    ({"contacts": {"c": 3}}, "contact 'c': 3 must be a contact or a table of its fields"),
    ({"contacts": 3}, "contacts 3 must be a list or a table"),
    ({"limits": 3}, "limits 3 must be a list or a table"),
    ({"contacts": {"c": FOOT | {"whole_shape": True}}}, "whole_shape is given, but the child has no shape; give it"),
    ({"limits": {"stop": STOP | {"joint": "hing"}}}, "limit 'stop': joint 'hing' is no joint; did you mean 'hinge'"),
    ({"limits": {"stop": STOP | {"joint": "arm"}}}, "limit 'stop': joint 'arm' is no joint, but a body"),
    ({"limits": {"stop": STOP | {"coordinate": 1}}}, "coordinate 1 of joint 'hinge' does not exist: it has 1 free"),
    ({"joints": {"hinge": CUSTOM}, "limits": {"stop": STOP}}, "coordinate 0 .* does not exist: it has no free axis"),
    ({"joints": {"hinge": HINGE | {"type": "fixed"}}, "limits": {"stop": STOP}}, "does not exist: it has no free axis"),
    ({"limits": {"a": STOP, "b": {"joint": "hinge", "lower": 0}}}, "limit 'b': .* already limited by 'a'; give lower"),
    ({"forces": {"f": {"kind": "dry_friction", "joint": "hing", "bound": 1}}}, "joint 'hing' is no joint"),
    ({"forces": {"f": {"kind": "dry_friction", "joint": "hinge", "bound": -1}}}, "bound -1.* must not be negative"),
    ({"forces": {"f": {"kind": "dry_friction", "joint": "hinge", "bound": (1, 2)}}}, "has 2 values, but .* has 1"),
    ({"forces": {"f": {"kind": "dry_friction", "joint": "hinge"}}}, "force 'f': bound is missing"),
    (
        {"joints": {"hinge": SLIDE}, "forces": {"f": {"kind": "dry_friction", "joint": "hinge", "bound": 1}}},
        "bound 1.0 is one number, but the joint has free axes of both kinds",
    ),
    (
        {"joints": {"hinge": CUSTOM}, "forces": {"f": {"kind": "dry_friction", "joint": "hinge", "bound": 1}}},
        "joint 'hinge' has no free axis for a force to act along",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "reason"), TABLE_CASES, ids=[reason for _, reason in TABLE_CASES])
def test_wrong_mechanisms(tables, reason):
    found = problems(**tables)
    assert len(found) == 1 and re.search(reason, found[0])


@pytest.mark.parametrize("shape", [Cylinder(radius=1, length=1), Rod(length=1)], ids=["cylinder", "rod"])
def test_shapes_without_corners_or_spheres_are_refused_with_a_remedy(shape):
    with pytest.raises(MechanismError, match=f"shape is a {shape.kind}; give it a box, sphere or capsule, or one"):
        one_body(shape, Contact(name="c", child="thing", whole_shape=True))


def test_corners_do_not_meet_a_sphere_without_radius():
    ball = {"mass": 1, "shape": Sphere(radius=1)}
    box = {"mass": 1, "shape": Box(size=(1, 1, 1))}
    hit = {"kind": "sphere", "parent": "arm", "child": "other", "whole_shape": True}
    found = problems(bodies={"arm": ball, "other": box}, contacts={"c": hit})
    assert len(found) == 1 and "contact 'c': parent_radius is zero, and two points do not meet" in found[0]
    assert Mechanism(name="m", bodies={"arm": box, "other": ball}, contacts={"c": hit}).contact("c").whole_shape


def test_limits_of_two_coordinates_of_one_joint_do_not_contradict():
    limits = [Limit(name="a", joint="slide", upper=1), Limit(name="b", joint="slide", coordinate=1, lower=0)]
    slide = Joint(name="slide", **SLIDE)
    assert len(Mechanism(name="m", bodies={"arm": ARM}, joints=[slide], limits=limits).limits) == 2


def test_all_problems_of_a_contact_come_at_once():
    found = problems(
        contacts={"c": {"child": "am", "friction": -1, "radius": float("nan"), "normal": (0, 0, 0), "mu": 1}},
        limits={"s": {"joint": "hing", "lower": 1, "upper": 0}},
    )
    reasons = ["radius nan", "normal (0", "friction -1", "unknown field 'mu'", "child 'am'", "upper 0", "joint 'hing'"]
    assert len(found) == len(reasons)
    assert all(sum(reason in text for text in found) == 1 for reason in reasons)
