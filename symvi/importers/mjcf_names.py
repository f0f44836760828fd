"""What stands where in a compiled MJCF model: names of its bodies and joints, and the lines that they come from."""

from __future__ import annotations

from typing import Any

from symvi.importers.mjcf_document import Document
from symvi.importers.pose import Pose
from symvi.importers.report import Source
from symvi.importers.xml import Element
from symvi.mechanism.vectors import Vector3, unit

__all__ = ["Compiled", "pose_of", "vector_of"]

CONSTRAINTS = ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT")  # MuJoCo's flag `constraint` switches all of them


class Compiled:
    """A document and its model (mujoco.MjModel), with a name for every body and joint.

    bodies[0] is "", the world. joints[k] is the name of joint k; of one without a name, its body's and its number.
    """

    def __init__(self, document: Document, model: Any):
        import mujoco

        self.mujoco, self.document, self.model = mujoco, document, model
        self.bodies = [""]
        self.joints: list[str] = []
        taken = {"", "world"}
        for k in range(1, model.nbody):
            parent = self.bodies[model.body_parentid[k]] or "body"
            self.bodies.append(self._unique(self._given("body", k) or f"{parent}_{k}", taken))
        taken = set()
        for k in range(model.njnt):
            body = int(model.jnt_bodyid[k])
            number = k - int(model.body_jntadr[body])
            ending = f"joint{number + 1}" if model.body_jntnum[body] > 1 else "joint"
            self.joints.append(self._unique(self._given("joint", k) or f"{self.bodies[body]}_{ending}", taken))

    def _id_name(self, kind: str, index: int) -> str:
        types = self.mujoco.mjtObj
        number = {
            "body": types.mjOBJ_BODY,
            "joint": types.mjOBJ_JOINT,
            "geom": types.mjOBJ_GEOM,
            "site": types.mjOBJ_SITE,
            "equality": types.mjOBJ_EQUALITY,
            "actuator": types.mjOBJ_ACTUATOR,
            "tendon": types.mjOBJ_TENDON,
            "key": types.mjOBJ_KEY,
            "mesh": types.mjOBJ_MESH,
        }[kind]
        return self.mujoco.mj_id2name(self.model, number, index) or ""

    def _given(self, kind: str, index: int) -> str:
        return self.document.own_name(kind, self._id_name(kind, index))

    @staticmethod
    def _unique(name: str, taken: set[str]) -> str:
        found, number = name, 2
        while found in taken:
            found, number = f"{name}_{number}", number + 1
        taken.add(found)
        return found

    def name(self, kind: str, index: int) -> str:
        """The name in the file, or one made of the kind and the number."""
        return self._given(kind, index) or f"{kind}{index}"

    def element(self, kind: str, index: int) -> Element:
        """The element that the object comes from."""
        return self.document.find(kind, self._id_name(kind, index))

    def source(self, kind: str, index: int) -> Source:
        """Its place."""
        return self.element(kind, index).source

    def mesh_name(self, index: int) -> str:
        """The name of a mesh, as the document's tables have it."""
        return self._id_name("mesh", index)

    def is_on(self, switch: str) -> bool:
        """Whether none of the flags of <option> switches something off: "GRAVITY", "SPRING", "LIMIT", ..."""
        switches = (switch, "CONSTRAINT") if switch in CONSTRAINTS else (switch,)
        return not any(self.model.opt.disableflags & self._bit(one) for one in switches)

    def _bit(self, switch: str) -> int:
        bits = self.mujoco.mjtDisableBit
        bit = getattr(bits, f"mjDSBL_{switch}", None)
        if bit is None and switch in ("SPRING", "DAMPER"):
            bit = getattr(bits, "mjDSBL_PASSIVE", None)  # one switch for both, before
        return 0 if bit is None else int(bit)


def vector_of(values: Any) -> Vector3:
    """Three entries of an array."""
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)


def pose_of(position: Any, orientation: Any) -> Pose:
    """Three and four entries of arrays."""
    w, x, y, z = unit(tuple(float(value) for value in orientation))
    return Pose(vector_of(position), (w + 0.0, x + 0.0, y + 0.0, z + 0.0))
