"""What stands where in a compiled MJCF model: names of what it is made of, and the lines that they come from."""

from __future__ import annotations

from typing import Any

from symvi.importers.mjcf_document import Document
from symvi.importers.naming import FreeNames
from symvi.importers.pose import Pose
from symvi.importers.report import Findings, Source
from symvi.importers.xml import Element
from symvi.mechanism.vectors import Vector3, unit

__all__ = ["Compiled", "pose_of", "vector_of"]

CONSTRAINTS = ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT")  # MuJoCo's flag `constraint` switches all of them


class Compiled:
    """A document and its model (mujoco.MjModel), with a name for every body, joint, equality, actuator and key.

    bodies[0] is "", the world. joints[k] is the name of joint k; of one without a name, its body's and its number.
    free: makes the names of what has none in the file.
    """

    def __init__(self, document: Document, model: Any, findings: Findings):
        import mujoco

        self.mujoco, self.document, self.model = mujoco, document, model
        # since MuJoCo 4 one actuator can have several controls
        counts = {"body": model.nbody, "joint": model.njnt, "equality": model.neq}
        counts["actuator"] = int(getattr(model, "nactuator", model.nu))
        given = {kind: [self._given(kind, k) for k in range(count)] for kind, count in counts.items()}
        self.free = FreeNames((name for names in given.values() for name in names), findings)
        self.bodies = [""]
        for k, name in enumerate(given["body"][1:], 1):
            parent = self.bodies[model.body_parentid[k]] or "body"
            self.bodies.append(name or self._made("body", k, f"{parent}_{k}"))
        self.joints = [name or self._made("joint", k, self._of_its_body(k)) for k, name in enumerate(given["joint"])]
        self.equalities, self.actuators = (
            [name or self._made(kind, k, f"{kind}{k}") for k, name in enumerate(given[kind])]
            for kind in ("equality", "actuator")
        )
        keys = [self._given("key", k) for k in range(model.nkey)]  # no part of the mechanism: names of their own
        free = FreeNames(keys, findings)
        self.keys = [name or free.make(f"key{k}", "key", self.source("key", k)) for k, name in enumerate(keys)]
        self.names = {"equality": self.equalities, "actuator": self.actuators, "key": self.keys}
        self.names |= {"body": self.bodies, "joint": self.joints}

    def _made(self, kind: str, index: int, wanted: str) -> str:
        return self.free.make(wanted, kind, self.source(kind, index))

    def _of_its_body(self, joint: int) -> str:
        body = int(self.model.jnt_bodyid[joint])
        number = joint - int(self.model.body_jntadr[body])
        ending = f"joint{number + 1}" if self.model.body_jntnum[body] > 1 else "joint"
        return f"{self.bodies[body]}_{ending}"

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

    def name(self, kind: str, index: int) -> str:
        """The name in the file, or one that is made; of kinds that the mechanism knows nothing of, for the report."""
        return self.names[kind][index] if kind in self.names else self._given(kind, index) or f"{kind}{index}"

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
