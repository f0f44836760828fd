"""What a model is asked in joint coordinates, as a schedule of kernels (kernels/spatial.py) over its tree.

Phases are pieces of answers: `place` puts all bodies where their coordinates say, `body_force` asks what it takes to
move them so; an answer runs some of them in order (ANSWERS).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.errors import MechanismError
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON, GRAVITY
from symvi.kernels.kernel import Kernel
from symvi.kernels.spatial import (
    COORDINATE,
    ENTRY,
    FREEDOM,
    JOINT,
    OF_FREEDOM,
    OF_WHOLE,
    OWN,
    PLACE,
    TREE,
    WHOLE,
    Limb,
    LimbKernels,
    body_kernels,
)  # fmt: skip
from symvi.mechanism import Mechanism
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import can_carry, carrying_tree
from symvi.program.limbs import Limbs, names_of
from symvi.program.program import Node, Notes, Program, free_name
from symvi.program.query_draft import QueryDraft
from symvi.program.tied_rates import Tied, TiedRates, closing_models, gears_of

# behind the placement of the bodies, and behind their velocities where rates are asked for
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "frames": ("show",),
    "mass_matrix": ("weigh", "stack", "compose", "carry", "pair"),
    "inverse_dynamics": ("weigh", "accelerate", "body_force", "collect"),
    "forward_dynamics": ("weigh", "begin", "articulate", "release"),
    "momentum": ("weigh", "clear", "gather", "center", "swing"),
    "center_of_mass": ("clear", "gather", "center"),
    "center_of_mass_jacobian": ("weigh", "stack", "compose", "carry", "clear", "gather", "center", "shift"),
}
PHASES = ("place", "move", *dict.fromkeys(phase for phases in ANSWERS.values() for phase in phases))


@dataclass(frozen=True)
class CoordinateJoint:
    """Where a joint lies among coordinates and rates. quaternion: that of its first entry, or None."""

    name: str
    body: str
    coordinates: slice
    rates: slice
    quaternion: int | None
    together: bool
    type: str

    @property
    def size(self) -> int:
        """How many coordinates it has."""
        return self.coordinates.stop - self.coordinates.start


@dataclass(frozen=True)
class Queries:
    """The program, and how its answers are told.

    held: joints in the order of their coordinates. pairs: rows and columns of the entries of the mass matrix, the rows
    nearer to the ground. paths: by body, the freedoms that move it, from the ground on. chains: by body, itself and the
    bodies between it and the ground. asked: kernels on nodes that the caller chooses.
    """

    program: Program
    held: tuple[CoordinateJoint, ...]
    pairs: tuple[tuple[int, int], ...]
    paths: tuple[tuple[int, ...], ...]
    chains: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    rate_names: tuple[str, ...]
    asked: Mapping[str, Kernel]
    tied: Tied | None

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.program.nodes[BODY])


def refusal(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> str:
    """Why a model of a mechanism cannot be asked in joint coordinates; empty where it can be."""
    steps = carrying_tree(mechanism, choices)
    for step in steps:
        if not can_carry(step.joint):
            return (
                f"joint '{step.joint.name}' is of type {step.joint.type}, whose motion is not told by slides and turns"
            )
    return ""


def compose_queries(
    system: MultibodySystem,
    settings: Mapping[str, Sequence[float]],
    choices: Choices = NOTHING_DROPPED,
    pivots: Sequence[tuple[int, int]] | None = None,
) -> Queries:
    """The program of a mechanism.

    settings: numbers of the description that were set, by name. choices: which rows of its loops are kept. pivots:
    (row, rate) in the order of elimination, rows of closing joints, then of gears; without them nothing is tied.
    Raises MechanismError for joints whose motion is not told by slides and turns.
    """
    mechanism = system.mechanism
    if why := refusal(mechanism, choices):
        raise MechanismError(f"mechanism '{mechanism.name}': {why}, and no model can be asked about it")
    return _Composer(system, settings, choices, pivots).queries()


class _Composer:
    """Builds one program; used once."""

    def __init__(
        self,
        system: MultibodySystem,
        settings: Mapping[str, Sequence[float]],
        choices: Choices,
        pivots: Sequence[tuple[int, int]] | None,
    ):
        self.mechanism, self.choices, self.pivots = (mechanism := system.mechanism), choices, pivots
        self.closing = closing_models(system, choices) if pivots is not None else []
        limbs = {limb.body: limb for limb in Limbs(system, settings, choices, bool(self.closing)).limbs()}
        self.draft = QueryDraft(limbs, {phase: [] for phase in (*PHASES, "close", "drift")}, settings)
        rank = {joint.name: k for k, joint in enumerate(mechanism.joints)}
        # a body that nothing holds comes first, as a floating base does elsewhere
        self.told = sorted(limbs.values(), key=lambda limb: (limb.name in rank, rank.get(limb.name, 0)))

    def queries(self) -> Queries:
        mechanism = self.mechanism
        self.draft.parameters[COMMON, 0] = {"gravity": self.draft.number("common.gravity", mechanism.gravity)}
        self.draft.records.declare(COMMON, "parameters", *GRAVITY)
        self.draft.bodies = {body.name: self._body(body.name) for body in mechanism.bodies}
        self._coordinates()
        trees = self._trees()
        bodies = [self.draft.parameters[BODY, node.index] for node in self.draft.bodies.values()]
        zeros = {
            name: tuple(Fraction(0) if all(p[name][k] == 0 for p in bodies) else None for k in range(size))
            for name, size in (("inertia", 6), ("center", 3))
        }
        kernels = body_kernels(self.draft.records, zeros["inertia"], zeros["center"])
        self.whole, self.place = self.draft.node(WHOLE, "whole"), self.draft.node(PLACE, "point")
        self._limb_calls()
        self._body_calls(kernels, trees)
        pairs = self._pair_calls(kernels)
        tied = None
        if self.pivots:
            gears = gears_of(mechanism, self.choices)
            tied = TiedRates(self.draft, self.closing, gears, self.pivots).tied(pairs)
        self._declare_all()
        program = Program(
            mechanism.name,
            mechanism.digest,
            self.draft.records,
            {kind: tuple(nodes) for kind, nodes in self.draft.nodes.items()},
            {phase: tuple(calls) for phase, calls in self.draft.phases.items()},
            self.draft.parameters,
            {},
            cast(Notes, {"inequalities": []}),
        )
        names, rate_names = zip(*(names_of(limb) for limb in self.told), strict=True)
        paths = tuple(tuple(self.draft.path(name)) for name in self.draft.bodies)
        told = sum(rate_names, ())
        if tied is not None:
            told = tuple(told[k] for k in tied.ties.independent)
        chains = tuple(tuple(self._chain(name)) for name in self.draft.bodies)
        return Queries(program, self.held, pairs, paths, chains, sum(names, ()), told, self.asked, tied)

    def _body(self, name: str) -> Node:
        node, body = self.draft.node(BODY, name), self.mechanism.body(name)
        numbers = {"mass": (body.mass,), "inertia": body.inertia, "center": body.center_of_mass}
        self.draft.parameters[BODY, node.index] = {
            field: self.draft.number(f"{name}.{field}", values) for field, values in numbers.items()
        }
        return node

    def _coordinates(self) -> None:
        """Nodes of all coordinates and freedoms, and where those of a joint lie."""
        held, self.draft.freedoms, self.given = [], {}, {}
        first = rate = 0
        for limb in self.told:
            self.given[limb.body] = [self.draft.node(COORDINATE, limb.name) for _ in range(limb.coordinates)]
            self.draft.freedoms[limb.body] = [self.draft.node(FREEDOM, limb.name) for _ in range(limb.freedoms)]
            at, of = slice(first, first + limb.coordinates), slice(rate, rate + limb.freedoms)
            quaternion = first + limb.slides if limb.turns == 3 else None
            own = {joint.name: joint.type for joint in self.mechanism.joints}.get(limb.name, "free body")
            held.append(CoordinateJoint(limb.name, limb.body, at, of, quaternion, limb.together, own))
            first, rate = at.stop, of.stop
        self.held = tuple(held)

    def _trees(self) -> dict[str, Node]:
        """The tree of every body. That of the ground has its origin at the world's."""
        ground, found = self.draft.node(TREE, "world"), {}
        for limb in self.draft.limbs.values():
            if limb.below is not None:
                found[limb.body] = found[limb.below]
            else:
                found[limb.body] = self.draft.node(TREE, limb.name) if limb.roots else ground
        self.draft.trees = found
        return found

    # --- calls --------------------------------------------------------------------------------------------------------
    def _types(self) -> dict[str, LimbKernels]:
        """The kernels of every limb; limbs that differ in numbers alone share them."""
        groups: dict[tuple, list[Limb]] = {}
        for limb in self.draft.limbs.values():
            turned = tuple(_exact(x) for name in ("before", "after") for x in limb.parameters[name].values)
            key = limb.below is None, limb.outward, limb.slides, limb.turns, limb.together, limb.pitch, turned
            groups.setdefault(key, []).append(limb)
        types = {joint.name: joint.type for joint in self.mechanism.joints}
        found: dict[str, LimbKernels] = {}
        for members in groups.values():
            first = members[0]
            base = types.get(first.name, "free") + ("_ground" if first.below is None else "")
            base += "" if first.outward else "_inward"
            kind = free_name(base, [first.name], set(self.draft.nodes))
            baked = {
                name: tuple(
                    _exact(entries[0]) if all(e == entries[0] for e in entries) else None
                    for entries in zip(*(m.parameters[name].values for m in members), strict=True)
                )
                for name in first.parameters
                if name != "pitch"
            }
            kernels = LimbKernels(self.draft.records, kind, first, baked, bool(self.closing))
            for limb in members:
                node = self.draft.node(kind, limb.name)
                self.draft.parameters[kind, node.index] = {name: p.values for name, p in limb.parameters.items()}
                found[limb.body] = kernels
        return found

    def _limb_calls(self) -> None:
        types = self._types()
        placing = {kernels.kind: kernels.place() for kernels in types.values()}
        shapes: dict[tuple, tuple[str, dict[str, Kernel]]] = {}
        for kernels in types.values():
            if kernels.shape not in shapes:
                base = ("ground" if kernels.limb.below is None else "body") + f"_{kernels.limb.freedoms}"
                name = free_name(base, [], {name for name, _ in shapes.values()})
                shapes[kernels.shape] = name, kernels.kernels(name)
        inward = ("collect", "compose", "articulate")
        for phase in ("place", "move", "accelerate", "release", *inward):
            limbs = list(self.draft.limbs.values())
            for limb in reversed(limbs) if phase in inward else limbs:
                own = types[limb.body]
                kernel = placing[own.kind] if phase == "place" else shapes[own.shape][1].get(phase)
                if kernel is not None:
                    joint = next(node for node in self.draft.nodes[own.kind] if node.name == limb.name)
                    self.draft.call(phase, kernel, self._ports(limb, joint), limb.name)

    def _ports(self, limb: Limb, joint: Node) -> dict[str, Node]:
        found = {JOINT: joint, OWN: self.draft.bodies[limb.body], TREE: self.draft.trees[limb.body]}
        if limb.below is not None:
            found["k"] = self.draft.bodies[limb.below]
        found |= {f"q{k}": node for k, node in enumerate(self.given[limb.body])}
        return found | {f"s{k}": node for k, node in enumerate(self.draft.freedoms[limb.body])}

    def _chain(self, body: str) -> Iterator[str]:
        below = self.draft.limbs[body].below
        yield body
        if below is not None:
            yield from self._chain(below)

    def _body_calls(self, kernels: Mapping[str, Kernel], trees: Mapping[str, Node]) -> None:
        for phase in ("clear", "center"):
            self.draft.call(phase, kernels[phase], {WHOLE: self.whole})
        for name, node in self.draft.bodies.items():
            ports = {OWN: node, TREE: trees[name], WHOLE: self.whole, PLACE: self.place}
            for phase in ("weigh", "stack", "body_force", "begin", "show", "gather", "swing"):
                self.draft.call(phase, kernels[phase], ports)
            for freedom in self.draft.freedoms[name]:
                self.draft.call("carry", kernels["carry"], {**ports, FREEDOM: freedom})
        for freedom in self.draft.nodes.get(FREEDOM, []):
            self.draft.call("shift", kernels["shift"], {FREEDOM: freedom, WHOLE: self.whole})
        self.asked = {name: kernels[name] for name in ("locate", "lead")}

    def _pair_calls(self, kernels: Mapping[str, Kernel]) -> tuple[tuple[int, int], ...]:
        """Of the mass matrix, the entries of a freedom and of those that carry it. Others are zero."""
        pairs = []
        for name in self.draft.bodies:
            path = list(self.draft.path(name))
            own = len(self.draft.freedoms[name])
            for n in range(len(path) - own, len(path)):
                pairs += [(path[k], path[n]) for k in range(n + 1)]
        for near, far in pairs:
            ports = {"near": self.draft.nodes[FREEDOM][near], "far": self.draft.nodes[FREEDOM][far]}
            self.draft.call("pair", kernels["pair"], {**ports, ENTRY: self.draft.node(ENTRY, "entry")})
        return tuple(pairs)

    def _declare_all(self) -> None:
        """What callers and control touch, whether a kernel does or not."""
        for kind, table in ((FREEDOM, OF_FREEDOM), (WHOLE, OF_WHOLE)):
            for name, (size, meaning, unit) in table.items():
                self.draft.records.declare(kind, "work", name, size, meaning, unit)
        self.draft.records.declare(COORDINATE, "work", "value", 1, "a coordinate", "m, rad")
        self.draft.records.declare(TREE, "work", "origin", 3, "about which its moments are, in the world", "m")


def _exact(value: float) -> Fraction | None:
    return Fraction(int(value)) if value in (-1.0, 0.0, 1.0) else None
