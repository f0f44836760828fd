"""Which geoms of an MJCF model MuJoCo lets meet, and with what friction.

MuJoCo's rules (XML Reference, "contact"; engine_collision_driver.c): a <pair> of geoms always meets, with the friction
of the pair. Others meet where the bits of one fit those of the other, unless their bodies are <exclude>d, welded to
each other, or parent and child; with the friction of the geom of higher priority, and with the larger of both where
priorities are the same. A contact of one dimension (condim) has no friction.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np

from symvi.importers.mjcf_names import Compiled, pose_of
from symvi.importers.pose import Pose

__all__ = ["CollisionFilter"]

PLANE = 0  # mjtGeom


class CollisionFilter:
    """Who meets whom in a compiled model.

    Geoms of one body with the same bits are alike, but for pairs: what is counted is counted once for all of them, so
    that time and memory stay bounded where thousands of geoms are in a file.
    """

    def __init__(self, compiled: Compiled):
        self.compiled, self.model = compiled, compiled.model
        model = self.model
        traits = np.stack([model.geom_contype, model.geom_conaffinity, model.geom_bodyid], axis=1).reshape(-1, 3)
        alike, self.kind, self.count = np.unique(traits, axis=0, return_inverse=True, return_counts=True)
        self.kind = self.kind.reshape(-1)
        self.bits, self.accepts, self.body = (np.ascontiguousarray(column) for column in alike.T)
        self.welded = np.asarray(model.body_weldid)[self.body]
        self.around = np.asarray(model.body_weldid)[np.asarray(model.body_parentid)[self.welded]]
        self.counted: dict[int, int] = {}

    @cached_property
    def pairs(self) -> dict[frozenset[int], int]:
        """Two geoms -> the number of their <pair>."""
        ends = zip(self.model.pair_geom1, self.model.pair_geom2, strict=True)
        return {frozenset((int(first), int(second))): number for number, (first, second) in enumerate(ends)}

    @cached_property
    def partners(self) -> dict[int, set[int]]:
        """Geom -> the geoms that it has a <pair> with."""
        found: dict[int, set[int]] = defaultdict(set)
        for first, second in (tuple(pair) for pair in self.pairs if len(pair) == 2):
            found[first].add(second)
            found[second].add(first)
        return dict(found)

    @cached_property
    def excluded(self) -> dict[int, list[int]]:
        """Body -> the bodies that it is not to meet."""
        found: dict[int, list[int]] = defaultdict(list)
        for signature in np.asarray(self.model.exclude_signature):
            first, second = int(signature) >> 16, int(signature) & 0xFFFF
            found[first].append(second)
            found[second].append(first)
        return dict(found)

    def meets(self, geom: int, other: int) -> bool:
        """Whether MuJoCo looks for contacts of two geoms; never where the file switches contacts off."""
        if not self.compiled.is_on("CONTACT"):
            return False
        kinds = slice(int(self.kind[other]), int(self.kind[other]) + 1)
        return other in self.partners.get(geom, ()) or bool(self._met(int(self.kind[geom]), kinds)[0])

    def meets_any(self, geom: int, but: int | None = None) -> bool:
        """Whether it looks for contacts of a geom with any other; but: one that does not count."""
        if not self.compiled.is_on("CONTACT"):
            return False
        kind = int(self.kind[geom])
        if kind not in self.counted:
            self.counted[kind] = int(self.count[self._met(kind)].sum())
        paired = self.partners.get(geom, set()) - {but}
        return bool(paired) or self.counted[kind] > (but is not None and bool(self._met_by(kind, but)))

    def _met_by(self, kind: int, geom: int) -> bool:
        own = int(self.kind[geom])
        return bool(self._met(kind, slice(own, own + 1))[0])

    def _met(self, kind: int, kinds: slice = slice(None)) -> np.ndarray:
        """Which of some kinds of geoms those of one kind meet without a <pair>."""
        bits, accepts, body, welded, around = (
            array[kinds] for array in (self.bits, self.accepts, self.body, self.welded, self.around)
        )
        found = ((bits & self.accepts[kind]) | (accepts & self.bits[kind])) != 0
        found &= welded != self.welded[kind]
        if self.compiled.is_on("FILTERPARENT") and self.welded[kind] != 0:
            near = (welded == self.around[kind]) | (around == self.welded[kind])
            found &= ~(near & (welded != 0))
        barred = self.excluded.get(int(self.body[kind]))
        return found & ~np.isin(body, barred) if barred else found

    @cached_property
    def ground(self) -> int | None:
        """The first plane that a body can meet; else the first solid one; None without any.

        MuJoCo's compiler has planes on what stands still only: in the world, or on bodies that no joint moves in it.
        """
        model = self.model
        planes = [int(k) for k in np.flatnonzero(np.asarray(model.geom_type) == PLANE)]
        solid = [k for k in planes if model.geom_contype[k] or model.geom_conaffinity[k]]
        met = (k for k in planes if self.meets_any(k))
        return next(met, solid[0] if solid else None)

    def stands_still(self, geom: int) -> bool:
        """Whether no joint is between a geom and the world, whatever bodies are."""
        body = int(self.model.geom_bodyid[geom])
        while body and not self.model.body_jntnum[body]:
            body = int(self.model.body_parentid[body])
        return body == 0

    def place(self, geom: int) -> Pose:
        """The frame of a geom in the world, where its bodies stand in the file."""
        model = self.model
        body, pose = int(model.geom_bodyid[geom]), pose_of(model.geom_pos[geom], model.geom_quat[geom])
        while body:
            pose = pose_of(model.body_pos[body], model.body_quat[body]).then(pose)
            body = int(model.body_parentid[body])
        return pose

    def is_for_ground(self, geom: int) -> bool:
        """Whether the ground holds a geom off: where the file has none, whether it is solid."""
        if self.ground is not None:
            return self.meets(geom, self.ground) and not self.stands_still(geom)
        is_solid = self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]
        return bool(is_solid) and self.compiled.is_on("CONTACT")

    def friction(self, geom: int) -> float:
        """The coefficient of sliding of a geom on the ground; 0 where the contact has one dimension, its normal's."""
        model, ground = self.model, self.ground
        if ground is None or ground == geom:
            return _sliding(model.geom_friction[geom][0], model.geom_condim[geom])
        pair = self.pairs.get(frozenset((geom, ground)))
        if pair is not None:
            return _sliding(model.pair_friction[pair][0], model.pair_dim[pair])
        over = int(model.geom_priority[geom]) - int(model.geom_priority[ground])
        says = [geom, ground] if not over else [geom if over > 0 else ground]
        return _sliding(max(model.geom_friction[k][0] for k in says), max(model.geom_condim[k] for k in says))

    def is_directed(self, geom: int) -> bool:
        """Whether friction on the ground is not the same in its two directions, as only a <pair> can say."""
        pair = self.pairs.get(frozenset((geom, -1 if self.ground is None else self.ground)))
        return pair is not None and self.model.pair_friction[pair][0] != self.model.pair_friction[pair][1]


def _sliding(coefficient: float, dimensions: int) -> float:
    return float(coefficient) if dimensions > 1 else 0.0
