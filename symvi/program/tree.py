"""Joint coordinates: the rates of the joints of a tree are solved for, by sweeps from the leaves to the ground.

Unknowns are the rates of all joints over a step; velocities and placements of bodies follow (kernels/sweep.py). The
discrete Lagrangian is that of maximal coordinates, with forward kinematics put in, and so is the motion: impulses of
joints vanish from the sums over what a joint carries. Matrix and right-hand side are never formed: each joint leaves
articulated inertia and impulses to the body below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from symvi.analysis.choices import models_of
from symvi.kernels.account import body_kernels as account_of_bodies
from symvi.kernels.body_kernels import BODY, body_kernels, diagonal_block
from symvi.kernels.carried_joint import BENT, CarriedJoint, Link, Place
from symvi.kernels.common import COMMON
from symvi.kernels.constraint import ConstraintKernels, Damping
from symvi.kernels.kernel import Block, Kernel
from symvi.kernels.knots import Baked
from symvi.kernels.sweep import Sweep, joint_reports
from symvi.numbers.derived_parameters import merit_inertia
from symvi.physics.model import ContactModel, LawModel
from symvi.program.border import Border
from symvi.program.draft import Draft
from symvi.program.formulation import SINGULAR, Joined
from symvi.program.fusion import of_links
from symvi.program.led_drivers import led_drivers
from symvi.program.opposing_sides import opposing_sides
from symvi.program.patterns import Patterns, compacted
from symvi.program.phases import KNOWN, LANDING, MATRIX, RESIDUAL
from symvi.program.problem import Problem, acts_along
from symvi.program.program import Call, Node, OrderNotes
from symvi.program.tree_links import TreeLinks
from symvi.program.tree_numbers import given_rates, needed_numbers
from symvi.program.tree_refusals import refusal

FULL = (1 << 36) - 1  # the pattern of a 6 x 6 block without zeros
LOOKING = ("inspect", "place", "couple", "measure")  # phases that look at what a caller has given
FREE = "free"  # the record of a body that no joint holds


class TreeCoordinates:
    """The formulation of joint coordinates, after 004's articulated sweeps but of this Lagrangian.

    links: what every joint carries, by the name of the body, from the ground to the leaves.
    """

    borders = True

    def __init__(self, draft: Draft, problem: Problem):
        self.draft, self.problem, self.mechanism = draft, problem, problem.mechanism
        if why := refusal(self.mechanism, problem.choices):
            raise ValueError(f"no joint coordinates for {self.mechanism.name}: {why}")
        self.tree = TreeLinks(problem)
        self.links, self.led = self.tree.links, self.tree.led
        self.closing, self.laws = self.tree.closing, self.tree.laws
        self.border = Border(draft, {name: self.tree.below(name) for name in self.links})
        self.summed = not problem.inequalities
        self.joints: dict[str, Joined] = {}
        self.nodes: dict[str, Node] = {}
        self.placed: dict[str, Mapping[str, Kernel]] = {}
        self.moved: dict[str, Mapping[str, Kernel]] = {}
        self.lawful: dict[str, Mapping[str, Kernel]] = {}
        self.of_bodies: list[tuple[Mapping[str, Kernel], str]] = []
        self.driven: list[tuple[Mapping[str, Kernel], Mapping[str, Node], str]] = []

    # --- unknowns -----------------------------------------------------------------------------------------------------
    def unknowns(self) -> None:
        meaning = "length of the step or part before that one"
        self.draft.records.declare(COMMON, "state", "earliest", 1, meaning, "s")
        for name, text in BENT.items():
            self.draft.records.declare(COMMON, "work", name, 1, text, "rad²/s²")
        if self.closing:
            self.draft.records.declare(COMMON, "state", "singular", 1, SINGULAR)
        self._bodies()
        self.sides = opposing_sides(
            self.draft, self.mechanism, [*(link.model for link in self.links.values() if link.model), *self.laws]
        )
        self._joints()
        self._rows()

    def _rows(self) -> None:
        """Constraints that the tree does not carry."""
        models = [self.tree.with_laws(model) for model in self.closing]
        self.joints |= self.border.add(models, self.problem.choices.guards)
        self.border.schedule(KNOWN)

    def _bodies(self) -> None:
        draft, bodies = self.draft, self.mechanism.bodies
        zeros = tuple(Fraction(0) if all(body.inertia[k] == 0 for body in bodies) else None for k in range(6))
        draft.baked[BODY, "inertia"] = zeros
        self.block = Block.dense(6, 6, "D", FULL) if self.tree.pressed() else diagonal_block()
        kernels = body_kernels(draft.records, zeros, self.block, self.problem.is_held, led=True)
        accounts = account_of_bodies(draft.records, bool(self.mechanism.drivers))
        for body in bodies:
            node = draft.node(BODY, body.name)
            size = merit_inertia(body.mass, body.inertia, self.problem.radius(body.name) ** 2)
            draft.parameters[BODY, node.index] = {"mass": (body.mass,), "inertia": tuple(body.inertia), "size": (size,)}
            self.of_bodies.append((kernels | accounts, body.name))
            draft.schedule(kernels | accounts, {BODY: node}, body.name, KNOWN)

    def _joints(self) -> None:
        """Records of joints by type; a type is one of one direction, on the ground or on a body."""
        draft = self.draft
        held = {name: link.model for name, link in self.links.items() if link.model is not None}
        names = {model.name: name for name, model in held.items()}
        models = [held[names[model.name]] for model in models_of(self.problem.system) if model.name in names]
        made: dict[str, tuple[str, Sweep]] = {}
        for kind, model, members in draft.types(models, lambda model: self._direction(names[model.name])):
            link = self.links[names[model.name]]
            sweep = self._sweep(kind, link, draft.bake(kind, members))
            made |= {member.name: (kind, sweep) for member in members}
        kernels: dict[str, Mapping[str, Kernel]] = {}
        laws: dict[str, Mapping[str, Kernel]] = {FREE: {}}
        for model in models:
            kind, sweep = made[model.name]
            if kind not in kernels:
                kernels[kind], laws[kind] = sweep.kernels() | joint_reports(sweep.joint), sweep.laws()
            body = names[model.name]
            self.nodes[body] = draft.node(kind, model.name, model)
            self.joints[model.name] = Joined(self.nodes[body], ConstraintKernels({}, {}, {}), model)
        free = self._sweep(FREE, Link(None, True, 3, 3, ()), {})
        if len(held) < len(self.links):
            kernels[FREE] = free.kernels()
        for name in self.links:
            if name not in held:
                self.nodes[name] = draft.node(FREE, name)
        self.sweeps = {name: made[held[name].name][1] if name in held else free for name in self.links}
        places: dict[tuple[str, Place], Mapping[str, Kernel]] = {}
        for name, place in self.tree.places().items():
            kind = self.nodes[name].kind
            self.moved[name] = kernels[kind]
            if (kind, place) not in places:
                places[kind, place] = self.sweeps[name].placed(place)
            self.placed[name] = places[kind, place]
            self.lawful[name] = laws[kind]
        for name in self.links:
            self._schedule(self.moved[name], name, KNOWN)
            self._schedule({"prepare": self.moved[name]["weigh"]}, name, KNOWN)
            self._schedule(self.lawful[name], name, KNOWN)
        self._drivers()

    def _sweep(self, kind: str, link: Link, baked: Baked) -> Sweep:
        return Sweep(CarriedJoint(self.draft.records, kind, link, baked, self.block, self.summed, bool(self.closing)))

    def _direction(self, name: str) -> tuple[str, ...]:
        link = self.links[name]
        led = ("driven", *map(str, link.driven)) if link.driven else ()
        return led if link.outward else ("inward", *led)

    def _drivers(self) -> None:
        for led in led_drivers(self.draft, self.tree, self.nodes):
            self.driven.append((led.kernels, led.ports, led.joined.model.name))
            self.joints[led.joined.model.name] = led.joined
            self.draft.schedule(led.kernels, led.ports, led.joined.model.name, KNOWN)

    def _ports(self, name: str) -> dict[str, Node]:
        """The records that a link's kernels work on, by all labels that they may have there."""
        node, link, below = self.nodes[name], self.links[name], self.tree.below(name)
        found = {node.kind: node, "i": self.draft.bodies[name]}
        if below is not None:
            found["k"] = self.draft.bodies[below]
        if link.model is not None:
            found |= {label: self.draft.bodies[b] for label, b in link.model.bodies.items() if b is not None}
        return found

    def _schedule(self, kernels: Mapping[str, Kernel], name: str, phases: Sequence[str]) -> None:
        self.draft.schedule(kernels, self._ports(name), self.nodes[name].name, phases)

    @property
    def sizes(self) -> dict[str, int]:
        return {BODY: 6} | {node.kind: model.rows for node, _, model in self.border.joints}

    # --- residual, matrix, landing ------------------------------------------------------------------------------------
    def residual(self) -> None:
        for name in self.links:
            self._schedule(self.moved[name], name, ("measure_bend", "begin", "rest", "merit"))
        self._of_bodies(("evaluate", "merit"))
        for name in self.links:
            self._schedule(self.lawful[name], name, ("evaluate",))
        for kernels, ports, name in self.driven:
            self.draft.schedule(kernels, ports, name, ("evaluate", "merit"))
        self.border.schedule(RESIDUAL)

    def matrix(self) -> None:
        self._of_bodies(("linearize",))
        for name in self.links:
            self._schedule(self.lawful[name], name, ("linearize",))
        self.border.schedule(MATRIX)

    def landing(self) -> None:
        taken = ("take_velocity", "advance", "shorten_step", "start_momenta", "start_momenta_of_chord", "finish")
        for name, link in self.links.items():
            if link.is_absolute:
                self._schedule({"finish": self.moved[name]["age"]}, name, ("finish",))
        self._of_bodies(
            [phase for phase in self.draft.phases if phase not in (*KNOWN, "evaluate", "merit", "linearize")]
        )
        for name in self.links:
            self._schedule(self.moved[name], name, (*taken, "depart", "react", "reset", "gather", "inspect"))
            self._schedule(self.lawful[name], name, ("spread", "push", "do_work"))
            moved = self.moved[name]
            self._schedule({"finish": moved["remember"]}, name, ("finish",))
            for kernel in (moved["displace"], moved["finish"]):
                self._schedule({"displace": kernel}, name, ("displace",))
        landed = [each for each in LANDING if each not in ("keep", "recall") or not self.summed]  # of contacts alone
        for kernels, ports, name in self.driven:
            self.draft.schedule(kernels, ports, name, landed)
        self.border.schedule(LANDING)

    def _of_bodies(self, phases: Sequence[str]) -> None:
        for kernels, name in self.of_bodies:
            self.draft.schedule(kernels, {BODY: self.draft.bodies[name]}, name, phases)

    # --- what acts on bodies and joints -------------------------------------------------------------------------------
    def is_taken(self, law) -> bool:
        return acts_along(law)

    def role(self, model) -> tuple[str, ...]:
        return ()

    def tie(self, node: Node, model: LawModel | ContactModel, damping: Damping) -> Node:
        """Laws and contacts between two bodies are bordered."""
        return self.border.add_law(node, model.name, model.bodies, damping, isinstance(model, ContactModel))

    def link(self, model) -> Node:
        raise NotImplementedError("bodies of a tree have no blocks between them")

    def is_backwards(self, model) -> bool:
        return False

    def is_near(self, model) -> bool:
        return False

    # --- elimination --------------------------------------------------------------------------------------------------
    def elimination(self) -> None:
        phases = self.draft.phases
        inward, outward = list(reversed(self.links)), list(self.links)
        complete = "evaluate" if self.summed else "apply_impulse"
        phases[complete].extend(self._call("sum", name, "sum up") for name in inward)
        for kernels, ports, name in self.driven:
            self.draft.schedule({complete: kernels["bear"]}, ports, name)
        if self.summed:
            phases["react"][:0] = [self._call("bear", name, "sum up") for name in inward]
            if phases["push"]:
                phases["push"].extend(self._call("sum", name, "sum up") for name in inward)
        self.border.elimination(self.nodes, {name: sweep.joint for name, sweep in self.sweeps.items()})
        before, after = {}, {}
        for name in inward:
            before[name], after[name] = self.border.before(name), self.border.after(name)
        last = self.border.before(None)
        for phase, verb in (("eliminate", "eliminate"), ("resolve", "another right-hand side:")):
            for name in inward:
                phases[phase].extend(getattr(before[name], phase))
                phases[phase].append(self._call(phase, name, verb))
                phases[phase].extend(getattr(after[name], phase))
            phases[phase].extend(getattr(last, phase))
        phases["substitute"].extend(last.substitute)
        for name in outward:
            phases["substitute"].extend(after[name].substitute)
            phases["substitute"].append(self._call("substitute", name, "solve for"))
            phases["substitute"].extend(before[name].substitute)

    def simplified(self, phases: Mapping[str, Sequence[Call]]) -> Mapping[str, Sequence[Call]]:
        """The calls without what is the same in every step, and without what nobody reads then; one for each link."""
        kinds, needed = {BODY, *(node.kind for node in self.nodes.values()), *self.border.kinds}, self.needed()
        if self.summed and not self.problem.saving:
            phases = of_links(phases, kinds - set(self.border.kinds), LOOKING)
        simpler = Patterns(phases, kinds, LOOKING, needed, given_rates(self.links.values())).simplified()
        return compacted(simpler, self.draft.records, kinds, needed)

    def needed(self) -> Callable[[tuple[str, str, str, int]], bool]:
        """Whether control, or a user, reads a number."""
        return needed_numbers(self.border, bool(self.closing))

    def _call(self, phase: str, name: str, verb: str) -> Call:
        kernel, ports = {**self.placed[name], **self.moved[name]}[phase], self._ports(name)
        nodes = tuple(self.draft.common if port.label == "common" else ports[port.label] for port in kernel.ports)
        into = f" into {self.tree.below(name)}" if self.tree.below(name) and phase != "substitute" else ""
        return Call(kernel, nodes, f"{verb} {self.nodes[name].name}{into}")

    def notes(self) -> OrderNotes:
        return {
            "order": [self.nodes[name].name for name in reversed(self.links)],
            "fill": [],
            "loops": sorted(model.name for model in self.closing),
            "coordinates": "tree",
            "chords": self.summed,
            "bends": True,
        }
