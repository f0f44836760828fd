"""Coordinates of a robot's joint model beside Pinocchio's, joint by joint."""

from __future__ import annotations

import numpy as np

from symvi.importers import Imported
from symvi.simulate.joint_model import JointModel
from tests.importers.pinocchio_peer import Peer, _outwards, homogeneous, pinocchio

__all__ = ["Beside", "Peer", "homogeneous", "pinocchio"]


class Beside:
    """The same robot in both, and where joints have their numbers. Quaternions end with w there."""

    def __init__(self, imported: Imported, model: JointModel, peer: Peer):
        self.imported, self.model, self.peer = imported, model, peer
        self.q_at, self.v_at = np.zeros(peer.model.nq, int), np.zeros(peer.model.nv, int)
        self.circles: list[tuple[int, int]] = []  # angles that Pinocchio tells by cosine and sine
        for name, item in zip(peer.model.names, peer.model.joints, strict=True):
            if name not in imported.joints or item.shortname() == "JointModelMimic":
                continue
            own, first = imported.joints[name]
            q, v = model.entries[own].start, model.rate_entries[own].start
            if item.nv == 6:
                self.q_at[item.idx_q : item.idx_q + 7] = [q, q + 1, q + 2, q + 4, q + 5, q + 6, q + 3]
                self.v_at[item.idx_v : item.idx_v + 6] = range(v, v + 6)
                continue
            self.v_at[item.idx_v] = v + first
            if item.nq == 1:
                self.q_at[item.idx_q] = q + first
            else:
                self.circles.append((item.idx_q, q + first))

    def random(self, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, rates and accelerations in the model's order."""
        random = np.random.default_rng(seed)
        nq, nv = self.model.size
        q = random.uniform(-1, 1, nq)
        for held in self.model._queries.held:
            if held.quaternion is not None:
                own = q[held.quaternion : held.quaternion + 4]
                own /= np.linalg.norm(own)
        for gear in _outwards(self.imported.mechanism):
            follower, leader = (self.model.entries[joint] for joint in gear.joints)
            q[follower] = gear.ratio * q[leader] + gear.offset
        return q, random.uniform(-1, 1, nv), random.uniform(-1, 1, nv)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """The model's coordinates as Pinocchio takes them."""
        found = np.array(pinocchio.neutral(self.peer.model))
        found[:] = q[self.q_at]
        for there, here in self.circles:
            found[there : there + 2] = np.cos(q[here]), np.sin(q[here])
        return found
