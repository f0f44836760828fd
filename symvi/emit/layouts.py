"""Three layouts of one schedule: the same kernels in the same order, only the calls differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symvi.program.program import Call, Program

HOLDER = {"parameters": "p", "state": "z", "input": "u", "work": "w"}
# Machine code of the inline layout [bytes]: so much for every operation with the loads and stores around it, and so
# much beside them. gcc -O2 keeps to it within 10 % from one body to six, loops and many forces included.
PER_OPERATION, BESIDE = 11, 4096
# What a processor's nearest cache holds [bytes]: code beyond it is fetched anew in every iteration, and calls of shared
# kernels are quicker.
NEAREST_CACHE = 32 * 1024
# Beyond, compilers take time out of proportion [bytes].
LARGEST_INLINE = 160 * 1024
READABLE = 12  # bodies up to which a person reads the elimination order call by call


@dataclass(frozen=True)
class Layout:
    """How the calls of a phase are written, in words and in code."""

    text: str
    lines: Callable


def inline_size(program: Program) -> int:
    """The machine code of a program in the inline layout, estimated from its operations [bytes]."""
    return BESIDE + PER_OPERATION * sum(program.flops(phase) for phase in program.phases)


def is_too_large(layout: str, program: Program) -> bool:
    """Whether a layout is refused for a program."""
    return layout == "inline" and inline_size(program) > LARGEST_INLINE


def choose_layout(program: Program) -> str:
    """Inline while it fits the nearest cache; then the order written out for a reader; then a table."""
    if inline_size(program) <= NEAREST_CACHE:
        return "inline"
    return "unrolled" if len(program.nodes["body"]) <= READABLE else "looped"


def phase_lines(layout: str, printer, phase: str, calls: Sequence[Call]) -> dict:
    """The text of one phase: `table` (static data before the function) and `lines` (its body)."""
    return LAYOUTS[layout].lines(printer, phase, calls)


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
        lines += [f"    {line}" for line in printer.body(call.kernel)]
        lines.append("}")
    return {"table": [], "lines": lines}


def _looped(printer, phase: str, calls: Sequence[Call]) -> dict:
    """Runs of calls of one kernel are loops over a table; where kernels alternate, a table row names its kernel."""
    if not calls:
        return {"table": [], "lines": []}
    kernels = list({call.kernel.name: call.kernel for call in calls}.values())
    number = {kernel.name: k for k, kernel in enumerate(kernels)}
    width = max(len(_columns(call)) for call in calls)
    rows = []
    for call in calls:
        columns = _columns(call)
        rows.append(
            f"{{{', '.join(str(n) for n in [number[call.kernel.name], *columns, *[0] * (width - len(columns))])}}},"
        )
    table = [
        f"static const unsigned short {phase}_table[{len(calls)}][{width + 1}] = {{",
        *(f"    {row}" for row in rows),
        "};",
    ]
    lines = [
        f"for (unsigned int n = 0u; n < {len(calls)}u; n++) {{",
        f"    const unsigned short *const row = {phase}_table[n];",
        "    switch (row[0]) {",
    ]
    for kernel in kernels:
        lines += [
            f"    case {number[kernel.name]}:",
            f"        {kernel.name}({', '.join(_looped_arguments(kernel))});",
            "        break;",
        ]
    lines += ["    default:", "        break;", "    }", "}"]
    return {"table": table, "lines": lines}


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
    "looped": Layout("looped: the elimination order is a table", _looped),
}
