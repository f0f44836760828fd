"""The figures of generated C on a board: sizes, stack, instructions; each with how it was found, or why it was not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from symvi.exporters.measure.board_build import Program, compile_object, link, write
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.instructions import Fit, count_calls, fit
from symvi.exporters.measure.stack import deepest
from symvi.exporters.measure.subject import Subject
from symvi.exporters.measure.tools import NotMeasured

__all__ = ["Figure", "Measured", "figures", "measured", "not_measured", "compiled_sizes"]

Figure = dict[str, Any]  # {"value", "unit", "how"} or {"not measured": why}
FIRMWARE = "measuring-firmware"  # with a hyphen, which no prefix has
STRUCTS = ("parameters", "options", "state", "input", "work", "info")
STACK_AND_TIME = (
    "stack painted", "stack usage", "stack of init painted", "stack of init", "stack of the deepest entry point",
    "instructions per step", "instructions of the quickest step", "instructions of the worst step",
    "instructions of init",
)  # fmt: skip
SUMMED = "frames along the deepest path of calls, by -fcallgraph-info=su"
LINKED = "what init, start and step need; sections that nothing calls left out"


class Measured:
    """What a firmware did on a board. how: the compiler and its flags."""

    def __init__(self, subject: Subject, program: Program, how: str, output: str, calls: Mapping[str, list[int]]):
        self.subject, self.program, self.how, self.calls = subject, program, how, calls
        self.lines = [line.split() for line in output.splitlines()]

    def sizes(self) -> dict[str, int]:
        """Bytes of every struct, by its name."""
        return {line[1]: int(line[2]) for line in self.lines if line[0] == "size"}

    def steps(self) -> list[tuple[int, int, int]]:
        """(status, iterations, bytes of stack) of every step."""
        return [(int(line[1]), int(line[2]), int(line[3])) for line in self.lines if line[0] == "step"]

    def usual(self) -> int:
        """How many of the steps are those that a firmware takes; the others differ in their iterations on purpose."""
        begins = [k for k, line in enumerate(self.lines) if line[0] == "init"]
        first = self.lines[: begins[1]] if len(begins) > 1 else self.lines
        return sum(line[0] == "step" for line in first)

    def init_stack(self) -> int:
        """Bytes of stack that init used."""
        return max(int(line[1]) for line in self.lines if line[0] == "init")

    def summed(self, function: str) -> int:
        """Bytes of stack along the deepest path of calls."""
        graph = self.program.path.parent / f"{self.subject.prefix}.ci"
        return deepest(graph, f"{self.subject.prefix}_{function}")

    def instructions(self, function: str) -> list[int]:
        return self.calls[f"{self.subject.prefix}_{function}"]

    def fit(self) -> Fit:
        """Instructions of a step by its iterations, of those that were solved at the first attempt: only its own count.

        Raises NotMeasured where these tell no line.
        """
        counts = self.instructions("step")
        first = [
            (step[1], count)
            for step, count, retries in zip(self.steps(), counts, self.retries(), strict=True)
            if step[0] >= 0 and retries == 0
        ]
        if not first:
            raise NotMeasured("every step took retries, whose iterations are not counted")
        return fit(*zip(*first, strict=True))

    def retries(self) -> list[int]:
        """Attempts of every step that did not get through."""
        return [int(line[4]) for line in self.lines if line[0] == "step"]

    def worst(self) -> int:
        """Instructions of the usual step that took most, retries included, whatever its status."""
        return max(self.instructions("step")[: self.usual()])

    def quickest(self) -> int:
        """Instructions of the usual step that took fewest, of those that were solved. Raises NotMeasured: none was."""
        taken = zip(self.steps()[: self.usual()], self.instructions("step"), strict=False)
        solved = [count for step, count in taken if step[0] >= 0]
        if not solved:
            raise NotMeasured("no step was solved")
        return min(solved)


@contextmanager
def measured(subject: Subject, board: Board) -> Iterator[Measured]:
    """Build a firmware and run it; its files are there until the end of the context.

    Raises NotMeasured where a tool is missing or fails.
    """
    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        folder = Path(name)
        how, program = _build(subject, board, folder)
        yield _run(subject, board, how, program)


def figures(subject: Subject, board: Board) -> dict[str, Figure]:
    """Every figure of a board, by name; all of them "not measured" where no firmware can be built."""
    try:
        with tempfile.TemporaryDirectory(prefix="symvi-") as name:
            return _figures(subject, board, Path(name))
    except NotMeasured as error:
        return dict.fromkeys(("text", "data", *STRUCTS, *STACK_AND_TIME), not_measured(error))


def compiled_sizes(files: Mapping[str, str], prefix: str, board: Board) -> dict[str, Figure]:
    """What is known of code that never runs, quickly: "text", and "stack of the deepest entry point"."""
    subject = Subject(files, prefix, 0.01)
    try:
        with tempfile.TemporaryDirectory(prefix="symvi-") as name:
            folder = Path(name)
            how, program = _build(subject, board, folder)
            return {
                "text": _figure(program.text(prefix), "B", f"{how}; {LINKED}"),
                "stack of the deepest entry point": _attempted(lambda: _deepest(subject, folder, how)),
            }
    except NotMeasured as error:
        return dict.fromkeys(("text", "stack of the deepest entry point"), not_measured(error))


def _deepest(subject: Subject, folder: Path, how: str) -> Figure:
    """The largest stack of all functions of the header, which one that is, and the stacks of all."""
    graph = folder / f"{subject.prefix}.ci"
    stacks = {name: deepest(graph, f"{subject.prefix}_{name}") for name in subject.entry_points}
    largest = max(stacks, key=lambda name: stacks[name])
    return {**_figure(stacks[largest], "B", f"{how}; {SUMMED}: {largest}"), "of": largest, "entry points": stacks}


def not_measured(error: NotMeasured) -> Figure:
    return {"not measured": str(error)}


def _build(subject: Subject, board: Board, folder: Path) -> tuple[str, Program]:
    write(subject.sources(FIRMWARE), folder)
    how = compile_object(board, subject.prefix, folder)
    compile_object(board, FIRMWARE, folder)
    return how, link(board, (FIRMWARE, subject.prefix), folder)


def _figures(subject: Subject, board: Board, folder: Path) -> dict[str, Figure]:
    how, program = _build(subject, board, folder)
    prefix = subject.prefix
    found = {
        "text": _figure(program.text(prefix), "B", f"{how}; {LINKED}"),
        "data": _figure(program.data(prefix), "B", f"{how}; {LINKED}"),
    }
    found |= {"stack of the deepest entry point": _attempted(lambda: _deepest(subject, folder, how))}
    ran = _attempted(lambda: _run(subject, board, how, program))
    if isinstance(ran, dict):
        return dict.fromkeys((*STRUCTS, *STACK_AND_TIME), ran) | found
    emulated = f"{how}; {subject.steps} steps on QEMU's {board.machine}"
    summed = f"{how}; {SUMMED}"
    sizes = ran.sizes()
    return found | {
        **{name: _figure(sizes[name], "B", f"sizeof, {how}") for name in STRUCTS},
        "stack painted": _figure(max(stack for _, _, stack in ran.steps()), "B", f"{emulated}: a step"),
        "stack usage": _attempted(lambda: _figure(ran.summed("step"), "B", f"{summed}: a step")),
        "stack of init painted": _figure(ran.init_stack(), "B", f"{emulated}: init"),
        "stack of init": _attempted(lambda: _figure(ran.summed("init"), "B", f"{summed}: init")),
        "instructions per step": _attempted(lambda: _figure(_effort(ran.fit()), "instructions", emulated)),
        "instructions of the quickest step": _attempted(
            lambda: _figure(ran.quickest(), "instructions", f"{emulated}: of those that were solved")
        ),
        "instructions of the worst step": _figure(ran.worst(), "instructions", emulated),
        "instructions of init": _figure(max(ran.instructions("init")), "instructions", emulated),
    }


def _run(subject: Subject, board: Board, how: str, program: Program) -> Measured:
    functions = [f"{subject.prefix}_{function}" for function in ("init", "step")]
    output, calls = count_calls(board, program, functions)
    return Measured(subject, program, how, output, calls)


def _effort(found: Fit) -> dict[str, Any]:
    """a + b x iterations; no step without retries took more than `above` on top of that."""
    return {"a": round(found.once), "b": round(found.each), "per": "iteration", "above": round(found.above)}


def _attempted(job: Callable[[], Any]) -> Any:
    try:
        return job()
    except NotMeasured as error:
        return not_measured(error)


def _figure(value: object, unit: str, how: str) -> Figure:
    return {"value": value, "unit": unit, "how": how}
