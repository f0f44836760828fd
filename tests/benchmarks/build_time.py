"""From description to first step: cold, with kernels cached, all cached in a fresh process and in a running one.

Best of several times, imports included, by the clock on the wall and as the time that processors worked (the compiler's
too). Nothing here runs side by side, so on a machine that does nothing else the two are nearly the same; on a busy one
the second is what can be judged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from _benchmark import Report, run

HERE = Path(__file__).resolve().parent
SCRIPT = """
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter
def now():
    worked = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return perf_counter(), sum(usage.ru_utime + usage.ru_stime for usage in worked)
def first_step(count):
    Simulator(chain(count, "revolute"), backend="c", coordinates="maximal").simulate(0.01, 0.01)
begin = now()
from _chains import chain
from symvi.simulate.simulator import Simulator
from symvi.simulate import solver_build
first_step({count})
fresh = now()
solver_build.forget()
first_step({count})
print(*begin, *fresh, *now())
"""


def first_step(cache: Path, count: int, without: Iterable[str] = (), repeats: int = 3) -> tuple[tuple, tuple]:
    """(wall, processor) seconds of a fresh process up to its first step, and of the same again within that process.

    without: folders of the cache that are removed before each run.
    """
    environment = {
        **os.environ,
        "SYMVI_CACHE": str(cache),
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
    }
    fresh, within = [], []
    for _ in range(repeats):
        for name in without:
            for folder in cache.glob(name):
                shutil.rmtree(folder)
        job = [sys.executable, "-c", SCRIPT.format(count=count)]
        done = subprocess.run(job, env=environment, check=True, capture_output=True, text=True)
        times = [float(word) for word in done.stdout.split()]
        fresh.append((times[2] - times[0], times[3] - times[1]))
        within.append((times[4] - times[2], times[5] - times[3]))
    return min(fresh), min(within)


def measure(report: Report) -> None:
    count, long, repeats = (2, 3, 1) if report.quick else (10, 100, 3)
    built = ("texts", "libraries", "declarations")
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name)
        cold, _ = first_step(cache, count, ("formulas*", "templates", *built), repeats)
        kernels, _ = first_step(cache, count, built, repeats)
        fresh, within = first_step(cache, count, (), repeats)
        longer, _ = first_step(cache, long, built, repeats)
    rows = [
        (f"{count} links, cold", *cold, 5.0),
        (f"{count} links, kernels cached", *kernels, 1.0),
        (f"{count} links, all cached, fresh process", *fresh, 0.5),
        (f"{count} links, all cached, running process", *within, 0.1),
        (f"{long} links, kernels cached", *longer, 5.0),
    ]
    report.table("seconds to the first step", ("what was there before", "wall s", "processor s", "bound s"), rows)
    for title, _, seconds, bound in rows:
        report.at_most(title, seconds, bound, "s")


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
