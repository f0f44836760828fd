"""A program: kernels per node type, and the schedule of calls with literal nodes; runs on any number type."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from symvi.analysis.choices import Findings
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
from symvi.numbers.derived_parameters import Derivation

WORKING = (  # phases of an iteration
    "evaluate", "apply_impulse", "merit", "linearize", "eliminate", "resolve", "substitute", "advance",
)  # fmt: skip
LONGEST = 63  # characters of a name that compilers of C tell apart


def free_name(base: str, members: Sequence[str], taken: Collection[str]) -> str:
    """A name for a type of nodes or a kernel: its base, with the first of its members' where another has that already.

    A number tells apart what these do not.
    """
    texts = [re.sub(r"[^A-Za-z0-9]+", "_", member).strip("_") for member in members]
    names = (base, *(f"{base}_{text}" for text in texts), *(_numbered(base, n) for n in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken and (name == base or len(name) <= LONGEST))


def _numbered(base: str, n: int) -> str:
    """A base with a number, its end cut off if it is too long."""
    return f"{base[: LONGEST - len(str(n)) - 1]}_{n}"


@dataclass(frozen=True)
class Node:
    """One instance of a node type: the `index`-th record of `kind`, called `name` in the mechanism."""

    kind: str
    index: int
    name: str


@dataclass(frozen=True)
class Call:
    """A kernel on nodes: one node per port of the kernel, in the order of its ports."""

    kernel: Kernel
    nodes: tuple[Node, ...]
    comment: str = ""


def solved_kinds(program: Program) -> tuple[str, ...]:
    """Node types whose increments `s` are velocities that a step is solved for: bodies, or joints of a tree.

    Joints have rates `u`, those that drivers lead as well, whose increments their rows ask for.
    """
    if not program.notes["chords"]:
        return ("body",)
    return tuple(k for k in program.nodes if any(f.name == "u" for f in program.records.of(k, "work")))


def work_of(program: Program) -> int:
    """Operations of an iteration, that of an interior point included."""
    return sum(program.flops(phase) for phase in WORKING)


class NearNotes(TypedDict):
    """What is told of contacts that are looked at only where bodies are near.

    kinds: type of contacts -> type of the records of their reach. bodies: numbers of those that may touch each other.
    pairs: which of these do, by their places in `bodies`; a pair's number is that of its record of type LINK. edges:
    how many blocks between them there may be at once. integers: of 16 bits, that the work memory holds for all this.
    """

    kinds: dict[str, str]
    bodies: list[int]
    pairs: list[list[int]]
    edges: int
    integers: int


@dataclass(frozen=True)
class RowInfo:
    """A constraint row as a user knows it."""

    node: str
    name: str
    unit: str


class OrderNotes(TypedDict):
    """What is told of the elimination: names in order, pairs of names that fill in, constraints that close loops.

    coordinates: what is solved for, "maximal" or "tree". chords: `resolve` takes any residual through the factors of an
    earlier iteration, which leaves what is open to `rest` of bodies. bends: steps begin on a parabola through three.
    rule: the name of the quadrature rule that makes the steps. near: contacts that are looked at where bodies are near
    (near.py).
    """

    order: list[str]
    fill: list[list[str]]
    loops: list[str]
    coordinates: str
    chords: bool
    bends: bool
    rule: NotRequired[str]
    near: NotRequired[NearNotes]


class MotionNotes(TypedDict):
    """What is told of joint coordinates: where they lie, what carried angles and drivers they give."""

    motion: list[dict[str, Any]]
    carried_motion: list[dict[str, Any]]
    driven_motion: list[dict[str, Any]]
    placing_settles: bool


class Notes(Findings, OrderNotes, MotionNotes):
    """What a program tells of its mechanism and its nodes, as plain data (notes.py, compose.py).

    Each table names a node by "kind" and "index". constraints: what a user calls the rows. angles: which coordinate a
    carried angle belongs to. baked: element.field -> {entry: exact value}. inequalities: contacts, limits and dry
    friction. works, losses: nodes whose energy is accounted for. watched: rows that were dropped are evaluated.
    composition: the name of that of its steps, where they are of an order above 2. lean: whether steps alone are
    left (lean.py).
    """

    constraints: list[dict[str, Any]]
    angles: list[dict[str, Any]]
    baked: dict[str, dict[int, int]]
    derived: Derivation
    watched: bool
    inequalities: list[dict[str, Any]]
    works: list[dict[str, Any]]
    losses: list[dict[str, Any]]
    uses_c_library: bool
    composition: NotRequired[str]
    lean: NotRequired[bool]


@dataclass(frozen=True)
class Program:
    """The schedule of one mechanism: `phases` maps a name to calls in order.

    Phases: setup (per change of parameters), prepare (per step), begin (start of the iteration), evaluate (the
    residual), merit, linearize (blocks of the Newton matrix that the residual does not need), eliminate (factors and
    forward substitution), substitute (backwards), advance, shorten_step, finish, energy and more: see phases.py.
    """

    name: str
    digest: str
    records: Records
    nodes: Mapping[str, tuple[Node, ...]]
    phases: Mapping[str, tuple[Call, ...]]
    parameters: Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]
    baked: Mapping[tuple[str, str], tuple]
    notes: Notes
    tangents: Mapping[str, tuple[Call, ...]] = field(default_factory=dict)  # phases of derivatives alone

    def kernels(self) -> tuple[Kernel, ...]:
        """Every kernel once, in the order of phases and of first call. Names tell kernels apart in every text."""
        seen: dict[str, Kernel] = {}
        for calls in self.phases.values():
            for call in calls:
                if seen.setdefault(call.kernel.name, call.kernel) is not call.kernel:
                    raise ValueError(f"program {self.name}: two different kernels are called {call.kernel.name}")
        return tuple(seen.values())

    def flops(self, phase: str) -> int:
        return sum(call.kernel.flops() for call in self.phases[phase])
