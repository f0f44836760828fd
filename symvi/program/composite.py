"""Which freedoms carry which bodies between two knots, for derivatives of a step by composite bodies
(kernels/composite.py).

The way is open to trees whose joints are rows of slides and turns, under gravity and motors along their coordinates.
All others go the general way, a column a direction (slopes.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symvi.kernels import composite
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.composite import COLUMN, FREEDOM, PAIR
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
from symvi.program.program import Call, Node, Program
from symvi.program.slope_scripts import is_tree, memory

# joints whose every freedom moves, with its axis, all that lies further out
ROWS_OF_FREEDOMS = ("revolute", "prismatic", "cylindrical", "universal", "planar", "screw")
MOTOR = "actuator"


@dataclass(frozen=True)
class Composites:
    """Freedoms by the order of coordinates, and the kernels that run on them.

    records: of the program, with those of freedoms. below: of every freedom the next one inwards, or None. outwards:
    the freedoms in an order in which every one comes after those below. carries: of every body the freedom that carries
    it, None where it stands. carriers: of every freedom a body that carries its axis, None where that stands. columns:
    calls that make the columns of a knot. motors: (kind, entries of an input, freedoms
    by node and entry) of every type of motors.
    """

    records: Records
    below: tuple[int | None, ...]
    outwards: tuple[int, ...]
    carries: tuple[int | None, ...]
    carriers: tuple[int | None, ...]
    columns: tuple[Call, ...]
    motors: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    kernels: dict[str, Kernel]


def composites_of(program: Program) -> Composites | None:
    """The freedoms of a program; None where it goes the general way."""
    types = {(note["kind"], note["index"]): note["text"].split(":")[0] for note in program.notes["motion"]}
    if not is_tree(program) or memory(program) or program.notes["inequalities"]:
        return None
    if not set(types.values()) <= set(ROWS_OF_FREEDOMS) or not _is_plain(program):
        return None
    first = _firsts(program)
    records = Records({key: dict(fields) for key, fields in program.records.fields.items()}, program.records.entries)
    composite.declare(records)
    below: dict[int, int | None] = {}
    carries: dict[int, int | None] = {}
    carriers: dict[int, int | None] = {}
    columns, made, joined = [], {}, {}
    for call in program.phases["place"]:
        nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
        far = next(at.port for at in call.kernel.writes if at.store == "state")
        near = next((label for label, node in nodes.items() if node.kind == BODY and label != far), None)
        joint = next(node for node in call.nodes if node.kind not in (BODY, COMMON))
        count = next((f.size for f in program.records.of(joint.kind, "motion")), 0)
        order = tuple(range(count)) if far == "b" else tuple(reversed(range(count)))
        last = None if near is None else carries[nodes[near].index]
        own = [first[joint.kind] + count * joint.index + k for k in order]
        if len(own) > 2:  # what lies between two others is on no body
            return None
        for freedom in own:
            below[freedom], last = last, freedom
            carriers[freedom] = nodes[far].index if freedom != own[0] else None if near is None else nodes[near].index
        carries[nodes[far].index] = last
        joined[frozenset(node.index for node in nodes.values() if node.kind == BODY)] = [*sorted(own)]
        if own:
            name = call.kernel.name.removeprefix("place_")
            kernel = made.setdefault(call.kernel.name, composite.column_kernel(call.kernel, name, order))
            lines = {f"s{k}": Node(COLUMN, freedom, f"{joint.name} {k}") for k, freedom in enumerate(own)}
            columns.append(Call(kernel, tuple((nodes | lines)[port.label] for port in kernel.ports)))
    motors = _motors(program, joined)
    if motors is None or len(carries) < len(program.nodes[BODY]):
        return None
    kernels = {
        "compose": composite.compose_kernel(records),
        "add": composite.add_kernel(records),
        "way": composite.way_kernel(records, True),
        "stand": composite.way_kernel(records, False),
        "lift": composite.lift_kernel(records),
        "pass": composite.pass_kernel(records),
        "move": composite.velocity_kernel(records, False),
        "move_root": composite.velocity_kernel(records, True),
        "rays": composite.ray_kernel(records),
        "masses": composite.mass_kernel(records),
        "pair": composite.pair_kernel(records),
    }
    count = len(below)
    return Composites(
        records,
        tuple(below[k] for k in range(count)),
        tuple(below),
        tuple(carries[k] for k in range(len(carries))),
        tuple(carriers[k] for k in range(count)),
        tuple(columns),
        motors,
        kernels,
    )


def with_freedoms(program: Program, found: Composites) -> Program:
    """The program with records of its freedoms, and of their columns at a knot."""
    nodes = {kind: tuple(Node(kind, k, str(k)) for k in range(len(found.below))) for kind in (FREEDOM, COLUMN, PAIR)}
    return replace(program, records=found.records, nodes={**program.nodes, **nodes})


def _is_plain(program: Program) -> bool:
    """Whether nothing but joints, motors and gravity acts."""
    joints = {node.kind for call in program.phases["place"] for node in call.nodes}
    motors = {note["kind"] for note in program.notes["works"] if note["type"] == MOTOR}
    others = {kind for kind, nodes in program.nodes.items() if nodes} - joints - motors - {COMMON}
    return not any(program.records.of(kind, store) for kind in others for store in ("parameters", "input", "state"))


def _firsts(program: Program) -> dict[str, int]:
    """Where the coordinates of every type of joints begin among all."""
    found, first = {}, 0
    for kind, nodes in program.nodes.items():
        size = next((f.size for f in program.records.of(kind, "motion")), 0)
        if size:
            found[kind] = first
            first += size * len(nodes)
    return found


def _motors(program: Program, joined: dict[frozenset[int], list[int]]) -> tuple | None:
    """Of every type of motors the freedoms that they act along; None where one acts elsewhere."""
    found: dict[str, dict[int, tuple[int, ...]]] = {}
    kinds = {note["kind"] for note in program.notes["works"] if note["type"] == MOTOR}
    for call in program.phases["prepare"]:
        motor = next((node for node in call.nodes if node.kind in kinds), None)
        if motor is not None:
            bodies = frozenset(node.index for node in call.nodes if node.kind == BODY)
            size = sum(f.size for f in program.records.of(motor.kind, "input"))
            if len(joined.get(bodies, ())) != size:
                return None
            found.setdefault(motor.kind, {})[motor.index] = tuple(joined[bodies])
    return tuple((kind, tuple(nodes[k] for k in range(len(nodes)))) for kind, nodes in found.items())
