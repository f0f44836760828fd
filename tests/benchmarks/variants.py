"""Other lengths of the same mechanism: a simulator with other numbers, beside one that is built anew.

A length is changed a little, to another value every time; the start is closed again where the change opens it, and the
loops are looked at anew. Built anew, kernels are in the cache, and text and library are not. The least of several
rounds counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from math import inf

from _benchmark import Report, run

from symvi import Mechanism, Simulator
from symvi.demos import demo_file

# What is changed, by demo: number, its value, and the entry that changes.
CASES = {
    "pendulum": ("pin.child_anchor", (0.0, 0.0, 0.1), 2),
    "double_pendulum": ("elbow.parent_anchor", (0.0, 0.025, -0.6), 2),
    "four_bar": ("rocker_pin.child_anchor", (0.0, 0.0, 0.6), 2),
    "strandbeest": ("left_heel.parent_anchor", (-0.4, 0.0, 0.026), 0),
    "walker": ("left_knee1.parent_anchor", (0.0, -0.03, 0.393), 2),
}
OF_TREES, OF_LOOPS = 0.1, 0.7  # of the time of a build, at most


def least(works: Iterable[Callable[[], Simulator]]) -> tuple[float, Simulator]:
    """Milliseconds, the least of some works, and what came of the last one."""
    found, made = inf, None
    for work in works:
        begin = time.perf_counter()
        made = work()
        found = min(found, 1e3 * (time.perf_counter() - begin))
    assert made is not None
    return found, made


def measure(report: Report) -> None:
    rounds = range(2, 4 if report.quick else 10)
    rows = []
    shift = 1e-12 * (time.time_ns() % 10**8)  # so that no text of an earlier run is in the cache
    for demo in list(CASES)[: 1 if report.quick else None]:
        name, value, entry = CASES[demo]
        mechanism = Mechanism.from_file(demo_file(demo))

        def other(k: int, name=name, value=value, entry=entry) -> dict[str, tuple[float, ...]]:
            """The k-th change."""
            return {name: tuple(x * (1 + (1e-3 * k + shift) * (i == entry)) for i, x in enumerate(value))}

        for coordinates in ("maximal", "tree"):
            simulator = Simulator(mechanism, backend="c", coordinates=coordinates)
            first, _ = least([partial(simulator.with_parameters, other(1))])
            later, _ = least(partial(simulator.with_parameters, other(k)) for k in rounds)
            changed = [simulator.with_parameters(other(k)).mechanism for k in rounds[:3]]
            anew, _ = least(partial(Simulator, each, backend="c", coordinates=coordinates) for each in changed)
            rows.append((demo, coordinates, first, later, anew, anew / later))
    head = ("mechanism", "coordinates", "first ms", "ms", "built anew ms", "gain")
    report.table("until a changed mechanism can be simulated", head, rows)
    for demo, coordinates, *_, gain in rows:
        bound = OF_TREES if demo.endswith("pendulum") else OF_LOOPS
        report.at_most(f"{demo}, {coordinates}, of the time of a build", 1 / gain, bound)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
