"""Joint coordinates beside maximal ones and beside peers: closed chains, linkages, an arm, a platform, a quadruped.

All take the same steps in one process and take turns; what is compared with a peer is one core's time of a step,
nothing recorded, in the reproducible profile. Gaps are the largest opening of a loop; the platform's legs are tied in
MuJoCo as hard as it lets them be. MuJoCo's contacts are soft: the quadruped's feet sink in by millimetres there. Open
chains are in `symvi bench peers`, operations in `symvi bench operations`. Needs the extra bench.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import _mujoco
import _pinocchio
import _platform
import numpy as np
from _benchmark import Report, run
from _measure import DrivenRollout, Rollout, Times, pin, take_turns
from _mujoco import STIFF, MuJoCo
from _pinocchio import Pinocchio
from _workloads import closed_chain, open_chain

from symvi import __version__
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.numbers.control import SolverOptions
from symvi.program.info import ITERATION
from symvi.simulate import Simulator
from symvi.simulate.solver_build import composed

sys.path.append(str(Path(__file__).parents[2] / "examples"))
from _mujoco_robot import MuJoCoRobot
from _quadruped import STAND, feet, gait, knots, quadruped
from quadruped import TROT

STEP = 0.01
GAP = 1e-12  # m
AGREE = 1e-9  # m after the steps that are timed, where both formulations run
FRICTION = 0.8
HARD = 'solref="0.002 1" solimp=".9999 .9999 .001 .5 2"'
HEAD = ("", "code", "us/step", "median", "joint coordinates take 1/", "medians", "iterations", "operations", "gap m")


class Platform:
    """The platform in MuJoCo's compiled rollout."""

    def __init__(self, step: float):
        mujoco, rollout = _mujoco.packages()
        self.model = mujoco.MjModel.from_xml_string(_platform.description(step, HARD))
        self.data = mujoco.MjData(self.model)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, self.start, kind)
        self._rollout = rollout.Rollout(nthread=0)

    def run(self, steps: int) -> None:
        self._rollout.rollout(self.model, [self.data], self.start[None], nstep=steps)


def beside(
    report: Report,
    name: str,
    mechanism: Mechanism,
    step: float,
    steps: int,
    peers: Mapping[str, Callable[[int], object]],
) -> tuple[list[tuple], dict[str, Times]]:
    """Rows of the table, and times by code. peers: what runs so many steps of the same mechanism in another code."""
    simulators = {kind: Simulator(mechanism, coordinates=kind, backend="c") for kind in ("maximal", "tree")}
    rollouts = {kind: Rollout(simulator, steps, step) for kind, simulator in simulators.items()}
    jobs: dict[str, Callable[[], object]] = dict(rollouts)
    jobs |= {code: lambda run=run: run(steps) for code, run in peers.items()}
    times = take_turns(jobs, 2 if report.quick else 25)
    motions = {kind: s.simulate(steps * step, step, options=_tight(mechanism)) for kind, s in simulators.items()}
    apart = float(np.abs(motions["maximal"].position - motions["tree"].position).max())
    report.at_most(f"{name}: both formulations apart after {steps} steps", apart, AGREE, "m", timed=False)
    rows = []
    for code, time in times.items():
        ratio = time.least / times["tree"].least, time.middle / times["tree"].middle
        row = (name, code, 1e6 * time.least / steps, 1e6 * time.middle / steps, *ratio)
        if code in rollouts:
            operations = sum(composed(mechanism, coordinates=code).flops(phase) for phase in ITERATION)
            row += (rollouts[code].iterations(), operations, float(motions[code].closure.max()))
        rows.append((*row, *[None] * (len(HEAD) - len(row))))
    return rows, times


def _tight(mechanism: Mechanism) -> SolverOptions:
    """Contacts leave no more open than joints do, so that both formulations can be compared."""
    return SolverOptions(complementarity=1e-12) if mechanism.contacts else SolverOptions()


def slower(report: Report, name: str, times: dict[str, Times], code: str, floor: float) -> None:
    """A peer's time must be so many times that of joint coordinates."""
    report.at_most(
        f"{name}: joint coordinates, share of {code} (floor: {floor:g} times faster)",
        times["tree"].least / times[code].least,
        1 / floor,
    )


