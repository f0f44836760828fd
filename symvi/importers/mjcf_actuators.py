"""The actuators of MJCF: a motor is an input, a position or velocity actuator a servo.

MuJoCo's force of an actuator is gain ctrl + b0 + b1 length + b2 rate, with length = gear c, and a force gear times that
on the joint's coordinate c. Where the gain is k and b = (0, -k, -d) it is k (ctrl - length) - d rate, a servo.
"""

from __future__ import annotations

from typing import Any

from symvi.importers.mjcf_names import Compiled
from symvi.importers.report import Findings
from symvi.importers.tree import Motor, TreeJoint
from symvi.mechanism.names import shown

__all__ = ["read_motors"]


def read_motors(compiled: Compiled, joints: tuple[TreeJoint, ...], findings: Findings) -> tuple[Motor, ...]:
    """The actuators that act on one coordinate of a joint; the others are noted as ignored."""
    if not compiled.is_on("ACTUATION"):
        return ()
    by_name = {joint.name: joint for joint in joints}
    found = (_motor(compiled, index, by_name, findings) for index in range(compiled.model.nu))
    return tuple(motor for motor in found if motor is not None)


def _motor(compiled: Compiled, index: int, joints: dict[str, TreeJoint], findings: Findings) -> Motor | None:
    model, types = compiled.model, compiled.mujoco
    name, source = compiled.name("actuator", index), compiled.source("actuator", index)
    title = f"actuator {shown(name)}"

    def ignored(why: str) -> None:
        findings.note("ignored", source, title, "actuator", why)

    on_joint = (int(types.mjtTrn.mjTRN_JOINT), int(types.mjtTrn.mjTRN_JOINTINPARENT))
    if int(model.actuator_trntype[index]) not in on_joint:
        return ignored("acts through tendons, sites or bodies; give forces to joints or bodies instead")
    joint = joints[compiled.joints[int(model.actuator_trnid[index][0])]]
    if joint.type not in ("revolute", "prismatic"):
        return ignored(f"acts on the {joint.type} joint {shown(joint.name)}; motors act on hinges and slides")
    law = _law(compiled, index)
    if law is None:
        return ignored("its law is that of a muscle or of the user's own")
    gain, constant, stiffness, damping = law
    if model.actuator_dyntype[index] != int(types.mjtDyn.mjDYN_NONE):
        findings.note("approximated", source, title, "activation", "its force follows the input at once")
    if constant:
        findings.note("approximated", source, title, "actuator", f"without its constant force {constant:g}")
    gear = float(model.actuator_gear[index][0])
    if not stiffness and not damping:
        why = "an input, the force or torque on the joint"
        if gain * gear != 1.0:
            why += f": {gain * gear:g} times MuJoCo's control"
        findings.note("taken", source, title, "motor", why)
        return Motor(name, joint.name, source)
    if gain not in (stiffness, damping) and gain:
        findings.note(
            "approximated", source, title, "actuator", "its gain is not that of its feedback; the feedback's is taken"
        )
    what, why = ("position", "coordinate") if stiffness else ("velocity", "rate")
    over = f", MuJoCo's control over {gear:g}" if gear != 1.0 else ""
    findings.note("taken", source, title, what, f"a servo: its input is the {why} aimed at{over}")
    return Motor(name, joint.name, source, "servo", stiffness * gear**2, damping * gear**2)


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
