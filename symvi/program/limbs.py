"""Joints as limbs of a tree (kernels/spatial.py): their numbers, and the names of their coordinates and rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symvi.analysis.choices import Choices
from symvi.kernels.spatial import Limb
from symvi.mechanism import Joint, coordinate_kinds
from symvi.mechanism.rotation import rotate
from symvi.mechanism.tree_walk import Step
from symvi.physics.joints import Geometry
from symvi.physics.model import Parameter
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import carrying_tree
from symvi.registry import JOINTS

AXES = ("x", "y", "z")
ROUND_OFF = 1e-15  # entries of rotations that are so near to 0, 1 or -1 are taken for it


class Limbs:
    """The limbs of a mechanism. quaternions: whether their turns are told as such too, as loops ask for them."""

    def __init__(
        self, system: MultibodySystem, settings: Mapping[str, Sequence[float]], choices: Choices, quaternions: bool
    ):
        self.system, self.mechanism = system, system.mechanism
        self.settings, self.choices, self.quaternions = settings, choices, quaternions

    def limbs(self) -> Iterator[Limb]:
        """A body below before those that it carries."""
        steps = {step.target: step for step in carrying_tree(self.mechanism, self.choices)}
        waiting, done = [body.name for body in self.mechanism.bodies], {"world"}
        while waiting:
            ready = [name for name in waiting if name not in steps or _below(steps[name]) in done]
            for name in ready:
                yield self._limb(steps[name]) if name in steps else self._free(name)
            done |= set(ready)
            waiting = [name for name in waiting if name not in done]

    def _limb(self, step: Step) -> Limb:
        joint, below = step.joint, _below(step)
        kinds = coordinate_kinds(joint.type)
        slides, turns = kinds.count("translation"), kinds.count("rotation")
        geometry = self.system.geometry(joint.name)
        triads = ("joint_a", "joint_b") if turns in (0, 3) else ("frame_a", "frame_b")
        before, after = (_rotation(self._number(geometry, name)) for name in triads)
        parameters = {
            "before": Parameter(before, "rotation from the joint's triad to the parent's axes"),
            "after": Parameter(_transposed(after), "rotation from the child's axes to the triad"),
        }
        if self.quaternions:
            w, x, y, z = self._number(geometry, triads[1])
            parameters["before_q"] = Parameter(self._number(geometry, triads[0]), "the first as a quaternion")
            parameters["after_q"] = Parameter((w, -x, -y, -z), "the second as a quaternion")
        chosen = {0: (), 1: ("axis3",), 2: ("axis1", "axis2"), 3: ("e1", "e2", "e3")}[slides]
        parameters |= {
            f"axis_{k + 1}": Parameter(_clean(self._number(geometry, name)), "axis of a slide, on the parent")
            for k, name in enumerate(chosen)
        }
        for name in ("anchor_a", "anchor_b"):
            p = geometry.parameter(name)
            parameters[name] = Parameter(self._number(geometry, name), p.meaning, p.unit)
        if JOINTS[joint.type].is_threaded:
            pitch = self.settings.get(f"{joint.name}.pitch", (joint.pitch,))
            parameters["pitch"] = Parameter(tuple(float(x or 0.0) for x in pitch), "advance per angle", "m/rad")
        under = None if below == "world" else below
        return Limb(joint.name, step.target, under, step.to_child, slides, turns, len(kinds) == 6, parameters)

    def _number(self, geometry: Geometry, name: str) -> tuple[float, ...]:
        found = self.settings.get(f"{geometry.joint.name}.{name}", geometry.parameter(name).values)
        return tuple(map(float, found))

    def _free(self, name: str) -> Limb:
        """A body that nothing holds: where its frame is in the world."""
        body, identity = self.mechanism.body(name), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        parameters = {
            "before": Parameter(identity, "rotation from the world's axes to the world's"),
            "after": Parameter(identity, "rotation from the body's axes to the body's"),
            "anchor_a": Parameter((0.0, 0.0, 0.0), "the world's origin", "m"),
            "anchor_b": Parameter(
                tuple(-x + 0.0 for x in body.center_of_mass), "its own, from the centre of mass", "m"
            ),
        }
        if self.quaternions:
            turn = Parameter((1.0, 0.0, 0.0, 0.0), "the same as a quaternion")
            parameters |= {"before_q": turn, "after_q": turn}
        for k in range(3):
            parameters[f"axis_{k + 1}"] = Parameter(identity[3 * k : 3 * k + 3], "axis of the world")
        return Limb(name, name, None, True, 3, 3, True, parameters)


def names_of(limb: Limb) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a limb's coordinates and of its rates."""
    if limb.together:
        places = tuple(f"{limb.name}.{axis}" for axis in AXES)
        return (
            places + tuple(f"{limb.name}.q{axis}" for axis in ("w", *AXES)),
            tuple(f"{limb.name}.v{axis}" for axis in AXES) + tuple(f"{limb.name}.w{axis}" for axis in AXES),
        )
    names = [f"{limb.name}[{k}]" for k in range(limb.slides)]
    if limb.turns == 3:
        return (
            (*names, *(f"{limb.name}.q{axis}" for axis in ("w", *AXES))),
            (*names, *(f"{limb.name}.w{axis}" for axis in AXES)),
        )
    if limb.freedoms == 1:
        return (limb.name,), (limb.name,)
    names += [f"{limb.name}[{limb.slides + k}]" for k in range(limb.turns)]
    return tuple(names), tuple(names)


def _below(step: Step) -> str:
    joint: Joint = step.joint
    return joint.parent if step.to_child else joint.child


def _rotation(q: Sequence[float]) -> tuple[float, ...]:
    """The rotation matrix of a unit quaternion, row by row."""
    w, x, y, z = q
    columns = [rotate((w, x, y, z), e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return _clean([columns[c][r] for r in range(3) for c in range(3)])


def _transposed(matrix: Sequence[float]) -> tuple[float, ...]:
    return tuple(matrix[3 * c + r] for r in range(3) for c in range(3))


def _clean(values: Sequence[float]) -> tuple[float, ...]:
    """Directions with exact zeros and ones where only round-off is in the way: kernels leave them out."""
    return tuple(next((n for n in (0.0, 1.0, -1.0) if abs(x - n) < ROUND_OFF), x) for x in values)
