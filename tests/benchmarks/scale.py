"""What thousands of bodies cost: free balls, and chains on balls and on hinges, each built with an empty cache.

Text, seconds of Python and of the compiler, memory of both at their most, and a step, of 100, 1000 and 5000 bodies. All
are to grow with the number of bodies: a body may cost little more among 5000 than among 1000, but for a step, which
then leaves the processor's caches. Seconds are of processors; memory of the build holds Python and its libraries too.
"""

from __future__ import annotations

import os
import resource
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import process_time
from typing import NamedTuple

from _benchmark import Report, run
from _chains import chain

from symvi.mechanism import Body, Mechanism, Sphere
from symvi.simulate import Simulator

COUNTS = (100, 1000, 5000)
GROWTH, OF_STEP = 1.5, 3.0  # of a body among the most, against the next count
STEP = 0.001  # s


class Cost(NamedTuple):
    """Of one build, and of a step."""

    coordinates: str
    text: float  # MB
    python: float  # s
    compiler: float  # s
    memory: float  # MB, of Python at its most
    compiling: float  # MB, of the compiler at its most
    worlds: float  # MB, of a world's numbers and of what a thread works with
    step: float  # us


def free(count: int) -> Mechanism:
    """Balls that fall side by side."""
    bodies = [
        Body(name=f"b{k}", mass=1.0, shape=Sphere(radius=0.1), position=(0.3 * k, 0.0, 1.0)) for k in range(count)
    ]
    return Mechanism(name=f"free{count}", bodies=bodies)


def made(kind: str, count: int) -> Mechanism:
    return free(count) if kind == "free" else chain(count, kind)


def cost(kind: str, count: int, steps: int) -> Cost:
    """In this process, which has built nothing before."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMVI_CACHE"] = folder
        mechanism, begin = made(kind, count), process_time()
        simulator = Simulator(mechanism, backend="c")
        python = process_time() - begin
        built = resource.getrusage(resource.RUSAGE_CHILDREN)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert simulator.text is not None
        with simulator.batch(1, step=STEP, threads=1, lanes=False) as batch:
            batch.rollout(steps=1, record=())
            times = []
            for _ in range(steps):
                begin = process_time()
                batch.rollout(steps=1, record=())
                times.append(process_time() - begin)
            memory = batch._memory
            worlds = memory.state.nbytes + memory.parameters.nbytes + memory._function("memory")()
        text = sum(map(len, simulator.text.files.values()))
        return Cost(
            simulator.coordinates, text / 2**20, python, built.ru_utime + built.ru_stime, most,
            built.ru_maxrss / 1024, worlds / 2**20, 1e6 * min(times),
        )  # fmt: skip


def alone(kind: str, count: int, steps: int) -> Cost:
    """The same in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(cost, kind, count, steps).result()


def measure(report: Report) -> None:
    counts, kinds, steps = ((20,), ("free",), 2) if report.quick else (COUNTS, ("free", "spherical", "revolute"), 20)
    rows = []
    for kind in kinds:
        costs = {}
        for count in counts:
            report.note(f"{kind}: {count} bodies")
            costs[count] = alone(kind, count, steps)
            rows.append((kind, count, *costs[count]))
        if len(counts) < 2:
            continue
        before, last = (costs[count] for count in counts[-2:])
        more = counts[-1] / counts[-2]
        for name, bound in (("text", GROWTH), ("python", GROWTH), ("compiler", GROWTH), ("worlds", GROWTH)):
            growth = getattr(last, name) / getattr(before, name) / more
            title = f"{kind}: {name} of a body among {counts[-1]}, of one among {counts[-2]}"
            report.at_most(title, growth, bound, timed=name in ("python", "compiler"))
        growth = last.step / before.step / more
        report.at_most(f"{kind}: step of a body among {counts[-1]}, of one among {counts[-2]}", growth, OF_STEP)
    head = (
        "kind",
        "bodies",
        "coordinates",
        "text MB",
        "Python s",
        "compiler s",
        "Python MB",
        "compiler MB",
        "world MB",
        "us/step",
    )
    report.table("thousands of bodies", head, rows)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
