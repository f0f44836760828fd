"""Maximal coordinates: velocities of all bodies and impulses of all joints are solved for at once (BM20 (33), (34)).

Unknowns are v, w of every body and a multiplier per row of every constraint; the residual is the balance of every body
and g(z2)/h of every row. The matrix has a block per body, joint and pair of them, and is eliminated in an order that
fills little (block_elimination.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from symvi.analysis.choices import law_models, linked, models_of, order_of, taking_laws
from symvi.graph import carried_bodies
from symvi.kernels.account import body_kernels as account_of_bodies
from symvi.kernels.account import driver_kernels
from symvi.kernels.body_kernels import BODY, body_kernels, diagonal_block
from symvi.kernels.common import COMMON
from symvi.kernels.constraint import Damping, constraint_kernels
from symvi.kernels.force import LINK, clear_link
from symvi.kernels.kernel import Block, Kernel
from symvi.numbers.derived_parameters import merit_inertia
from symvi.physics.model import ConstraintModel, ContactModel, ForceModel, LawModel
from symvi.program.block_elimination import Elimination
from symvi.program.draft import Draft
from symvi.program.formulation import SINGULAR, Joined
from symvi.program.matrix import Matrix, Tie
from symvi.program.motion_split import rows_by_kind
from symvi.program.near import EDGE, RunTimeElimination, edges_of, found_near, near_notes
from symvi.program.opposing_sides import opposing_sides
from symvi.program.phases import ELIMINATION, KNOWN, LANDING, MATRIX, RESIDUAL
from symvi.program.problem import Problem, acts_along
from symvi.program.program import Call, Node, OrderNotes

FULL = (1 << 36) - 1  # the pattern of a 6 x 6 block without zeros


class MaximalCoordinates:
    """The formulation of BM20 and BSMH23.

    newton: the matrix by blocks, which proofs compare with its definition; known once it is eliminated.
    """

    newton: Matrix
    borders = False

    def __init__(self, draft: Draft, problem: Problem):
        self.draft, self.problem, self.mechanism = draft, problem, problem.mechanism
        self.models = models_of(problem.system, problem.choices)
        ties = [m.bodies.values() for m in self.models]
        ties += [law.bodies.values() for law in law_models(problem.system) if None not in law.bodies.values()]
        self.near = found_near(problem.inequalities, [body.name for body in self.mechanism.bodies], ties)
        self._order()
        first = len(self.mechanism.bodies)
        self.loops = {self.models[i - first].name for i in self.order.loop_constraints}
        self.joints: dict[str, Joined] = {}
        self.links: dict[tuple[str, str], Node] = {}
        self.own: list[tuple[Mapping[str, Kernel], Mapping[str, Node], str]] = []  # of bodies, then of joints

    def _order(self) -> None:
        """Choose the order. Joints that are eliminated with their bodies take the laws along their coordinates."""
        problem = self.problem
        possible = {m.name for m in self.models if rows_by_kind(m) is not None}
        self.taking = {law.joint for law in (*problem.forces, *problem.inequalities) if acts_along(law)} & possible
        while True:
            self.laws = law_models(problem.system, self.taking)
            blocks = [law for law in self._with_blocks(problem.inequalities) if not self.is_near(law)]
            self.graph, self.order = order_of(self.mechanism, self.models, self.laws, blocks)
            carriers = {self.graph.nodes[joint].name for joint in carried_bodies(self.graph, self.order)}
            if self.taking <= carriers:
                break
            self.taking &= carriers
        self.models = [self._with_laws(m) if m.name in self.taking else m for m in self.models]

    def _with_blocks(self, laws: Sequence) -> list:
        """Those that keep their blocks."""
        return [law for law in laws if not self.is_taken(law)]

    def _with_laws(self, model: ConstraintModel) -> ConstraintModel:
        stops = [law.along for law in self.problem.inequalities if acts_along(law) and law.joint == model.name]
        stopped = tuple(sorted({k for along in stops for k in along}))
        return taking_laws(self.problem.system, model, stopped)

    # --- unknowns -----------------------------------------------------------------------------------------------------
    def unknowns(self) -> None:
        if self.loops:
            self.draft.records.declare(COMMON, "state", "singular", 1, SINGULAR)
        self._bodies()
        self.sides = opposing_sides(self.draft, self.mechanism, (*self.models, *self.laws))
        self._links()
        self._joints()

    def _bodies(self) -> None:
        draft, bodies = self.draft, self.mechanism.bodies
        zeros = tuple(Fraction(0) if all(body.inertia[k] == 0 for body in bodies) else None for k in range(6))
        draft.baked[BODY, "inertia"] = zeros
        kernels = body_kernels(draft.records, zeros, self._body_diagonal(), self.problem.is_held)
        kernels |= account_of_bodies(draft.records, bool(self.mechanism.drivers))
        for body in bodies:
            node = draft.node(BODY, body.name)
            size = merit_inertia(body.mass, body.inertia, self.problem.radius(body.name) ** 2)
            draft.parameters[BODY, node.index] = {"mass": (body.mass,), "inertia": tuple(body.inertia), "size": (size,)}
            self._add(kernels, {BODY: node}, body.name)

    def _body_diagonal(self) -> Block:
        acting = [*self._with_blocks(self.problem.inequalities), *self.laws]
        full = bool(acting) or any(model.pivots for model in self.models)
        return Block.dense(6, 6, "D", FULL) if full else diagonal_block()

    def _links(self) -> None:
        """One record for the blocks between two bodies, however many laws or pivots act there."""
        acting = self._with_blocks(self.problem.inequalities)
        near, far = ([law for law in acting if self.is_near(law) is which] for which in (True, False))
        for pair in (*linked([], [], near), *linked(self.models, self.laws, far)):
            if pair not in self.links and pair[::-1] not in self.links:
                self.links[pair] = self.draft.node(LINK, " and ".join(pair))
        self.clear = clear_link(self.draft.records) if self.links else None

    def _joints(self) -> None:
        draft, made = self.draft, {}
        for kind, model, members in draft.types(self.models, self.role):
            baked = draft.bake(kind, members)
            kernels = constraint_kernels(draft.records, kind, model, baked, self.is_backwards(model))
            if model.target:
                kernels.kernels.update(driver_kernels(draft.records, kind, model.target))
            made |= {member.name: (kind, kernels) for member in members}
        for model in self.models:
            kind, kernels = made[model.name]
            node = draft.node(kind, model.name, model)
            if model.name in self.loops:
                guards = self.problem.choices.guards.get(model.name, (0.0,) * model.rows)
                draft.parameters[kind, node.index]["guard"] = tuple(guards)
            ports = draft.ports(node, model)
            if model.pivots and None not in model.bodies.values():
                ports[LINK] = self.link(model)
            self._add(kernels.kernels, ports, model.name)
            if model.target:
                draft.book(draft.works, node, model, paid=True, late=True)
            self.joints[model.name] = Joined(node, kernels, model)

    def _add(self, kernels: Mapping[str, Kernel], ports: Mapping[str, Node], name: str) -> None:
        """A body or a joint; what is known of it before a step is scheduled at once."""
        self.own.append((kernels, ports, name))
        self.draft.schedule(kernels, ports, name, KNOWN)

    @property
    def sizes(self) -> dict[str, int]:
        return {BODY: 6} | {node.kind: model.rows for node, _, model in self.joints.values()}

    # --- residual, matrix, landing ------------------------------------------------------------------------------------
    def residual(self) -> None:
        self._schedule(RESIDUAL)

    def matrix(self) -> None:
        bodies = len(self.mechanism.bodies)
        self._schedule(MATRIX, self.own[:bodies])
        if clear := self.clear:
            self.draft.phases["linearize"].extend(Call(clear, (node,), node.name) for node in self.links.values())
        self._schedule(MATRIX, self.own[bodies:])

    def landing(self) -> None:
        self._schedule(LANDING)

    def _schedule(self, phases: Collection[str], nodes: Sequence[tuple] | None = None) -> None:
        for kernels, ports, name in self.own if nodes is None else nodes:
            self.draft.schedule(kernels, ports, name, phases)

    # --- what acts on bodies and joints -------------------------------------------------------------------------------
    def is_taken(self, law) -> bool:
        return acts_along(law) and law.joint in self.taking

    def is_near(self, model) -> bool:
        """Whether a contact is looked at only where bodies are near (near.py)."""
        return isinstance(model, ContactModel) and model.name in self.near.contacts

    def role(self, model) -> tuple[str, ...]:
        loop = ("loop",) if model.name in self.loops else ()
        pivot = ("pivot",) if getattr(model, "pivots", ()) else ()
        laws = model.laws if isinstance(model, ConstraintModel) else None
        damped = (*(("elastic",) if laws.elastic else ()), *(("damped",) if laws.damped else ())) if laws else ()
        stopped = ("stopped",) if getattr(model, "stopped", ()) else ()
        return (
            *loop,
            *pivot,
            *damped,
            *stopped,
            *(("backwards",) if self.is_backwards(model) else ()),
            *(("near",) if self.is_near(model) else ()),
        )

    def link(self, model) -> Node:
        pair = tuple(model.bodies.values())
        return self.links.get(pair) or self.links[pair[::-1]]

    def is_backwards(self, model) -> bool:
        if isinstance(model, ForceModel):
            return False
        acts = model.pivots if isinstance(model, ConstraintModel) else True
        return bool(acts) and not self.is_taken(model) and tuple(model.bodies.values())[::-1] in self.links

    def tie(self, node: Node, model: LawModel | ContactModel, damping: Damping) -> Node:
        raise NotImplementedError("laws between two bodies have blocks between these")

    # --- elimination --------------------------------------------------------------------------------------------------
    def elimination(self) -> None:
        draft = self.draft
        self.newton = self._newton()
        elimination = Elimination(draft.records, self.newton, self.order, again=bool(self.problem.inequalities))
        forward, backward, again = elimination.calls()
        draft.phases["resolve"].extend(again)
        draft.phases["eliminate"].extend(forward)
        draft.phases["substitute"].extend(backward)
        for edge in elimination.edges:
            if edge.kind != LINK:
                draft.nodes.setdefault(edge.kind, []).append(edge)
        if self.near.bodies:
            self._in_the_step({call.kernel.name for call in (*forward, *backward, *again)})

    def _in_the_step(self, taken: set[str]) -> None:
        """Bodies that may touch each other are eliminated in an order that the step finds."""
        draft, bodies = self.draft, {self.draft.bodies[name] for name in self.near.bodies}
        for phase in ELIMINATION:
            draft.phases[phase] = [call for call in draft.phases[phase] if bodies.isdisjoint(call.nodes)]
        draft.phases["touching"].extend(RunTimeElimination(draft, self.newton.diagonals[BODY], taken).calls.values())
        draft.nodes[EDGE] = [Node(EDGE, k, "between bodies that touch") for k in range(edges_of(len(bodies)))]

    def _newton(self) -> Matrix:
        joints = self.joints
        diagonals = {BODY: Block.dense(6, 6, "D", self.draft.pattern(BODY, "D"))}
        diagonals |= {node.kind: Block.dense(model.rows, model.rows, "D", 0) for node, _, model in joints.values()}
        split = {node.kind: rows_by_kind(model) for node, _, model in joints.values()}
        return Matrix(
            [self.draft.bodies[n.name] if n.kind == "body" else joints[n.name].node for n in self.graph.nodes],
            self.sizes,
            diagonals,
            self._ties(),
            frozenset(joints[name].node.kind for name in self.loops),
            carried_bodies(self.graph, self.order),
            {kind: places for kind, places in split.items() if places is not None},
            {node.kind: kernels.damping for node, kernels, _ in joints.values() if kernels.damping},
        )

    def _ties(self) -> dict[tuple[int, int], Tie]:
        index = {node.name: i for i, node in enumerate(self.graph.nodes)}
        position = {i: k for k, i in enumerate(self.order.order)}
        ties: dict[tuple[int, int], Tie] = {}
        for name, (_, kernels, model) in self.joints.items():
            for label, body in model.bodies.items():
                if body is None:
                    continue
                i, j = index[body], index[name]
                keeper = "second" if position[i] < position[j] else "first"
                pair = (i, j) if position[i] < position[j] else (j, i)
                ties[pair] = Tie(label, keeper, {(j, i): kernels.below[label], (i, j): kernels.right[label]})
        upper, lower = (self.draft.pattern(LINK, name) for name in ("upper", "lower"))
        for (first, second), node in self.links.items():
            i, j = index[first], index[second]
            pair = (i, j) if position[i] < position[j] else (j, i)
            blocks = {(i, j): Block.dense(6, 6, "upper", upper), (j, i): Block.dense(6, 6, "lower", lower)}
            ties[pair] = Tie("link" if pair == (i, j) else "link_back", "edge", blocks, node)
        return ties

    def simplified(self, phases: Mapping[str, Sequence[Call]]) -> Mapping[str, Sequence[Call]]:
        """The calls as they are: what joints hold is solved for, and no number is the same in every step."""
        return phases

    def notes(self) -> OrderNotes:
        names = [node.name for node in self.graph.nodes]
        found: OrderNotes = {
            "order": [names[i] for i in self.order.order],
            "fill": sorted([names[i], names[j]] for i, j in self.order.fill),
            "loops": sorted(self.loops),
            "coordinates": "maximal",
            "chords": False,
            "bends": False,
        }
        if near := near_notes(self.draft, self.near, list(self.links)):
            found["near"] = near
        return found
