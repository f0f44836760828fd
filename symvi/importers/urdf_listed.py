"""What URDF files hold beside links and joints: settings of other programs, listed, and told apart by their effect."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.importers.report import Findings
from symvi.importers.xml import Element
from symvi.mechanism.names import shown

__all__ = ["list_what_is_not_taken"]

# Tags that the motion does not depend on.
LISTED = {
    "transmission": "a transmission is no part of the mechanism; give forces or servos to the joints it drives",
    "gazebo": "Gazebo's own settings",
    "ros2_control": "settings of a controller",
    "sensor": "a sensor has no effect on the motion",
    "safety_controller": "a controller's own limits have no effect on the motion",
    "calibration": "has no effect on the motion",
    "mujoco": "MuJoCo's own settings",
}
_SPRING = "a spring of Gazebo's own; add a joint spring to symvi's description"
_DAMPER = "Gazebo's own damping; write it as <dynamics damping=.../> of the joint"
_WEIGHT = "gravity is one for all bodies"
_FRICTION = "friction is an option of the import"
_CONTACT = "how soft Gazebo's contacts are; here they are rigid"
_START = "where Gazebo starts the joint; the option start does it here"
# Gazebo's own settings that act on the motion: tag -> (the value with which it does nothing, what to do instead)
IN_GAZEBO: dict[str, tuple[str, str]] = {
    "springStiffness": ("0", _SPRING),
    "spring_stiffness": ("0", _SPRING),
    "implicitSpringDamper": ("0", _SPRING),
    "dampingFactor": ("0", _DAMPER),
    "gravity": ("1", _WEIGHT),
    "turnGravityOff": ("0", _WEIGHT),
    "mu": ("", _FRICTION),
    "mu1": ("", _FRICTION),
    "mu2": ("", _FRICTION),
    "kp": ("", _CONTACT),
    "kd": ("", _CONTACT),
    "initial_position": ("0", _START),
    "initialJointPosition": ("0", _START),
}
WORDS = {"true": "1", "false": "0"}
INNER = ("plugin", "sensor")  # words of programs of their own


def list_what_is_not_taken(root: Element, findings: Findings) -> None:
    """Note what nothing of the mechanism is made of: skipped, or ignored where the motion would depend on it."""
    for top in root.children:
        name = top.attributes.get("name", "") or top.attributes.get("reference", "")
        title = f"{top.tag} {shown(name)}" if name else ""
        for element in [top] if top.tag in LISTED else top.walk():
            if element.tag in LISTED:
                findings.note("skipped", element.source, title, f"<{element.tag}>", LISTED[element.tag])
            if element.tag == "gazebo":
                _list_gazebo(element, title, findings)


def _list_gazebo(gazebo: Element, title: str, findings: Findings) -> None:
    """The joints and settings in <gazebo> that act on the motion in Gazebo."""
    for element in gazebo.walk():
        if element.tag == "joint":
            why = "a joint of Gazebo's own, which closes a loop there; write it as <loop_joint>"
            findings.note("ignored", element.source, title, "<joint> in <gazebo>", why)
    for element in _settings(gazebo):
        value = (element.text or element.attributes.get("value", "")).strip()
        nothing, why = IN_GAZEBO[element.tag]
        if value and not _is_equal(WORDS.get(value.lower(), value), nothing):
            findings.note("ignored", element.source, title, f"<gazebo> {element.tag} {value[:40]}", why)


def _settings(element: Element) -> Iterator[Element]:
    """The elements inside one that are in the table, but for those of plugins and sensors."""
    for child in element.children:
        if child.tag in IN_GAZEBO:
            yield child
        elif child.tag not in INNER:
            yield from _settings(child)


def _is_equal(text: str, number: str) -> bool:
    try:
        return bool(number) and float(text) == float(number)
    except ValueError:
        return False
