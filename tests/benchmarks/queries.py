"""What a model is asked in joint coordinates: symvi's generated C and Pinocchio, both called from Python.

Robots of PyPI's example-robot-data, each asked about the same random coordinates; the two take turns, and the least of
several rounds counts. An answer's difference is that of its largest entries, of the largest one. Where joints mimic
others, Pinocchio has no forward dynamics. Needs Pinocchio and the robots, of the extra peers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _benchmark import Report, run
from _pinocchio import version
from knot import least

from symvi.errors import missing_extra
from symvi.importers import load
from symvi.simulate.joint_model import JointModel

sys.path.append(str(Path(__file__).parents[2]))
from tests.importers.real_robots import PACKAGE, robot_file, share

ROBOTS = (
    ("panda", "fixed"), ("ur5_robot", "fixed"), ("xarm7", "fixed"), ("allegro_right_hand", "fixed"),
    ("baxter", "fixed"), ("bolt", "floating"), ("a1", "floating"), ("anymal", "floating"), ("centauro", "floating"),
    ("g1_29dof_rev_1_0", "floating"),
)  # fmt: skip
AGREES, TIMES = 1e-10, 3.0
Call = Callable[[], np.ndarray]


def calls_of(name: str, base: str) -> tuple[JointModel, dict[str, tuple[Call, Call]], np.ndarray]:
    """The model of a robot; by question what asks symvi and what asks Pinocchio; Pinocchio's rates among symvi's."""
    from tests.importers.pinocchio_model import Beside, Peer, pinocchio

    path = robot_file(f"{name}.urdf")
    imported, peer = load(path, base=base, packages={PACKAGE: share()}), Peer(path, base)
    model = JointModel(imported.mechanism, {})
    pair = Beside(imported, model, peer)
    robot, data = peer.model, peer.data
    q, rates, change = pair.random(1)
    there, v, a = pair.coordinates(q), rates[pair.v_at], change[pair.v_at]
    force = model.inverse_dynamics(q, rates, change)
    f, last = force[pair.v_at], list(imported.links.items())[-1]
    frame = robot.getFrameId(last[0], pinocchio.FrameType.BODY)
    body, point = last[1].body, np.array(last[1].pose[0])
    local = pinocchio.LOCAL_WORLD_ALIGNED
    found: dict[str, tuple[Call, Call]] = {
        "mass matrix": (lambda: model.mass_matrix(q), lambda: pinocchio.crba(robot, data, there)),
        "bias": (lambda: model.bias(q, rates), lambda: pinocchio.nonLinearEffects(robot, data, there, v)),
        "inverse dynamics": (
            lambda: model.inverse_dynamics(q, rates, change),
            lambda: pinocchio.rnea(robot, data, there, v, a),
        ),
        "forward dynamics": (
            lambda: model.forward_dynamics(q, rates, force),
            lambda: pinocchio.aba(robot, data, there, v, f),
        ),
        "Jacobian": (
            lambda: model.jacobian(body, q, point),
            lambda: pinocchio.computeFrameJacobian(robot, data, there, frame, local),
        ),
        "frames": (lambda: model.frames(q), lambda: pinocchio.framesForwardKinematics(robot, data, there)),
        "momentum": (
            lambda: model.momentum(q, rates),
            lambda: pinocchio.computeCentroidalMomentum(robot, data, there, v),
        ),
        "centre of mass": (lambda: model.centre_of_mass(q), lambda: pinocchio.centerOfMass(robot, data, there)),
        "its Jacobian": (
            lambda: model.centre_of_mass_jacobian(q),
            lambda: pinocchio.jacobianCenterOfMass(robot, data, there),
        ),
    }
    if imported.mechanism.couplings:
        del found["forward dynamics"]
    return model, found, pair.v_at


def difference(question: str, calls: tuple[Call, Call], at: np.ndarray) -> float:
    """Of the largest entry of Pinocchio's, whose order of rates is `at`."""
    own, other = calls[0](), calls[1]()
    if question == "frames":  # Pinocchio's stay in its data
        return 0.0
    mine, theirs = np.array(own), np.array(other)
    if question == "mass matrix":
        mine, theirs = mine[np.ix_(at, at)], np.triu(theirs) + np.triu(theirs, 1).T
    elif question not in ("momentum", "centre of mass"):
        mine = mine[..., at]
    return float(np.abs(mine - theirs).max() / max(1e-3, np.abs(theirs).max()))


def measure(report: Report) -> None:
    if share() is None:
        raise missing_extra("peers", PACKAGE)
    rows, worst, slowest = [], 0.0, {}
    for name, base in ROBOTS[:2] if report.quick else ROBOTS:
        model, calls, at = calls_of(name, base)
        worst = max(worst, *(difference(question, both, at) for question, both in calls.items()))
        count, rounds = (5, 1) if report.quick else (2000, 7)
        works = {
            (question, peer): (work, count)
            for question, both in calls.items()
            for peer, work in zip(("symvi", "Pinocchio"), both, strict=True)
        }
        times = least(works, rounds)
        for question in calls:
            here, there = times[question, "symvi"], times[question, "Pinocchio"]
            rows.append((name, model.size[1], question, here, there, here / there))
            slowest[question] = max(slowest.get(question, 0.0), here / there)
    report.note(f"beside {version()}, both called from Python")
    head = ("robot", "rates", "question", "symvi us", "Pinocchio us", "of Pinocchio's")
    report.table("answers of a model", head, rows)
    report.at_most("largest difference", worst, AGREES, timed=False)
    for question, ratio in slowest.items():
        report.at_most(f"{question}, of Pinocchio's time, the worst robot", ratio, TIMES)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
