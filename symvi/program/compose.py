"""From a mechanism to its program: node types and what they bake, kernels per type, and the schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symvi.analysis.choices import (
    NOTHING_DROPPED,
    Choices,
    inequality_models,
    law_models,
    linked,
    models_of,
    order_of,
    taking_laws,
)
from symvi.analysis.joint_sides import beyond, sides
from symvi.graph import carried_bodies
from symvi.kernels.account import body_kernels as account_of_bodies
from symvi.kernels.account import declare as declare_account
from symvi.kernels.account import driver_kernels
from symvi.kernels.body import BODY, body_kernels, diagonal_block
from symvi.kernels.common import COMMON, JOINT, setup_common
from symvi.kernels.constraint import ConstraintKernels, constraint_kernels, watch_kernels
from symvi.kernels.contact import contact_kernels
from symvi.kernels.force import LINK, clear_link, force_kernels
from symvi.kernels.inequality import InequalityKernels, keeping, steering
from symvi.kernels.kernel import Block
from symvi.kernels.law import LawKernels, law_kernels, share_kernels, weighing
from symvi.kernels.limit import dry_friction_kernels, limit_kernels
from symvi.kernels.opposing_mass import BEYOND, SIDE, SIDES, beginning, joining
from symvi.kernels.records import Records
from symvi.mechanism import Mechanism, coordinate_kinds
from symvi.numbers.complementarity_scale import hefts, pull, total_mass, touching
from symvi.numbers.control import SMALLEST_RADIUS
from symvi.numbers.derived_parameters import following, merit_inertia
from symvi.numbers.extent import size_of
from symvi.physics.forces import force_models
from symvi.physics.joints import joint_model
from symvi.physics.joints.custom import uses_c_library
from symvi.physics.model import (
    ConstraintModel,
    ContactModel,
    DryFrictionModel,
    ForceModel,
    LawModel,
    LimitModel,
    ShareModel,
)
from symvi.physics.relations import coupling_model, lock_name
from symvi.program.maximal import Elimination, Matrix, Tie
from symvi.program.motion_split import rows_by_kind
from symvi.program.placing_schedule import Placing
from symvi.program.program import Call, Node, Program, free_name

PHASES = (
    "setup",
    "prepare",
    "watch",
    "begin",
    "rest",
    "evaluate",
    "release",
    "warm",
    "press",
    "spread",
    "push",
    "differ",
    "soften",
    "uncouple",
    "answer",
    "merit",
    "linearize",
    "scale",
    "exact",
    "keep",
    "recall",
    "predict",
    "aim",
    "aim_exact",
    "eliminate",
    "resolve",
    "substitute",
    "respond",
    "settle",
    "advance",
    "retreat",
    "compare",
    "react",
    "reset",
    "gather",
    "arrive",
    "finish",
    "displace",
    "launch",
    "launch_chord",
    "launch_turn",
    "energy",
    "couple",
    "place",
    "measure",
    "account",
    "reread",
    "ahead",
    "scatter",
)


INEQUALITY_KERNELS = {
    ContactModel: contact_kernels,
    LimitModel: limit_kernels,
    DryFrictionModel: dry_friction_kernels,
}
# by what energy is taken in them
WAYS = {ContactModel: ["impact", "friction"], LimitModel: ["limits"], DryFrictionModel: ["dry friction"]}
# what a model does with its rows: two wrenches in different axes are two types
LAW = (
    "cone",
    "directions",
    "unit_gradient",
    "target",
    "offset",
    "angles",
    "frame",
    "stiffness",
    "rest",
    "damping",
    "sinusoidal",
    "laws",
    "force",
    "energy",
    "torque",
    "in_body_axes",
    "pivots",
    "freedoms",
    "stopped",
    "along",
)


def _along(law) -> bool:
    """Whether a law acts along the free coordinates of a joint, which the joint can take."""
    return bool(getattr(law, "along", ()))


def _joint_of(model: ConstraintModel | LawModel) -> str:
    """The joint along which a model's laws act."""
    return model.name if isinstance(model, ConstraintModel) else model.joint


