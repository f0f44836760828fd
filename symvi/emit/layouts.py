"""Three layouts of one schedule: the same kernels in the same order, only the calls differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symvi.emit.repetitions import Repetition, repetitions_in
from symvi.program.program import Call, Program

HOLDER = {"parameters": "p", "state": "z", "input": "u", "work": "w", "motion": "m", "account": "account"}
HOLDER |= {f"{mark}_{store}": f"{mark}{HOLDER[store]}" for mark in "dc" for store in list(HOLDER) if store != "account"}
HOLDER |= {"tape": "tape"}  # d: tangents, c: a column of them (program/tape.py)
BESIDE_STEPS = ("couple", "place", "measure", "account", "reread", "ahead", "scatter")  # phases that no step runs
# Machine code of the inline layout [bytes]: so much for every operation with the loads and stores around it, and so
# much beside them: more in joint coordinates, whose control is more beside few operations, and more with loops there.
# gcc keeps to it within 11 % from one body to six, loops and many forces included.
PER_OPERATION, BESIDE, BESIDE_SWEEPS, BESIDE_LED_LOOPS = 11, 10240, 13824, 10240
# What a processor's nearest cache holds [bytes]: code beyond it is fetched anew in every iteration, and calls of shared
# kernels are quicker.
NEAREST_CACHE = 32 * 1024
# Beyond, compilers take time out of proportion [bytes].
LARGEST_INLINE = 160 * 1024
# Of a phase in the looped layout, loops, and calls between two of them: with more, its text would grow with the links.
MOST_LOOPS, MOST_CALLS = 8, 4
READABLE = 12  # bodies up to which a person reads the elimination order call by call


@dataclass(frozen=True)
class Layout:
    """How the calls of a phase are written, in words and in code."""

    text: str
    lines: Callable


def inline_size(program: Program) -> int:
    """The machine code of a program's steps in the inline layout, estimated from its operations [bytes]."""
    operations = sum(program.flops(phase) for phase in program.phases if phase not in BESIDE_STEPS)
    if program.notes["coordinates"] != "tree":
        return BESIDE + PER_OPERATION * operations
    return BESIDE_SWEEPS + BESIDE_LED_LOOPS * bool(program.notes["loops"]) + PER_OPERATION * operations


def is_too_large(layout: str, program: Program) -> bool:
    """Whether a layout is refused for a program."""
    return layout == "inline" and inline_size(program) > LARGEST_INLINE


def choose_layout(program: Program) -> str:
    """Inline while it fits the nearest cache; then the order written out for a reader; then a table.

    What is to be small is not written out in place: kernels that several nodes share stand there once.
    """
    if inline_size(program) <= NEAREST_CACHE and not program.notes.keys() & {"near", "lean"}:
        return "inline"
    return "unrolled" if len(program.nodes["body"]) <= READABLE else "looped"


def phase_lines(layout: str, printer, phase: str, calls: Sequence[Call]) -> dict:
    """The text of one phase: `table` (static data before the function) and `lines` (its body)."""
    near = printer.near
    if near is None:
        return LAYOUTS[layout].lines(printer, phase, calls)
    each, listed = near.split(calls)
    text = LAYOUTS[layout].lines(printer, phase, each)
    return {**text, "lines": [*text["lines"], *near.lines(phase, listed)]}


def _target(printer, node, store: str) -> str:
    return f"&{HOLDER[store]}->{node.kind}[{node.index}]"


def _arguments(printer, call: Call) -> list[str]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [_target(printer, nodes[port.label], store) for port, store, _ in call.kernel.used_stores()]


def _unrolled(printer, phase: str, calls: Sequence[Call]) -> dict:
    lines = []
    for call in calls:
        if call.comment:
            lines.append(f"/* {call.comment} */")
        lines.append(f"{call.kernel.name}({', '.join(_arguments(printer, call))});")
    return {"table": [], "lines": lines}


def _inline(printer, phase: str, calls: Sequence[Call]) -> dict:
    lines = []
    for call in calls:
        lines += [f"/* {line} */" for line in [call.comment or call.kernel.name, *printer.comment(call.kernel)]]
        lines.append("{")
        for (struct, name, _, written), target in zip(
            printer.arguments(call.kernel), _arguments(printer, call), strict=True
        ):
            lines.append(f"    {'' if written else 'const '}{struct} *const {name} = {target};")
        lines += [f"    {line}" for line in printer.body(call.kernel, HOLDER.values())]
        lines.append("}")
    return {"table": [], "lines": lines}


