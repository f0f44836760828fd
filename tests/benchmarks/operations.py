"""Operations of every kernel, and of an inner link and iteration, beside a prototype of the papers' elimination order.

The prototype worked in world axes: 1631 operations per revolute link and Newton iteration, 1057 per spherical one (in
the papers' own body axes: 1847 and 1165).
"""

from __future__ import annotations

from _benchmark import Report, run
from _chains import chain

from symvi.program.compose import compose
from symvi.program.info import ITERATION

BESIDE = {"revolute": (1631, 1847), "spherical": (1057, 1165)}


def measure(report: Report) -> None:
    for kind, (world, body) in BESIDE.items():
        small, large = compose(chain(5, kind)), compose(chain(6, kind))
        phases = {phase: large.flops(phase) - small.flops(phase) for phase in large.phases}
        total = sum(phases[phase] for phase in ITERATION)
        rows = [(phase, phases[phase], "iteration") for phase in ITERATION]
        rows += [(phase, phases[phase], "step") for phase in ("prepare", "begin", "finish")]
        report.table(f"{kind}: operations per inner link", ("phase", "operations", "once per"), rows)
        kernels = [
            (kernel.name, kernel.flops())
            for kernel in large.kernels()
            if kernel.flops() and kernel.name.split("_")[0] in ITERATION
        ]
        report.table(f"{kind}: operations per kernel", ("kernel", "operations"), kernels)
        name = f"{kind}: operations per inner link and iteration (body axes: {body})"
        report.at_most(name, total, world, timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