class Composer:
    """Builds one program; used once."""

    def __init__(self, mechanism: Mechanism, choices: Choices):
        self.mechanism, self.choices = mechanism, choices
        self.records = Records()
        self.models = models_of(mechanism, choices)
        self.forces = force_models(mechanism)
        self.inequalities = inequality_models(mechanism)
        self._order()
        first = len(mechanism.bodies)
        self.loops = {self.models[i - first].name for i in self.order.loop_constraints}
        self.nodes: dict[str, list[Node]] = {COMMON: [Node(COMMON, 0, COMMON)]}
        self.parameters: dict[tuple[str, int], dict[str, tuple[float, ...]]] = {}
        self.baked: dict[tuple[str, str], tuple] = {}
        self.phases: dict[str, list[Call]] = {phase: [] for phase in PHASES}

    def _order(self) -> None:
        """Choose the order. Joints that are eliminated with their bodies take the laws along their coordinates."""
        possible = {m.name for m in self.models if rows_by_kind(m) is not None}
        self.taking = {law.joint for law in (*self.forces, *self.inequalities) if _along(law)} & possible
        while True:
            self.laws = law_models(self.mechanism, self.forces, self.taking)
            self.graph, self.order = order_of(self.mechanism, self.models, self.laws, self._own(self.inequalities))
            carriers = {self.graph.nodes[joint].name for joint in carried_bodies(self.graph, self.order)}
            if self.taking <= carriers:
                break
            self.taking &= carriers
        self.models = [self._with_laws(m) if m.name in self.taking else m for m in self.models]

    def _own(self, laws: Sequence) -> list:
        """Those that keep their blocks."""
        return [law for law in laws if not self._is_taken(law)]

    def _is_taken(self, law) -> bool:
        """Whether a law leaves its blocks to its joint."""
        return _along(law) and law.joint in self.taking

    def _with_laws(self, model: ConstraintModel) -> ConstraintModel:
        stops = [law.along for law in self.inequalities if _along(law) and law.joint == model.name]
        stopped = tuple(sorted({k for along in stops for k in along}))
        return taking_laws(self.mechanism, model, self.forces, stopped)

    def program(self) -> Program:
        self.phases["setup"].append(
            Call(setup_common(self.records), (self.nodes[COMMON][0],), "numbers that follow from the step")
        )
        declare_account(self.records)
        self.works: list[dict] = []
        self.losses: list[dict] = []
        self.parameters[COMMON, 0] = {
            "gravity": self.mechanism.gravity,
            "limit": (self.choices.notes.get("limit", 1e-9),),
            "extent": (self.choices.notes.get("size", 1.0),),
        }
        if self.inequalities:
            self._units()
        if self._is_held():
            meaning = "1 where velocities of the knot that the step begins at are to be read, else 0"
            self.records.declare(COMMON, "work", "seen", 1, meaning)
        if self.loops:
            self.records.declare(
                COMMON, "state", "singular", 1, "1 where the last step began in a singular position, else 0"
            )
        self._bodies()
        self._links()
        constraints = self._constraints()
        self._watch()
        joints = {name: node for name, (node, _, _) in constraints.items()}
        self._laws()
        self._forces()
        self._shares(constraints)
        inequalities = self._add_inequalities(joints)
        self._eliminate(constraints)
        if self.inequalities:
            self._keep(constraints)
        placing = Placing(self, joints)
        notes = {
            "order": [self.graph.nodes[i].name for i in self.order.order],
            "fill": sorted([self.graph.nodes[i].name, self.graph.nodes[j].name] for i, j in self.order.fill),
            "loops": sorted(self.loops),
            "angles": self.angles(),
            "constraints": self._constraint_notes(constraints),
            "baked": self._baked(),
            "following": following(self.mechanism, [self._radius(body.name) for body in self.mechanism.bodies]),
            "watched": bool(self.phases["watch"]),
            "inequalities": inequalities,
            "works": self.works,
            "losses": self.losses,
            "uses_c_library": self._uses_c_library(),
            **placing.notes(constraints),
            **self.choices.notes,
        }
        self._drop_unused_fields()
        return Program(
            self.mechanism.name,
            self.mechanism.digest,
            self.records,
            {k: tuple(v) for k, v in self.nodes.items()},
            {k: tuple(v) for k, v in self.phases.items()},
            self.parameters,
            self.baked,
            notes,
        )

    def _drop_unused_fields(self) -> None:
        """Give up scratch that no kernel touches: places declared for blocks that turned out to be zero or known."""
        used = {
            (port.kind, place.field)
            for calls in self.phases.values()
            for kernel in {call.kernel for call in calls}
            for port in kernel.ports
            for place in (*kernel.reads, *kernel.writes)
            if place.port == port.label and place.store == "work"
        }
        for (kind, store), fields in self.records.fields.items():
            if store == "work" and kind != COMMON:
                for name in [name for name in fields if (kind, name) not in used]:
                    del fields[name]

    # --- nodes --------------------------------------------------------------------------------------------------------
    def node(self, kind: str, name: str) -> Node:
        nodes = self.nodes.setdefault(kind, [])
        nodes.append(Node(kind, len(nodes), name))
        return nodes[-1]

    def schedule(self, kernels: Mapping, ports: Mapping[str, Node], name: str) -> None:
        """Call a node's kernels in their phases."""
        for phase, kernel in kernels.items():
            nodes = tuple(self.nodes[COMMON][0] if port.label == COMMON else ports[port.label] for port in kernel.ports)
            self.phases[phase].append(
                Call(
                    kernel,
                    nodes,
                    f"{kernel.summary.split(':')[0]} {name}" if phase in ("evaluate", "linearize") else name,
                )
            )

    def _bodies(self) -> None:
        bodies = self.mechanism.bodies
        zeros = tuple(Fraction(0) if all(body.inertia[k] == 0 for body in bodies) else None for k in range(6))
        self.baked[BODY, "inertia"] = zeros
        kernels = body_kernels(self.records, zeros, self._body_diagonal(), self._is_held())
        kernels |= account_of_bodies(self.records, bool(self.mechanism.drivers))
        for body in bodies:
            node = self.node(BODY, body.name)
            size = merit_inertia(body.mass, body.inertia, self._radius(body.name) ** 2)
            self.parameters[BODY, node.index] = {"mass": (body.mass,), "inertia": tuple(body.inertia), "size": (size,)}
            self.schedule(kernels, {BODY: node}, body.name)
        self.body_nodes = {node.name: node for node in self.nodes[BODY]}
        self._sides(zeros)

    def _is_held(self) -> bool:
        """Whether contacts, limits or dry friction may hold bodies still under laws between the knots."""
        return bool(self.inequalities) and any(isinstance(force, LawModel | ShareModel) for force in self.forces)

    def _sides(self, zeros: tuple) -> None:
        """The sums of the sides of joints whose springs must know what may oppose them at most, leaves first."""
        self.sides: dict[tuple[str, str], Node] = {}
        opposed = [model for model in (*self.models, *self.laws) if model.laws and model.laws.opposed]
        if not opposed:
            return
        begin, join = beginning(self.records, zeros), joining(self.records)
        for model in opposed:
            joint = self.mechanism.joint(_joint_of(model))
            for edge in [edge for end in model.laws.opposed for edge in sides(self.mechanism, joint, end)]:
                if edge in self.sides:
                    continue
                node = self.sides[edge] = self.node(SIDE.kind, f"{edge[0]} on the side of {edge[1]}")
                self.schedule({"prepare": begin}, {SIDE.label: node, BODY: self.body_nodes[edge[1]]}, edge[1])
                for further in beyond(self.mechanism, edge):
                    ports = {SIDE.label: node, BEYOND.label: self.sides[further]}
                    self.schedule({"prepare": join}, ports, edge[1])

    def _radius(self, body: str) -> float:
        """At what radius [m] the mass of a body counts at least in its residual: in a pivot, at that of the whole."""
        return self.choices.notes["size"] if body in self.choices.pivots else SMALLEST_RADIUS

    def types(self, models: Sequence, extra=lambda model: (), said: bool = True) -> list[tuple[str, object, list]]:
        """Models grouped by type: a name, one of them, all of them; in the order of their first appearance.

        extra: what tells types apart beyond their formulas; said: whether it is part of their names.
        """
        groups: dict[tuple, list] = {}
        for model in models:
            groups.setdefault((*_shape(model), *extra(model)), []).append(model)
        named = []
        for members in groups.values():
            base = "_".join(
                (
                    members[0].type,
                    *(("ground",) if None in members[0].bodies.values() else ()),
                    *(extra(members[0]) if said else ()),
                )
            )
            taken = {name for name, _, _ in named} | set(self.nodes)
            named.append((free_name(base, [members[0].name], taken), members[0], members))
        return named

    def bake(self, kind: str, members: Sequence) -> dict[str, tuple]:
        """Entries that are the same exact 0 or +-1 in all models of a type."""
        baked = {}
        for name, first in members[0].parameters.items():
            values = zip(*(model.parameters[name].values for model in members), strict=True)
            baked[name] = tuple(
                Fraction(int(entries[0]))
                if entries[0] in (-1.0, 0.0, 1.0) and all(e == entries[0] for e in entries)
                else None
                for entries in values
            )
            if len(first.values) == 1:
                baked[name] = (None,)  # single numbers stay adjustable
            self.baked[kind, name] = baked[name]
        return baked

    def ports(self, kind: str, node: Node, model) -> dict[str, Node]:
        return {
            kind: node,
            **{label: self.body_nodes[body] for label, body in model.bodies.items() if body is not None},
        }

    def _constraints(self) -> dict[str, tuple[Node, ConstraintKernels, ConstraintModel]]:
        built: dict[str, tuple[Node, ConstraintKernels, ConstraintModel]] = {}
        made: dict[str, tuple[str, ConstraintKernels]] = {}
        for kind, model, members in self.types(self.models, self._role):
            kernels = constraint_kernels(self.records, kind, model, self.bake(kind, members), self._is_backwards(model))
            if model.target:
                kernels.kernels.update(driver_kernels(self.records, kind, model.target))
            made |= {member.name: (kind, kernels) for member in members}
        for model in self.models:
            kind, kernels = made[model.name]
            node = self.node(kind, model.name)
            values = {name: p.values for name, p in model.parameters.items()}
            if model.name in self.loops:
                values["guard"] = tuple(self.choices.guards.get(model.name, (0.0,) * model.rows))
            self.parameters[kind, node.index] = values
            ports = self.ports(kind, node, model)
            if model.pivots and None not in model.bodies.values():
                ports[LINK] = self._link(model)
            self.schedule(kernels.kernels, ports, model.name)
            if model.target:
                self._book(self.works, node, model, paid=True, late=True)
            built[model.name] = (node, kernels, model)
        return built

    def _role(self, model) -> tuple[str, ...]:
        """What tells models of one kind apart, beyond their formulas."""
        loop = ("loop",) if model.name in self.loops else ()
        pivot = ("pivot",) if getattr(model, "pivots", ()) else ()
        laws = model.laws if isinstance(model, ConstraintModel) else None
        damped = (*(("elastic",) if laws.elastic else ()), *(("damped",) if laws.damped else ())) if laws else ()
        stopped = ("stopped",) if getattr(model, "stopped", ()) else ()
        return (*loop, *pivot, *damped, *stopped, *(("backwards",) if self._is_backwards(model) else ()))

    def _watch(self) -> None:
        """Rows that were dropped: evaluated in every step, solved in none."""
        dropped = self.choices.dropped
        watched = [
            joint_model(self.mechanism, joint, dropped[joint.name])
            for joint in self.mechanism.joints
            if dropped.get(joint.name)
        ]
        watched += [
            coupling_model(self.mechanism, coupling)
            for coupling in self.mechanism.couplings
            if dropped.get(coupling.name)
        ]
        for kind, model, members in self.types(watched, lambda m: ("dropped",)):
            kernels = watch_kernels(self.records, kind, model, self.bake(kind, members))
            for member in members:
                node = self.node(kind, member.name)
                self.parameters[kind, node.index] = {name: p.values for name, p in member.parameters.items()}
                self.schedule(kernels, self.ports(kind, node, member), member.name)

    def _law_role(self, law, joints: Mapping[str, Node]) -> tuple[str, ...]:
        return ("on", joints[law.joint].kind) if self._is_taken(law) else self._role(law)

    def _laws(self) -> None:
        """Laws along coordinates that keep their blocks."""
        made: dict[str, tuple[str, LawKernels]] = {}
        for kind, model, members in self.types(self.laws, self._role):
            kernels = law_kernels(self.records, kind, model, self.bake(kind, members), self._is_backwards(model))
            made |= {member.name: (kind, kernels) for member in members}
        self.law_nodes: dict[str, Node] = {}
        for model in self.laws:
            kind, kernels = made[model.name]
            node = self.law_nodes[model.name] = self.node(kind, model.name)
            self.parameters[kind, node.index] = {name: p.values for name, p in model.parameters.items()}
            ports = self.ports(kind, node, model)
            if kernels.linked:
                ports[LINK] = self._link(model)
            self.schedule(kernels.kernels, ports, model.name)
            if not model.joint:
                self._book(self.works, node, model, paid=False, late=False)
            if not model.joint and model.laws.damped:
                self._book(self.losses, node, model, ways=["dampers"])

    def _book(self, where: list[dict], node: Node, model, **more) -> None:
        """Note a node whose energy is accounted for."""
        where.append({"name": model.name, "type": model.type, "kind": node.kind, "index": node.index, **more})

    def _forces(self) -> None:
        """Forces at the knots."""
        forces = [force for force in self.forces if isinstance(force, ForceModel)]
        made: dict[str, tuple[str, dict]] = {}
        for kind, model, members in self.types(forces, self._role):
            kernels = force_kernels(self.records, kind, model, self.bake(kind, members))
            made |= {member.name: (kind, kernels) for member in members}
        for model in forces:
            kind, kernels = made[model.name]
            node = self.node(kind, model.name)
            self.parameters[kind, node.index] = {name: p.values for name, p in model.parameters.items()}
            self.schedule(kernels, self.ports(kind, node, model), model.name)
            paid = not model.energy  # from outside; what acts at knots is known a step later
            self._book(self.works, node, model, paid=paid, late=paid)

    def _shares(self, constraints) -> None:
        """Springs, dampers and servos add to the sums of their joints; then weights follow, then targets."""
        holders = {name: (node, model) for name, (node, _, model) in constraints.items() if model.laws}
        holders |= {law.joint: (self.law_nodes[law.name], law) for law in self.laws if law.joint}
        shares = [force for force in self.forces if isinstance(force, ShareModel)]
        made: dict[str, tuple[str, dict]] = {}
        for kind, model, members in self.types(shares, lambda model: ("on", holders[model.joint][0].kind), said=False):
            joint, holder = holders[model.joint]
            kernels = share_kernels(self.records, kind, model, joint.kind, holder.laws)
            made |= {member.name: (kind, kernels) for member in members}
        pulls = []
        for model in shares:
            kind, kernels = made[model.name]
            node = self.node(kind, model.name)
            self.parameters[kind, node.index] = {name: p.values for name, p in model.parameters.items()}
            ports = {kind: node, JOINT: holders[model.joint][0]}
            later = {"prepare": kernels["pull"]} if "pull" in kernels else {}
            self.schedule({phase: k for phase, k in kernels.items() if phase != "pull"}, ports, model.name)
            pulls.append((later, ports, model.name))
            if model.stiffness:
                self._book(self.works, node, model, paid=bool(model.target), late=False)
            else:
                self._book(self.losses, node, model, ways=["dampers"])
        self._weights(holders)
        for later, ports, name in pulls:
            self.schedule(later, ports, name)

    def _weights(self, holders: Mapping[str, tuple[Node, object]]) -> None:
        made: dict[str, object] = {}
        for node, model in holders.values():
            if model.laws.damped:
                if node.kind not in made:
                    made[node.kind] = weighing(self.records, node.kind, model, model.laws, self._baked_of(node.kind))
                ports = self.ports(node.kind, node, model)
                for end in model.laws.opposed:
                    name = _joint_of(model)
                    ports[SIDES[end].label] = self.sides[name, getattr(self.mechanism.joint(name), end)]
                self.schedule({"prepare": made[node.kind]}, ports, node.name)

    def _baked_of(self, kind: str) -> dict[str, tuple]:
        return {name: entries for (of, name), entries in self.baked.items() if of == kind}

    def _units(self) -> None:
        """What impulses and velocities of contacts are measured by: the weight of all, and its fall in a step."""
        mass = total_mass(body.mass for body in self.mechanism.bodies)
        steering(self.records)
        self.records.declare(COMMON, "parameters", "mass", 1, "mass of all bodies", "kg")
        meaning = "acceleration by which contacts measure velocities"
        self.records.declare(COMMON, "parameters", "acceleration", 1, meaning, "m/s²")
        self.parameters[COMMON, 0] |= {
            "mass": (mass,),
            "acceleration": (pull(self.mechanism.gravity),),
            "extent": (self.choices.notes.get("size") or size_of(self.mechanism),),
        }

    def _add_inequalities(self, joints: Mapping[str, Node]) -> list[dict]:
        """Contacts, limits and dry friction; returns what control and users must know of each."""

        def role(law) -> tuple[str, ...]:
            return ("on", joints[law.joint].kind) if self._is_taken(law) else self._role(law)

        made: dict[str, tuple[str, InequalityKernels]] = {}
        for kind, model, members in self.types(self.inequalities, role):
            build = INEQUALITY_KERNELS[type(model)]
            taking = {"joint": joints[model.joint].kind} if self._is_taken(model) else {}
            baked = self.bake(kind, members)
            kernels = build(self.records, kind, model, baked, self._is_backwards(model), **taking)
            if not self._is_held():
                for phase in ("soften", "uncouple", "answer"):
                    kernels.kernels.pop(phase, None)
            made |= {member.name: (kind, kernels) for member in members}
        found, units = [], hefts(touching(self.mechanism), [body.mass for body in self.mechanism.bodies])
        for model in self.inequalities:
            kind, kernels = made[model.name]
            node = self.node(kind, model.name)
            own = {name: (value,) for name, value in units[model.name]._asdict().items()}
            self.parameters[kind, node.index] = {name: p.values for name, p in model.parameters.items()} | own
            ports = self.ports(kind, node, model)
            if kernels.linked:
                ports[LINK] = self._link(model)
            if self._is_taken(model):
                ports[JOINT] = joints[model.joint]
            self.schedule(kernels.kernels, ports, model.name)
            self._book(self.losses, node, model, ways=WAYS[type(model)])
            found.append(
                {
                    "name": model.name,
                    "type": model.type,
                    "kind": kind,
                    "index": node.index,
                    "bodies": list(model.bodies.values()),
                    "pairs": kernels.pairs,
                    "cone": kernels.cone,
                    "misses": kernels.misses,
                    "rows": model.rows,
                    "unit": model.row_units[0],
                }
            )
        return found

    def _keep(self, constraints) -> None:
        """Residuals are kept from one right-hand side to the next."""
        sizes = {BODY: 6} | {node.kind: model.rows for node, _, model in constraints.values()}
        for kind, size in sizes.items():
            kernels = keeping(self.records, kind, size)
            for node in self.nodes[kind]:
                self.schedule(kernels, {kind: node}, node.name)

    def _links(self) -> None:
        """One record for the blocks between two bodies, however many laws or pivots act there; cleared first."""
        self.links: dict[tuple[str, str], Node] = {}
        for pair in linked(self.models, self.laws, self._own(self.inequalities)):
            if pair not in self.links and pair[::-1] not in self.links:
                self.links[pair] = self.node(LINK, " and ".join(pair))
        clear = clear_link(self.records) if self.links else None
        self.phases["linearize"].extend(Call(clear, (node,), node.name) for node in self.links.values())

    def _link(self, model) -> Node:
        pair = tuple(model.bodies.values())
        return self.links.get(pair) or self.links[pair[::-1]]

    def _is_backwards(self, model) -> bool:
        """Whether the record between a model's bodies was made for the pair the other way round."""
        if isinstance(model, ForceModel):
            return False
        acts = model.pivots if isinstance(model, ConstraintModel) else True
        return bool(acts) and not self._is_taken(model) and tuple(model.bodies.values())[::-1] in self.links

    # --- elimination --------------------------------------------------------------------------------------------------
    def _eliminate(self, constraints: Mapping[str, tuple[Node, ConstraintKernels, ConstraintModel]]) -> None:
        nodes = [self.body_nodes[n.name] if n.kind == "body" else constraints[n.name][0] for n in self.graph.nodes]
        sizes, diagonals = {BODY: 6}, {BODY: self._body_diagonal()}
        for node, _, model in constraints.values():
            sizes[node.kind], diagonals[node.kind] = model.rows, Block.dense(model.rows, model.rows, "D", 0)
        guarded = frozenset(constraints[name][0].kind for name in self.loops)
        self.matrix = Matrix(
            nodes,
            sizes,
            diagonals,
            self._ties(constraints),
            guarded,
            carried_bodies(self.graph, self.order),
            self._carriers(constraints),
            {node.kind: kernels.damping for node, kernels, _ in constraints.values() if kernels.damping},
        )  # kept: proofs compare it with the definition
        elimination = Elimination(self.records, self.matrix, self.order, again=bool(self.inequalities))
        forward, backward, again = elimination.calls()
        self.phases["resolve"].extend(again)
        self.phases["eliminate"].extend(forward)
        self.phases["substitute"].extend(backward)
        for edge in elimination.edges.values():
            if edge.kind != LINK:
                self.nodes.setdefault(edge.kind, []).append(edge)

    def _carriers(self, constraints) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
        """By type of joint, its rows that hold a translation and its rows that hold rotations alone."""
        found = {node.kind: rows_by_kind(model) for node, _, model in constraints.values()}
        return {kind: places for kind, places in found.items() if places is not None}

    def _body_diagonal(self) -> Block:
        own = [*self._own(self.inequalities), *self.laws]
        full = bool(own) or any(m.pivots for m in self.models)
        return Block.dense(6, 6, "D", (1 << 36) - 1) if full else diagonal_block()

    def _ties(self, constraints) -> dict[tuple[int, int], Tie]:
        index = {node.name: i for i, node in enumerate(self.graph.nodes)}
        position = {i: k for k, i in enumerate(self.order.order)}
        ties: dict[tuple[int, int], Tie] = {}
        for name, (_, kernels, model) in constraints.items():
            for label, body in model.bodies.items():
                if body is None:
                    continue
                i, j = index[body], index[name]
                keeper = "second" if position[i] < position[j] else "first"
                pair = (i, j) if position[i] < position[j] else (j, i)
                ties[pair] = Tie(label, keeper, {(j, i): kernels.below[label], (i, j): kernels.right[label]})
        full = (1 << 36) - 1
        for (first, second), node in self.links.items():
            i, j = index[first], index[second]
            pair = (i, j) if position[i] < position[j] else (j, i)
            blocks = {(i, j): Block.dense(6, 6, "upper", full), (j, i): Block.dense(6, 6, "lower", full)}
            ties[pair] = Tie("link" if pair == (i, j) else "link_back", "edge", blocks, node)
        return ties

    def _constraint_notes(self, constraints) -> list[dict]:
        """What a user calls the rows, by node."""
        return [
            {
                "name": name,
                "type": model.type,
                "kind": node.kind,
                "index": node.index,
                "rows": list(model.row_names),
                "units": list(model.row_units),
                "reaction": bool(model.frame),
            }
            for name, (node, _, model) in constraints.items()
        ]

    def _baked(self) -> dict[str, dict[int, int]]:
        """Parameters with entries that the text has baked in: element.field -> {entry: exact value}."""
        found: dict[str, dict[int, int]] = {}
        for (kind, name), entries in self.baked.items():
            fixed = {k: int(value) for k, value in enumerate(entries) if value is not None}
            for node in self.nodes[kind] if fixed else ():
                known = found.setdefault(f"{node.name}.{name}", {})
                known |= fixed
        return found

    def angles(self) -> list[dict]:
        """Which joint coordinate every carried angle belongs to."""
        joints = {j.name: (j.name,) for j in self.mechanism.joints}
        joints |= {c.name: c.joints for c in self.mechanism.couplings} | {
            d.name: (d.joint,) for d in self.mechanism.drivers
        }
        joints |= {law.name: (law.joint,) for law in self.inequalities if getattr(law, "joint", None)}
        joints |= {law.name: (law.joint,) for law in self.laws if law.joint}
        joints |= {limit.name: (limit.joint,) for limit in self.mechanism.limits}
        joints |= {lock_name(lock.joint, lock.coordinate): (lock.joint,) for lock in self.choices.locks}
        found = []
        for kind, nodes in self.nodes.items():
            names = [f.name for f in self.records.of(kind, "state") if f.name.startswith("angle")]
            for node in nodes if names else ():
                for name in names:
                    which = int(name.removeprefix("angle") or 1) - 1
                    of = joints[node.name]
                    joint = self.mechanism.joint(of[which] if len(of) > 1 else of[0])
                    rotations = [k for k, what in enumerate(coordinate_kinds(joint.type)) if what == "rotation"]
                    found.append(
                        {
                            "kind": kind,
                            "index": node.index,
                            "field": name,
                            "joint": joint.name,
                            "coordinate": rotations[0 if len(of) > 1 else which],
                        }
                    )
        return found

    def _uses_c_library(self) -> bool:
        texts = [text for joint in self.mechanism.joints for text in joint.expressions]
        texts += [force.expression for force in self.mechanism.forces if force.kind == "potential"]
        texts += [contact.expression for contact in self.mechanism.contacts if contact.expression]
        return uses_c_library(tuple(texts))


def _shape(model) -> tuple:
    """What makes two models one type: everything but their numbers."""
    groups = tuple(
        (
            g.formula.name,
            tuple(sorted((k, repr(v)) for k, v in g.inputs.items())),
            g.rows,
            g.into,
            g.factor,
            tuple(g.bodies.items()),
        )
        for g in (*model.groups, *filter(None, [getattr(model, "place", None)]))
    )
    bodies = tuple((label, body is None) for label, body in model.bodies.items())
    law = tuple(getattr(model, name, None) for name in LAW)
    return model.type, bodies, groups, model.rows, law, tuple((k, len(p.values)) for k, p in model.parameters.items())


def compose(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> Program:
    """The program of a mechanism, with the rows and guards that the analysis of its loops chose."""
    return Composer(mechanism, choices).program()
