"""Kernels and schedule as C99: names, sizes, comments and printed expressions for the templates to lay out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from struct import pack, unpack

from symvi import __version__
from symvi.emit.layouts import LARGEST_INLINE, LAYOUTS, choose_layout, inline_size, is_too_large, phase_lines
from symvi.emit.printer import Language, statements
from symvi.emit.python import HALF_TURN, QUARTER, SERIES, TURN
from symvi.emit.templates import environment
from symvi.errors import SymviError
from symvi.mechanism.names import checked_name, shown
from symvi.program import path
from symvi.program.angles import carried_once
from symvi.program.control import (
    APART,
    BESIDE,
    COMPLEMENTARITY,
    CONTACT_SIZE,
    CONTACT_TYPES,
    DOMAIN,
    FALL,
    FAST,
    GUARD,
    LEFT,
    LOST,
    ROUND_OFF,
    SAFETY,
    SENTENCES,
    SINGULAR_OPENING,
    SLOW,
    STILL,
    TOLERANCE,
    WEAK,
    SolverOptions,
    SolverStatus,
)
from symvi.program.kernel import Kernel, Location
from symvi.program.precision import COARSER, in_precision
from symvi.program.program import Node, Program
from symvi.program.records import Field

C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while real".split()
)
SUFFIX = {"parameters": "_p", "state": "_z", "input": "_u", "work": ""}
HOLDER = {"parameters": "p", "state": "z", "input": "u", "work": "w"}
WIDTH = 118
STEP = 0.01  # s: the time step of default parameters
MEANINGS = {
    "setup": "once per change of the parameters",
    "prepare": "what is fixed during a step",
    "watch": "rows that were dropped as redundant",
    "begin": "where Newton's method starts",
    "rest": "no motion",
    "evaluate": "residual, and gradients of the rows",
    "release": "bodies move free of contacts",
    "look": "what contacts would see if the last motion went on",
    "lag": "what the step after a knot will see, by the velocities of the one before",
    "warm": "contacts start on the central path",
    "press": "impulses of contacts, and what their slacks miss",
    "merit": "sum of squares of the residual",
    "linearize": "bodies' blocks of the Newton matrix",
    "scale": "what contacts do with a change of velocity",
    "exact": "what contacts do with a change of velocity, linearised as they stand",
    "keep": "keep the residual",
    "recall": "the residual as it was kept",
    "predict": "where contacts are sent if nothing is to be left of complementarity",
    "aim": "where contacts are sent by the present centring",
    "aim_exact": "where contacts are sent by the present centring, linearised as they stand",
    "resolve": "forward substitution of another right-hand side, leaves first",
    "respond": "increments of contacts from those of bodies",
    "eliminate": "factors of the Newton matrix and forward substitution, leaves first",
    "substitute": "backward substitution, root first",
    "settle": "take the solved velocities",
    "advance": "take the increment",
    "retreat": "take less of the increment",
    "react": "forces and torques of the joints",
    "finish": "write the second knot into the state",
    "displace": "move the placement",
    "launch": "momenta from velocities at the knot",
    "energy": "energies and momenta of the knot",
    "launch_chord": "momenta from velocities over the step before",
}
WRITES_STATE = ("finish", "displace", "launch", "launch_chord")


@dataclass(frozen=True)
class Sources:
    """Generated text: file name -> contents, the declarations that cffi needs, and what the text is of."""

    name: str
    files: Mapping[str, str]
    declarations: str
    layout: str
    real: str


@dataclass(frozen=True)
class Member:
    """A field of a printed struct."""

    name: str
    size: int
    comment: str


def generate(
    program: Program,
    *,
    layout: str = "auto",
    real: str = "double",
    prefix: str | None = None,
    start: Sequence[float] = (),
    kept: Path | None = None,
) -> Sources:
    """The C text of a program.

    layout: "inline", "unrolled", "looped", or "auto" (by the size of the machine code: layouts.py). real: "double" or
    "float". prefix: of every symbol and file, default the mechanism's name. start: the state that the text offers as
    that of the description, record by record; none if left out. kept: a folder for compiled templates.
    Raises ValueError for an unknown layout or real, and SymviError for a prefix that is no name, or inline text beyond
    its limit.
    """
    if real not in ("double", "float"):
        raise ValueError(f"real {real!r}: use 'double' or 'float'")
    prefix = _checked_prefix(program.name if prefix is None else prefix)
    program, layout = in_precision(program, real), _choose(program, layout)
    view = {**_view(program, layout, real, prefix), "starts": []}
    if start:
        view["starts"] = list(CPrinter(program, prefix, real).starts(start))
    env = environment("c", kept)
    header = env.get_template("mechanism.h.jinja").render(view)
    source = env.get_template("mechanism.c.jinja").render(view)
    name = view["prefix"]
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations_of(header), layout, real)


def _checked_prefix(prefix: str) -> str:
    """The prefix, if symbols and files may begin with it. Raises SymviError."""
    try:
        return checked_name(prefix)
    except ValueError as error:
        raise SymviError(f"prefix {shown(prefix)} {error}") from None


def _choose(program: Program, layout: str) -> str:
    if layout not in (*LAYOUTS, "auto"):
        raise ValueError(f"layout {layout!r}: use 'auto', 'inline', 'unrolled' or 'looped'")
    if layout == "auto":
        return choose_layout(program)
    if is_too_large(layout, program):
        raise SymviError(
            f"layout 'inline' is for up to {LARGEST_INLINE // 1024} KB of machine code, and '{program.name}' would "
            f"come to about {inline_size(program) // 1024} KB: use 'unrolled' or 'looped'"
        )
    return layout


def _view(program: Program, layout: str, real: str, prefix: str) -> dict:
    printer = CPrinter(program, prefix, real)
    phases = {phase: phase_lines(layout, printer, phase, program.phases.get(phase, ())) for phase in MEANINGS}
    for text in phases.values():
        text["lines"] = [part for line in text["lines"] for part in _broken(line)]
    used = {call.kernel.name for calls in program.phases.values() for call in calls}
    view = {
        "prefix": prefix,
        "PREFIX": prefix.upper(),
        "real": real,
        "version": __version__,
        "digest": program.digest,
        "name": program.name,
        "layout": layout,
        "layout_text": LAYOUTS[layout].text,
        "structs": list(printer.structs()),
        "aggregates": list(printer.aggregates()),
        "kernels": [] if layout == "inline" else [printer.kernel(k) for k in program.kernels() if k.name in used],
        "phases": phases,
        "statuses": [(s.name, int(s), SENTENCES[s]) for s in SolverStatus],
        "bodies": program.nodes["body"],
        "constraints": list(printer.constraints()),
        "names": list(printer.names()),
        "defaults": list(printer.defaults()),
        "options": SolverOptions(),
        "literal": printer.literal,
        "domain": printer.literal(Fraction(str(DOMAIN))),
        "fast": printer.literal(FAST),
        "fall": printer.literal(Fraction(str(FALL))),
        "safety": printer.literal(Fraction(str(SAFETY))),
        "left": printer.literal(LEFT),
        "still": printer.literal(STILL),
        "slow": printer.literal(SLOW),
        "singular_opening": printer.literal(SINGULAR_OPENING),
        "round_off": printer.literal(ROUND_OFF[real]),
        "guard": printer.literal(GUARD if real == "double" else COARSER * GUARD),
        "weak": printer.literal(WEAK),
        "lost": printer.literal(LOST),
        "apart": printer.literal(APART),
        "beside": [tuple(map(printer.literal, pair)) for pair in BESIDE],
        "loops": bool(program.notes["loops"]),
        "order": _wrapped("elimination order: " + ", ".join(program.notes["order"])),
        "angles": any("angle" in k.operation_count() or "atan2" in k.operation_count() for k in program.kernels()),
        "uses_c_library": program.notes.get("uses_c_library", False),
        "sources": _sources(program),
        "kinds": printer.kinds,
        "rows": sum(len(program.nodes[kind]) * rows for kind, rows in printer.row_counts.items()),
        "row_groups": list(printer.row_groups()),
        "reactions": list(printer.reactions()),
        "drivers": list(printer.drivers()),
        "watched": bool(phases["watch"]["lines"]),
        "carried": carried_once(program.notes["angles"]),
        "tolerance": printer.literal(TOLERANCE[real]),
        "phase_meaning": MEANINGS,
        "phase_arguments": {phase: _phase_arguments(program, printer, phase) for phase in MEANINGS},
        "arguments_pzuw": printer.signature("pzuw"),
        "arguments_state": printer.signature("pZuw"),
        "call": lambda phase: _phase_call(program, printer, phase),
        "nearest": any("angle" in k.operation_count() for k in program.kernels()),
    }
    for part in (_inequalities(program, printer, real), _angle_numbers(printer)):
        if twice := view.keys() & part.keys():
            raise ValueError(f"two values for {', '.join(sorted(twice))} in a template")
        view |= part
    return view


def _inequalities(program: Program, printer: CPrinter, real: str) -> dict:
    """Contacts, limits and dry friction by node type, and the numbers that steer their solver."""
    nodes = sorted(program.notes["inequalities"], key=lambda node: printer.kinds.index(node["kind"]))
    groups = {}
    for node in nodes:
        group = groups.setdefault(node["kind"], {**node, "count": 0, "closes": node["type"] in CONTACT_TYPES})
        group["count"] += 1
    contacts = [node for node in nodes if node["type"] in CONTACT_TYPES]
    return {
        "inequalities": list(groups.values()),
        "contacts": contacts,
        "contact_size": CONTACT_SIZE,
        "stops": sum(node["rows"] for node in nodes if node["type"] not in CONTACT_TYPES),
        "cones": any(group["cone"] for group in groups.values()),
        "degree": sum(node["pairs"] + node["cone"] for node in nodes),
        "attempts": path.ATTEMPTS,
        "papers_attempt": path.PAPERS,
        "at_knot": int(path.Rest.KNOT),
        "in_projection": int(path.Rest.PROJECTION),
        "inner_halvings": path.INNER_HALVINGS,
        "complementarity": printer.literal(COMPLEMENTARITY[real]),
        **{name.lower(): printer.literal(getattr(path, name)) for name in path.FACTORS},
        "clear": printer.literal(path.CLEAR[real]),
        "turned": printer.literal(path.TURNED),
        "joined": printer.literal(path.JOINED[real]),
        "refined": printer.literal(path.REFINED[real]),
        "stiffest": printer.literal(path.STIFFEST[real]),
    }


def _stores_of(program: Program, phase: str) -> list[str]:
    used = {store for call in program.phases.get(phase, ()) for _, store, _ in call.kernel.used_stores()}
    return [store for store in ("parameters", "state", "input", "work") if store in used]


def _phase_arguments(program: Program, printer: CPrinter, phase: str) -> str:
    written = ("work", "state") if phase in WRITES_STATE else ("work",)
    return ", ".join(
        f"{'' if store in written else 'const '}{printer.prefix}_{store} *{HOLDER[store]}"
        for store in _stores_of(program, phase)
    )


def _phase_call(program: Program, printer: CPrinter, phase: str) -> str:
    stores = _stores_of(program, phase)
    return (
        f"run_{phase}({', '.join(HOLDER[store] for store in stores)});" if stores else f"/* {phase}: nothing to do */"
    )


def _angle_numbers(printer: CPrinter) -> dict:
    return {
        "series": [printer.literal(term) for term in SERIES],
        "quarter": printer.literal(QUARTER),
        "half_turn": printer.literal(HALF_TURN),
        "turn": printer.literal(TURN),
    }


class CPrinter:
    """Names and text of one program in C."""

    def __init__(self, program: Program, prefix: str, real: str):
        self.program, self.prefix, self.real = program, prefix, real
        self.kinds = [kind for kind in program.nodes if program.nodes[kind]]
        self.row_counts = {
            kind: next(f.size for f in program.records.of(kind, "work") if f.name == "y")
            for kind in self.kinds
            if any(f.name == "y" for f in program.records.of(kind, "work"))
        }

    def literal(self, value: Fraction | float | int) -> str:
        """The shortest text of a number, in the precision of the target."""
        number = float(value)
        text = repr(number)
        if "e" not in text and "." not in text:
            text += ".0"
        return text + ("f" if self.real == "float" else "")

    def row_groups(self) -> Iterator[dict]:
        """Node types whose rows are reported: constraints, and the rows that are only watched."""
        for kind in self.kinds:
            fields = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "g" in fields:
                yield {
                    "kind": kind,
                    "count": len(self.program.nodes[kind]),
                    "rows": fields["g"],
                    "watched": "y" not in fields,
                    "guarded": any(f.name == "guard" for f in self.program.records.of(kind, "parameters")),
                }

    def reactions(self) -> Iterator:
        """The constraints that report a wrench, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "reaction" for f in self.program.records.of(kind, "work")):
                yield from self.program.nodes[kind]

    def drivers(self) -> Iterator:
        """The constraints that follow an input, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "rate_before" for f in self.program.records.of(kind, "state")):
                yield from self.program.nodes[kind]

    def signature(self, letters: str) -> str:
        """Parameters of a function on the four stores: p z u w, Z where the state is written."""
        names = {"p": "parameters", "z": "state", "u": "input", "w": "work"}
        parts = [
            f"{'' if letter in 'wZ' else 'const '}{self.prefix}_{names[letter.lower()]} *{letter.lower()}"
            for letter in letters
        ]
        return ", ".join(parts[:2]) + ",\n    " + ", ".join(parts[2:])

    def struct(self, kind: str, store: str) -> str:
        return f"{self.prefix}_{kind}_{store}"

    def argument(self, label: str, store: str) -> str:
        return f"{label}{SUFFIX[store]}"

    def structs(self) -> Iterator[dict]:
        """A struct per node type and store, in the order of the stores."""
        for store in ("parameters", "state", "input", "work"):
            for kind in self.kinds:
                fields = self.program.records.of(kind, store)
                if fields:
                    members = [
                        Member(f.name, f.size, f"{f.meaning} [{f.unit}]" if f.unit != "1" else f.meaning)
                        for f in fields
                    ]
                    yield {
                        "name": self.struct(kind, store),
                        "members": members,
                        "comment": f"{kind.replace('_', ' ')}: {store}",
                    }

    def aggregates(self) -> Iterator[dict]:
        """The four structs that hold all records of a store."""
        for store in ("parameters", "state", "input", "work"):
            members = [
                {"type": self.struct(kind, store), "name": kind, "count": len(self.program.nodes[kind])}
                for kind in self.kinds
                if self.program.records.of(kind, store)
            ]
            yield {"name": f"{self.prefix}_{store}", "members": members, "store": store}

    def constraints(self) -> Iterator[dict]:
        for kind, rows in self.row_counts.items():
            for node in self.program.nodes[kind]:
                yield {"kind": kind, "index": node.index, "name": node.name, "rows": rows}

    def names(self) -> Iterator[tuple[str, int]]:
        """Constants that name the nodes of every type, for a reader and for an embedded program."""
        for kind in self.kinds:
            if kind == "common" or kind.startswith("edge") or kind == "link":
                continue
            for node in self.program.nodes[kind]:
                yield f"{self.prefix.upper()}_{kind.upper()}_{_identifier(node.name)}", node.index

    def defaults(self) -> Iterator[dict]:
        """The numbers of the description: a table per node type, with the members of every node's struct in order."""
        for kind in self.kinds:
            fields = self.program.records.of(kind, "parameters")
            if fields:
                rows = [
                    {"name": node.name, "members": list(self._members(node, fields))}
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, "parameters"), "rows": rows}

    def starts(self, numbers: Sequence[float]) -> Iterator[dict]:
        """The numbers of a state, record by record: a table per node type like those of the parameters."""
        left = iter(numbers)
        for kind in self.kinds:
            fields = self.program.records.of(kind, "state")
            if fields:
                rows = [
                    {
                        "name": node.name,
                        "members": [self._member(f, [next(left) for _ in range(f.size)]) for f in fields],
                    }
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, "state"), "rows": rows}

    def _member(self, field: Field, numbers: Sequence[float]) -> str:
        """A member of an initialiser, each number as the very one that memory holds."""
        held = numbers if self.real == "double" else unpack(f"{len(numbers)}f", pack(f"{len(numbers)}f", *numbers))
        text = ", ".join(map(self.literal, held))
        return f"{text if field.size == 1 else f'{{ {text} }}'}, /* {field.name} */"

    def _members(self, node: Node, fields: Sequence[Field]) -> Iterator[str]:
        known = {"h": (STEP,), **self.program.parameters.get((node.kind, node.index), {})}
        for field in fields:
            numbers = ", ".join(self.literal(number) for number in known.get(field.name, (0.0,) * field.size))
            yield f"{numbers if field.size == 1 else f'{{ {numbers} }}'}, /* {field.name} */"

    def access(self, kernel: Kernel):
        sizes = {port.label: port.kind for port in kernel.ports}

        def text(location: Location) -> str:
            fields = self.program.records.fields[sizes[location.port], location.store]
            entry = location.field if fields[location.field].size == 1 else f"{location.field}[{location.index}]"
            return f"{self.argument(location.port, location.store)}->{entry}"

        return text

    def function(self, name: str, arguments: Sequence[str]) -> str:
        own = {"sqrt": f"{self.prefix.upper()}_SQRT", "angle": "angle_near", "atan2": "angle_of"}
        library = name + ("f" if self.real == "float" else "")
        return f"{own.get(name, library)}({', '.join(arguments)})"

    def arguments(self, kernel: Kernel) -> list[tuple[str, str, str, bool]]:
        """(struct, name, port kind, written) of every argument."""
        return [
            (self.struct(port.kind, store), self.argument(port.label, store), port.kind, written)
            for port, store, written in kernel.used_stores()
        ]

    def kernel(self, kernel: Kernel) -> dict:
        # No `restrict`, though the records of a call are different ones: clang 14 takes it as a promise about all turns
        # of a loop that the kernel is inlined into, where a body is the child in one and the parent in the next, and
        # vectorizes wrongly. Nothing is lost: kernels load no number again that they have stored.
        arguments = ", ".join(
            f"{'' if written else 'const '}{struct} *{name}" for struct, name, _, written in self.arguments(kernel)
        )
        signature = _broken(f"static void {kernel.name}({arguments})", 0)
        return {
            "name": kernel.name,
            "comment": self.comment(kernel),
            "signature": signature,
            "lines": self.body(kernel),
        }

    def comment(self, kernel: Kernel) -> list[str]:
        lines = _wrapped(f"{kernel.summary} ({kernel.flops()} operations)")
        for formula in kernel.formulas:
            lines += _wrapped(f"  {formula.equation}    [{formula.source}]")
        return lines

    def body(self, kernel: Kernel) -> list[str]:
        reserved = C_WORDS | {name for _, name, _, _ in self.arguments(kernel)}
        language = Language(self.literal, self.access(kernel), self.function, reserved)
        lines = []
        for statement in statements(kernel, language):
            if statement.kind == "store":
                lines.append(f"{statement.target} = {statement.expression};")
            else:
                lines.append(f"const real {statement.target} = {statement.expression};")
        return [part for line in lines for part in _broken(line)]


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).upper()


