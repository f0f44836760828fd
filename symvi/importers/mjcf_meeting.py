"""Which geoms of an MJCF model MuJoCo lets meet, and with what friction.

MuJoCo's rules (XML Reference, "contact"; engine_collision_driver.c): a <pair> of geoms always meets, with the friction
of the pair. Others meet where the bits of one fit those of the other, unless their bodies are <exclude>d, welded to
each other, or parent and child; with the friction of the geom of higher priority, and with the larger of both where
priorities are the same. A contact of one dimension (condim) has no friction.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from symvi.importers.mjcf_names import Compiled

__all__ = ["Meeting"]

PLANE = 0  # mjtGeom


class Meeting:
    """Who meets whom in a compiled model."""

    def __init__(self, compiled: Compiled):
        self.compiled, self.model = compiled, compiled.model

    @cached_property
    def pairs(self) -> dict[frozenset[int], int]:
        """Two geoms -> the number of their <pair>."""
        ends = zip(self.model.pair_geom1, self.model.pair_geom2, strict=True)
        return {frozenset((int(first), int(second))): number for number, (first, second) in enumerate(ends)}

    @cached_property
    def table(self) -> np.ndarray:
        """(geoms, geoms) whether MuJoCo looks for contacts of two geoms; none where the file switches contacts off."""
        model, count = self.model, self.model.ngeom
        if not self.compiled.is_on("CONTACT"):
            return np.zeros((count, count), dtype=bool)
        wanted = np.asarray(model.geom_contype)[:, None] & np.asarray(model.geom_conaffinity)[None, :]
        body = np.asarray(model.geom_bodyid)
        own = np.asarray(model.body_weldid)[body]
        parent = np.asarray(model.body_weldid)[np.asarray(model.body_parentid)[own]]
        found = ((wanted | wanted.T) != 0) & (own[:, None] != own[None, :])
        if self.compiled.is_on("FILTERPARENT"):
            near = (own[:, None] == parent[None, :]) & (own[:, None] != 0) & (own[None, :] != 0)
            found &= ~(near | near.T)
        for signature in np.asarray(model.exclude_signature):
            first, second = int(signature) >> 16, int(signature) & 0xFFFF
            barred = (body[:, None] == first) & (body[None, :] == second)
            found &= ~(barred | barred.T)
        for first, second in (tuple(pair) for pair in self.pairs if len(pair) == 2):
            found[first, second] = found[second, first] = True
        return found

    @cached_property
    def ground(self) -> int | None:
        """The first plane of the world that a body can meet; else the first one that is solid; None without any."""
        model = self.model
        planes = [k for k in range(model.ngeom) if model.geom_type[k] == PLANE and model.geom_bodyid[k] == 0]
        solid = [k for k in planes if model.geom_contype[k] or model.geom_conaffinity[k]]
        met = [k for k in planes if self.table[k].any()]
        return next(iter((*met, *solid)), None)

    def is_for_ground(self, geom: int) -> bool:
        """Whether the ground holds a geom off: where the file has none, whether it is solid."""
        if self.ground is not None:
            return bool(self.table[geom, self.ground])
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
