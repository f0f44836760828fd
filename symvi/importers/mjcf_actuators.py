"""The actuators of MJCF: a motor is an input, a position or velocity actuator a servo.

MuJoCo's force of an actuator is gain ctrl + b0 + b1 length + b2 rate, with length = gear c, and a force gear times that
on the joint's coordinate c. Where b = (0, -k, -d) it is k (gain ctrl / k - length) - d rate, a servo.
Damping and armature of an actuator are on its length: gear squared times these on the coordinate, whether it is
switched on or not.
An actuator that integrates its control (<intvelocity>, dyntype integrator) has that integral, its activation, in the
place of ctrl, and the activation is what its motor or servo has as the input here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from symvi.importers.mjcf_names import Compiled
from symvi.importers.report import Findings
from symvi.importers.tree import Motor, TreeJoint, by_name
from symvi.mechanism.names import shown

__all__ = ["MotorOf", "motor_inputs", "read_motors", "with_loads_of_actuators"]

ON_COORDINATES = ("revolute", "prismatic")
# mjtGain, mjtBias: whose law such a gain or bias makes it, where it is no motor's and no servo's
LAWS = {
    "AFFINE": "a damper, whose gain changes with length or rate",
    "MUSCLE": "a muscle",
    "DCMOTOR": "a DC motor",
    "PID": "a PID controller",
    "SO3": "an orientation in space",
    "USER": "the user's own program",
}
SERVO = ("mjBIAS", "AFFINE")  # is that of a servo


@dataclass(frozen=True)
class MotorOf:
    """A motor, the number of MuJoCo's control of it, and what of the motor's own input one of the control is.

    activation: the number of the activation that stands in the place of the control; None where the control does.
    """

    motor: Motor
    control: int
    scale: float
    activation: int | None = None


def read_motors(compiled: Compiled, joints: tuple[TreeJoint, ...], findings: Findings) -> tuple[MotorOf, ...]:
    """The actuators that act on one coordinate of a joint; the others are noted as ignored."""
    own = by_name(joints)
    found = (_motor(compiled, index, own, findings) for index in range(len(compiled.actuators)))
    return tuple(motor for motor in found if motor is not None)


def with_loads_of_actuators(
    compiled: Compiled, joints: tuple[TreeJoint, ...], findings: Findings
) -> tuple[TreeJoint, ...]:
    """The joints with the damping and the armature that actuators put on them."""
    model = compiled.model
    found = by_name(joints)
    for index in range(len(compiled.actuators)):
        joint = _joint(compiled, index, found)
        name, source = compiled.name("actuator", index), compiled.source("actuator", index)
        title, square = f"actuator {shown(name)}", float(model.actuator_gear[index][0]) ** 2
        for what in ("damping", "armature"):
            array = getattr(model, f"actuator_{what}", None)  # MuJoCo 4 and later
            value = 0.0 if array is None else float(array[index])
            curve = getattr(model, f"actuator_{what}poly", None)
            if curve is not None and curve[index].any():
                findings.note("approximated", source, title, what, "linear part only; its polynomial is left out")
            if not value or (what == "damping" and not compiled.is_on("DAMPER")):
                continue
            if joint is None or joint.type not in ON_COORDINATES:
                findings.note("ignored", source, title, what, "acts on no hinge and no slide")
                continue
            own = (getattr(joint, what) or (0.0,))[0] + square * value
            joint = found[joint.name] = replace(joint, **{what: (own,)})
            findings.note("taken", source, title, what, f"{square * value:g} on the coordinate of the joint")
    return tuple(found.values())


def motor_inputs(compiled: Compiled, motors: tuple[MotorOf, ...], key: int) -> dict[str, float]:
    """Name of a motor -> its input in a keyframe: its activation there, or its control, kept in its range where MuJoCo
    does that.
    """
    model, found = compiled.model, {}
    for item in motors:
        if item.activation is not None:
            found[item.motor.name] = item.scale * float(model.key_act[key][item.activation])
            continue
        value = float(model.key_ctrl[key][item.control])
        if model.actuator_ctrllimited[item.control] and compiled.is_on("CLAMPCTRL"):
            lower, upper = (float(bound) for bound in model.actuator_ctrlrange[item.control])
            value = min(max(value, lower), upper)
        found[item.motor.name] = item.scale * value
    return found


def _joint(compiled: Compiled, index: int, joints: dict[str, TreeJoint]) -> TreeJoint | None:
    """The joint that an actuator acts on."""
    model, types = compiled.model, compiled.mujoco.mjtTrn
    if int(model.actuator_trntype[index]) not in (int(types.mjTRN_JOINT), int(types.mjTRN_JOINTINPARENT)):
        return None
    return joints[compiled.joints[int(model.actuator_trnid[index][0])]]


def _is_off(compiled: Compiled, index: int) -> str:
    """What switches an actuator off; empty where nothing does."""
    if not compiled.is_on("ACTUATION"):
        return "switched off by <option>'s flag"
    group = int(compiled.model.actuator_group[index])
    if 0 <= group <= 30 and int(compiled.model.opt.disableactuator) & (1 << group):
        return f"switched off by <option>'s actuatorgroupdisable, with group {group}"
    return ""


def _motor(compiled: Compiled, index: int, joints: dict[str, TreeJoint], findings: Findings) -> MotorOf | None:
    model = compiled.model
    name, source = compiled.name("actuator", index), compiled.source("actuator", index)
    title = f"actuator {shown(name)}"

    def ignored(why: str) -> None:
        findings.note("ignored", source, title, "actuator", why)

    off = _is_off(compiled, index)
    if off:
        findings.note("taken", source, title, "actuator", f"{off}: it does not act")
        return None
    joint = _joint(compiled, index, joints)
    if joint is None:
        return ignored("acts through tendons, sites or bodies; give forces to joints or bodies instead")
    if joint.type not in ON_COORDINATES:
        return ignored(f"acts on the {joint.type} joint {shown(joint.name)}; motors act on hinges and slides")
    law = _law(compiled, index)
    if law is None:
        return ignored(_other_law(compiled, index))
    gain, constant, stiffness, damping = law
    dynamics, kinds = int(model.actuator_dyntype[index]), compiled.mujoco.mjtDyn
    integrates = dynamics == int(kinds.mjDYN_INTEGRATOR)
    if dynamics == int(kinds.mjDYN_USER):
        return ignored("its activation follows the user's own program")
    if integrates:
        why = "its input is the activation itself, the integral of MuJoCo's control, which is a rate"
        findings.note("approximated", source, title, "activation", why)
    elif dynamics != int(kinds.mjDYN_NONE):
        findings.note("approximated", source, title, "activation", "its force follows the input at once")
    if constant:
        findings.note("approximated", source, title, "actuator", f"without its constant force {constant:g}")
    gear = float(model.actuator_gear[index][0])
    control = int(model.actuator_ctrladr[index]) if hasattr(model, "actuator_ctrladr") else index
    feedback = stiffness or damping
    scale = gain * gear if not feedback else gain / (feedback * gear) if gear else 0.0
    activation = int(model.actuator_actadr[index]) if integrates else None
    what = "activation" if integrates else "control"
    over = f": {scale:g} times MuJoCo's {what}" if scale != 1.0 or integrates else ""
    if not feedback:
        findings.note("taken", source, title, "motor", f"an input, the force or torque on the joint{over}")
        return MotorOf(Motor(name, joint.name, source), control, scale, activation)
    what, why = ("position", "coordinate") if stiffness else ("velocity", "rate")
    findings.note("taken", source, title, what, f"a servo: its input is the {why} aimed at{over}")
    motor = Motor(name, joint.name, source, "servo", stiffness * gear**2, damping * gear**2)
    return MotorOf(motor, control, scale, activation)


def _other_law(compiled: Compiled, index: int) -> str:
    """Why an actuator is neither a motor nor a servo."""
    model, types = compiled.model, compiled.mujoco
    found = (
        LAWS[name]
        for of, number, names in (
            ("mjGAIN", model.actuator_gaintype[index], types.mjtGain),
            ("mjBIAS", model.actuator_biastype[index], types.mjtBias),
        )
        for name in LAWS
        if (kind := getattr(names, f"{of}_{name}", None)) is not None and number == int(kind) and (of, name) != SERVO
    )
    whose = next(found, "")
    return f"its law is that of {whose}" if whose else "its force grows with its length or rate, as no servo's does"


def _law(compiled: Compiled, index: int) -> tuple[float, float, float, float] | None:
    """(gain, constant force, stiffness, damping) of an actuator in its own coordinate; None for any other law."""
    model, types = compiled.model, compiled.mujoco
    gain: Any = model.actuator_gainprm[index]
    bias: Any = model.actuator_biasprm[index]
    if model.actuator_gaintype[index] != int(types.mjtGain.mjGAIN_FIXED):
        return None
    if model.actuator_biastype[index] == int(types.mjtBias.mjBIAS_NONE):
        return float(gain[0]), 0.0, 0.0, 0.0
    if model.actuator_biastype[index] != int(types.mjtBias.mjBIAS_AFFINE):
        return None
    constant, stiffness, damping = float(bias[0]), 0.0 - float(bias[1]), 0.0 - float(bias[2])
    return (float(gain[0]), constant, stiffness, damping) if min(stiffness, damping) >= 0.0 else None
