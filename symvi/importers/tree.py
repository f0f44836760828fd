"""What every foreign format becomes first: links with or without mass, joints between them, loops, loads and shapes.

Readers (urdf.py and its siblings) fill a `Tree` with what their files say, in SI units, each element with its place in
the file. Nothing is decided here: `policy.py` merges, drops, refuses, repairs; `assemble.py` makes a mechanism of it.

Frames: a link has its own frame. A joint's frame stands in the parent link at `frame`, another one in the child link at
`child_frame`; at zero coordinates they coincide, and the axis has the same components in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Source
from symvi.mechanism.inertia import Inertia6
from symvi.mechanism.names import shown
from symvi.mechanism.vectors import Vector3

__all__ = [
    "ContactPoint", "Geometry", "Gear", "Inertial", "Link", "Motor", "Start", "Tree", "TreeJoint", "NO_LIMIT",
    "by_name",
]  # fmt: skip

Kind = Literal["box", "sphere", "cylinder", "capsule", "plane", "mesh"]
Use = Literal["visual", "collision"]
NO_LIMIT: tuple[None, None] = (None, None)


@dataclass(frozen=True)
class Inertial:
    """Mass [kg], centre of mass in the link frame [m], inertia about it in the axes of the link frame [kg m^2]."""

    mass: float
    center: Vector3 = (0.0, 0.0, 0.0)
    inertia: Inertia6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Geometry:
    """A shape in a link frame.

    kind and size [m]: box (three edges), sphere (radius), cylinder and capsule (radius, length of the straight part,
        along the z axis of the shape), plane (none; its normal is the z axis), mesh (three scale factors).
    use: what the file has it for. is_seen: whether viewers of the format show it.
    mesh: where the file says that the mesh is; "" where its points stand in the file itself.
    points: (n, 3) of a collision mesh in its frame, scaled [m], where the reader of the format has them already.
    missing: why a mesh that the reader should have read cannot be read.
    friction: coefficient, where the format has one.
    """

    kind: Kind
    size: tuple[float, ...]
    frame: Pose = STANDING
    use: Use = "visual"
    mesh: str = ""
    color: str | None = None
    friction: float | None = None
    name: str = ""
    source: Source = Source("")
    is_seen: bool = True
    points: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    missing: str = ""


@dataclass(frozen=True)
class Link:
    """A link. inertial: None where the file gives none; geometries: in the order of the file.

    is_between: an empty link that is nothing but a place between two joints, as between several joints of one body.
    is_named: whether the file knows it by its name.
    """

    name: str
    source: Source
    inertial: Inertial | None = None
    inertial_source: Source | None = None
    geometries: tuple[Geometry, ...] = ()
    color: str | None = None
    is_between: bool = False
    is_named: bool = True


@dataclass(frozen=True)
class TreeJoint:
    """A joint between two links, of the tree or of a loop.

    type: of joint_table.JOINT_TYPES; axis, child_axis and length as in mechanism.Joint, in the joint frame.
    parent: a link, or "" for the world; child: a link.
    closes: whether it closes a loop: it places nothing, and its coordinates start where the other joints put them.
    limits: (lower, upper) per coordinate, None where there is none, [m] or [rad]. stops of nothing: ().
    damping, friction, stiffness, rest: per coordinate; () for none. armature: that of a rotor [kg, kg m^2].
    coordinate, velocity: start values per coordinate; None where the file says nothing. Of a fixed joint that would
        have one coordinate: where it is held.
    keeps_coordinates: whether its coordinates are still those that the file means.
    directions: of a custom joint, in world axes: along each of them the origins of its two frames stay together.
    """

    name: str
    type: str
    parent: str
    child: str
    source: Source
    frame: Pose = STANDING
    child_frame: Pose = STANDING
    axis: Vector3 = (0.0, 0.0, 1.0)
    child_axis: Vector3 | None = None
    length: float | None = None
    pitch: float | None = None
    closes: bool = False
    limits: tuple[tuple[float | None, float | None], ...] = ()
    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    armature: tuple[float, ...] = ()
    coordinate: tuple[float, ...] | None = None
    velocity: tuple[float, ...] | None = None
    keeps_coordinates: bool = True
    directions: tuple[Vector3, ...] = ()


@dataclass(frozen=True)
class Gear:
    """c1 = ratio c2 + offset between the coordinates of two joints with one each. follower: joint of c1.

    is_rotor: whether the follower is the leader's flywheel, on which stops and dry friction of the leader act instead.
    """

    follower: str
    leader: str
    ratio: float
    offset: float
    source: Source
    name: str = ""
    is_rotor: bool = False


@dataclass(frozen=True)
class Motor:
    """A force or torque on a joint's coordinates: an input, or a servo's law with its gains.

    kind: effort (the input is the force or torque), servo (stiffness and damping on a target).
    signal: the effort or target as a text in t; None: an input of the simulation.
    """

    name: str
    joint: str
    source: Source
    kind: Literal["effort", "servo"] = "effort"
    stiffness: float = 0.0
    damping: float = 0.0
    signal: str | None = None


@dataclass(frozen=True)
class ContactPoint:
    """A point, or the centre of a sphere, of a link that the ground holds off [m]; friction None: the caller's."""

    name: str
    link: str
    position: Vector3
    radius: float
    source: Source
    friction: float | None = None


@dataclass(frozen=True)
class Start:
    """A further start: coordinates and rates of joints by name [m, rad, m/s, rad/s], as in mechanism.Joint.

    inputs: of motors by name: force or torque, or what a servo aims at; of one without stiffness, that is a rate.
    """

    coordinates: Mapping[str, tuple[float, ...]]
    velocities: Mapping[str, tuple[float, ...]]
    inputs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Tree:
    """Everything of one file.

    root: the link that the others hang on where nothing joins it to the world; "" where all trees begin at the world.
    placements: start poses in the world of links that hang on nothing (they are free), by name; other links follow.
    velocities: (velocity of the frame, angular velocity), both in world axes, of such links.
    start: where the file itself has all its joints start; None where it says nothing of that. starts: name -> a further
        one. ground: a frame in the world; what contacts stand on is the half-space below its z.
    """

    name: str
    source: Source
    links: tuple[Link, ...]
    joints: tuple[TreeJoint, ...] = ()
    gears: tuple[Gear, ...] = ()
    motors: tuple[Motor, ...] = ()
    contacts: tuple[ContactPoint, ...] = ()
    gravity: Vector3 | None = None
    placements: Mapping[str, Pose] = field(default_factory=dict)
    velocities: Mapping[str, tuple[Vector3, Vector3]] = field(default_factory=dict)
    description: str = ""
    start: Start | None = None
    starts: Mapping[str, Start] = field(default_factory=dict)
    ground: Pose = STANDING

    def link(self, name: str) -> Link:
        """The link of this name."""
        return next(link for link in self.links if link.name == name)


Named = TypeVar("Named", Link, TreeJoint, Motor)


def by_name(items: Iterable[Named]) -> dict[str, Named]:
    """Name -> element. Raises MechanismError where two have one name: a dictionary would lose the first of them."""
    found: dict[str, Named] = {}
    for item in items:
        if item.name in found:
            place = found[item.name].source
            raise MechanismError(f"{item.source}: the name {shown(item.name)} is taken in line {place.line}")
        found[item.name] = item
    return found
