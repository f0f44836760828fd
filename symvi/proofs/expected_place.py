"""What placing by joint coordinates must give, and reading them: from the plain definitions of joints alone."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.exact.dual import derivative
from symvi.exact.field import NotASquare
from symvi.kernels.joint_placing import leaders, placing_tree
from symvi.mechanism import Joint, coordinate_kinds
from symvi.naive import joints
from symvi.naive.joints import JointNumbers
from symvi.naive.quaternion import (
    add,
    conjugate,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    turned,
    vector,
)
from symvi.proofs.check import Check, View
from symvi.proofs.crun import Memory
from symvi.registry import JOINTS


class Places:
    """Random coordinates and rates of a scene's joints, and where they put its bodies."""

    def __init__(self, view: View):
        self.view, self.scene = view, view.scene
        mechanism, field = self.scene.mechanism, self.scene.field
        self.joints = [j for j in mechanism.joints if JOINTS[j.type].tree]
        self.motion = {joint.name: self._some(joint) for joint in self.joints}
        for coordinates, _ in self.motion.values():
            for near in coordinates:
                for known in (near, 2 * near):
                    self.scene.opaque.branch(known, field.random_source.randrange(1, 99))
        self.steps = placing_tree(mechanism)
        led = leaders(mechanism, {step.joint.name for step in self.steps})
        self.led = [each for each in led if each.coupling in self.scene.nodes]

    def _some(self, joint: Joint) -> tuple[list, list]:
        """Random coordinates at which a joint's turn has the roots that it takes, and random rates."""
        kinds, field = coordinate_kinds(joint.type), self.scene.field
        while True:
            coordinates, rates = field.randoms(len(kinds)), field.randoms(len(kinds))
            try:
                self._turn(self.scene.joints[joint.name], coordinates[kinds.count("translation") :])
            except NotASquare:
                continue
            return coordinates, rates

    def set(self, memory: Memory) -> None:
        """The records hold the coordinates and rates, and bodies move as in the step."""
        self.view.set_velocities(memory)
        for name, values in self.motion.items():
            node = self.scene.nodes[name]
            for field, numbers in zip(("coordinate", "rate"), values, strict=True):
                if numbers:
                    memory["motion"][node.kind][node.index][field] = list(numbers)

    # --- placing -----------------------------------------------------------------------------------------------------
    def placed(self) -> Iterator[Check]:
        """Every body beside the one that the tree reaches it from; velocities are derivatives in time."""
        scene = self.scene
        known = {"world": (scene.world, ([scene.zero] * 3, [scene.zero] * 3))}
        for name, body in scene.bodies.items():
            known[name] = (body.x, body.q), (body.record.v_state, body.record.w_past)
        for joint, to_child in self.steps:
            near, far = (joint.parent, joint.child) if to_child else (joint.child, joint.parent)
            known[far] = self._beside(scene.joints[joint.name], self.motion[joint.name], *known[near], to_child)
            (x, q), (v, w) = known[far]
            for field, values in (("x", x), ("q", q), ("v", v), ("w", w)):
                yield self.view.check(far, field, values, "state")

    def _beside(self, joint: JointNumbers, motion, place, moving, to_child: bool):
        coordinates, rates = motion

        def at(e):
            known = add(place[0], scale(e, moving[0])), turned(place[1], scale(e, moving[1]))
            other = self._other(joint, [c + e * r for c, r in zip(coordinates, rates, strict=True)], known, to_child)
            return [*other[0], *other[1]]

        found, slopes = at(self.scene.zero), derivative(at, self.scene.zero)
        x, q = found[:3], found[3:]
        return (x, q), (slopes[:3], scale(2, vector(multiply(slopes[3:], conjugate(q)))))

    def _other(self, joint: JointNumbers, coordinates: list, place, to_child: bool):
        """q_b = q_a q_off d, and the anchors apart by what slides in the joint frame; or the same solved for a."""
        kinds, sqrt = coordinate_kinds(joint.type), self.scene.functions.sqrt
        slides = kinds.count("translation")
        frame = multiply(joint.offset, self._turn(joint, coordinates[slides:]))
        q = multiply(place[1], frame if to_child else conjugate(frame))
        q = [part / sqrt(dot(q[1:], q[1:]) + q[0] * q[0]) for part in q]
        parent, child = (place[1], q) if to_child else (q, place[1])
        slide = rotate(parent, rotate(joint.offset, self._slide(joint, coordinates)))
        apart = subtract(add(rotate(parent, joint.anchor_a), slide), rotate(child, joint.anchor_b))
        return (add if to_child else subtract)(place[0], apart), q

    def _slide(self, joint: JointNumbers, coordinates: list) -> list:
        zero = self.scene.zero
        if JOINTS[joint.type].is_threaded:
            return scale(joint.pitch * coordinates[0], joint.axes[2])
        unit = [[zero + int(i == k) for i in range(3)] for k in range(3)]
        count = coordinate_kinds(joint.type).count("translation")
        total = [zero] * 3
        for amount, axis in zip(
            coordinates, {1: joint.axes[2:], 2: joint.axes[:2], 3: unit}.get(count, []), strict=False
        ):
            total = add(total, scale(amount, axis))
        return total

    def _turn(self, joint: JointNumbers, angles: list) -> list:
        functions, zero = self.scene.functions, self.scene.zero

        def about(axis, angle):
            return [functions.cos(angle / 2), *scale(functions.sin(angle / 2), axis)]

        if not angles:
            return [zero + 1, zero, zero, zero]
        if len(angles) == 1:
            return about(joint.axes[2], angles[0])
        if len(angles) == 2:
            return multiply(about(joint.axes[2], angles[0]), about(joint.pin, angles[1]))
        size = functions.sqrt(dot(angles, angles) + functions.base["number"](joints.GUARD))
        d = [functions.cos(size / 2), *scale(functions.sin(size / 2) / size, angles)]
        return scale(1 / functions.sqrt(d[0] * d[0] + dot(d[1:], d[1:])), d)

    # --- reading -----------------------------------------------------------------------------------------------------
    def measured(self) -> Iterator[Check]:
        """Coordinates at the knot near those in the records, and their derivatives in time."""
        scene, view = self.scene, self.view
        first, still = view.system.first, ([scene.zero] * 3, [scene.zero] * 3)
        for joint in self.joints:
            numbers, count = scene.joints[joint.name], len(coordinate_kinds(joint.type))
            slides = coordinate_kinds(joint.type).count("translation")
            near = dict(enumerate(self.motion[joint.name][0][slides:]))
            bodies = joint.parent, joint.child
            moving = [still if name == "world" else view.system.velocity(name) for name in bodies]

            def at(e, numbers=numbers, count=count, near=near, bodies=bodies, moving=moving):
                parent, child = (
                    (add(first[name][0], scale(e, v)), turned(first[name][1], scale(e, w)))
                    for name, (v, w) in zip(bodies, moving, strict=True)
                )
                return [joints.coordinate(numbers, k, parent, child, scene.functions, near) for k in range(count)]

            if count:
                yield view.check(joint.name, "coordinate", at(scene.zero), "motion")
                yield view.check(joint.name, "rate", derivative(at, scene.zero), "motion")

    def coupled(self) -> Iterator[Check]:
        """c1 = ratio c2 + offset, each gear after those that move it."""
        scene, motion = self.scene, {name: [list(part) for part in values] for name, values in self.motion.items()}
        for led in self.led:
            record = scene.parameters[led.coupling]
            ratio, offset = -record["minus_ratio"][0], record["offset"][0]
            for part, shift in ((0, offset), (1, scene.zero)):
                value = motion[led.leader][part][0]
                motion[led.follower][part][0] = (value - shift) / ratio if led.backwards else ratio * value + shift
        for led in self.led:
            for part, field in enumerate(("coordinate", "rate")):
                yield self.view.check(led.follower, field, motion[led.follower][part], "motion")
