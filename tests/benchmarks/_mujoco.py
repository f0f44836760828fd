"""MuJoCo on the workloads: its own compiled rollout, in the calling thread."""

from __future__ import annotations

import numpy as np
from _workloads import BOTTOM, GRAVITY, INERTIA, MASS, TOP, Chain

from symvi.errors import missing_extra

STIFF = 'solimp=".9999 .9999 .001 .5 2"'  # of the pinned end: as hard as MuJoCo lets it be


def packages():
    """The modules mujoco and mujoco.rollout. Raises MissingExtraError without the wheel."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError as error:
        raise missing_extra("bench", "mujoco") from error
    # of a motion that diverges it would write a log into the working folder
    mujoco.set_mju_user_warning(lambda text: None)
    return mujoco, rollout


def version() -> str:
    return f"MuJoCo {packages()[0].__version__}"


class MuJoCo:
    """A chain in MuJoCo. method: its integrators "Euler" or "RK4"; end: attributes of the pinned end in its XML."""

    def __init__(self, chain: Chain, method: str, step: float, end: str = ""):
        self.mujoco, rollout = packages()
        self.chain = chain
        self.model = self.mujoco.MjModel.from_xml_string(_description(chain, method, step, end))
        self.data = self.mujoco.MjData(self.model)
        self._rollout = rollout.Rollout(nthread=0)
        self.data.qpos[:] = np.ravel([self._coordinate(k) for k in range(len(chain.angles))])
        self.mujoco.mj_forward(self.model, self.data)
        kind = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.empty(self.mujoco.mj_stateSize(self.model, kind))
        self.mujoco.mj_getState(self.model, self.data, self.start, kind)

    def _coordinate(self, joint: int) -> list[float]:
        """A quaternion (w, x, y, z), or an angle."""
        angle = self.chain.angles[joint]
        if self.chain.kind != "spherical":
            return [angle]
        return [np.cos(angle / 2), *(np.sin(angle / 2) * np.array(self.chain.axis(joint)))]

    def run(self, steps: int, record: bool = True) -> np.ndarray:
        """States after every step (time, q, v): MuJoCo always records. NaN from where MuJoCo gave up and began anew."""
        self.mujoco.mj_resetData(self.model, self.data)
        states, _ = self._rollout.rollout(self.model, [self.data], self.start[None], nstep=steps)
        if record:
            stopped = np.flatnonzero(np.diff(states[0, :, 0]) <= 0)
            states[0, stopped[0] + 1 if stopped.size else steps :] = np.nan
        return states[0]

    def tips(self, states: np.ndarray) -> np.ndarray:
        """Where the last link's lower end is, (n, 3) [m]."""
        return np.array([self._at(state).site("tip").xpos.copy() for state in np.atleast_2d(states)])

    def energies(self, states: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy [J]."""
        return np.array([self._at(state).energy.sum() for state in np.atleast_2d(states)])

    def _at(self, state: np.ndarray):
        """MuJoCo's data of a state."""
        data, positions = self.data, self.model.nq
        data.qpos[:], data.qvel[:] = state[1 : 1 + positions], state[1 + positions : 1 + positions + self.model.nv]
        self.mujoco.mj_kinematics(self.model, data)
        self.mujoco.mj_comPos(self.model, data)
        self.mujoco.mj_crb(self.model, data)
        self.mujoco.mj_comVel(self.model, data)
        self.mujoco.mj_energyPos(self.model, data)
        self.mujoco.mj_energyVel(self.model, data)
        return data


def _description(chain: Chain, method: str, step: float, end: str) -> str:
    """MuJoCo's XML of a chain."""
    inside = f'<site name="tip" pos="{_text(BOTTOM)}"/>'
    for k in reversed(range(len(chain.angles))):
        hinge = f'<joint type="hinge" axis="{_text(chain.axis(k))}"'
        joint = '<joint type="ball"' if chain.kind == "spherical" else hinge
        place = [a - b for a, b in zip(chain.anchor(k), TOP, strict=True)]
        inside = (
            f'<body pos="{_text(place)}"><inertial pos="0 0 0" mass="{MASS}" diaginertia="{_text(INERTIA)}"/>'
            f'{joint} pos="{_text(TOP)}"/>{inside}</body>'
        )
    pin = pinned = ""
    if chain.end:
        pin = f'<site name="end" pos="{_text(chain.end)}"/>'
        pinned = f'<equality><connect site1="tip" site2="end" {end}/></equality>'
    return (
        f'<mujoco><option timestep="{step}" gravity="0 0 {-GRAVITY}" integrator="{method}"/>'
        f"<worldbody>{pin}{inside}</worldbody>{pinned}</mujoco>"
    )


def _text(numbers) -> str:
    return " ".join(f"{number:.17g}" for number in numbers)
