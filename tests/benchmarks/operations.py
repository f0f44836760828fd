"""Operations of every kernel, and of an inner link and iteration, in maximal and in joint coordinates.

Beside them stands a prototype of the papers' elimination order in maximal coordinates. It worked in world axes: 1631
operations per revolute link and Newton iteration, 1057 per spherical one (in the papers' own body axes: 1847 and 1165).
Joint coordinates are counted on hinges askew, on parallel ones with all anchors in a plane, and on balls.
"""

from __future__ import annotations

from _benchmark import Report, run
from _chains import chain, crooked, planar

from symvi.program.info import ITERATION
from symvi.simulate.solver_build import composed

BESIDE = {"revolute": (1631, 1847), "spherical": (1057, 1165)}
OF_TREES = {
    "general hinge": (crooked, 750),
    "planar hinge": (planar, 170),
    "ball": (lambda count: chain(count, "spherical"), 600),
}
ONCE = ("prepare", "begin", "finish")


def measure(report: Report) -> None:
    for kind, (world, body) in BESIDE.items():
        large = composed(chain(6, kind), coordinates="maximal")
        phases = of_one_more(composed(chain(5, kind), coordinates="maximal"), large)
        total = _tell(report, kind, phases, large)
        name = f"{kind}: operations per inner link and iteration (body axes: {body})"
        report.at_most(name, total, world, timed=False)
    for kind, (make, most) in OF_TREES.items():
        small, large = (composed(make(count), coordinates="tree") for count in (9, 12))
        # kernels come round with the axes, every third link
        phases = {phase: count / 3 for phase, count in of_one_more(small, large).items()}
        total = _tell(report, f"{kind}, joint coordinates", phases, large)
        report.at_most(f"{kind}: operations per inner link and iteration, joint coordinates", total, most, timed=False)


def of_one_more(small, large) -> dict[str, float]:
    """What the links that one program has more than another add to every phase."""
    return {phase: large.flops(phase) - small.flops(phase) for phase in large.phases}


def _tell(report: Report, kind: str, phases: dict[str, float], program) -> float:
    """Show the operations of a link and of all kernels; returns those of an iteration."""
    rows = [(phase, round(phases[phase]), "iteration") for phase in ITERATION]
    rows += [("resolve, of a chord", round(phases["resolve"]), "chord")] if phases["resolve"] else []
    rows += [(phase, round(phases[phase]), "step") for phase in ONCE]
    report.table(f"{kind}: operations per inner link", ("phase", "operations", "once per"), rows)
    kernels = [
        (kernel.name, kernel.flops())
        for kernel in program.kernels()
        if kernel.flops() and kernel.name.split("_")[0] in (*ITERATION, "sum")
    ]
    report.table(f"{kind}: operations per kernel", ("kernel", "operations"), kernels)
    return sum(phases[phase] for phase in ITERATION)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
