"""What acts on bodies and joints, whatever a mechanism is solved for: laws, forces, contacts, limits, dry friction.

Each adds impulses to the residuals of bodies or to the sums of its joint, and slopes to their blocks; the formulation
says which of the two, and where blocks between two bodies lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symvi.kernels.common import COMMON, JOINT, SLOPES
from symvi.kernels.constraint import Damping
from symvi.kernels.contact import contact_kernels
from symvi.kernels.force import LINK, force_kernels
from symvi.kernels.inequality import InequalityKernels, keeping, steering
from symvi.kernels.law_node import LawKernels, law_kernels
from symvi.kernels.law_share import share_kernels
from symvi.kernels.law_weight import weighing
from symvi.kernels.limit import dry_friction_kernels, limit_kernels
from symvi.kernels.nearness import REACH, nearness_kernels, reach_of
from symvi.kernels.opposing_mass import SIDES
from symvi.numbers.complementarity_scale import effective_masses, pull, total_mass, touching
from symvi.physics.model import (
    ConstraintModel,
    ContactModel,
    DryFrictionModel,
    ForceModel,
    LawModel,
    Laws,
    LimitModel,
    ShareModel,
)
from symvi.program.draft import Draft
from symvi.program.formulation import Formulation
from symvi.program.opposing_sides import joint_of
from symvi.program.phases import PHASES
from symvi.program.problem import Problem
from symvi.program.program import Node

INEQUALITY_KERNELS = {
    ContactModel: contact_kernels,
    LimitModel: limit_kernels,
    DryFrictionModel: dry_friction_kernels,
}
# by what energy is taken in them
WAYS = {ContactModel: ["impact", "friction"], LimitModel: ["limits"], DryFrictionModel: ["dry friction"]}


class Holder(NamedTuple):
    """The record that holds the sums of the laws along a joint, its model, and these laws."""

    node: Node
    model: ConstraintModel | LawModel
    laws: Laws


class Acting:
    """Adds all that acts to a draft: `units` before bodies, the others in their order once bodies and joints stand."""

    def __init__(self, draft: Draft, problem: Problem, formulation: Formulation):
        self.draft, self.problem, self.formulation = draft, problem, formulation
        self.law_nodes: dict[str, Node] = {}

    def units(self) -> None:
        """What impulses and velocities of contacts are measured by: the weight of all, and its fall in a step."""
        draft, mechanism = self.draft, self.problem.mechanism
        steering(draft.records)
        draft.records.declare(COMMON, "parameters", "mass", 1, "mass of all bodies", "kg")
        meaning = "acceleration by which contacts measure velocities"
        draft.records.declare(COMMON, "parameters", "acceleration", 1, meaning, "m/s²")
        draft.parameters[COMMON, 0] |= {
            "mass": (total_mass(body.mass for body in mechanism.bodies),),
            "acceleration": (pull(mechanism.gravity),),
            "extent": (self.problem.size,),
        }

    def laws(self) -> None:
        """Laws along coordinates that keep their blocks."""
        draft, made = self.draft, {}
        for kind, model, members in draft.types(self.formulation.laws, self.formulation.role):
            backwards = self.formulation.is_backwards(model)
            baked, bordered = draft.bake(kind, members), self.formulation.borders
            kernels = law_kernels(draft.records, kind, model, baked, backwards, bordered)
            made |= {member.name: (kind, kernels) for member in members}
        for model in self.formulation.laws:
            kind, kernels = made[model.name]
            node = self.law_nodes[model.name] = draft.node(kind, model.name, model)
            self._schedule(node, model, kernels)
            if not model.joint:
                draft.book(draft.works, node, model, paid=False, late=False)
            if not model.joint and model.laws.damped:
                draft.book(draft.losses, node, model, ways=["dampers"])

    def _schedule(self, node: Node, model, kernels: LawKernels | InequalityKernels, joint: Node | None = None) -> None:
        """Call the kernels of a law on its bodies, on the record between them, and on the joint that takes it."""
        ports = self.draft.ports(node, model)
        if self.formulation.is_near(model):
            self._schedule_near(node, model, kernels, ports)
        if kernels.directions and kernels.slopes:
            ports[SLOPES] = self.formulation.tie(node, model, Damping(kernels.directions, kernels.slopes))
        if kernels.linked:
            ports[LINK] = self.formulation.link(model)
        if joint is not None:
            ports[JOINT] = joint
        phases = [phase for phase in PHASES if phase != "setup"] if self.formulation.is_near(model) else PHASES
        self.draft.schedule(kernels.kernels, ports, model.name, phases)

    def forces(self) -> None:
        """Forces at the knots."""
        draft, made = self.draft, {}
        forces = [force for force in self.problem.forces if isinstance(force, ForceModel)]
        for kind, model, members in draft.types(forces, self.formulation.role):
            kernels = force_kernels(draft.records, kind, model, draft.bake(kind, members))
            made |= {member.name: (kind, kernels) for member in members}
        for model in forces:
            kind, kernels = made[model.name]
            node = draft.node(kind, model.name, model)
            draft.schedule(kernels, draft.ports(node, model), model.name)
            paid = not model.energy  # from outside; what acts at knots is known a step later
            draft.book(draft.works, node, model, paid=paid, late=paid)

    # --- shares of joints ---------------------------------------------------------------------------------------------
    def shares(self) -> None:
        """Springs, dampers and servos add to the sums of their joints; then weights follow, then targets."""
        draft, made = self.draft, {}
        holders = self._holders()
        shares = [force for force in self.problem.forces if isinstance(force, ShareModel)]
        for kind, model, members in draft.types(
            shares, lambda model: ("on", holders[model.joint].node.kind), said=False
        ):
            holder = holders[model.joint]
            kernels = share_kernels(draft.records, kind, model, holder.node.kind, holder.laws)
            made |= {member.name: (kind, kernels) for member in members}
        pulls = []
        for model in shares:
            kind, kernels = made[model.name]
            node = draft.node(kind, model.name, model)
            ports = {kind: node, JOINT: holders[model.joint].node}
            later = {"prepare": kernels["pull"]} if "pull" in kernels else {}
            draft.schedule({phase: k for phase, k in kernels.items() if phase != "pull"}, ports, model.name)
            pulls.append((later, ports, model.name))
            if model.stiffness:
                draft.book(draft.works, node, model, paid=bool(model.target), late=False)
            if model.damping and not model.target:
                draft.book(draft.losses, node, model, ways=["dampers"])
        self._weights(holders)
        for later, ports, name in pulls:
            draft.schedule(later, ports, name)

    def _holders(self) -> dict[str, Holder]:
        """Joint -> what holds the sums of the laws along it."""
        joints, laws = self.formulation.joints, self.formulation.laws
        found = {name: Holder(node, model, model.laws) for name, (node, _, model) in joints.items() if model.laws}
        return found | {law.joint: Holder(self.law_nodes[law.name], law, law.laws) for law in laws if law.joint}

    def _weights(self, holders: Mapping[str, Holder]) -> None:
        """Where in the step laws act, once all that damps their coordinates is known."""
        draft, made = self.draft, {}
        for node, model, laws in holders.values():
            if laws.damped:
                kind = node.kind
                if kind not in made:
                    made[kind] = weighing(draft.records, kind, model, laws, draft.baked_of(kind))
                ports = draft.ports(node, model)
                for end in laws.opposed:
                    joint = self.problem.mechanism.joint(joint_of(model))
                    ports[SIDES[end].label] = self.formulation.sides[joint.name, getattr(joint, end)]
                draft.schedule({"prepare": made[kind]}, ports, node.name)

    # --- inequalities -------------------------------------------------------------------------------------------------
    def inequalities(self) -> list[dict]:
        """Contacts, limits and dry friction; returns what control and users must know of each."""
        made: dict[str, tuple[str, InequalityKernels]] = {}
        for kind, model, members in self.draft.types(self.problem.inequalities, self._role):
            kernels = self._inequality_kernels(kind, model, members)
            made |= {member.name: (kind, kernels) for member in members}
        masses = [body.mass for body in self.problem.mechanism.bodies]
        found, units = [], effective_masses(touching(self.problem.mechanism), masses)
        for model in self.problem.inequalities:
            kind, kernels = made[model.name]
            node = self.draft.node(kind, model.name, model)
            own = {name: (value,) for name, value in units[model.name]._asdict().items()}
            self.draft.parameters[kind, node.index] |= own
            self._schedule(node, model, kernels, self._taking(model))
            self.draft.book(self.draft.losses, node, model, ways=WAYS[type(model)])
            found.append(_told(model, node, kernels))
        return found

    def _inequality_kernels(self, kind: str, model, members: list) -> InequalityKernels:
        joint = self._taking(model)
        taking: dict = {} if joint is None else {"joint": joint.kind}
        if isinstance(model, ContactModel):
            taking["bordered"] = self.formulation.borders
        baked, backwards = self.draft.bake(kind, members), self.formulation.is_backwards(model)
        kernels = INEQUALITY_KERNELS[type(model)](self.draft.records, kind, model, baked, backwards, **taking)
        if self.formulation.is_near(model):
            kernels.kernels.update(nearness_kernels(self.draft.records, kind, model, baked))
        if not self.problem.is_held:
            for phase in ("soften", "uncouple", "answer"):
                kernels.kernels.pop(phase, None)
        return kernels

    def _schedule_near(self, node: Node, model, kernels, ports: dict[str, Node]) -> None:
        """The record of a contact's reach; numbers that follow from parameters wait until the contact is near."""
        ports[REACH] = self.draft.node(reach_of(node.kind), model.name)
        if "setup" in kernels.kernels:
            self.draft.schedule({"prepare": kernels.kernels["setup"]}, ports, model.name)

    def _taking(self, law) -> Node | None:
        """The joint that takes a law along its coordinates."""
        return self.formulation.joints[law.joint].node if self.formulation.is_taken(law) else None

    def _role(self, law) -> tuple[str, ...]:
        joint = self._taking(law)
        return self.formulation.role(law) if joint is None else ("on", joint.kind)

    def keep(self) -> None:
        """Residuals are kept from one right-hand side to the next."""
        for kind, size in self.formulation.sizes.items():
            kernels = keeping(self.draft.records, kind, size)
            for node in self.draft.nodes[kind]:
                self.draft.schedule(kernels, {kind: node}, node.name)


def _told(model, node: Node, kernels: InequalityKernels) -> dict:
    return {
        "name": model.name,
        "type": model.type,
        "kind": node.kind,
        "index": node.index,
        "bodies": list(model.bodies.values()),
        "pairs": kernels.pairs,
        "cone": kernels.cone,
        "misses": kernels.misses,
        "rows": model.rows,
        "unit": model.row_units[0],
    }
