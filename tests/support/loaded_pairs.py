"""Floating pairs that carry every force their joint has an axis for; gains and inputs say which of them act.

One solver per joint type serves all of these tests, since magnitudes are parameters of the generated text.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from symvi.mechanism import JOINT_TYPES, Driver, Mechanism, State, coordinate_kinds, start_state
from symvi.simulate import Simulator, Trajectory
from tests.support.floating_pairs import FORCE_KINDS, PAIRS, floating_pair

__all__ = [
    "ACTING",
    "CONSERVATIVE",
    "DAMPED",
    "DISSIPATIVE",
    "DRIVEN",
    "LoadedPair",
    "driven_pair",
    "loaded_pair",
    "resting",
    "tossed",
]

GAINS = (".stiffness", ".damping", ".par_k", ".par_c")
DISSIPATIVE = ("joint_damper", "servo")
DRIVEN = tuple(name for name in JOINT_TYPES if coordinate_kinds(name))
DAMPED = tuple(joint_type for joint_type, kind in PAIRS if kind == "joint_damper")
CONSERVATIVE = tuple(kind for kind in FORCE_KINDS if kind not in (*DISSIPATIVE, "actuator"))
# What can act on a pair: nothing but its joint, one kind of force, everything.
ACTING = (
    *((joint_type, ()) for joint_type in JOINT_TYPES),
    *((joint_type, (kind,)) for joint_type, kind in PAIRS),
    *((joint_type, FORCE_KINDS) for joint_type in JOINT_TYPES),
)


@cache
def loaded_pair(joint_type: str) -> Mechanism:
    """The pair with every force, in an oblique gravity."""
    return floating_pair(joint_type, *FORCE_KINDS, gravity=(1.0, 2.0, -9.81))


@cache
def driven_pair(joint_type: str) -> Mechanism:
    """The pair alone in free space, every coordinate of its joint driven by a signal."""
    pair = floating_pair(joint_type)
    (joint,) = pair.joints
    drivers = [
        Driver(name=f"driver{k}", joint="joint", coordinate=k, signal=f"{value!r} + 0.4*sin({k + 1}*t)")
        for k, value in enumerate(joint.coordinate)
    ]
    return pair.changed(name=f"driven_{joint_type}", drivers=drivers)


class LoadedPair:
    """A solver of the loaded pair in which these kinds of forces act and the others have no gain and no input."""

    def __init__(self, joint_type: str, kinds=FORCE_KINDS, gravity=(0.0, 0.0, 0.0)):
        self.mechanism = loaded_pair(joint_type)
        self.simulator = Simulator(self.mechanism)
        self.simulator.set_parameter("common.gravity", gravity)
        acting = {f"{kind}_of_joint" for kind in kinds}
        for name in self.simulator.plan.parameters:
            if name.endswith(GAINS) and name.split(".")[0] not in acting:
                self.simulator.set_parameter(name, np.zeros(self.simulator.plan.parameters[name][0][1]))
        actuated = [name for name in self.simulator.inputs.names if name.startswith("actuator")]
        self.pushes, self.silence = (actuated, {}) if "actuator" in kinds else ([], dict.fromkeys(actuated, 0.0))

    def simulate(self, time: float, step: float, push: float | None = None, **options) -> Trajectory:
        """Its motion; push: a constant force or torque of an acting actuator, instead of its signals."""
        inputs = self.silence | ({} if push is None else dict.fromkeys(self.pushes, push))
        return self.simulator.simulate(time, step, inputs=inputs, **options)


def tossed(mechanism: Mechanism, seed: int) -> State:
    """The start placement with random velocities up to 1 m/s and 2 rad/s, which the joints may not allow."""
    state, random = start_state(mechanism), np.random.default_rng(seed)
    shape = (len(state.names), 3)
    return State(
        time=0.0, position=state.position, orientation=state.orientation, velocity=random.uniform(-1, 1, shape),
        angular_velocity=random.uniform(-2, 2, shape), names=state.names,
    )  # fmt: skip


def resting(mechanism: Mechanism) -> State:
    """The start placement without motion."""
    state = start_state(mechanism)
    nothing = np.zeros((len(state.names), 3))
    return State(
        time=0.0, position=state.position, orientation=state.orientation, velocity=nothing, angular_velocity=nothing,
        names=state.names,
    )  # fmt: skip
