"""How many planted errors the proof finds.

    python -m symvi.verify.mutation [--all] [--per-kernel N] [--seed S] [NAME ...]

Every edit of edits.py is run through the proof with the edited kernel in the place of the printed one. An edit changes
the function if any record differs after the phases that it touches, at a random point, and the numbers that differ are
more than intermediate ones which all lead to the same results. The score is caught / edits that change the function;
the others are counted apart: those that change nothing (names of a symmetric product exchanged) and those that change
only intermediate numbers (a factor that is stored and not needed, the anchor in a row that does not depend on it).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from time import perf_counter

from symvi.verify.crun import Memory, compiled
from symvi.verify.ctext import Function, read_function
from symvi.verify.edits import Edit, edits_of, sample
from symvi.verify.kernels import Bench, Subject, subject
from symvi.verify.stages import Stage
from symvi.verify.zoo import zoo

CAUGHT, MISSED, EQUIVALENT, INSIDE = "caught", "missed", "equivalent", "inside"
# fields that may hold intermediate numbers: values kept for later, blocks and what elimination makes of them
INTERMEDIATE = {"kept", "jw", "d", "u", "l", "f"}


@dataclass
class Score:
    """Counts of a mutation run, and what was missed."""

    caught: Counter = field(default_factory=Counter)
    equivalent: int = 0
    inside: int = 0
    missed: list[tuple[str, Edit]] = field(default_factory=list)
    kernels: int = 0
    seconds: float = 0.0

    def count(self, mechanism: str, edit: Edit, verdict: str) -> None:
        if verdict == CAUGHT:
            self.caught[edit.kind] += 1
        elif verdict == MISSED:
            self.missed.append((mechanism, edit))
        else:
            self.equivalent += verdict == EQUIVALENT
            self.inside += verdict == INSIDE

    def add(self, other: Score) -> None:
        self.caught += other.caught
        self.missed += other.missed
        self.equivalent += other.equivalent
        self.inside += other.inside
        self.kernels += other.kernels
        self.seconds += other.seconds

    @property
    def changing(self) -> int:
        return sum(self.caught.values()) + len(self.missed)

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.caught.items()))
        lines = [
            f"{sum(self.caught.values())} of {self.changing} planted errors caught ({kinds}); "
            f"{self.equivalent} edits change nothing, "
            f"{self.inside} only intermediate numbers; {self.kernels} kernels, {self.seconds:.0f} s"
        ]
        lines += [
            f"missed in {mechanism}, {edit.function.name}:\n  {edit.before}\n  {edit.after}"
            for mechanism, edit in self.missed
        ]
        return "\n".join(lines)


def outcome(bench: Bench, edit: Edit) -> str:
    """What the proof says of an edited kernel: caught, missed or equivalent."""
    bench.scene.opaque.restore(bench.knowledge)
    changed = compiled(read_function(edit.text), bench.numbers)
    try:
        return _outcome(bench, edit.function, lambda f: changed if f is edit.function else bench.compile(f))
    except ArithmeticError:  # a root, branch or quotient that no definition has
        return CAUGHT


def _outcome(bench: Bench, function: Function, compile_function) -> str:
    left: dict[str | None, Memory] = {}
    first = None
    for stage in bench.stages:
        if stage.after in left or _runs(bench, stage, function):
            memory = bench.after(stage, left.get(stage.after, bench.left[stage.after]), compile_function)
            if memory != bench.left[stage.name]:
                left[stage.name] = memory
                first = first or stage
                if next(bench.failures(stage, memory), None) is not None:
                    return CAUGHT
    if first is None:
        return EQUIVALENT
    return INSIDE if set(_changed_fields(bench.left[first.name], left[first.name])) <= INTERMEDIATE else MISSED


def _changed_fields(before: Memory, after: Memory) -> Iterator[str]:
    """The names of fields in which two memories differ."""
    for store, kinds in before.items():
        for kind, records in kinds.items():
            for old, new in zip(records, after[store][kind], strict=True):
                yield from (name for name in old if old[name] != new[name])


def _runs(bench: Bench, stage: Stage, function: Function) -> bool:
    return any(call.function is function for phase in stage.phases for call in bench.of.printed.phases.get(phase, ()))


def score(subjects: Iterable[Subject], per_kernel: int | None, seed: int = 0, seen: set[str] | None = None) -> Score:
    """Run edits of every kernel that has not been met before, in one mechanism after the other.

    per_kernel: how many edits of each kernel (None: all). seen: texts of kernels that have been met; more are added.
    """
    result, began = Score(), perf_counter()
    seen = set() if seen is None else seen
    for of in subjects:
        random = Random(f"{seed} {of.mechanism.name}")
        bench = Bench(of, seed=seed + 1, guarded=True)
        for function in _fresh(of, seen):
            result.kernels += 1
            edits = edits_of(function, seed)
            for edit in edits if per_kernel is None else sample(edits, per_kernel, random):
                result.count(of.mechanism.name, edit, outcome(bench, edit))
    result.seconds = perf_counter() - began
    return result


def _fresh(of: Subject, seen: set[str]) -> list[Function]:
    """The kernels of a program whose text, but for the program's name, is new."""
    name = of.program.name
    texts = {f.text.replace(name, "").replace(name.upper(), ""): f for f in of.printed.kernels.values()}
    fresh = [function for text, function in texts.items() if text not in seen]
    seen.update(texts)
    return fresh


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m symvi.verify.mutation", description="Plant errors in kernels and count those found."
    )
    parser.add_argument("names", nargs="*", help="mechanisms of the zoo (default: all)")
    parser.add_argument("--all", action="store_true", help="every edit of every kernel")
    parser.add_argument("--per-kernel", type=int, default=2, help="edits of each kernel (default 2)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    total, seen = Score(), set()
    for mechanism, choices in zoo():
        if not options.names or mechanism.name in options.names:
            one = score(
                [subject(mechanism, choices)], None if options.all else options.per_kernel, options.seed, seen=seen
            )
            print(f"{mechanism.name}: {one}", flush=True)
            total.add(one)
    print(f"all: {total}")
    return 1 if total.missed else 0


if __name__ == "__main__":
    sys.exit(main())
