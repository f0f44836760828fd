"""Contacts that are looked at only where bodies are near, and the order in which bodies that touch are eliminated.

With a contact for every pair of bodies the Newton matrix is dense, whoever touches whom. Where a mechanism has many
contacts, they are found near or far anew in every step (kernels/nearness.py); kernels run on those that are near, by
a list. Blocks between bodies that touch are eliminated in an order of minimum degree that generated text finds in the
step (near.c.jinja), by the kernels that are traced here once, for any three bodies i, j, k:

    factor i:  D_i = L U, f_i := L^-1 f_i      scale ij:  F_ji := F_ji U^-1, F_ij := L^-1 F_ij, f_j -= F_ji f_i
    update jk: F_jk -= F_ji F_ik               gather ij: f_i -= F_ij s_j         solve i: s_i = U^-1 f_i

Contacts between two bodies are found so if nothing else ties these: no joint, gear or law between two bodies. Those
with the world always are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from symvi.graph.elimination import EliminationOrder
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import LINK, single
from symvi.kernels.kernel import Block, Kernel, Location, Port
from symvi.kernels.nearness import reach_of
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics.model import ContactModel
from symvi.program.block_elimination import Elimination
from symvi.program.draft import Draft
from symvi.program.matrix import Matrix, Tie
from symvi.program.node_elimination import InParts
from symvi.program.program import Call, NearNotes, Node
from symvi.scalar import Rate, Scalar

MANY = 100  # contacts of points and spheres beyond which far ones are left out
MOST_BODIES = 362  # bodies that may touch each other: all of their pairs are counted in 16 bits
MOST_CONTACTS = 65535
EDGE = "edge_near"


class Tied(NamedTuple):
    """The contacts that are found near, and the bodies that may touch each other, in the order of the description."""

    contacts: frozenset[str]
    bodies: tuple[str, ...]


NOTHING = Tied(frozenset(), ())


def found_near(inequalities: Iterable, bodies: Sequence[str], ties: Iterable[Iterable[str | None]]) -> Tied:
    """Which contacts are found near. ties: bodies of everything else that has blocks between bodies, or rows."""
    contacts = [model for model in inequalities if isinstance(model, ContactModel)]
    able = [model for model in contacts if model.unit_gradient and "radius" in model.parameters]
    if not MANY < len(able) <= MOST_CONTACTS:
        return NOTHING
    tied = {body for tie in ties for body in tie if body is not None}
    between = [tuple(model.bodies.values()) for model in contacts if None not in model.bodies.values()]
    own = {model.name for model in able}
    tied |= {b for model in contacts if model.name not in own and None not in model.bodies.values()
             for b in model.bodies.values() if b is not None}  # fmt: skip
    count = -1
    while count != len(tied):  # a contact with a tied body ties the other one
        count = len(tied)
        tied |= {body for pair in between if tied & set(pair) for body in pair if body is not None}
    free = {body for pair in between for body in pair if body is not None} - tied
    if len(free) > MOST_BODIES:
        return NOTHING
    near = {model.name for model in able if None in model.bodies.values() or set(model.bodies.values()) <= free}
    return Tied(frozenset(near), tuple(body for body in bodies if body in free))


class RunTimeElimination:
    """The kernels by which bodies are eliminated in an order that is found in the step.

    draft: of the program, with all that acts on its bodies. diagonal: the block of a body before the elimination.
    calls: every kernel once, on records that stand for i, j, k and the edges between them.
    """

    def __init__(self, draft: Draft, diagonal: Block, taken: set[str]):
        records, pattern = draft.records, draft.pattern(LINK, "upper", "lower")
        nodes = [Node(BODY, k, name) for k, name in enumerate("ijk")]
        pairs = [(0, 1), (0, 2), (1, 2)]
        ties = {pair: _tie(pair, Node(EDGE, k, "edge"), pattern) for k, pair in enumerate(pairs)}
        matrix = Matrix(nodes, {BODY: 6}, {BODY: diagonal}, ties, frozenset(), {}, {}, {})
        later = ((1, 2), (2,), ())
        order = EliminationOrder((0, 1, 2), later, frozenset(), (), (), (), (None,) * 3, ((), (), ()))
        for name in ("above", "below"):
            records.declare(EDGE, "work", name, 36, "block between two bodies that touch, then its factor")
        elimination = Elimination(records, matrix, order, again=True)
        elimination.names = taken
        elimination.records.touched |= {(j, k) for j in range(3) for k in range(3)}
        node = InParts(elimination, 0)
        factor, scale, _, update, above, below, _ = node.eliminate()
        own, onto, _ = node.resolve()
        gather, _, solve = node.substitute()
        filled = {name: elimination.filled.pattern_of(*pair) for name, pair in (("above", (0, 1)), ("below", (1, 0)))}
        clear = Call(_clear(records, filled), (Node(EDGE, 0, "edge"),))
        ahead, back = (
            Call(_fetch(records, filled, names, forth), (Node(EDGE, 0, "edge"), Node(LINK, 0, "link")))
            for names, forth in ((("upper", "lower"), True), (("lower", "upper"), False))
        )
        self.calls: Mapping[str, Call] = {
            "factor": factor, "scale": scale, "update": update, "update_above": above, "update_below": below,
            "resolve": own, "resolve_onto": onto, "gather": gather, "solve": solve, "clear": clear, "fetch": ahead,
            "fetch_back": back,
        }  # fmt: skip


def _tie(pair: tuple[int, int], edge: Node, pattern: int) -> Tie:
    """pattern: of the entries that may differ from zero, whichever of the two is eliminated first."""
    blocks = {pair: Block.dense(6, 6, "above", pattern), pair[::-1]: Block.dense(6, 6, "below", pattern)}
    return Tie("near", "edge", blocks, edge)


def _clear(records: Records, filled: Mapping[str, int]) -> Kernel:
    """filled: the pattern of both blocks of an edge, once all is eliminated."""

    def build(trace: Trace) -> None:
        for name, pattern in filled.items():
            _write(trace, name, pattern, [trace.graph.constant(0)] * 36)

    return single(records, f"clear_{EDGE}", "a block that fills in starts at zero", (Port(EDGE, EDGE),), EDGE, build)


def _write(trace: Trace, name: str, pattern: int, values: Sequence[Scalar]) -> None:
    for index, value in enumerate(values):
        if pattern >> index & 1:
            trace.writes.append((Rate.ITERATION, Location(EDGE, "work", name, index), value))


def _fetch(records: Records, filled: Mapping[str, int], names: tuple[str, str], forth: bool) -> Kernel:
    """Blocks of a pair of bodies into the edge between them. forth: the pair's first body is eliminated first."""

    def build(trace: Trace) -> None:
        for (goal, pattern), name in zip(filled.items(), names, strict=True):
            _write(trace, goal, pattern, trace.read(LINK, "work", name, 36, "block between two bodies"))

    name = f"fetch_{EDGE}" if forth else f"fetch_{EDGE}_back"
    summary = "blocks of a pair of bodies" + ("" if forth else ", the second of which is eliminated first")
    return single(records, name, summary, (Port(EDGE, EDGE), Port(LINK, LINK)), EDGE, build)


def edges_of(bodies: int) -> int:
    """How many blocks between bodies there may be at once: one for every two of them."""
    return bodies * (bodies - 1) // 2


def near_notes(draft: Draft, tied: Tied, links: Sequence[tuple[str, str]]) -> NearNotes | None:
    """What is told of contacts that are found near; None where there are none. links: the records of type LINK."""
    kinds = {kind: reach_of(kind) for kind in draft.nodes if reach_of(kind) in draft.nodes}
    if not kinds:
        return None
    place = {body: k for k, body in enumerate(tied.bodies)}
    pairs = [[place[a], place[b]] for a, b in links if a in place]
    counts, bodies, edges = [len(draft.nodes[kind]) for kind in kinds], len(place), edges_of(len(place))
    integers = sum(1 + 4 * count for count in counts)
    if bodies:
        integers += (1 + 3 * len(pairs)) + (2 * bodies + (bodies + 1) + 2 * edges + 1) + bodies * bodies
    return {
        "kinds": kinds,
        "bodies": [draft.bodies[name].index for name in tied.bodies],
        "pairs": pairs,
        "edges": edges,
        "integers": integers,
    }
