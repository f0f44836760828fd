"""Where URDF puts its links, by the letter of its definition: 4 x 4 matrices, ElementTree, and nothing of symvi.

A joint's <origin> is Rz(yaw) Ry(pitch) Rx(roll) after a translation, in the parent link; about or along the axis, in
the joint's frame, the child then moves by the coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

__all__ = ["link_matrices", "mass_and_center"]


def link_matrices(text: str, coordinates: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Link -> pose in the frame of the root, at these coordinates of joints with one each; mimics follow."""
    robot = ElementTree.fromstring(text)
    joints = robot.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    poses = {link.get("name"): np.eye(4) for link in robot.findall("link") if link.get("name") not in children}
    while len(poses) < len(robot.findall("link")):
        for joint in joints:
            parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
            if parent in poses and child not in poses:
                poses[child] = poses[parent] @ _origin(joint) @ _moved(joint, coordinates)
    return poses


def mass_and_center(text: str, poses: Mapping[str, np.ndarray], held: set[str]) -> tuple[float, np.ndarray]:
    """Mass of all links but those in `held`, and its centre in the frame of the root."""
    total, first = 0.0, np.zeros(3)
    for link in ElementTree.fromstring(text).findall("link"):
        inertial = link.find("inertial")
        if inertial is not None and link.get("name") not in held:
            mass = float(inertial.find("mass").get("value"))
            total += mass
            first += mass * (poses[link.get("name")] @ _origin(inertial))[:3, 3]
    return total, first / total


def _origin(element: ElementTree.Element) -> np.ndarray:
    origin = element.find("origin")
    pose = np.eye(4)
    if origin is not None:
        pose[:3, 3] = _numbers(origin.get("xyz", "0 0 0"))
        pose[:3, :3] = Rotation.from_euler("xyz", _numbers(origin.get("rpy", "0 0 0"))).as_matrix()
    return pose


def _moved(joint: ElementTree.Element, coordinates: Mapping[str, float]) -> np.ndarray:
    pose, kind = np.eye(4), joint.get("type")
    if kind == "fixed":
        return pose
    mimic = joint.find("mimic")
    value = coordinates[joint.get("name")] if mimic is None else coordinates[mimic.get("joint")]
    if mimic is not None:
        value = float(mimic.get("multiplier", 1)) * value + float(mimic.get("offset", 0))
    axis = np.array(_numbers("1 0 0" if joint.find("axis") is None else joint.find("axis").get("xyz")))
    axis /= np.linalg.norm(axis)
    if kind == "prismatic":
        pose[:3, 3] = value * axis
    else:
        pose[:3, :3] = Rotation.from_rotvec(value * axis).as_matrix()
    return pose


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]
