"""The tree of a program in joint coordinates: what every joint carries, with the laws that act along it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symvi.analysis.choices import law_models, models_of, shares_by_joint, taking_laws
from symvi.kernels.carried_joint import Link, Place
from symvi.kernels.joint_placing import SLIDING_AXES, placing_model
from symvi.mechanism import Driver, Joint, coordinate_kinds
from symvi.physics.coordinates import with_rotation_vector
from symvi.physics.model import ConstraintModel, LimitModel
from symvi.program.carrying_tree import carrying_tree
from symvi.program.problem import Problem, acts_along
from symvi.registry import JOINTS


class TreeLinks:
    """Links by the name of the body that is carried, from the ground to the leaves.

    led: drivers that lead joints of the tree. closing: constraints that it does not carry. laws: those that no joint of
    it takes.
    """

    def __init__(self, problem: Problem):
        self.problem, self.mechanism = problem, problem.mechanism
        self.led = self._led()
        self.links: dict[str, Link] = dict(self._tree())
        carried = {link.model.name for link in self.links.values() if link.model is not None} | self.led
        self.closing = [m for m in models_of(problem.system, problem.choices) if m.name not in carried]
        self.laws = law_models(problem.system, [joint.name for joint in self.mechanism.joints])

    def _tree(self) -> Iterator[tuple[str, Link]]:
        """Each body with the joint that carries it, a body below before those that it carries."""
        steps = {step.target: step for step in carrying_tree(self.mechanism, self.problem.choices)}
        depth = {"world": 0}
        for body in self.mechanism.bodies:
            path, name = [], body.name
            while name not in depth and name in steps:
                path.append(name)
                name = self._below(steps[name])
            first = depth.setdefault(name, 1)
            depth |= {above: first + k for k, above in enumerate(reversed(path), 1)}
        for name in sorted((body.name for body in self.mechanism.bodies), key=depth.__getitem__):
            yield name, self._link(*steps[name]) if name in steps else Link(None, True, 3, 3, ())

    @staticmethod
    def _below(step) -> str:
        return step.joint.parent if step.to_child else step.joint.child

    def _link(self, joint: Joint, outward: bool) -> Link:
        kinds = coordinate_kinds(joint.type)
        slides, turns = kinds.count("translation"), kinds.count("rotation")
        if slides + turns == 6:
            return Link(None, True, 3, 3, ())
        geometry = self.problem.system.geometry(joint.name)
        axes = [geometry.a(name) for name in SLIDING_AXES[slides]]
        if turns == 2:
            pins = [geometry.a("axis3"), geometry.second_axis()]
            axes += pins if outward else pins[::-1]
        elif turns == 1:
            axes.append(geometry.a("axis3"))
        order = tuple(range(slides))
        if turns < 3:
            order += tuple(range(slides, slides + turns))[:: 1 if outward else -1]
        model = self.with_laws(self.problem.system.joint(joint.name))
        names = {axis.parameter for axis in axes} | {"anchor_a", "anchor_b", "joint_a", geometry.axis_on_child()}
        parameters = {**placing_model(geometry).parameters, **model.parameters}
        parameters |= {name: geometry.parameter(name) for name in sorted(names)}
        pitch = "pitch" if JOINTS[joint.type].is_threaded else None
        drivers = [d for d in self.mechanism.drivers if d.name in self.led and d.joint == joint.name]
        led = tuple(sorted(self.unknown(order, driver) for driver in drivers))
        return Link(replace(model, parameters=parameters), outward, slides, turns, tuple(axes), order, pitch, led)

    def _led(self) -> set[str]:
        """Drivers whose rate is told to the joint that they lead; others are bordered rows."""
        steps = {step.joint.name: step.joint for step in carrying_tree(self.mechanism, self.problem.choices)}

        def is_led(driver: Driver) -> bool:
            kinds = coordinate_kinds(steps[driver.joint].type) if driver.joint in steps else ()
            free = kinds.count("rotation") == 3 and kinds[driver.coordinate] == "rotation"
            return 0 < len(kinds) < 6 and not free and driver.name not in self.problem.choices.kept

        return {driver.name for driver in self.mechanism.drivers if is_led(driver)}

    @staticmethod
    def unknown(order: Sequence[int], driver: Driver) -> int:
        """Which unknown of its joint a driver leads."""
        return order.index(driver.coordinate)

    def with_laws(self, model: ConstraintModel) -> ConstraintModel:
        stops = [law.along for law in self.problem.inequalities if acts_along(law) and law.joint == model.name]
        stopped = tuple(sorted({k for along in stops for k in along}))
        if stopped or model.name in shares_by_joint(self.problem.forces):
            model = taking_laws(self.problem.system, model, stopped)
        return self._with_limits_of_turns(model)

    def _with_limits_of_turns(self, model: ConstraintModel) -> ConstraintModel:
        """A joint also takes limits on the rotation vector of its three free rotations, along rows of its own."""
        limits = [law for law in self.problem.inequalities if isinstance(law, LimitModel) and not law.along]
        if all(law.joint != model.name for law in limits):
            return model
        geometry = self.problem.system.geometry(model.name)
        model, rows = with_rotation_vector(geometry, model)
        first = coordinate_kinds(model.type).count("translation")
        taken = {
            limit.name: (rows[limit.coordinate - first],)
            for limit in self.mechanism.limits
            if limit.joint == model.name and limit.coordinate >= first
        }
        self.problem.inequalities = tuple(
            replace(law, along=taken[law.name]) if law.name in taken else law for law in self.problem.inequalities
        )
        return replace(model, stopped=(*model.stopped, *(row for along in taken.values() for row in along)))

    def below(self, name: str) -> str | None:
        """The body below a body, in whose sums it counts."""
        link = self.links[name]
        return None if link.below is None or link.model is None else link.model.bodies[link.below]

    def places(self) -> dict[str, Place]:
        """Where every body stands. Of those that a body carries, the last in the tree goes first inward."""
        carrying = {self.below(name) for name in self.links}
        last: dict[str | None, str] = {}
        for name in self.links:
            last[self.below(name)] = name
        pressed = self.pressed()
        first = {name: self.below(name) is None or last[self.below(name)] == name for name in self.links}
        return {name: Place(name in carrying, first[name], name in pressed) for name in self.links}

    def pressed(self) -> set[str]:
        """Bodies to whose blocks contacts add, and point springs on the ground."""
        laws = [*self.problem.system.contacts, *self.laws]
        held = [tuple(law.bodies.values()) for law in laws if None in law.bodies.values()]
        return {body for pair in held for body in pair if body is not None}
