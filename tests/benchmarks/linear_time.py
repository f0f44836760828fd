"""Time of a step of open chains of 1 to 100 links: in proportion to the links, from 10 links on within 10 %.

A step of 0.01 s costs a + b x iterations: a is what is done once (preparation, the evaluation that starts Newton's
method, the update), b a Newton iteration. Both come from the same 100 steps, solved to a coarse and to a fine
tolerance. The ends of a chain cost less than its inner links, which alone makes up 4 % from 10 to 100 links: so the
change of b is judged per operation. Cycles are nanoseconds times the clock, measured before and after. Beside b stand
the figures of a prototype of the same elimination order at 3.7 GHz, chains of 5 and 20 links: revolute 181 and 207 ns,
spherical 118 and 131 ns; they are held against the quicker layout.
"""

from __future__ import annotations

from typing import NamedTuple

from _benchmark import Report, run
from _chains import chain
from _measure import Rollout, clock, pin, take_turns

from symvi.program.info import ITERATION
from symvi.simulate import Simulator
from symvi.simulate.solver_build import composed

STEP, STEPS, FLAT, PROTOTYPE_CLOCK = 0.01, 100, 0.10, 3.7
COARSE, FINE = 0.9, 1e-10
COUNTS, FROM = (1, 2, 5, 10, 20, 50, 100), 10
VARIANTS = (("unrolled", "reproducible"), ("looped", "reproducible"), ("looped", "fast"))
PROTOTYPE = {"revolute": {5: 181, 20: 207}, "spherical": {5: 118, 20: 131}}  # ns per link and iteration


class Cost(NamedTuple):
    """Of one link [ns]: of a whole step at the fine tolerance (least and median of repeated runs), once a step, of an
    iteration; and iterations per step."""

    step: float
    middle: float
    once: float
    iteration: float
    iterations: float


def cost(simulator: Simulator, links: int, repeats: int) -> Cost:
    """What a link costs."""
    runs = {tolerance: Rollout(simulator, STEPS, STEP, tolerance) for tolerance in (COARSE, FINE)}
    iterations = {tolerance: run.iterations() for tolerance, run in runs.items()}
    times = take_turns(runs, repeats)
    unit = 1e9 / STEPS / links
    each = unit * (times[FINE].least - times[COARSE].least) / (iterations[FINE] - iterations[COARSE])
    once = unit * times[FINE].least - each * iterations[FINE]
    return Cost(unit * times[FINE].least, unit * times[FINE].middle, once, each, iterations[FINE])


def operations(kind: str, links: int) -> float:
    """Of one link in an iteration."""
    program = composed(chain(links, kind), coordinates="maximal")
    return sum(program.flops(phase) for phase in ITERATION) / links


def change(values: list[float]) -> float:
    """The largest relative change against the first."""
    return max(abs(value / values[0] - 1) for value in values)


def measure(report: Report) -> None:
    pin()
    counts, repeats = ((1,), 2) if report.quick else (COUNTS, 15)
    before = clock()
    for kind, prototype in PROTOTYPE.items():
        costs = {}
        for layout, profile in VARIANTS:
            for n in counts:
                simulator = Simulator(chain(n, kind), layout=layout, profile=profile, coordinates="maximal")
                costs[layout, profile, n] = cost(simulator, n, repeats if n > 50 else 2 * repeats)
        gigahertz = clock()
        head = ("layout", "profile", "links", "ns/step/link", "median", "iterations", "once", "ns/it/link",
                "cycles/it/link", "prototype ns", "prototype cycles")  # fmt: skip
        rows = [
            (*which, c.step, c.middle, c.iterations, c.once, c.iteration, c.iteration * gigahertz,
             prototype.get(which[-1]), prototype.get(which[-1], 0) * PROTOTYPE_CLOCK or None)
            for which, c in costs.items()
        ]  # fmt: skip
        report.table(f"{kind} chain at {before:.2f} to {gigahertz:.2f} GHz", head, rows)
        for layout, profile in VARIANTS:
            name = f"{kind}, {layout}, {profile}"
            of = {n: costs[layout, profile, n] for n in counts}
            long = [n for n in counts if n >= FROM] or [counts[0]]
            through = f"{long[0]} to {long[-1]} links"
            report.at_most(f"{name}: a link's step, {through}, change", change([of[n].step for n in long]), FLAT)
            each = [of[n].iteration / operations(kind, n) for n in long]
            report.at_most(f"{name}: an operation of an iteration, {through}, change", change(each), FLAT)
        for profile in ("reproducible", "fast"):
            for n in set(prototype) & set(counts):
                quickest = min(c.iteration for which, c in costs.items() if which[1:] == (profile, n))
                title = f"{kind}, {profile}, the quicker layout: cycles per link and iteration, {n} links"
                report.at_most(title, quickest * gigahertz, prototype[n] * PROTOTYPE_CLOCK)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
