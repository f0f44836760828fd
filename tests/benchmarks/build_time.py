"""From description to first step, ten links: cold, with kernels cached, all cached in a process and in a fresh one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _report import Report, run

HERE = Path(__file__).resolve().parent
SCRIPT = """
from time import perf_counter
begin = perf_counter()
from _chains import chain
from symvi.simulate.simulator import Simulator
from symvi.simulate import build
def first_step(count):
    Simulator(chain(count, "revolute"), backend="c").simulate(0.01, 0.01)
first_step({count})
cold = perf_counter() - begin
build.built.cache_clear()
again = perf_counter()
first_step({count})
print(cold, perf_counter() - again)
"""


def seconds(cache: str, count: int = 10) -> tuple[float, float]:
    """Seconds of a fresh process to its first step (imports included), and of the same again within it."""
    environment = {**os.environ, "SYMVI_CACHE": cache, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(count=count)], env=environment, check=True,
                          capture_output=True, text=True)  # fmt: skip
    fresh, within = (float(word) for word in done.stdout.split())
    return fresh, within


def measure(report: Report) -> None:
    count, long = (2, 3) if report.quick else (10, 100)
    with tempfile.TemporaryDirectory() as cache:
        rows = [("cold", seconds(cache, count)[0], 5.0)]
        for name in ("texts", "libraries"):
            shutil.rmtree(Path(cache) / name, ignore_errors=True)
        rows.append(("kernels cached, the rest anew", seconds(cache, count)[0], 1.0))
        fresh, within = seconds(cache, count)
        rows += [("all cached, fresh process", fresh, 0.5), ("all cached, running process", within, 0.1)]
        rows.append((f"{long} links, looped, kernels cached", seconds(cache, long)[0], rows[0][2]))
    report.table(f"seconds to the first step, {count} links", ("what was there before", "s", "bound"), rows)
    for name, value, bound in rows:
        report.at_most(name, value, bound, "s")


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
