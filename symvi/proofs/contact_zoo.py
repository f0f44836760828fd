"""The part of the zoo with contacts, limits and dry friction: every kind of them, with the world and between bodies.

Half-spaces along a coordinate axis, whose zeros the text bakes in, and askew; spheres; a user's own gap; each without
friction, with the circular cone and with pyramids of four and six sides. Limits below, above and on both sides of
lengths and angles, dry friction along one, two and three axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.mechanism import (
    JOINT_TABLE,
    Body,
    Contact,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    coordinate_kinds,
)
from symvi.registry import CONTACTS

BALL = {"child_anchor": (0.3, 0.1, -0.2), "radius": 0.1}
(SLOPE,) = ({**BALL, **surface} for surface in CONTACTS["half_space"].examples)
(SPHERE,) = ({**BALL, "kind": "sphere", **surface} for surface in CONTACTS["sphere"].examples)
OWN, PLACED = ({"kind": "gap", **surface} for surface in CONTACTS["gap"].examples)
OWN = {**BALL, **OWN}
ROUND = {"friction": 0.4}
SQUARE = {"friction": 0.4, "cone": "linear"}
HEXAGON = {"friction": 0.4, "cone": "linear", "directions": 6}


def contact_zoo(body: Callable[..., Body], joint: Callable[..., Joint]) -> Iterator[Mechanism]:
    """Mechanisms with inequalities; body and joint make those of the rest of the zoo."""
    yield touching_flat(body)
    yield touching_askew(body)
    yield touching_bodies(body)
    yield touching_spheres(body)
    yield pyramids(body)
    yield stops(body, joint)
    yield rubbing(body, joint)
    yield walking(body, joint)
    for joint_type in JOINT_TABLE:
        if 0 < len(coordinate_kinds(joint_type)) < 6:
            yield stopped_tree(joint_type, body, joint)
    yield touching_loop(body, joint)
    yield touching_net(body, joint)


def contact(name: str, *kinds: dict, child: str = "first", parent: str = "world") -> Contact:
    """A contact with the fields of some kinds."""
    fields: dict = {}
    for kind in kinds:
        fields |= kind
    return Contact(name=name, parent=parent, child=child, **fields)


def touching_flat(body) -> Mechanism:
    """A free body above planes across axes of the world: tangential vectors have zeros."""
    contacts = [
        contact("smooth", BALL, {"normal": (0, -1, 0)}),
        contact("round", BALL, ROUND),
        contact("square", BALL, SQUARE, {"normal": (1, 0, 0)}),
    ]
    return Mechanism(name="touching_flat", bodies=[body("first")], contacts=contacts)


def touching_askew(body) -> Mechanism:
    """A free body with surfaces of the world that have no zeros."""
    contacts = [
        contact("smooth", SLOPE),
        contact("round", SLOPE, ROUND),
        contact("hexagon", SLOPE, HEXAGON),
        contact("ball", SPHERE, ROUND),
        contact("own", OWN, ROUND),
        contact("own_placed", PLACED, ROUND),
    ]
    return Mechanism(name="touching_askew", bodies=[body("first")], contacts=contacts)


def touching_bodies(body) -> Mechanism:
    """Planes on a moving body, and one on the other body."""
    contacts = [
        contact("smooth", SLOPE, parent="second"),
        contact("round", SLOPE, ROUND, parent="second"),
        contact("hexagon", SLOPE, HEXAGON, parent="second"),
        contact("back", SLOPE, ROUND, child="second", parent="first"),
    ]
    return Mechanism(
        name="touching_bodies",
        bodies=[body("first"), body("second")],
        contacts=contacts,
    )


def touching_spheres(body) -> Mechanism:
    """Two free bodies with spheres and a user's own gap between them, smooth and with round cones."""
    contacts = [
        contact("smooth", SPHERE, parent="second"),
        contact("round", SPHERE, ROUND, parent="second"),
        contact("own_smooth", OWN, parent="second"),
        contact("own_round", OWN, ROUND, parent="second"),
        contact("own_placed", PLACED, ROUND, parent="second"),
    ]
    return Mechanism(name="touching_spheres", bodies=[body("first"), body("second")], contacts=contacts)


def pyramids(body) -> Mechanism:
    """Linear cones whose tangent plane no body holds: their axes are carried from step to step."""
    contacts = [
        contact("square", SPHERE, SQUARE, parent="second"),
        contact("hexagon", OWN, HEXAGON, parent="second"),
        contact("ground", SPHERE, HEXAGON),
    ]
    return Mechanism(name="pyramids", bodies=[body("first"), body("second")], contacts=contacts)


