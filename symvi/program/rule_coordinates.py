"""Joint coordinates under a quadrature rule: a step is solved for the coordinates at its nodes (Fan18, JM09).

Phases of the name "..._rule" make the step: choose_rule at a start and at the end of a step, drive_rule once for every
point of the rule. All else is joint coordinates' own: starts, knots, projection, placing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.kernels.carried_joint import Place as InTree
from symvi.kernels.kernel import Kernel
from symvi.kernels.rule_broyden import common_kernels
from symvi.kernels.rule_inward import RuleInward
from symvi.kernels.rule_joint import INCREMENT, NAMES, Points
from symvi.kernels.rule_sweep import RuleSweep, actuator_kernel, clear_momenta, no_forces
from symvi.mechanism import Actuator, JointDamper, JointSpring, Mechanism, coordinate_kinds
from symvi.numbers.quadrature import Rule
from symvi.physics.model import ForceModel
from symvi.program.border import Calls
from symvi.program.carrying_tree import can_carry, carrying_tree
from symvi.program.draft import Draft
from symvi.program.patterns import Place
from symvi.program.phases import RULE
from symvi.program.problem import Problem
from symvi.program.program import Call, OrderNotes
from symvi.program.rule_border import RuleBorder
from symvi.program.tree import TreeCoordinates
from symvi.program.tree_refusals import refusal
from symvi.registry import inequalities_of

ALONG = (Actuator, JointSpring, JointDamper)  # what acts along coordinates by formulas that are linear in them

IDLE = (
    "do_work",
    "depart",
    "measure_bend",
    "begin",
    "merit",
    "resolve",
    "advance",
    "compare",
    "spread",
    "push",
)  # of steps of order 2


def refusal_of_solver(mechanism: Mechanism, solver: str, choices: Choices = NOTHING_DROPPED) -> str | None:
    """Why this method does not solve steps of a rule that Newton's does; None where it does."""
    if solver == "newton":
        return None
    carrying = {step.joint.name for step in carrying_tree(mechanism, choices) if can_carry(step.joint)}
    closing = [joint.name for joint in mechanism.joints if joint.name not in carrying]
    closing += [coupling.name for coupling in mechanism.couplings]
    return f"'{closing[0]}' closes a loop, which impulses of a tree at rest do not keep closed" if closing else None


