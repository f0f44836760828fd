"""The quadruped in MuJoCo: its compiled rollout with given targets, how long that takes, where the feet are."""

from __future__ import annotations

from importlib.util import find_spec
from time import thread_time

import numpy as np
from _quadruped import FOOT, LEGS, PARTS, STANCE, description


def is_installed() -> bool:
    return find_spec("mujoco") is not None


class MuJoCoRobot:
    """One model and its rollout in the calling thread; contacts and solver as MuJoCo sets them."""

    def __init__(self, friction: float, step: float, integrator: str = "implicitfast"):
        import mujoco
        from mujoco import rollout

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(description(friction, step, integrator))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[7:] = [STANCE[part] for _ in LEGS for part in PARTS]
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, self.start, kind)
        self._rollout = rollout.Rollout(nthread=0)

    def run(self, targets: dict[str, np.ndarray]) -> np.ndarray:
        """(N, state) after each step: time, positions, velocities. targets: as `gait` gives them, (N + 1,) each."""
        control = np.stack([targets[f"{leg}_{part}_servo.target"][:-1] for leg in LEGS for part in PARTS], axis=1)
        self.mujoco.mj_resetData(self.model, self.data)
        states, _ = self._rollout.rollout(self.model, [self.data], self.start[None], control[None].copy())
        return states[0]

    def seconds(self, targets: dict[str, np.ndarray], repeats: int) -> float:
        """Least CPU time of a step [s]."""
        found = []
        for _ in range(repeats):
            before = thread_time()
            count = len(self.run(targets))
            found.append((thread_time() - before) / count)
        return min(found)

    def feet(self, states: np.ndarray, every: int = 1) -> np.ndarray:
        """(n, 4) heights of the feet [m]."""
        calves = [self.model.body(f"{leg}_calf").id for leg in LEGS]
        found = []
        for state in states[::every]:
            self.data.qpos[:] = state[1 : 1 + self.model.nq]
            self.mujoco.mj_kinematics(self.model, self.data)
            found.append([self.data.xpos[k][2] + self.data.xmat[k].reshape(3, 3)[2] @ np.array(FOOT) for k in calves])
        return np.array(found)
