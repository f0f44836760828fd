"""The same MJCF file read by MuJoCo itself: random motions of it, places, masses, and accelerations of bodies."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from symvi.importers import Imported
from symvi.mechanism import DryFriction, Mechanism
from symvi.mechanism.rotation import body_rate, rotation_vector
from symvi.mechanism.state import State
from symvi.simulate.coordinates import state_from
from symvi.simulate.simulator import Simulator

__all__ = ["Peer", "body_accelerations", "inputs", "link_poses", "link_velocities", "mass_and_center", "random_state"]

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY")


class Peer:
    """A model of MuJoCo's, without what it makes soft and what the import leaves out."""

    def __init__(self, path: Path):
        self.model = model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(model)
        for name in OFF:
            model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
        model.opt.density = model.opt.viscosity = 0.0
        model.opt.wind[:] = 0.0
        model.body_gravcomp[:] = 0.0
        model.tendon_stiffness[:] = model.tendon_damping[:] = 0.0
        self.bodies = {self.name(mujoco.mjtObj.mjOBJ_BODY, k): k for k in range(1, model.nbody)}

    def name(self, kind: mujoco.mjtObj, index: int) -> str:
        return mujoco.mj_id2name(self.model, kind, index) or ""

    def placements(self, qpos: np.ndarray) -> dict[str, np.ndarray]:
        """Body with a name -> 4 x 4 pose in the world."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        found = {}
        for name, k in self.bodies.items():
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = self.data.xmat[k].reshape(3, 3), self.data.xpos[k]
            found[name] = pose
        return found

    def moving(self) -> list[int]:
        return [k for k in range(1, self.model.nbody) if self.model.body_weldid[k]]

    def mass_and_center(self, qpos: np.ndarray) -> tuple[float, np.ndarray]:
        """Of all bodies that can move [kg, m]."""
        self.placements(qpos)
        mujoco.mj_comPos(self.model, self.data)
        masses = self.model.body_mass[self.moving()]
        return masses.sum(), masses @ self.data.xipos[self.moving()] / masses.sum()

    def velocities(self, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, np.ndarray]:
        """Body -> angular velocity and velocity of the frame's origin, world axes."""
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)
        found = {}
        for name, k in self.bodies.items():
            found[name] = np.zeros(6)
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_XBODY, k, found[name], 0)
        return found

    def accelerations(
        self, qpos: np.ndarray, qvel: np.ndarray, control: np.ndarray, step: float
    ) -> dict[str, np.ndarray]:
        """The change of the velocities of the bodies over a step with MuJoCo's acceleration, over that step."""
        before = self.velocities(qpos, qvel)
        self.data.ctrl[:] = control
        for k in range(self.model.nu):  # an actuator with a state of its own has reached its control
            if self.model.actuator_actnum[k]:
                self.data.act[self.model.actuator_actadr[k]] = control[k]
        mujoco.mj_forward(self.model, self.data)
        rates, place = qvel + step * self.data.qacc, qpos.copy()
        mujoco.mj_integratePos(self.model, place, qvel, step)
        after = self.velocities(place, rates)
        return {name: (after[name] - value) / step for name, value in before.items()}


def random_state(imported: Imported, peer: Peer, seed: int, speed: float = 1.0) -> tuple[State, np.ndarray, np.ndarray]:
    """A random state of all joints: the mechanism's, and MuJoCo's qpos and qvel."""
    random = np.random.default_rng(seed)
    model = peer.model
    qpos, qvel = model.qpos0.copy(), speed * random.uniform(-1, 1, model.nv)
    mechanism: Mechanism = imported.mechanism
    values: dict[str, dict[int, float]] = {}
    rates: dict[str, dict[int, float]] = {}
    names = iter(imported.joints.items())
    for joint in range(model.njnt):
        own, first = _place_of(peer, joint, names, imported)
        place, dof, kind = model.jnt_qposadr[joint], model.jnt_dofadr[joint], model.jnt_type[joint]
        if kind in (FREE, BALL):
            turn = random.uniform(-1, 1, 3)
            angle = np.linalg.norm(turn)
            offset = 3 if kind == FREE else 0
            if kind == FREE:
                qpos[place : place + 3] = random.uniform(-1, 1, 3)
            w, xyz = np.cos(angle / 2), np.sin(angle / 2) * turn / angle
            qpos[place + offset : place + offset + 4] = [w, *xyz]
            vector = rotation_vector((w, *xyz))
            jacobian = np.array([body_rate(vector, tuple(unit)) for unit in np.eye(3)]).T
            turning = np.linalg.solve(jacobian, qvel[dof + offset : dof + offset + 3])
            value = [*qpos[place : place + offset], *vector]
            rate = [*qvel[dof : dof + offset], *turning]
        else:
            qpos[place] += random.uniform(-1, 1)
            value, rate = [qpos[place]], [qvel[dof]]
        if own:
            values.setdefault(own, {}).update({first + k: float(x) for k, x in enumerate(value)})
            rates.setdefault(own, {}).update({first + k: float(x) for k, x in enumerate(rate)})
    state = state_from(
        mechanism, *({n: [d[k] for k in sorted(d)] for n, d in some.items()} for some in (values, rates))
    )
    return state, qpos, qvel


