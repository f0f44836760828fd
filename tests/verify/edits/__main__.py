"""python -m tests.verify.edits: errors planted in correct derivatives, and rewrites of them, counted.

    python -m tests.verify.edits --from 0 --to 10000 --jobs 2 --journal edits.jsonl

A run that is broken off goes on from its journal. Parts may run side by side or elsewhere (--from 5000 --to 10000); a
last run over all numbers counts what their common journal has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from time import perf_counter

from tests.verify.edits.running import Journal, add_options, done
from tests.verify.edits.trial import ERROR, FAILURES, REWRITE, Trial, trials

OF_REWRITES = 5  # errors for one of them
REPORTED = 1000  # trials between two lines on how far it is


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns 1 where a verdict was wrong."""
    options = _options(arguments)
    began, counts, kinds, failures = perf_counter(), Counter(), Counter(), []
    for found in _all(options):
        for each in found:
            counts[each.form, each.what, each.outcome] += 1
            kinds[each.what, each.kind, each.outcome] += 1
            if each.outcome in FAILURES:
                failures.append(each)
                print(said(each), file=sys.stderr, flush=True)
        if sum(counts.values()) % REPORTED == 0:
            print(f"{sum(counts.values())} done, {len(failures)} wrong verdicts", file=sys.stderr, flush=True)
    seconds = perf_counter() - began
    if options.json:
        print(json.dumps(plain(counts, kinds, failures, seconds)))
    else:
        print("\n".join(table(counts, kinds)))
        print(f"{sum(counts.values())} changes, {len(failures)} wrong verdicts, {seconds:.0f} s")
    return 1 if failures else 0


def _all(options: argparse.Namespace) -> Iterator[list[Trial]]:
    """Errors, then rewrites, in chunks, in the order of their numbers whatever the number of processes."""
    journal = Journal(options.journal, Trial)
    rewrites = range(options.first // OF_REWRITES, options.to // OF_REWRITES)
    for numbers, what in ((range(options.first, options.to), ERROR), (rewrites, REWRITE)):
        yield from done(trials, numbers, (what, options.seed, options.whole), options.jobs, journal)


def said(failure: Trial) -> str:
    return f"{failure.outcome}: {failure.kind} in {failure.subject} ({failure.form})\n{failure.said}\n"


def table(counts: Counter, kinds: Counter) -> Iterator[str]:
    """Lines of counts by form, and by kind of change."""
    for what in (ERROR, REWRITE):
        for form in dict.fromkeys(form for form, w, _ in counts if w == what):
            yield f"{what}s, {form}: {_listed({o: n for (f, w, o), n in counts.items() if (f, w) == (form, what)})}"
        for kind in sorted({kind for w, kind, _ in kinds if w == what}):
            yield f"  {kind}: {_listed({o: n for (w, k, o), n in kinds.items() if (w, k) == (what, kind)})}"


def _listed(found: dict[str, int]) -> str:
    return f"{sum(found.values())}, of which " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(found.items()))


def plain(counts: Counter, kinds: Counter, failures: list[Trial], seconds: float) -> dict:
    """The same as JSON has it."""
    return {
        "counts": [
            dict(zip(("form", "what", "outcome", "count"), (*key, n), strict=True)) for key, n in counts.items()
        ],
        "kinds": [dict(zip(("what", "kind", "outcome", "count"), (*key, n), strict=True)) for key, n in kinds.items()],
        "failures": [said(each) for each in failures],
        "seconds": round(seconds, 1),
    }


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.verify.edits",
        description="Plant single errors in correct derivatives, in SymPy and in C, and rewrite them without changing "
        "them; count the verdicts. A verdict is wrong where fifty digits at random points say otherwise.",
    )
    add_options(parser, 1000, "errors")
    parser.add_argument("--whole", action="store_true", help="whole reports, with diagnoses: three times as long")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