def _looped(printer, phase: str, calls: Sequence[Call]) -> dict:
    """Where kernels come again further on, a loop; a few calls as they are; for all others a table of kernels."""
    parts = repetitions_in(calls)
    if sum(isinstance(part, Repetition) for part in parts) > MOST_LOOPS:
        parts = [tuple(calls)]
    table = _Table(
        phase, [call for part in parts if not isinstance(part, Repetition) and _is_tabled(part) for call in part]
    )
    lines, row = [], 0
    for part in parts:
        if isinstance(part, Repetition):
            lines += _loop(part)
        elif _is_tabled(part):
            lines += table.loop(row, len(part))
            row += len(part)
        else:
            lines += _unrolled(printer, phase, part)["lines"]
    return {"table": table.lines(), "lines": lines}


def _is_tabled(part: Sequence[Call]) -> bool:
    return len(part) > MOST_CALLS


def _loop(repetition: Repetition) -> list[str]:
    lines = [f"for (unsigned int n = 0u; n < {repetition.turns}u; n++) {{"]
    for call, shifts in zip(repetition.pattern, repetition.shifts, strict=True):
        index = {port.label: _index(node.index, shift)
                 for port, node, shift in zip(call.kernel.ports, call.nodes, shifts, strict=True)}  # fmt: skip
        arguments = [
            f"&{HOLDER[store]}->{port.kind}[{index[port.label]}]" for port, store, _ in call.kernel.used_stores()
        ]
        lines.append(f"    {call.kernel.name}({', '.join(arguments)});")
    return [*lines, "}"]


def _index(first: int, shift: int) -> str:
    """first + n shift, in unsigned numbers."""
    if shift == 0:
        return str(first)
    step = "n" if abs(shift) == 1 else f"{abs(shift)}u*n"
    if first == 0:
        return step
    inside = step if step == "n" else f"({step})"
    return f"{first}u - {inside}" if shift < 0 else f"{first}u + {inside}"


class _Table:
    """Calls as rows of numbers: the kernel's, then the indices of its nodes."""

    def __init__(self, phase: str, calls: Sequence[Call]):
        self.name, self.calls = f"{phase}_table", calls
        self.kernels = list({call.kernel.name: call.kernel for call in calls}.values())

    def lines(self) -> list[str]:
        if not self.calls:
            return []
        number = {kernel.name: k for k, kernel in enumerate(self.kernels)}
        rows = [[number[call.kernel.name], *_columns(call)] for call in self.calls]
        width = max(map(len, rows))
        return [
            f"static const unsigned short {self.name}[{len(rows)}][{width}] = {{",
            *(f"    {{{', '.join(map(str, [*row, *[0] * (width - len(row))]))}}}," for row in rows),
            "};",
        ]

    def loop(self, first: int, count: int) -> list[str]:
        """The calls of some rows."""
        row = f"{first}u + n" if first else "n"
        lines = [
            f"for (unsigned int n = 0u; n < {count}u; n++) {{",
            f"    const unsigned short *const row = {self.name}[{row}];",
            "    switch (row[0]) {",
        ]
        used = {call.kernel.name for call in self.calls[first : first + count]}
        for number, kernel in enumerate(self.kernels):
            if kernel.name in used:
                lines += [
                    f"    case {number}:",
                    f"        {kernel.name}({', '.join(_looped_arguments(kernel))});",
                    "        break;",
                ]
        return [*lines, "    default:", "        break;", "    }", "}"]


def _columns(call: Call) -> list[int]:
    return [node.index for node in call.nodes if node.kind != "common"]


def _looped_arguments(kernel) -> list[str]:
    column = {}
    for port in kernel.ports:
        if port.kind != "common":
            column[port.label] = len(column) + 1
    return [
        f"&{HOLDER[store]}->{port.kind}[{0 if port.kind == 'common' else f'row[{column[port.label]}]'}]"
        for port, store, _ in kernel.used_stores()
    ]


LAYOUTS = {
    "inline": Layout("inline: the kernels are written out where they are used", _inline),
    "unrolled": Layout("unrolled: the elimination order is written out, one call a step", _unrolled),
    "looped": Layout("looped: the elimination order is loops, and a table where it does not repeat", _looped),
}