def _place_of(peer: Peer, joint: int, names, imported: Imported) -> tuple[str, int]:
    """Where a joint of MuJoCo's is in the mechanism: by its name, or the next in order where it has none."""
    name = peer.name(mujoco.mjtObj.mjOBJ_JOINT, joint)
    if name:
        return imported.joints.get(name, ("", 0))
    given = {peer.name(mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(peer.model.njnt)}
    return next(where for own, where in names if own not in given)


def inputs(imported: Imported, peer: Peer, control: np.ndarray) -> dict[str, float]:
    """Inputs of motors and servos that say what the control says; actuators that the import leaves out are stilled."""
    found: dict[str, float] = {}
    forces = {force.name: force for force in imported.mechanism.forces}
    for k in range(peer.model.nu):
        name = peer.name(mujoco.mjtObj.mjOBJ_ACTUATOR, k) or f"actuator{k}"
        force = forces.get(f"{name}_actuator") or forces.get(name)
        gear, gain = peer.model.actuator_gear[k, 0], peer.model.actuator_gainprm[k, 0]
        peer.model.actuator_ctrllimited[k] = peer.model.actuator_forcelimited[k] = 0
        if getattr(force, "kind", "") == "actuator":
            found[f"{force.name}.force"] = gear * gain * control[k]
        elif getattr(force, "kind", "") == "servo":
            found[f"{force.name}.{'target' if force.stiffness else 'target_rate'}"] = control[k] / gear
        else:
            peer.model.actuator_gainprm[k] = peer.model.actuator_biasprm[k] = 0.0
    return found


def link_poses(imported: Imported, state: State) -> dict[str, np.ndarray]:
    """Link of the file -> 4 x 4 pose in the world, from a state of the mechanism."""
    found = {}
    for name, placed in imported.links.items():
        body = np.eye(4)
        if placed.body != "world":
            row = state.index(placed.body)
            body = homogeneous(state.position[row], state.orientation[row])
        found[name] = body @ homogeneous(*placed.pose)
    return found


def homogeneous(position, orientation) -> np.ndarray:
    pose, rotation = np.eye(4), np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.array(orientation, dtype=float))
    pose[:3, :3], pose[:3, 3] = rotation.reshape(3, 3), position
    return pose


def mass_and_center(imported: Imported, state: State) -> tuple[float, np.ndarray]:
    """Of the bodies that are links of the file: flywheels and what stands between joints are none."""
    own = {placed.body for placed in imported.links.values()} - {"world"}
    bodies = [body for body in imported.mechanism.bodies if body.name in own]
    masses = np.array([body.mass for body in bodies])
    rows = [state.index(body.name) for body in bodies]
    centers = [
        (homogeneous(state.position[row], state.orientation[row]) @ [*body.center_of_mass, 1.0])[:3]
        for row, body in zip(rows, bodies, strict=True)
    ]
    return masses.sum(), masses @ np.array(centers) / masses.sum()


def body_accelerations(imported: Imported, state: State, step: float, inputs: dict | None = None) -> dict:
    """Link -> change of its angular velocity and of its frame's velocity over a step, over that step; world axes."""
    mechanism = imported.mechanism
    forces = [force for force in mechanism.forces if not isinstance(force, DryFriction)]
    simulator = Simulator(mechanism.changed(limits=(), forces=forces))
    known = {name: np.full(2, value) for name, value in (inputs or {}).items()}
    end = simulator.simulate(step, step, start=state, inputs=known).state(-1)
    before, after = (link_velocities(imported, at) for at in (state, end))
    return {name: (after[name] - value) / step for name, value in before.items()}


def link_velocities(imported: Imported, state: State) -> dict[str, np.ndarray]:
    found = {}
    for name, placed in imported.links.items():
        if placed.body == "world":
            found[name] = np.zeros(6)
            continue
        row, body = state.index(placed.body), imported.mechanism.body(placed.body)
        rotation = homogeneous((0, 0, 0), state.orientation[row])[:3, :3]
        turning = rotation @ state.angular_velocity[row]
        arm = rotation @ (np.array(placed.pose.position) - np.array(body.center_of_mass))
        found[name] = np.array([*turning, *(state.velocity[row] + np.cross(turning, arm))])
    return found
