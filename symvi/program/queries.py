"""What a model is asked in joint coordinates, as a schedule of kernels (kernels/spatial.py) over its tree.

Phases are pieces of answers: `place` puts all bodies where their coordinates say, `press` asks what it takes to move
them so; an answer runs some of them in order (ANSWERS).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from symvi.analysis.choices import NOTHING_DROPPED, Choices, models_of
from symvi.errors import MechanismError
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON, GRAVITY
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
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
from symvi.kernels.tied import TIE, TIES, ClosingKernels, Ties, TiesKernels
from symvi.mechanism import Coupling, Joint, Mechanism, coordinate_kinds
from symvi.mechanism.rotation import rotate
from symvi.mechanism.tree_walk import Step
from symvi.physics.joints import Geometry
from symvi.physics.model import ConstraintModel, Parameter
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import can_carry, carrying_tree
from symvi.program.program import Call, Node, Notes, Program, free_name
from symvi.registry import JOINTS

# behind the placement of the bodies, and behind their velocities where rates are asked for
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "frames": ("show",),
    "mass_matrix": ("weigh", "stack", "compose", "carry", "pair"),
    "inverse_dynamics": ("weigh", "accelerate", "press", "collect"),
    "forward_dynamics": ("weigh", "begin", "articulate", "release"),
    "momentum": ("weigh", "clear", "gather", "center", "swing"),
    "center_of_mass": ("clear", "gather", "center"),
    "center_of_mass_jacobian": ("weigh", "stack", "compose", "carry", "clear", "gather", "center", "shift"),
}
PHASES = ("place", "move", *dict.fromkeys(phase for phases in ANSWERS.values() for phase in phases))
ROUND_OFF = 1e-15  # entries of rotations that are so near to 0, 1 or -1 are taken for it
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Held:
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
class Tied:
    """What gears and loops leave of the rates.

    kernels: of rates by phase. reduced: rows and columns of the entries of the projected mass matrix. gaps: by row of a
    closing joint, the row of all, and where its record is: (row, kind, index, own row).
    """

    ties: Ties
    kernels: Mapping[str, Kernel]
    reduced: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[int, str, int, int], ...]


@dataclass(frozen=True)
class Queries:
    """The program, and how its answers are told.

    held: joints in the order of their coordinates. pairs: rows and columns of the entries of the mass matrix, the rows
    nearer to the ground. paths: by body, the freedoms that move it, from the ground on. asked: kernels on nodes that
    the caller chooses.
    """

    program: Program
    held: tuple[Held, ...]
    pairs: tuple[tuple[int, int], ...]
    paths: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    rate_names: tuple[str, ...]
    asked: Mapping[str, Kernel]
    tied: Tied | None

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.program.nodes[BODY])


def gears_of(mechanism: Mechanism, choices: Choices) -> list[Coupling]:
    """The gears that tie rates; those that others imply do not."""
    return [coupling for coupling in mechanism.couplings if not choices.dropped.get(coupling.name)]


def refusal(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> str:
    """Why a model of a mechanism cannot be asked in joint coordinates; empty where it can be."""
    steps = carrying_tree(mechanism, choices)
    placed = {step.joint.name for step in steps}
    for step in steps:
        if not can_carry(step.joint):
            return (
                f"joint '{step.joint.name}' is of type {step.joint.type}, whose motion is not told by slides and turns"
            )
    for coupling in mechanism.couplings:
        if not set(coupling.joints) <= placed:
            return f"coupling '{coupling.name}' is of a joint that closes a loop"
    return ""


def compose_queries(
    mechanism: Mechanism,
    settings: Mapping[str, Sequence[float]],
    choices: Choices = NOTHING_DROPPED,
    pivots: Sequence[tuple[int, int]] | None = None,
) -> Queries:
    """The program of a mechanism.

    settings: numbers of the description that were set, by name. choices: which rows of its loops are kept. pivots:
    (row, rate) in the order of elimination, rows of closing joints, then of gears; without them nothing is tied.
    Raises MechanismError for joints whose motion is not told by slides and turns.
    """
    if why := refusal(mechanism, choices):
        raise MechanismError(f"mechanism '{mechanism.name}': {why}, and no model can be asked about it")
    return _Composer(mechanism, settings, choices, pivots).queries()


def closing_models(mechanism: Mechanism, choices: Choices) -> list[ConstraintModel]:
    """The rows of joints that close loops, or hold without coordinates."""
    placed = {step.joint.name for step in carrying_tree(mechanism, choices)}
    other = {driver.name for driver in mechanism.drivers} | {coupling.name for coupling in mechanism.couplings}
    models = models_of(MultibodySystem(mechanism), choices)
    return [model for model in models if model.name not in placed | other]


class _Composer:
    """Builds one program; used once."""

    def __init__(
        self,
        mechanism: Mechanism,
        settings: Mapping[str, Sequence[float]],
        choices: Choices,
        pivots: Sequence[tuple[int, int]] | None,
    ):
        self.mechanism, self.settings, self.choices, self.pivots = mechanism, settings, choices, pivots
        self.closing = closing_models(mechanism, choices) if pivots is not None else []
        self.records = Records()
        self.nodes: dict[str, list[Node]] = {COMMON: [Node(COMMON, 0, COMMON)]}
        self.phases: dict[str, list[Call]] = {phase: [] for phase in (*PHASES, "close", "drift")}
        self.parameters: dict[tuple[str, int], dict[str, tuple[float, ...]]] = {}
        self.limbs = {limb.body: limb for limb in self._limbs()}  # bodies below come first
        order = [joint.name for joint in mechanism.joints]
        rank = {name: k for k, name in enumerate(order)}
        # a body that nothing holds comes first, as a floating base does elsewhere
        self.told = sorted(self.limbs.values(), key=lambda limb: (limb.name in rank, rank.get(limb.name, 0)))

    # --- the tree -----------------------------------------------------------------------------------------------------
    def _limbs(self) -> Iterator[Limb]:
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
        geometry = Geometry(self.mechanism, joint)
        triads = ("joint_a", "joint_b") if turns in (0, 3) else ("frame_a", "frame_b")
        before, after = (_rotation(self._number(geometry, name)) for name in triads)
        parameters = {
            "before": Parameter(before, "rotation from the joint's triad to the parent's axes"),
            "after": Parameter(_transposed(after), "rotation from the child's axes to the triad"),
        }
        if self.closing:
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
        if self.closing:
            turn = Parameter((1.0, 0.0, 0.0, 0.0), "the same as a quaternion")
            parameters |= {"before_q": turn, "after_q": turn}
        for k in range(3):
            parameters[f"axis_{k + 1}"] = Parameter(identity[3 * k : 3 * k + 3], "axis of the world")
        return Limb(name, name, None, True, 3, 3, True, parameters)

    # --- nodes --------------------------------------------------------------------------------------------------------
    def _node(self, kind: str, name: str) -> Node:
        nodes = self.nodes.setdefault(kind, [])
        nodes.append(Node(kind, len(nodes), name))
        return nodes[-1]

    def _call(self, phase: str, kernel: Kernel, ports: Mapping[str, Node], comment: str = "") -> None:
        nodes = tuple(self.nodes[COMMON][0] if p.label == COMMON else ports[p.label] for p in kernel.ports)
        self.phases[phase].append(Call(kernel, nodes, comment))

    def queries(self) -> Queries:
        mechanism = self.mechanism
        self.parameters[COMMON, 0] = {
            "gravity": tuple(map(float, self.settings.get("common.gravity", mechanism.gravity)))
        }
        self.records.declare(COMMON, "parameters", *GRAVITY)
        self.bodies = {body.name: self._body(body.name) for body in mechanism.bodies}
        self._coordinates()
        trees = self._trees()
        bodies = [self.parameters[BODY, node.index] for node in self.bodies.values()]
        zeros = {
            name: tuple(Fraction(0) if all(p[name][k] == 0 for p in bodies) else None for k in range(size))
            for name, size in (("inertia", 6), ("center", 3))
        }
        kernels = body_kernels(self.records, zeros["inertia"], zeros["center"])
        self.whole, self.place = self._node(WHOLE, "whole"), self._node(PLACE, "point")
        self._limb_calls()
        self._body_calls(kernels, trees)
        pairs = self._pair_calls(kernels)
        tied = self._tied(pairs) if self.pivots else None
        self._declare_all()
        program = Program(
            mechanism.name,
            mechanism.digest,
            self.records,
            {kind: tuple(nodes) for kind, nodes in self.nodes.items()},
            {phase: tuple(calls) for phase, calls in self.phases.items()},
            self.parameters,
            {},
            cast(Notes, {"inequalities": []}),
        )
        names, rate_names = zip(*(self._names(limb) for limb in self.told), strict=True)
        paths = tuple(tuple(self._path(name)) for name in self.bodies)
        told = sum(rate_names, ())
        if tied is not None:
            told = tuple(told[k] for k in tied.ties.independent)
        return Queries(program, self.held, pairs, paths, sum(names, ()), told, self.asked, tied)

    def _body(self, name: str) -> Node:
        node, body = self._node(BODY, name), self.mechanism.body(name)
        numbers = {"mass": (body.mass,), "inertia": body.inertia, "center": body.center_of_mass}
        self.parameters[BODY, node.index] = {
            field: tuple(map(float, self.settings.get(f"{name}.{field}", values))) for field, values in numbers.items()
        }
        return node

    def _coordinates(self) -> None:
        """Nodes of all coordinates and freedoms, and where those of a joint lie."""
        held, self.freedoms, self.given = [], {}, {}
        first = rate = 0
        for limb in self.told:
            self.given[limb.body] = [self._node(COORDINATE, limb.name) for _ in range(limb.coordinates)]
            self.freedoms[limb.body] = [self._node(FREEDOM, limb.name) for _ in range(limb.freedoms)]
            at, of = slice(first, first + limb.coordinates), slice(rate, rate + limb.freedoms)
            quaternion = first + limb.slides if limb.turns == 3 else None
            own = {joint.name: joint.type for joint in self.mechanism.joints}.get(limb.name, "free body")
            held.append(Held(limb.name, limb.body, at, of, quaternion, limb.together, own))
            first, rate = at.stop, of.stop
        self.held = tuple(held)

    def _trees(self) -> dict[str, Node]:
        """The tree of every body. That of the ground has its origin at the world's."""
        ground, found = self._node(TREE, "world"), {}
        for limb in self.limbs.values():
            if limb.below is not None:
                found[limb.body] = found[limb.below]
            else:
                found[limb.body] = self._node(TREE, limb.name) if limb.roots else ground
        self.trees = found
        return found

    def _path(self, body: str) -> Iterator[int]:
        limb = self.limbs[body]
        if limb.below is not None:
            yield from self._path(limb.below)
        yield from (node.index for node in self.freedoms[body])

    # --- calls --------------------------------------------------------------------------------------------------------
    def _types(self) -> dict[str, LimbKernels]:
        """The kernels of every limb; limbs that differ in numbers alone share them."""
        groups: dict[tuple, list[Limb]] = {}
        for limb in self.limbs.values():
            turned = tuple(_exact(x) for name in ("before", "after") for x in limb.parameters[name].values)
            key = limb.below is None, limb.outward, limb.slides, limb.turns, limb.together, limb.pitch, turned
            groups.setdefault(key, []).append(limb)
        types = {joint.name: joint.type for joint in self.mechanism.joints}
        found: dict[str, LimbKernels] = {}
        for members in groups.values():
            first = members[0]
            base = types.get(first.name, "free") + ("_ground" if first.below is None else "")
            base += "" if first.outward else "_inward"
            kind = free_name(base, [first.name], set(self.nodes))
            baked = {
                name: tuple(
                    _exact(entries[0]) if all(e == entries[0] for e in entries) else None
                    for entries in zip(*(m.parameters[name].values for m in members), strict=True)
                )
                for name in first.parameters
                if name != "pitch"
            }
            kernels = LimbKernels(self.records, kind, first, baked, bool(self.closing))
            for limb in members:
                node = self._node(kind, limb.name)
                self.parameters[kind, node.index] = {name: p.values for name, p in limb.parameters.items()}
                found[limb.body] = kernels
        return found

    def _limb_calls(self) -> None:
        types = self._types()
        traced = {kernels.kind: kernels.kernels() for kernels in types.values()}
        inward = ("collect", "compose", "articulate")
        for phase in ("place", "move", "accelerate", "release", *inward):
            limbs = list(self.limbs.values())
            for limb in reversed(limbs) if phase in inward else limbs:
                kind = types[limb.body].kind
                kernel = traced[kind].get(phase)
                if kernel is not None:
                    joint = next(node for node in self.nodes[kind] if node.name == limb.name)
                    self._call(phase, kernel, self._ports(limb, joint), limb.name)

    def _ports(self, limb: Limb, joint: Node) -> dict[str, Node]:
        found = {JOINT: joint, OWN: self.bodies[limb.body], TREE: self.trees[limb.body]}
        if limb.below is not None:
            found["k"] = self.bodies[limb.below]
        found |= {f"q{k}": node for k, node in enumerate(self.given[limb.body])}
        return found | {f"s{k}": node for k, node in enumerate(self.freedoms[limb.body])}

    def _body_calls(self, kernels: Mapping[str, Kernel], trees: Mapping[str, Node]) -> None:
        for phase in ("clear", "center"):
            self._call(phase, kernels[phase], {WHOLE: self.whole})
        for name, node in self.bodies.items():
            ports = {OWN: node, TREE: trees[name], WHOLE: self.whole, PLACE: self.place}
            for phase in ("weigh", "stack", "press", "begin", "show", "gather", "swing"):
                self._call(phase, kernels[phase], ports)
            for freedom in self.freedoms[name]:
                self._call("carry", kernels["carry"], {**ports, FREEDOM: freedom})
        for freedom in self.nodes.get(FREEDOM, []):
            self._call("shift", kernels["shift"], {FREEDOM: freedom, WHOLE: self.whole})
        self.asked = {name: kernels[name] for name in ("locate", "lead")}

    def _pair_calls(self, kernels: Mapping[str, Kernel]) -> tuple[tuple[int, int], ...]:
        """Of the mass matrix, the entries of a freedom and of those that carry it. Others are zero."""
        pairs = []
        for name in self.bodies:
            path = list(self._path(name))
            own = len(self.freedoms[name])
            for n in range(len(path) - own, len(path)):
                pairs += [(path[k], path[n]) for k in range(n + 1)]
        for near, far in pairs:
            ports = {"near": self.nodes[FREEDOM][near], "far": self.nodes[FREEDOM][far]}
            self._call("pair", kernels["pair"], {**ports, ENTRY: self._node(ENTRY, "entry")})
        return tuple(pairs)

    # --- gears and loops ----------------------------------------------------------------------------------------------
    def _tied(self, pairs: tuple[tuple[int, int], ...]) -> Tied:
        """Rows of closing joints, then of gears, in the order in which they are solved."""
        pivots = list(self.pivots or ())
        place = {row: n for n, (row, _) in enumerate(pivots)}
        rows: list[Mapping[int, int | None | str]] = [{} for _ in pivots]
        first, starts = 0, []
        for model in self.closing:
            starts.append(first)
            reached = {k for body in model.bodies.values() if body is not None for k in self._path(body)}
            for row in range(model.rows):
                rows[place[first + row]] = dict.fromkeys(sorted(reached))
            first += model.rows
        ratios = []
        for number, coupling in enumerate(gears_of(self.mechanism, self.choices)):
            own, other = (self.freedoms[self._carried(joint)][-1].index for joint in coupling.joints)
            rows[place[first + number]] = {own: 1, other: str(number)}
            ratios.append(float(self.settings.get(f"{coupling.name}.ratio", (coupling.ratio,))[0]))
        ties = Ties(len(self.nodes[FREEDOM]), tuple(rate for _, rate in pivots), tuple(rows), pairs)
        made = TiesKernels(self.records, ties, len(ratios))
        self.parameters[TIES, self._node(TIES, "rates").index] = {"ratio": tuple(ratios)}
        gaps = self._close(ties, starts, place) if self.closing else ()
        kernels = made.kernels()
        return Tied(ties, kernels, tuple(made.reduced), gaps)

    def _carried(self, joint: str) -> str:
        """The body that a joint of the tree carries."""
        return next(limb.body for limb in self.limbs.values() if limb.name == joint)

    def _close(
        self, ties: Ties, starts: Sequence[int], place: Mapping[int, int]
    ) -> tuple[tuple[int, str, int, int], ...]:
        """Calls of the joints that close loops."""
        slopes = ties.slopes
        nodes = [self._node(TIE, "slope") for _ in slopes]
        at = dict(zip(slopes, nodes, strict=True))
        gaps = []
        for model, start in zip(self.closing, starts, strict=True):
            kind = free_name(f"closing_{model.type}", [model.name], set(self.nodes))
            node = self._node(kind, model.name)
            values = {
                name: tuple(map(float, self.settings.get(f"{model.name}.{name}", p.values)))
                for name, p in model.parameters.items()
            }
            self.parameters[kind, node.index] = values
            own = ClosingKernels(self.records, kind, model, {})
            kernels, ports = own.kernels(), {kind: node, TIES: self.nodes[TIES][0]}
            for side in own.sides:
                body = model.bodies[side]
                assert body is not None
                ports |= {side: self.bodies[body], f"tree_{side}": self.trees[body]}
            self._call("close", kernels["close"], ports, model.name)
            self._call("drift", kernels["drift"], ports, model.name)
            made: dict[tuple[str, ...], Kernel] = {}
            paths = {side: set(self._path(body)) for side, body in model.bodies.items() if body is not None}
            for k in sorted(set().union(*paths.values())):
                sides = tuple(side for side in own.sides if k in paths[side])
                kernel = made.setdefault(sides, own.tie(sides)) if sides not in made else made[sides]
                targets = {f"t{row}": at[place[start + row], k] for row in range(model.rows)}
                self._call("close", kernel, {**ports, FREEDOM: self.nodes[FREEDOM][k], **targets})
            gaps += [(place[start + row], kind, node.index, row) for row in range(model.rows)]
        return tuple(gaps)

    def _declare_all(self) -> None:
        """What callers and control touch, whether a kernel does or not."""
        for kind, table in ((FREEDOM, OF_FREEDOM), (WHOLE, OF_WHOLE)):
            for name, (size, meaning, unit) in table.items():
                self.records.declare(kind, "work", name, size, meaning, unit)
        self.records.declare(COORDINATE, "work", "value", 1, "a coordinate", "m, rad")
        self.records.declare(TREE, "work", "origin", 3, "about which its moments are, in the world", "m")

    # --- names --------------------------------------------------------------------------------------------------------
    @staticmethod
    def _names(limb: Limb) -> tuple[tuple[str, ...], tuple[str, ...]]:
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


def _exact(value: float) -> Fraction | None:
    return Fraction(int(value)) if value in (-1.0, 0.0, 1.0) else None
