"""The numbers that a program puts into its parameters, compared with a second derivation of them from the description.

Kernels are proved for exact numbers (exact.py); that the floats of a mechanism are those numbers, rounded, is checked
here, and that every number baked into the text is exactly the number that the proof uses in its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from symvi.analysis.choices import Choices
from symvi.exact.field import Field
from symvi.mechanism import Mechanism
from symvi.naive.quaternion import scale
from symvi.program.program import Program
from symvi.proofs.contact_numbers import all_records
from symvi.proofs.exact import Exact, Plain
from symvi.proofs.numbers import joints_of

TOLERANCE = 4e-15  # a few products of numbers near one, each rounded once
FREE = ("guard",)  # chosen by the analysis of loops, not by the description


def parameter_differences(mechanism: Mechanism, choices: Choices, program: Program) -> Iterator[str]:
    """Parameters that are not as described, and baked numbers that are not exact; nothing when all is well."""
    plain = all_records(mechanism, choices, joints_of(mechanism, Plain()), Plain())
    exact = Exact(Field())
    proved = all_records(mechanism, choices, joints_of(mechanism, exact), exact)
    bodies = {body.name: {"mass": [body.mass], "inertia": list(body.inertia)} for body in mechanism.bodies}
    for kind, nodes in program.nodes.items():
        for node in nodes:
            given = program.parameters.get((kind, node.index), {})
            if node.name in plain:
                yield from _baked(program, kind, node.name, proved[node.name])
            if node.name in plain or kind == "body":
                known = plain[node.name] if node.name in plain else bodies[node.name] | {"size": list(given["size"])}
                yield from _different(f"{kind} {node.name}", given, _with_signs(given, known))


def _baked(program: Program, kind: str, name: str, proved: dict[str, list]) -> Iterator[str]:
    for (other, field), entries in program.baked.items():
        if other == kind:
            for k, entry in enumerate(entries):
                if entry is not None and (field not in proved or proved[field][k] != entry):
                    yield f"{kind} {name}: {field}, entry {k}: baked as {entry}, which it is only approximately"


def _with_signs(given, known: dict[str, list]) -> dict[str, list]:
    """A triad's quaternion is as good as its negative, if both bodies of a joint have the same one."""
    found = dict(known)
    for name in known:
        if name.endswith("frame_b") and name in given:
            other = name.removesuffix("b") + "a"
            if sum(a * b for a, b in zip(given[name], known[name], strict=True)) < 0:
                found |= {name: scale(-1, known[name]), other: scale(-1, known[other])}
    return found


def _different(place: str, given, known: dict[str, list]) -> Iterator[str]:
    for field, values in given.items():
        if field not in known and field not in FREE:
            yield f"{place}: {field} is not defined"
        elif field in known and len(values) != len(known[field]):
            yield f"{place}: {field} has {len(values)} numbers, and its record says {len(known[field])}"
        elif field in known:
            for k, (value, wanted) in enumerate(zip(values, known[field], strict=True)):
                if not abs(value - wanted) <= TOLERANCE * max(1.0, abs(wanted)):
                    yield f"{place}: {field}, entry {k}: {value!r}, and the description says {wanted!r}"
