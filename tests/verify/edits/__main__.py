"""python -m tests.verify.edits: errors planted in correct derivatives, and rewrites of them, counted."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from tests.verify.edits.trial import ERROR, FAILURES, REWRITE, Trial, trials

CHUNK = 50  # trials that a process does before it hands them in
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
    jobs = [
        (range(first, min(first + CHUNK, count)), what, options.seed, options.whole)
        for what, count in ((ERROR, options.count), (REWRITE, options.rewrites))
        for first in range(0, count, CHUNK)
    ]
    if options.processes == 1:
        yield from (trials(*job) for job in jobs)
        return
    with ProcessPoolExecutor(options.processes) as pool:
        yield from pool.map(trials, *zip(*jobs, strict=True))


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
    parser.add_argument("--count", type=_at_least_one, default=1000, metavar="N", help="errors (default 1000)")
    parser.add_argument("--rewrites", type=int, default=None, metavar="N", help="rewrites (default: a fifth of them)")
    parser.add_argument("--processes", type=_at_least_one, default=1, metavar="N", help="at a time (default 1)")
    parser.add_argument("--seed", type=int, default=0, help="other changes")
    parser.add_argument("--whole", action="store_true", help="whole reports, with diagnoses: three times as long")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    options = parser.parse_args(arguments)
    if options.rewrites is None:
        options.rewrites = max(1, options.count // 5)
    return options


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