def _wrapped(text: str) -> list[str]:
    lines, indent = [], " " * (len(text) - len(text.lstrip()))
    while len(text) > WIDTH - 6:
        cut = text.rfind(" ", 0, WIDTH - 6)
        cut = cut if text[: max(cut, 0)].strip() else WIDTH - 6  # a word longer than a line is cut
        lines.append(text[:cut])
        text = indent + "  " + text[cut:].lstrip()
    return [*lines, text]


def _broken(line: str, margin: int = 4) -> list[str]:
    """A long line over several, broken at spaces between words that hold together (a type and its name do)."""
    parts, indent = [], " " * (len(line) - len(line.lstrip()) + 4)
    while len(line) > WIDTH - margin and not line.lstrip().startswith("/*"):
        cut = max(
            line.rfind(mark, len(indent) + 4, WIDTH - margin) + len(mark) for mark in (", ", " + ", " - ", "; ", " = ")
        )
        if cut <= len(indent) + 6:
            break
        parts.append(line[:cut].rstrip())
        line = indent + line[cut:]
    return [*parts, line]


def _sources(program: Program) -> list[str]:
    seen: dict[str, None] = {}
    for kernel in program.kernels():
        for formula in kernel.formulas:
            seen.setdefault(f"{formula.equation}    [{formula.source}]")
    return [line for text in seen for line in _wrapped(text)]


def declarations_of(header: str) -> str:
    """What cffi reads: the header between its two marks, without macros."""
    body = header.split("/* declarations begin */")[1].split("/* declarations end */")[0]
    lines = [line for line in body.splitlines() if not line.lstrip().startswith("#")]
    return re.sub(r"\b[A-Z0-9_]+_API\s+", "", re.sub(r"/\*.*?\*/", "", "\n".join(lines), flags=re.S))
