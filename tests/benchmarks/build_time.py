"""From description to first step: cold, with kernels cached, all cached in a fresh process and in a running one.

Best of several times, imports included, by the clock on the wall and as the time that processors worked (the compiler's
too). Nothing here runs side by side, so on a machine that does nothing else the two are nearly the same; on a busy one
the second is what can be judged.

Solved for as symvi chooses, so for rates of joints. Python keeps what it compiles of the checkout, as it does for an
installed package. BEFORE=FOLDER, another checkout, is measured in turns with this, each in its own folder (Python looks
there first), and the ratios of both are printed: floors of the first rows are 1.5, 1.1, 1.5 and 1.5.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from _benchmark import Report, run

HERE = Path(__file__).resolve().parent
SCRIPT = """
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter
def now():
    worked = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return perf_counter(), sum(usage.ru_utime + usage.ru_stime for usage in worked)
begin = now()
{imports}
from symvi.simulate.simulator import Simulator
try:
    from symvi.simulate.solver_build import forget
except ImportError:  # as checkouts before the rates of joints call it
    from symvi.simulate.build import forget
def first_step():
    Simulator({mechanism}, backend="c").simulate({step}, {step})
first_step()
fresh = now()
forget()
first_step()
print(*begin, *fresh, *now())
"""
BUILT = ("texts", "libraries", "declarations")
DERIVED = ("formulas*", "templates", *BUILT)


class Work(NamedTuple):
    """What is built: imports and an expression of a mechanism, and the step [s]."""

    imports: str
    mechanism: str
    step: float

    @property
    def script(self) -> str:
        return SCRIPT.format(**self._asdict())


def links(count: int) -> Work:
    return Work("from _chains import chain", f"chain({count}, 'revolute')", 0.01)


WALKER = Work(
    "from symvi.demos import demo_file; from symvi.mechanism import Mechanism",
    "Mechanism.from_file(demo_file('walker'))",
    0.001,
)


def first_step(cache: Path, script: str, checkout: Path, without: Iterable[str] = ()) -> tuple[tuple, tuple]:
    """(wall, processor) seconds of a fresh process up to its first step, and of the same again within that process.

    without: folders of the cache that are removed before.
    """
    environment = {
        **os.environ,
        "SYMVI_CACHE": str(cache),
        "PYTHONPATH": os.pathsep.join([str(checkout / "tests" / "benchmarks"), str(checkout)]),
        "PYTHONPYCACHEPREFIX": str(cache.with_name(f"{cache.name}-compiled")),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in without:
        for folder in cache.glob(name):
            shutil.rmtree(folder)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True, text=True)
    times = [float(word) for word in done.stdout.split()]
    return (times[2] - times[0], times[3] - times[1]), (times[4] - times[2], times[5] - times[3])


def least(work: Work, without: Iterable[str], repeats: int, folders: Mapping[Path, Path]) -> list[tuple[tuple, tuple]]:
    """The least of several times, of every checkout in turns. folders: checkout -> its cache."""
    found: list[list[tuple[tuple, tuple]]] = [[] for _ in folders]
    for _ in range(repeats):
        for times, (checkout, cache) in zip(found, folders.items(), strict=True):
            times.append(first_step(cache, work.script, checkout, without))
    return [(min(fresh for fresh, _ in times), min(within for _, within in times)) for times in found]


def measure(report: Report) -> None:
    count, long, repeats = (2, 3, 1) if report.quick else (10, 100, 3)
    cases = [
        ("walker, cold", WALKER, DERIVED, 12.0),
        (f"{count} links, cold", links(count), DERIVED, 5.0),
        (f"{count} links, kernels cached", links(count), BUILT, 1.0),
        (f"{count} links, all cached, fresh process", links(count), (), 0.5),
        (f"{long} links, kernels cached", links(long), BUILT, 5.0),
    ]
    before = [Path(os.environ["BEFORE"]).resolve()] if os.environ.get("BEFORE") else []
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as name:
        folders = {checkout: Path(name) / str(k) for k, checkout in enumerate([HERE.parents[1], *before])}
        for title, work, without, bound in cases[1:] if report.quick else cases:
            (fresh, within), *others = least(work, without, repeats, folders)
            rows.append((title, *fresh, bound))
            if not without:
                rows.append((title.replace("fresh", "running"), *within, 0.1))
            ratios += [(title, other[0][1] / fresh[1]) for other in others]
    report.table("seconds to the first step", ("what was there before", "wall s", "processor s", "bound s"), rows)
    if ratios:
        report.table(f"processor seconds of {before[0]} over these", ("what was there before", "ratio"), ratios)
    for title, _, seconds, bound in rows:
        report.at_most(title, seconds, bound, "s")


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