def trees_and_loops(report: Report) -> None:
    steps = 10 if report.quick else 100
    rows: list[tuple] = []

    def add(name: str, mechanism: Mechanism, floors: Mapping[str, float], step: float = STEP, **peers) -> None:
        found, times = beside(report, name, mechanism, step, steps, peers)
        rows.extend(found)
        for code, floor in floors.items():
            slower(report, name, times, code, floor)
        if mechanism.joints[-1].name == "end":
            gap = next(row[-1] for row in found if row[1] == "tree")
            report.at_most(f"{name}: gap", gap, GAP, "m", timed=False)

    for count, floor in ((3, 2.5), (10, 1.0)):
        chain = closed_chain(count)
        soft, stiff = MuJoCo(chain, "Euler", STEP), MuJoCo(chain, "Euler", STEP, STIFF)
        peers = {"MuJoCo": soft.run, "MuJoCo, stiff": stiff.run}
        add(f"{count} closed links", chain.mechanism(), dict.fromkeys(peers, floor), **peers)
    arm = open_chain("oblique", 7)
    add("arm of 7 oblique hinges", arm.mechanism(), {"Pinocchio Euler": 1 / 1.35},
        **{"Pinocchio Euler": Pinocchio(arm, "Euler", STEP).run})  # fmt: skip
    add(
        "Stewart platform", _platform.mechanism(), {"MuJoCo, stiff": 1.0}, 1e-3, **{"MuJoCo, stiff": Platform(1e-3).run}
    )
    for demo, floor in (("four_bar", 1.0), ("slider_crank", 1.0), ("strandbeest", 1.0), ("walker", 2.8)):
        add(demo, Mechanism.from_file(demo_file(demo)), {"maximal": floor})
    report.table("a step in joint coordinates, in maximal coordinates and in other codes", HEAD, rows)


def robot(report: Report) -> None:
    """A quadruped on its feet, at steps of 1 ms."""
    seconds, repeats = (0.02, 2) if report.quick else (2.0, 5)
    rows = []
    for what, parameters, floor in (("stands", STAND, 1.2), ("trots", TROT, 1.0)):
        targets, times = gait(knots(seconds, 1e-3), parameters), knots(seconds, 1e-3)
        jobs: dict[str, Callable[[], object]] = {}
        depths = {}
        for kind in ("maximal", "tree"):
            simulator = Simulator(quadruped(FRICTION), coordinates=kind, backend="c")
            inputs = simulator.inputs.overlay(np.zeros((len(times), len(simulator.plan.inputs))), targets)
            jobs[kind] = DrivenRollout(simulator, len(times) - 1, SolverOptions(), inputs, 1e-3)
            motion = simulator.simulate(seconds, 1e-3, inputs=targets)
            depths[kind] = -float(feet(motion).min())
        peer = MuJoCoRobot(FRICTION, 1e-3)
        jobs["MuJoCo"] = lambda peer=peer, targets=targets: peer.run(targets)
        depths["MuJoCo"] = -float(peer.feet(peer.run(targets)).min())
        found = take_turns(jobs, repeats)
        for code, time in found.items():
            ratio = time.least / found["tree"].least, time.middle / found["tree"].middle
            each = (1e6 * time.least / (len(times) - 1), 1e6 * time.middle / (len(times) - 1))
            rows.append((what, code, *each, *ratio, 1e3 * max(depths[code], 0.0)))
        slower(report, f"quadruped {what}", found, "MuJoCo", floor)
        report.at_most(f"quadruped {what}: depth in the ground", depths["tree"], 1e-9, "m", timed=False)
    head = ("quadruped", "code", "us/step", "median", "joint coordinates take 1/", "medians", "depth mm")
    report.table("quadruped on its feet, steps of 1 ms", head, rows)


def measure(report: Report) -> None:
    pin()
    report.note(f"symvi {__version__}, {_mujoco.version()}, {_pinocchio.version()}")
    trees_and_loops(report)
    robot(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
