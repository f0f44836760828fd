"""Prove the kernels of files or of the zoo (default: all of it).

`python -m symvi.proofs [--json] [--coordinates both] [NAME ...]`
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from time import perf_counter

from symvi.errors import SymviError
from symvi.exact.field import NotASquare
from symvi.proofs.choosing import chosen, options_of_choice, refused
from symvi.proofs.kernels import subject
from symvi.proofs.layout_equality import differences_between_layouts
from symvi.proofs.proof import POINTS, Tally, Verdict, prove


def lines(verdicts: list[Verdict]) -> Iterator[str]:
    """A table: phase, kernels, numbers compared, points, verdict, seconds; under it the entries that differ."""
    for verdict in verdicts:
        word = "proved" if verdict.proved else f"{len(verdict.failures)} differ"
        points = f"{verdict.points} point{'s' if verdict.points > 1 else ''}"
        found = f"{len(verdict.kernels):4} kernels{verdict.outputs:7} numbers at {points:8}  {word:10}"
        yield f"  {verdict.phase:14}{found}{verdict.seconds:8.3f} s"
        yield from (f"    {failure}" for failure in verdict.failures)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 1 if anything differs, 2 if the command cannot be run."""
    options = _options(arguments)
    console, began, total, found = sys.stderr if options.json else sys.stdout, perf_counter(), Tally(), {}
    try:
        for case in chosen(options.names, options.register, options.coordinates):
            of = subject(case.mechanism, case.choices, coordinates=case.coordinates)
            try:
                verdicts = prove(of)
            except NotASquare as error:
                raise SymviError(f"{case.name}: {error}; nothing is proved of it") from None
            layouts = list(differences_between_layouts(of.program))
            said = (*lines(verdicts), *(f"  differs: {text}" for text in layouts))
            print(case.name, *said, sep="\n", file=console, flush=True)
            total.add(len(of.printed.kernels), verdicts, len(layouts))
            found[case.name] = {"phases": [verdict.plain() for verdict in verdicts], "layouts": layouts}
    except (SymviError, OSError) as error:
        return refused(error)
    print(f"{total}; {perf_counter() - began:.0f} s", file=console)
    if options.json:
        primes = [f"2^{point.prime.bit_length()} - 1" for point in POINTS]
        print(json.dumps({"mechanisms": found, "primes": primes, "total": vars(total)}))
    return 1 if total.wrong else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m symvi.proofs",
        description="Prove that the printed kernels of mechanisms equal the naive definitions, by exact evaluation of "
        "the C text in prime fields, and that all layouts mean the same.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="files, or mechanisms of the zoo (default: the zoo)")
    options_of_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, all else on stderr")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
