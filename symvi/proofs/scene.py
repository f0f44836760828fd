"""A scene: one mechanism at one point, with random exact numbers for everything that its kernels read.

Directions come from the description (exact.py), all other numbers are random: bodies lie and move anywhere, joints are
open, as the identities between kernels and definitions hold there too. Only what a law presupposes is granted: unit
quaternions and a known cosine of every half turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.exact.dual import Functions
from symvi.exact.field import MERSENNE_61, Field, NotASquare
from symvi.exact.opaque import Opaque
from symvi.kernels.records import STORES
from symvi.mechanism import Mechanism, coordinate_kinds
from symvi.naive.interior import Interior
from symvi.naive.joints import GUARD, relative, rotation_vector
from symvi.naive.quaternion import conjugate, dot, multiply, scale, unrotate
from symvi.naive.system import System
from symvi.program.program import Node, Program
from symvi.proofs.contact_numbers import all_records
from symvi.proofs.crun import Memory
from symvi.proofs.exact import Exact
from symvi.proofs.numbers import joints_of
from symvi.proofs.path_numbers import PathNumbers

ATTEMPTS = 8000  # a radicand has a root at every second point; a scene has up to ten radicands


@dataclass
class BodyNumbers:
    """A body at the first knot and over the step; world axes. `record` holds what else its state may carry."""

    mass: Any
    inertia: list
    size: Any
    x: list
    q: list
    v: list
    turn: list
    momentum: list
    record: SimpleNamespace


class Scene:
    """One point. Raises NotASquare (in the constructor) where a definition needs a root that is not there."""

    def __init__(
        self,
        mechanism: Mechanism,
        program: Program,
        choices: Choices = NOTHING_DROPPED,
        *,
        prime: int = MERSENNE_61,
        seed: int = 0,
        guarded: bool = False,
    ):
        self.mechanism, self.program, self.choices, self.guarded = mechanism, program, choices, guarded
        self.field = Field(prime, seed)
        self.opaque = Opaque(self.field)
        self.functions = Functions(
            {"number": self.field.number_of_text, **self.opaque.functions(self.field.defined_root)}
        )
        self.zero = self.field.zero
        self.world = ([self.zero] * 3, [self.zero + 1, self.zero, self.zero, self.zero])
        exact = Exact(self.field)
        self.joints = joints_of(mechanism, exact)
        self.parameters = all_records(mechanism, choices, self.joints, exact)
        self.h, self.impulse, self.carry, self.closure, self.length = self.field.randoms(5)
        self.gravity = self.field.randoms(3)
        self.extent = self.field.random()
        everything = [(kind, node) for kind, nodes in program.nodes.items() for node in nodes]
        self.nodes = {node.name: node for kind, node in everything if self.is_named(kind) and self.acts(kind)}
        self.watched = {node.name: node for kind, node in everything if not self.acts(kind)}
        self.inputs, self.states = self._fields("input", self.nodes), self._fields("state", self.nodes)
        self.accounts = self._fields("account", self.nodes)
        self.watched_states = self._fields("state", self.watched)
        self._branches()
        self.bodies: dict[str, BodyNumbers] = {}
        self._stand(exact)
        self.system = System(self)
        self.impulses = {c.name: self._impulse(c.name) for c in self.system.constraints}
        self.guards = {name: self._guard(name) for name in program.notes["loops"]}
        self.interior = Interior(self.system)
        self.path = PathNumbers(self)

    def is_named(self, kind: str) -> bool:
        """Whether nodes of a type go by names of their own."""
        return True

    def acts(self, kind: str) -> bool:
        """Whether a node type acts: not if it watches dropped rows, of a joint that may have other rows that act."""
        fields = {f.name for f in self.program.records.of(kind, "work")}
        return "g" not in fields or "y" in fields

    def _fields(self, store: str, nodes: dict[str, Node]) -> dict[str, dict[str, list]]:
        return {
            name: {f.name: self.field.randoms(f.size) for f in self.program.records.of(node.kind, store)}
            for name, node in nodes.items()
        }

    def _branches(self) -> None:
        """Give every carried angle, and its double, some whole turns of its own."""
        for fields in (*self.states.values(), *self.watched_states.values()):
            for name, values in fields.items():
                if name.startswith("angle"):
                    for near in (values[0], 2 * values[0]):
                        self.opaque.branch(near, self.field.random_source.randrange(1, 99))

    def near(self, name: str, prefix: str = "angle", watched: bool = False) -> dict:
        """The carried angles of an element (or of its dropped rows), by the rotation of the joint that they are of."""
        fields = (self.watched_states if watched else self.states).get(name, {})
        keys = {0: prefix} if prefix in fields else {0: f"{prefix}1", 1: f"{prefix}2"}
        return {which: fields[key][0] for which, key in keys.items() if key in fields}

    def _stand(self, exact: Exact) -> None:
        """Put bodies anywhere, moving anyhow."""
        self.bodies = {body.name: self._body(body, exact) for body in self.mechanism.bodies}
        self._turn_by_vectors()

    def _impulse(self, name: str) -> list:
        """The impulses of a constraint's rows at which the residual is taken."""
        return self.field.randoms(self.system.sizes[name])

    def _body(self, body, exact: Exact) -> BodyNumbers:
        field, h = self.field, self.h
        turn, launched, shifted = (field.sphere(4) for _ in range(3))
        past = self._past()
        for known in (turn, past, launched, shifted):
            field.square_of(known[0])
        record = SimpleNamespace(
            past=past,
            w_past=scale(2 / h, past[1:]),
            v_state=field.randoms(3),
            v_old=field.randoms(3),
            w_old=field.randoms(3),
            shifted=shifted,
            w_shifted=scale(2 / (h * self.length), shifted[1:]),
        )
        inertia = [self.zero if value == 0 else field.random() for value in body.inertia]
        return BodyNumbers(
            field.random(),
            inertia,
            field.random(),
            field.randoms(3),
            field.sphere(4),
            field.randoms(3),
            turn,
            field.randoms(6),
            record,
        )

    def _past(self) -> list:
        """The turn of the step before, whose angular velocity has a length."""
        while True:
            past = self.field.sphere(4)
            try:
                self.size_of_turn(scale(2 / self.h, past[1:]))
            except NotASquare:
                continue
            return past

    def size_of_turn(self, w: list):
        """|h w|, guarded at 0."""
        turn = scale(self.h, w)
        return self.functions.sqrt(dot(turn, turn) + self.functions.base["number"](GUARD))

    def _turn_by_vectors(self) -> None:
        """Turn the child of a joint with three free rotations until its rotation vector has a length."""
        for joint in self.mechanism.joints:
            while joint.name in self.joints and coordinate_kinds(joint.type).count("rotation") == 3:
                places = [
                    self.world if name == "world" else (self.bodies[name].x, self.bodies[name].q)
                    for name in (joint.parent, joint.child)
                ]
                try:
                    rotation_vector(relative(self.joints[joint.name], *places), self.functions)
                    break
                except NotASquare:
                    self.bodies[joint.child].q = self.field.sphere(4)

    def _guard(self, name: str) -> list:
        size = self.system.sizes[name]
        return self.field.randoms(size) if self.guarded else [self.zero] * size

    # --- memory ----------------------------------------------------------------------------------------------------
    def memory(self) -> Memory:
        """Records for the kernels: parameters, state and inputs as they are here, work full of random numbers."""
        memory: Memory = {
            store: {
                kind: [self._record(kind, store, node) for node in nodes] for kind, nodes in self.program.nodes.items()
            }
            for store in STORES
        }
        memory["parameters"]["common"][0] |= {
            "gravity": list(self.gravity),
            "extent": [self.extent],
        }
        memory["work"]["common"][0]["step"] = [self.h]
        for k, body in enumerate(self.bodies.values()):
            memory["parameters"]["body"][k] |= {"mass": [body.mass], "inertia": list(body.inertia), "size": [body.size]}
            memory["state"]["body"][k] |= {
                "x": list(body.x),
                "q": list(body.q),
                "p": body.momentum[:3],
                "l": body.momentum[3:],
                "v": list(body.record.v_state),
                "w": list(body.record.w_past),
                "v_old": list(body.record.v_old),
                "w_old": list(body.record.w_old),
            }
        return memory

    def _record(self, kind: str, store: str, node) -> dict[str, list]:
        fields = self.program.records.of(kind, store)
        states = self.states if self.acts(kind) else self.watched_states
        known = {"parameters": self.parameters, "input": self.inputs, "state": states, "account": self.accounts}.get(
            store, {}
        ).get(node.name, {})
        if store == "parameters" and node.name in self.guards and self.acts(kind):
            known = known | {"guard": self.guards[node.name]}
        missing = (
            [f.name for f in fields if f.name not in known]
            if store == "parameters" and kind not in ("common", "body")
            else []
        )
        if missing:
            raise KeyError(f"{kind} {node.name}: no definition of the parameter {', '.join(missing)}")
        return {f.name: list(known.get(f.name) or self.field.randoms(f.size)) for f in fields}

    def kernel_numbers(self) -> dict:
        """The numbers that kernels run on: those of the definitions, with roots that a definition has taken."""
        return {"number": self.field.number, **self.opaque.functions(self.field.known_root)}


def chord(body: BodyNumbers) -> list:
    """Where a body stood one step before: q0 with q1 = q0 [c; (h/2) omega], for the velocity over the last step."""
    past = body.record.past
    return multiply(body.q, conjugate([past[0], *unrotate(body.q, past[1:])]))


def make_scene(make: Callable[[int], Scene], seed: int, complete: Callable[[Scene], None]) -> Scene:
    """A scene at a point where every root that a definition takes exists; `complete(scene)` evaluates definitions.

    make: a scene at the random point that a number gives.
    """
    for attempt in range(ATTEMPTS):
        try:
            scene = make(ATTEMPTS * seed + attempt)
            complete(scene)
            return scene
        except NotASquare:
            continue
    raise NotASquare(f"no point with all roots in {ATTEMPTS} attempts")
