"""Operation counts per kernel and per inner link and iteration, beside published and measured figures of the same
order.

The figures beside ours are those of a prototype of the papers' elimination order in world axes: 1631 operations per
revolute link and Newton iteration, 1057 per spherical one (the papers' own body axes: 1847 and 1165).
"""

from __future__ import annotations

from _chains import chain

from symvi.program.compose import compose
from symvi.program.info import ITERATION

BESIDE = {"revolute": (1631, 1847), "spherical": (1057, 1165)}


def main() -> int:
    missed = 0
    for kind, (world, body) in BESIDE.items():
        small, large = compose(chain(5, kind)), compose(chain(6, kind))
        phases = {phase: large.flops(phase) - small.flops(phase) for phase in large.phases}
        total = sum(phases[phase] for phase in ITERATION)
        print(f"{kind}: {total} operations per inner link and iteration (world axes {world}, body axes {body})")
        for phase in (*ITERATION, "prepare", "finish"):
            print(f"    {phase:12s} {phases[phase]:5d}" + ("" if phase in ITERATION else "   once a step"))
        for kernel in large.kernels():
            if kernel.flops() and kernel.name.split("_")[0] in (*ITERATION, "linearize"):
                print(f"        {kernel.name:46s} {kernel.flops():5d}")
        print("    pass" if total <= world else "    MISS: more than the prototype")
        missed += total > world
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
