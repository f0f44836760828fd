"""Balls that fall into a bin and settle: what a step takes where every two may touch, beside MuJoCo on the same scene.

Each ball may touch each other one, the floor and four walls. symvi leaves far contacts out of a step and eliminates
bodies that touch in an order that the step finds; MuJoCo has its own broad phase. Times are of one processor, on the
means of all steps, in rounds that take turns; depth is how far a ball is inside another one or the floor, at worst.
A motion that needs parts of steps counts as many steps as it has.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from _benchmark import Report, run
from _mujoco import packages

from symvi import MissingExtraError
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator, SolverOptions

sys.path.append(str(Path(__file__).parents[2]))
from tests.support.many_balls import RADIUS, balls_in_bin

STEP, TIME = 0.005, 1.5  # s
CASES = ((10, 0.0), (30, 0.0), (100, 0.0), (100, 0.1))  # balls, coefficient of friction
OPTIONS = SolverOptions(complementarity=1e-6)
DEEPEST = 1e-9  # m
JUDGED = 100  # balls: smaller piles are told, and take longer than MuJoCo's


class Peer:
    """MuJoCo on a bin. integrator, cone: its own words."""

    def __init__(self, mechanism: Mechanism, integrator: str, cone: str):
        self.mujoco, _ = packages()
        friction = mechanism.contacts[0].friction
        same = f'friction="{friction} 0 0" condim="{3 if friction else 1}"'
        planes = {(c.parent_anchor, c.normal) for c in mechanism.contacts if c.kind == "half_space"}
        text = "".join(
            f'<geom type="plane" size="1 1 1" pos="{_text(p)}" zaxis="{_text(n)}" {same}/>' for p, n in sorted(planes)
        )
        text += "".join(
            f'<body pos="{_text(body.position)}"><freejoint/>'
            f'<geom type="sphere" size="{RADIUS}" mass="{body.mass}" {same}/></body>'
            for body in mechanism.bodies
        )
        option = f'<option timestep="{STEP}" integrator="{integrator}" cone="{cone}"/>'
        self.model = self.mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>")

    def run(self, steps: int) -> tuple[float, float]:
        """Seconds of a step, and the depth of the worst contact [m]."""
        data, deepest, seconds = self.mujoco.MjData(self.model), 0.0, 0.0
        for _ in range(steps):
            begin = process_time()
            self.mujoco.mj_step(self.model, data)
            seconds += process_time() - begin
            deepest = max(deepest, depth(data.xpos[None, 1:]))
        return seconds / steps, deepest


def _text(numbers) -> str:
    return " ".join(map(str, numbers))


def depth(places: np.ndarray) -> float:
    """How far a ball is inside another one or the floor, at worst of some knots (knot, ball, axis) [m]."""
    apart = np.linalg.norm(places[:, :, None] - places[:, None], axis=-1) + np.eye(places.shape[1])
    return max(float(2 * RADIUS - apart.min()), float(RADIUS - places[:, :, 2].min()))


def piles(report: Report) -> None:
    """A row for each solver on each bin; MuJoCo where its wheel is there."""
    cases, steps, rounds = (((10, 0.0),), 20, 1) if report.quick else (CASES, round(TIME / STEP), 3)
    rows, texts = [], []
    for count, friction in cases:
        mechanism = balls_in_bin(f"bin{count}_{100 * friction:.0f}", count, friction)
        begin = perf_counter()
        simulator = Simulator(mechanism)
        texts.append((count, len(mechanism.contacts), _kilobytes(simulator), perf_counter() - begin))
        seen = simulator.simulate(steps * STEP, STEP, options=OPTIONS, record=())
        peers = _peers(report, mechanism)
        best = dict.fromkeys(("symvi", *peers), np.inf)
        deepest = {"symvi": depth(np.asarray(seen.position))}
        for _ in range(rounds):
            begin = process_time()
            simulator.simulate(steps * STEP, STEP, options=OPTIONS, every=steps)
            best["symvi"] = min(best["symvi"], (process_time() - begin) / steps)
            for name, peer in peers.items():
                seconds, deepest[name] = peer.run(steps)
                best[name] = min(best[name], seconds)
        told = f"{seen.iterations[1:].mean():.1f} iterations, {int((seen.substeps > 1).sum())} steps in parts"
        rows += [
            (count, friction, name, 1e3 * seconds, 1e3 * deepest[name], told if name == "symvi" else "")
            for name, seconds in best.items()
        ]
        report.at_most(
            f"{count} balls, friction {friction}: depth of the worst contact", deepest["symvi"], DEEPEST, "m"
        )
        if peers and count == JUDGED:
            fastest = min(seconds for name, seconds in best.items() if name != "symvi")
            report.at_most(
                f"{count} balls, friction {friction}: time of a step, of MuJoCo's", best["symvi"] / fastest, 1.0
            )
    report.table("balls in a bin", ("balls", "friction", "solver", "ms/step", "depth [mm]", "effort"), rows)
    report.table("their texts", ("balls", "contacts", "kB of C", "seconds to build"), texts)


def _kilobytes(simulator: Simulator) -> float:
    return sum(map(len, simulator.text.files.values())) / 1024 if simulator.text else 0.0


def _peers(report: Report, mechanism: Mechanism) -> dict[str, Peer]:
    try:
        return {
            "MuJoCo, Euler": Peer(mechanism, "Euler", "pyramidal"),
            "MuJoCo, implicitfast, elliptic": Peer(mechanism, "implicitfast", "elliptic"),
        }
    except MissingExtraError as error:
        report.note(str(error))
        return {}


def measure(report: Report) -> None:
    piles(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