def refusal_of_rules(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> str | None:
    """Why a quadrature rule does not take steps of a mechanism; None where it does."""
    return next(_refused(mechanism, choices), None) or refusal(mechanism, choices)


def _refused(mechanism: Mechanism, choices: Choices) -> Iterator[str]:
    for contact in mechanism.contacts:
        yield f"contact '{contact.name}' acts where rules do not look"
    for limit in mechanism.limits:
        yield f"limit '{limit.name}' acts where rules do not look"
    for force in inequalities_of(mechanism.forces):
        yield f"dry friction '{force.name}' acts where rules do not look"
    for force in mechanism.forces:
        if not isinstance(force, ALONG) or getattr(force, "law", "linear") != "linear":
            yield f"force '{force.name}' is no actuator, linear joint spring or joint damper"
        elif _turns_freely(mechanism, force.joint):
            yield f"force '{force.name}' acts along free rotations of joint '{force.joint}'"
    for driver in mechanism.drivers:
        yield f"driver '{driver.name}' leads a coordinate"
    for joint, outward in carrying_tree(mechanism, choices):
        kinds = coordinate_kinds(joint.type)
        if not outward and len(kinds) > 2 and len(set(kinds)) == 2:
            yield f"joint '{joint.name}' is led to from its child, and slides along axes that turn"


def _turns_freely(mechanism: Mechanism, joint: str) -> bool:
    return coordinate_kinds(mechanism.joint(joint).type).count("rotation") == 3


class RuleCoordinates(TreeCoordinates):
    """Joint coordinates whose steps are those of `rule`: see `by_rule`."""

    rule: ClassVar[Rule]

    def __init__(self, draft: Draft, problem: Problem):
        if why := refusal_of_rules(problem.mechanism, problem.choices):
            raise ValueError(f"no quadrature rule for {problem.mechanism.name}: {why}")
        super().__init__(draft, problem)
        if self.closing and self.rule.solver != "newton":
            raise ValueError(
                f"no solver {self.rule.solver} for {problem.mechanism.name}: {self.closing[0].name} closes"
            )
        self.points = Points(self.rule, bool(self.closing))
        self.inward: dict[str, RuleInward] = {}

    # --- kernels ------------------------------------------------------------------------------------------------------
    def _trace(self) -> tuple[dict[str, Mapping[str, Kernel]], dict[str, Mapping[str, Kernel]]]:
        """By body: kernels of its link, and those of its place in the tree."""
        weights = [abs(x) for x in self.mechanism.gravity]
        up = weights.index(max(weights)) if any(weights) else 2
        made: dict[str, tuple[RuleSweep, Mapping[str, Kernel]]] = {}
        at: dict[tuple[str, InTree], Mapping[str, Kernel]] = {}
        moved, placed, driven = {}, {}, self._driven()
        for name, place in self.tree.places().items():
            kind = self.nodes[name].kind
            if kind not in made:
                sweep = RuleSweep(self.sweeps[name].joint, self.points, kind in driven, up)
                made[kind] = sweep, sweep.kernels()
            if (kind, place) not in at:
                at[kind, place] = made[kind][0].placed(place)
            moved[name], placed[name] = made[kind][1], at[kind, place]
            self.inward[name] = made[kind][0].inward
        return moved, placed

    def elimination(self) -> None:
        super().elimination()
        moved, placed = self._trace()
        outward, inward = list(self.links), list(reversed(self.links))
        self._run("choose_rule", "choose_pin", moved, outward)
        self._run("prepare_rule", "frame_nodes", moved, outward)
        self._run("prepare_rule", "prepare_nodes", moved, outward)
        self._drive()
        self._run("drive_rule", "queue_nodes", moved, outward)
        self._run("prepare_rule", "give_nodes", placed, inward)
        self._run("evaluate_rule", "points", moved, outward)
        border = RuleBorder(self.draft, self.border, self.points, self.nodes) if self.closing else None
        if border:
            border.evaluate()
        self._run("evaluate_rule", "sum_nodes", placed, inward)
        self._eliminate(border, moved, placed)
        for phase, kernel in (
            ("begin_rule", "begin_nodes"),
            ("advance_rule", "advance_nodes"),
            ("shorten_rule", "shorten_nodes"),
            ("merit_rule", "measure_nodes"),
            ("land_rule", "land_nodes"),
        ):
            self._run(phase, kernel, moved, outward)
        clear = clear_momenta(self.draft.records)
        for body in outward:
            self.draft.schedule({"hand_on_rule": clear}, {"body": self.draft.bodies[body]}, body)
        self._run("hand_on_rule", "hand_on_nodes", moved, outward)
        self._tell_no_forces()

    def _eliminate(self, border: RuleBorder | None, moved, placed) -> None:
        """Joints one by one, and rows that close loops at the bodies where these end."""
        phases, inward = self.draft.phases, list(reversed(self.links))
        if self.rule.solver != "newton":
            self._impel(moved, placed)
            return
        before, after, last = {}, {}, Calls()
        if border:
            border.eliminated(self.nodes, self.inward)
            for name in inward:
                before[name], after[name] = border.before(name), border.after(name)
            last = border.before(None)
            self.border.kinds += border.kinds
        for name in inward:
            phases["eliminate_rule"] += before[name].eliminate if border else []
            self._run("eliminate_rule", "eliminate_nodes", placed, [name])
            phases["eliminate_rule"] += after[name].eliminate if border else []
        phases["eliminate_rule"] += last.eliminate
        phases["substitute_rule"] += last.substitute
        for name in self.links:
            phases["substitute_rule"] += after[name].substitute if border else []
            self._run("substitute_rule", "substitute_nodes", moved, [name])
            phases["substitute_rule"] += before[name].substitute if border else []

    def _impel(self, moved, placed) -> None:
        """Impulses through the inertia of the first knot, and Broyden's updates of what they make."""
        outward, inward = list(self.links), list(reversed(self.links))
        self._run("prepare_rule", "rest_nodes", moved, outward)
        self._run("prepare_rule", "articulate_nodes", placed, inward)
        shared = common_kernels(self.draft.records) if self.rule.solver == "broyden" else {}
        for phase, name in (("prepare_rule", "forget_pairs"), ("eliminate_rule", "begin_products")):
            if shared:
                self.draft.schedule({phase: shared[name]}, {}, "all joints")
        self._run("prepare_rule", "forget_taken", moved, outward)
        self._run("eliminate_rule", "take_increment", moved, outward)
        self._run("eliminate_rule", "impel_nodes", placed, inward)
        self._run("substitute_rule", "respond_nodes", moved, outward)
        self._run("substitute_rule", "meet_taken", moved, outward)
        if shared:
            self.draft.schedule({"substitute_rule": shared["share_pairs"]}, {}, "all joints")
        self._run("substitute_rule", "mend_increment", moved, outward)

    def _tell_no_forces(self) -> None:
        """Forces of joints are not solved for, and are told as none."""
        phases, made = self.draft.phases, {}
        phases["react"], phases["reset"], phases["gather"] = [], [], []
        for body, link in self.links.items():
            kind = self.nodes[body].kind
            if link.model is not None:
                if kind not in made:
                    made[kind] = no_forces(self.draft.records, kind, link.model.rows)
                self._schedule({"react": made[kind]}, body, ("react",))
        for node, _, model in self.border.joints:
            if not model.frame:
                continue
            if node.kind not in made:
                made[node.kind] = no_forces(self.draft.records, node.kind, model.rows)
            self.draft.schedule({"react": made[node.kind]}, {node.kind: node}, model.name)

    def _run(self, phase: str, name: str, kernels: Mapping[str, Mapping[str, Kernel]], bodies: Iterable[str]) -> None:
        for body in bodies:
            if name in kernels[body]:
                self._schedule({phase: kernels[body][name]}, body, RULE)

    def _driven(self) -> set[str]:
        """Types of links along whose coordinates actuators act."""
        joints = {force.joint for force in self.mechanism.forces if isinstance(force, Actuator)}
        return {self.nodes[b].kind for b, link in self.links.items() if link.model and link.model.name in joints}

    def _drive(self) -> None:
        """Actuators, along the coordinates of their joints: run for every point of the rule."""
        draft, made = self.draft, {}
        names = {link.model.name: name for name, link in self.links.items() if link.model}
        joints = {force.name: force.joint for force in self.mechanism.forces if isinstance(force, Actuator)}
        nodes = {node.name: node for kind in draft.nodes for node in draft.nodes[kind]}
        for model in self.problem.forces:
            if isinstance(model, ForceModel):
                node, body = nodes[model.name], names[joints[model.name]]
                own, joint = self.nodes[body], self.sweeps[body].joint
                if (node.kind, own.kind) not in made:
                    made[node.kind, own.kind] = actuator_kernel(draft.records, node.kind, model, joint)
                ports = {node.kind: node, "joint": own}
                draft.schedule({"drive_rule": made[node.kind, own.kind]}, ports, model.name)

    def simplified(self, phases: Mapping[str, Sequence[Call]]) -> Mapping[str, Sequence[Call]]:
        return super().simplified({phase: () if phase in IDLE else calls for phase, calls in phases.items()})

    # --- what is told -------------------------------------------------------------------------------------------------
    def needed(self) -> Callable[[Place], bool]:
        others = super().needed()
        return lambda place: place[2] == INCREMENT if place[2] in NAMES else others(place)

    def notes(self) -> OrderNotes:
        return {**super().notes(), "rule": self.rule.name}


def by_rule(rule: Rule) -> type[RuleCoordinates]:
    """The formulation of a rule, for `compose`."""
    return type("RuleCoordinates", (RuleCoordinates,), {"rule": rule})
