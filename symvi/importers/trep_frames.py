"""The frames of trep's S-expressions: which of them are one body, which joints their variables are.

Frames between which no variable stands are one body, in the frame that its variable moves. A frame with a name is a
link held by a fixed joint, so that it is found again after the import.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symvi.importers.inertia import total
from symvi.importers.naming import FreeNames
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings, Source
from symvi.importers.sexpr import Expression
from symvi.importers.tree import Inertial, Link, TreeJoint
from symvi.importers.trep_words import TRANSFORMS, is_known, name_of, numbers, variable_or_number
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import about
from symvi.mechanism.vectors import Vector3, cross, norm, scale

__all__ = ["Body", "Frames", "is_along"]

OPTIONS = (*TRANSFORMS, "name", "mass")
HELD = "held by the world: its mass has no effect"
SQUARE = 1e-9  # sine of an angle up to which directions count as parallel


@dataclass
class Body:
    """Frames between which no variable stands; the world is one, with an empty name.

    link: its link in the tree. start: its frame in the world where all variables are zero.
    turns: directions in the world, at zero, about which it turns: () none, one, or two which stand for any.
    parts: the masses of frames without a name. is_named: whether the file names its frame. has_mass: named ones count.
    """

    link: str = ""
    source: Source = Source("")
    start: Pose = STANDING
    turns: tuple[Vector3, ...] = ()
    is_named: bool = False
    has_mass: bool = False
    parts: list[tuple[Inertial, Pose]] = field(default_factory=list)

    def keeps(self, direction: Vector3) -> bool:
        """Whether a direction of the world stays fixed in the body, however it moves."""
        return all(is_along(turn, direction) for turn in self.turns)

    def turning_about(self, direction: Vector3) -> tuple[Vector3, ...]:
        """The directions of turning of what a hinge carries that is on this body."""
        return self.turns if self.keeps(direction) and self.turns else (*self.turns[:1], direction)


def is_along(one: Vector3, other: Vector3) -> bool:
    """Whether two unit vectors are parallel."""
    return norm(cross(one, other)) <= SQUARE


class Frames:
    """All frames of a system, read from the world outwards.

    bodies: the world first. joints: one per variable, and one that mounts each other named frame. links: these frames.
    free: makes the names of what has none in the file.
    places: name of a frame -> its body, and where on it it is.
    """

    def __init__(self, frames: list[Expression], system: Expression, findings: Findings):
        self.findings = findings
        self.bodies = [Body()]
        self.joints: list[TreeJoint] = []
        self.links: list[Link] = []
        self.places: dict[str, tuple[Body, Pose]] = {}
        self.count = self.masses = 0
        self.variables: dict[str, Source] = {}
        self.free = FreeNames(_texts(system), findings)
        # a stack, as chains are as deep as they are long; in the order of the file
        waiting = [(frame, self.bodies[0], STANDING) for frame in reversed(frames)]
        while waiting:
            frame, body, pose = waiting.pop()
            body, pose, inner = self._frame(frame, body, pose)
            waiting += [(item, body, pose) for item in reversed(inner)]

    def body_links(self, between: set[str]) -> Iterator[Link]:
        """The link of every body but the world. between: those that are nothing but a place between two joints."""
        for body in self.bodies[1:]:
            inertial = total(body.parts) if body.parts else None
            is_between = body.link in between
            yield Link(body.link, body.source, inertial, is_between=is_between, is_named=body.is_named)

    def _frame(self, frame: Expression, body: Body, pose: Pose) -> tuple[Body, Pose, list[Expression]]:
        """One expression: the body that its last frame is part of, where that is, and what hangs on it."""
        pairs = _pairs(frame)
        options = [item for item in frame.items[2 * pairs :] if is_known(item, OPTIONS, "a frame", self.findings)]
        name = name_of(options, "frame", self.findings)
        title = f"frame {shown(name)}" if name else f"({frame.head} ...)"
        for index in range(pairs):
            word, parameter = frame.items[2 * index : 2 * index + 2]
            if word.is_list or word.is_quoted or word.text.lower() not in TRANSFORMS:
                remedy = f"a frame begins with pairs of {', '.join(TRANSFORMS)} and a number or a name"
                self.findings.refuse(word.source, f"{title}: {word.shown()}: {remedy}")
                break
            self.count += 1
            kind, axis = TRANSFORMS[word.text.lower()]
            variable, value = variable_or_number(parameter, f"{title}: {word.text}", self.findings)
            if variable:
                own = name if index == pairs - 1 else ""
                body, pose = self._moved(variable, own, kind, axis, word.source, body, pose), STANDING
            else:
                step = Pose(scale(value, axis)) if kind == "prismatic" else Pose(orientation=about(axis, value))
                pose = pose.then(step)
        self._placed(name, title, frame.source, body, pose, [item for item in options if item.head == "mass"])
        return body, pose, [item for item in options if item.head in TRANSFORMS]

    def _moved(
        self, variable: str, own: str, kind: str, axis: Vector3, source: Source, parent: Body, pose: Pose
    ) -> Body:
        """A new body, which a variable moves on another one."""
        if variable in self.variables:
            where = self.variables[variable].line
            remedy = "a variable moves one frame only; give it another name, and the mechanism a gear"
            self.findings.refuse(source, f"variable {shown(variable)}: its name is taken in line {where}; {remedy}")
        self.variables.setdefault(variable, source)
        start = parent.start.then(pose)
        turns = parent.turning_about(start.vector(axis)) if kind == "revolute" else parent.turns
        link = own or self.free.make(f"{variable}_body", "link", source)
        body = Body(link, source, start, turns, bool(own))
        self.joints.append(TreeJoint(variable, kind, parent.link, body.link, source, frame=pose, axis=axis))
        self.bodies.append(body)
        return body

    def _placed(self, name: str, title: str, source: Source, body: Body, pose: Pose, masses: list[Expression]) -> None:
        """Enter where a frame is, and the mass in its origin."""
        inertial = None
        for item in masses:
            inertial = self._mass(item, title)
            body.has_mass |= inertial is not None
            self.masses += 1
        for again in masses[1:]:
            self.findings.refuse(again.source, f"{title}: has two masses; add them, or give one a frame of its own")
        if name in self.places:
            self.findings.refuse(source, f"{title}: its name is taken by another frame")
        elif name and name == body.link:
            self.places[name] = (body, pose)
            body.parts += [(inertial, pose)] if inertial else []
        elif name:
            self.places[name] = (body, pose)
            self.links.append(Link(name, source, inertial))
            mount = self.free.make(f"frame {name}", "joint", source)
            self.joints.append(TreeJoint(mount, "fixed", body.link, name, source, frame=pose))
        elif body is self.bodies[0] and inertial:
            self.findings.note("merged", masses[0].source, title, "mass", HELD)
        else:
            body.parts += [(inertial, pose)] if inertial else []

    def _mass(self, item: Expression, title: str) -> Inertial | None:
        """Mass [kg], and principal moments [kg m^2] in the axes of the frame; without these a point mass."""
        mass, *moments = numbers(item, item.items[1:], (1, 4), self.findings)
        if mass < 0.0 or any(moment < 0.0 for moment in moments):
            self.findings.refuse(item.source, f"{title}: mass and moments of inertia must not be negative")
        elif mass == 0.0 and any(moments):
            self.findings.refuse(item.source, f"{title}: has inertia, but no mass")
        ixx, iyy, izz = moments or (0.0, 0.0, 0.0)
        return None if mass == 0.0 else Inertial(mass, (0.0, 0.0, 0.0), (ixx, iyy, izz, 0.0, 0.0, 0.0))


def _pairs(frame: Expression) -> int:
    """How many pairs of a word and its parameter, which may be a list, a frame begins with."""
    place = 0
    while place + 1 < len(frame.items) and not frame.items[place].is_list:
        place += 2
    return place // 2


def _texts(system: Expression) -> Iterator[str]:
    """What stands in quotes, anywhere: names of frames, variables and constraints."""
    waiting = [system]
    while waiting:
        item = waiting.pop()
        if item.is_quoted:
            yield item.text
        waiting += item.items
