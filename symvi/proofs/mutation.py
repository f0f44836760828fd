"""How many planted errors the proof finds.

    python -m symvi.proofs.mutation [--all] [--per-kernel N] [--seed S] [--coordinates both] [--json] [NAME ...]

Every edit of edits.py is run through the proof with the edited kernel in the place of the printed one, and gets one of
four verdicts:
    caught      a number differs from its definition, or a root is taken that no definition takes;
    equivalent  no number in any record differs (names of a symmetric product exchanged): the text means the same;
    inside      numbers differ that nobody but kernels can see (unseen.py), and everything made of them is the same;
    missed      anything else. The score is caught / (caught + missed), and a run that misses one has failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from time import perf_counter

from symvi.errors import SymviError
from symvi.proofs.choosing import at_least_one, chosen, options_of_choice, refused
from symvi.proofs.crun import Memory
from symvi.proofs.ctext import Function
from symvi.proofs.edits import Edit, edits_of, sample
from symvi.proofs.kernels import Bench, Subject, subject
from symvi.proofs.stages import Stage
from symvi.proofs.unseen import differing

CAUGHT, EQUIVALENT, INSIDE, MISSED = "caught", "equivalent", "inside", "missed"
SPREAD = 4  # statements that are read for each edit that is wanted


@dataclass
class Score:
    """Counts of edits by verdict and kind, and what was missed: (mechanism, kernel, before, after)."""

    counts: Counter = field(default_factory=Counter)
    missed: list[tuple[str, str, str, str]] = field(default_factory=list)
    kernels: int = 0
    seconds: float = 0.0

    def count(self, mechanism: str, edit: Edit, verdict: str) -> None:
        self.counts[verdict, edit.kind] += 1
        if verdict == MISSED:
            self.missed.append((mechanism, edit.function.name, edit.before, edit.after))

    def add(self, other: Score) -> None:
        self.counts += other.counts
        self.missed += other.missed
        self.kernels += other.kernels
        self.seconds += other.seconds

    def of(self, verdict: str) -> int:
        """How many edits got this verdict."""
        return sum(count for (given, _), count in self.counts.items() if given == verdict)

    @property
    def planted(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for (given, kind), count in sorted(self.counts.items()) if given == CAUGHT)
        lines = [
            f"mutants: {self.planted} planted in {self.kernels} kernels, {self.of(CAUGHT)} caught ({kinds}), "
            f"{self.of(EQUIVALENT)} equivalent, {self.of(INSIDE)} inside, {self.of(MISSED)} missed; "
            f"{self.seconds:.0f} s"
        ]
        lines += [f"missed in {place}, {kernel}:\n  {old}\n  {new}" for place, kernel, old, new in self.missed]
        return "\n".join(lines)

    def plain(self) -> dict:
        """The same as JSON has it."""
        verdicts = {verdict: self.of(verdict) for verdict in (CAUGHT, EQUIVALENT, INSIDE, MISSED)}
        kinds = {kind: count for (given, kind), count in sorted(self.counts.items()) if given == CAUGHT}
        missed = [dict(zip(("mechanism", "kernel", "before", "after"), each, strict=True)) for each in self.missed]
        return {"planted": self.planted, **verdicts, "caught_by_kind": kinds, "kernels": self.kernels,
                "missed_edits": missed, "seconds": round(self.seconds, 1)}  # fmt: skip


def outcome(bench: Bench, edit: Edit) -> str:
    """What the proof says of an edited kernel."""
    bench.scene.opaque.restore(bench.knowledge)
    changed = bench.compiler(edit.changed)
    try:
        return _outcome(bench, edit.function, lambda f: changed if f is edit.function else bench.compiler.once(f))
    except ArithmeticError:  # a root, branch or quotient that no definition has
        return CAUGHT


def _outcome(bench: Bench, function: Function, compile_function: Callable) -> str:
    left: dict[str | None, Memory] = {}
    for stage in bench.stages:
        if stage.after in left or _runs(bench, stage, function):
            memory = bench.after(stage, left.get(stage.after, bench.left[stage.after]), compile_function)
            if memory != bench.left[stage.name]:
                left[stage.name] = memory
                if next(bench.failures(stage, memory), None) is not None:
                    return CAUGHT
    if not left:
        return EQUIVALENT
    return INSIDE if all(_is_inside(bench, stage, left) for stage in bench.stages) else MISSED


def _is_inside(bench: Bench, stage: Stage, left: dict[str | None, Memory]) -> bool:
    """Whether all numbers that differ after a stage may."""
    before = bench.left[stage.name]
    return all(place in bench.unseen for place in differing(before, left.get(stage.name, before)))


def _runs(bench: Bench, stage: Stage, function: Function) -> bool:
    return any(call.function is function for phase in stage.phases for call in bench.of.printed.phases.get(phase, ()))


def score(subjects: Iterable[Subject], per_kernel: int | None, seed: int = 0, seen: set[str] | None = None) -> Score:
    """Run edits of every kernel that has not been met before, in one mechanism after the other.

    per_kernel: how many edits of each kernel (None: all). seen: texts of kernels that have been met; more are added.
    """
    result = Score()
    seen = set() if seen is None else seen
    for of in subjects:
        result.add(score_of(Bench(of, seed=seed + 1, guarded=True), _fresh(of, seen), per_kernel, seed))
    return result


def score_of(bench: Bench, functions: Iterable[Function], per_kernel: int | None, seed: int = 0) -> Score:
    """Run edits of some kernels of a mechanism: so many of each, or all (None)."""
    result, began, name = Score(), perf_counter(), bench.of.mechanism.name
    random = Random(f"{seed} {name}")
    for function in functions:
        result.kernels += 1
        edits = edits_of(function, seed, per_kernel and SPREAD * per_kernel)
        for edit in edits if per_kernel is None else sample(edits, per_kernel, random):
            result.count(name, edit, outcome(bench, edit))
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
    """Run the command; returns 1 if an edit was missed, 2 if the command cannot be run."""
    options = _options(arguments)
    console = sys.stderr if options.json else sys.stdout
    try:
        cases = chosen(options.names, options.register, options.coordinates)
    except (SymviError, OSError) as error:
        return refused(error)
    total, seen, found = Score(), set(), {}
    for case in cases:
        of = subject(case.mechanism, case.choices, coordinates=case.coordinates)
        one = score([of], None if options.all else options.per_kernel, options.seed, seen)
        found[case.name] = one.plain()
        print(f"{case.name}: {one}", file=console, flush=True)
        total.add(one)
    print(f"all {len(found)}: {total}", file=console)
    if options.json:
        print(json.dumps({"mechanisms": found, "total": total.plain()}))
    return 1 if total.missed else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m symvi.proofs.mutation",
        description="Plant errors in printed kernels, one at a time, and count those that the proof finds. "
        "A kernel whose text stands in several mechanisms is taken once.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="mechanisms of the zoo, or files (default: the zoo)")
    options_of_choice(parser)
    parser.add_argument("--all", action="store_true", help="every edit of every kernel (half an hour for the zoo)")
    parser.add_argument("--per-kernel", type=at_least_one, default=2, metavar="N", help="edits of each (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="another choice of edits, and another point")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, all else on stderr")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
