"""What lies where in the exported structs: names, offsets, units of every number, and the sizes of the structs.

Parameters, state, input and work consist of reals alone, so that offsets follow by counting; a test compares them with
offsetof and sizeof of compilers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symvi.emit.c_printer import CPrinter
from symvi.emit.parameter_text import ParameterText
from symvi.exporters.text import ExportedText
from symvi.numbers.settings import OWN_PARAMETER
from symvi.program.precision import held
from symvi.simulate.plan import reals_of

__all__ = ["REAL_BYTES", "fields", "inputs", "parameters", "rows", "struct_bytes"]

REAL_BYTES = {"double": 8, "float": 4}
INT_BYTES = 4
STORES = ("parameters", "state", "input", "work")
_MEMBER = re.compile(r"^    (\w+) (\w+)(?:\[(\d+)\])?;", re.M)


def fields(text: ExportedText, store: str, values: Sequence[float]) -> Iterator[dict[str, Any]]:
    """Every field of a struct: name in the description, place in C, offset [bytes], count, unit, meaning, value.

    values: the numbers of the struct in their order, where the description starts; told as memory holds them.
    """
    size = REAL_BYTES[text.sources.real]
    program, places = text.program, text.plan.fields[store]
    for kind, nodes in program.nodes.items():
        for node in nodes:
            for field in program.records.of(kind, store):
                offset, count = places[f"{kind}/{node.index}/{field.name}"]
                value = [held(number, text.sources.real) for number in values[offset : offset + count]]
                yield {
                    "name": f"{node.name}.{field.name}",
                    "c": f"{kind}[{node.index}].{field.name}",
                    "offset": offset * size,
                    "count": count,
                    "unit": field.unit,
                    "meaning": field.meaning,
                    "value": value if count > 1 else value[0],
                }


def parameters(text: ExportedText) -> Iterator[dict[str, Any]]:
    """The fields of the parameters, each with what a caller may do with it: its "role", and which entries are "fixed".

    free: may be changed; follows: update_parameters works it out from others; fixed: stays as described, being a
    constant of the text or tied to others; solver: better left alone.
    """
    numbers = ParameterText(CPrinter(text.program, text.sources.name, text.sources.real))
    for place, field in zip(numbers.places, fields(text, "parameters", text.plan.defaults), strict=True):
        element, _, name = field["name"].partition(".")
        field["name"] = f"{element}.{name.removeprefix(OWN_PARAMETER)}"  # as --set calls them
        yield {**field, "role": numbers.role(place), "fixed": sorted(numbers.fixed(place))}


def inputs(text: ExportedText, values: Sequence[float]) -> Iterator[dict[str, Any]]:
    """The fields of the input, each with the constant that names its place in the header."""
    printer = CPrinter(text.program, text.sources.name, text.sources.real)
    constants = [constant for constant, _, _ in printer.constants.input_places()]
    for constant, field in zip(constants, fields(text, "input", values), strict=True):
        yield {**field, "constant": constant}


def rows(text: ExportedText, undetermined: Mapping[str, Sequence[int]]) -> dict[str, list[dict[str, Any]]]:
    """What lies where in the arrays of the entry points: minimal coordinates, reactions of joints, contact points.

    undetermined: joint -> which numbers of its reaction are arbitrary (symvi/exporters/undetermined.py).
    """
    printer = CPrinter(text.program, text.sources.name, text.sources.real)
    names = [node.name for motion in printer.groups.motions() for node in text.program.nodes[motion["kind"]]]
    sizes = [motion["size"] for motion in printer.groups.motions() for _ in text.program.nodes[motion["kind"]]]
    coordinates = zip(names, sizes, printer.constants.coordinates(), strict=True)
    listed = {
        "reaction": [node.name for node in printer.groups.reactions()],
        "point": [p["name"] for p in text.plan.contacts],
    }
    found = {
        what: [
            {"name": name, "row": k, "constant": printer.constants.constant(what, name)} for k, name in enumerate(of)
        ]
        for what, of in listed.items()
    }
    return {
        "coordinates": [
            {"name": name, "first": first, "count": count, "meaning": meaning, "constant": constant}
            for name, count, (constant, first, meaning) in coordinates
        ],
        "reactions": [{**row, "undetermined": list(undetermined.get(row["name"], ()))} for row in found["reaction"]],
        "contact points": found["point"],
    }


def struct_bytes(text: ExportedText) -> dict[str, int]:
    """The size of every struct that a firmware keeps [bytes]: parameters, state, input, work, options, info."""
    size = REAL_BYTES[text.sources.real]
    found = {store: size * max(1, text.plan.sizes[store]) for store in STORES}
    if near := text.plan.notes.get("near"):  # integers of 16 bits behind the reals
        found["work"] += -(-2 * near["integers"] // size) * size - size * reals_of(near["integers"])
    header = text.sources.files[f"{text.sources.name}.h"]
    return found | {name: _bytes_of(header, f"{text.sources.name}_{name}", size) for name in ("options", "info")}


def _bytes_of(header: str, struct: str, real: int) -> int:
    """The size of a struct of reals and ints, as every usual C compiler lays it out."""
    end = header.index(f"}} {struct};")
    members = _MEMBER.findall(header, header.rindex("typedef struct {", 0, end), end)
    offset = alignment = 0
    for kind, _, count in members:
        size = INT_BYTES if kind == "int" else real
        offset = -(-offset // size) * size + size * int(count or 1)
        alignment = max(alignment, size)
    return -(-offset // alignment) * alignment