def stops(body, joint) -> Mechanism:
    """Limits of angles and lengths, on one side and on both, beside a damper, and dry friction along one axis."""
    return Mechanism(
        name="stops",
        bodies=[body("first"), body("second")],
        joints=[joint("j1", "revolute", "world", "first"), joint("j2", "cylindrical", "first", "second")],
        limits=[
            Limit(name="both", joint="j1", lower=-0.4, upper=0.7),
            Limit(name="above", joint="j2", upper=0.5),
            Limit(name="below", joint="j2", coordinate=1, lower=-0.2),
        ],
        forces=[
            DryFriction(name="bearing", joint="j1", bound=0.3),
            JointDamper(name="damper", joint="j2", damping=(0.2, 0.3)),
        ],
    )


def rubbing(body, joint) -> Mechanism:
    """Dry friction along several axes of a joint, of lengths and angles, between bodies and with the world."""
    return Mechanism(
        name="rubbing",
        bodies=[body("first"), body("second")],
        joints=[joint("ball", "spherical", "world", "first"), joint("rod", "cylindrical", "first", "second")],
        forces=[
            DryFriction(name="socket", joint="ball", bound=0.4),
            DryFriction(name="sleeve", joint="rod", bound=(0.4, 0.6)),
        ],
    )


def walking(body, joint) -> Mechanism:
    """A tree on the ground whose joints are damped and not: each passes a second right-hand side on."""
    return Mechanism(
        name="walking",
        bodies=[body(name) for name in ("trunk", "thigh", "calf", "neck", "head")],
        joints=[
            joint("hip", "revolute", "trunk", "thigh"),
            joint("knee", "cylindrical", "thigh", "calf"),
            joint("collar", "revolute", "trunk", "neck"),
            joint("nod", "spherical", "head", "neck"),
        ],
        forces=[
            JointDamper(name="hip_damper", joint="hip", damping=0.3),
            JointDamper(name="knee_damper", joint="knee", damping=(0.2, 0.3)),
        ],
        contacts=[contact("foot", BALL, ROUND, child="calf"), contact("nose", SLOPE, child="head")],
    )


def stopped_tree(joint_type: str, body, joint) -> Mechanism:
    """Stops and dry friction that some joints take from them: each way round, beside a damper and without.

    Of the joint without a damper only the last coordinate is stopped. Entries of a rotation vector have rows of their
    own, so that their joint takes dry friction alone.
    """
    kinds = coordinate_kinds(joint_type)
    stopped = [k for k, kind in enumerate(kinds) if kind == "translation" or kinds.count("rotation") < 3]
    damping = tuple(0.3 + k for k in range(len(kinds)))
    return Mechanism(
        name=f"stopped_{joint_type}",
        bodies=[body(name) for name in ("first", "second", "third", "fourth")],
        joints=[
            joint("base", "cylindrical", "world", "first"),
            joint("there", joint_type, "first", "second"),
            joint("back", joint_type, "third", "first"),
            joint("tip", "spherical", "second", "fourth"),
        ],
        limits=[
            *(Limit(name=f"there_{k}", joint="there", coordinate=k, lower=-0.4, upper=0.7) for k in stopped),
            *(Limit(name=f"back_{k}", joint="back", coordinate=k, upper=0.5) for k in stopped[-1:]),
            Limit(name="below", joint="base", coordinate=1, lower=-0.2),
        ],
        forces=[
            JointDamper(name="damper", joint="there", damping=damping),
            DryFriction(name="rubbing", joint="there", bound=damping),
            DryFriction(name="socket", joint="tip", bound=0.4),
        ],
    )


def touching_loop(body, joint) -> Mechanism:
    """A closed loop of three bodies, two of which touch."""
    links = (
        ("j1", "revolute", "world", "crank"),
        ("j2", "spherical", "crank", "rod"),
        ("j3", "spherical", "rod", "rocker"),
        ("j4", "revolute", "world", "rocker"),
    )
    return Mechanism(
        name="touching_loop",
        bodies=[body(name) for name in ("crank", "rod", "rocker")],
        joints=[joint(name, kind, parent, child) for name, kind, parent, child in links],
        contacts=[contact("clash", SPHERE, parent="crank", child="rocker")],
    )


def touching_net(body, joint) -> Mechanism:
    """Four bodies joined by wires, one above a plane: nodes with more neighbours than one kernel eliminates whole."""
    names = ("north", "east", "south", "west")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return Mechanism(
        name="touching_net",
        bodies=[body(name) for name in names],
        joints=[joint(f"{a}_{b}", "distance", a, b) for a, b in pairs],
        contacts=[contact("ground", BALL, child="south")],
    )
