"""`python -m symvi.verify [FILE | NAME ...]`: prove the kernels of files or of the zoo (default: all of it)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import perf_counter

from symvi.mechanism import Mechanism
from symvi.program.compose import Choices
from symvi.program.loops import analyse
from symvi.verify.kernels import Verdict, prove, subject
from symvi.verify.layouts import differences_between_layouts
from symvi.verify.zoo import zoo


def chosen(names: list[str]) -> Iterator[tuple[Mechanism, Choices]]:
    """The mechanisms that are meant by names of the zoo or of files."""
    known = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
    for name in names or known:
        yield known[name] if name in known else described(name)


def described(path: str) -> tuple[Mechanism, Choices]:
    """The mechanism of a file, with the rows that its loops keep. Raises MechanismError, AssemblyError."""
    mechanism = Mechanism.from_file(path)
    return mechanism, analyse(mechanism)


def lines(verdicts: list[Verdict]) -> Iterator[str]:
    """A table: phase, kernels, numbers compared, points, verdict, seconds; under it the entries that differ."""
    for verdict in verdicts:
        word = "proved" if verdict.proved else f"{len(verdict.failures)} differ"
        found = f"{len(verdict.kernels):4} kernels{verdict.outputs:7} numbers at {verdict.points} points  {word:10}"
        yield f"  {verdict.phase:14}{found}{verdict.seconds:8.3f} s"
        yield from (f"    {failure}" for failure in verdict.failures)


def main(names: list[str]) -> int:
    began, wrong, kernels, outputs = perf_counter(), 0, 0, 0
    for mechanism, choices in chosen(names):
        of = subject(mechanism, choices)
        verdicts = prove(of)
        layouts = list(differences_between_layouts(of.program))
        print(mechanism.name, *lines(verdicts), *(f"  differs: {text}" for text in layouts), sep="\n", flush=True)
        wrong += sum(len(verdict.failures) for verdict in verdicts) + len(layouts)
        kernels += len(of.printed.kernels)
        outputs += sum(verdict.outputs for verdict in verdicts)
    print(f"{kernels} kernels, {outputs} numbers, {wrong} wrong; {perf_counter() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
