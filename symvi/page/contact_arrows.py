"""What a page shows of contacts: where they are, and their forces as arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symvi.page.charts import is_recorded
from symvi.page.keyframes import Keyframes
from symvi.registry import CONTACTS

__all__ = ["ContactView", "contact_view", "plane_height"]

REACH = 0.6  # of the room's diagonal: the arrow of a force as large as the weight of all
LONGEST = 0.3  # of it: no arrow is longer


@dataclass(frozen=True)
class ContactView:
    """Contacts in the keyframes.

    names: of the contact points that are ever closed. point (F, m, 3) [m], arrow (F, m, 3) [m]: the force on the
        child, to scale; zero where a contact is open. scale: metres of an arrow per newton. longest: the largest force
        that an arrow is as long as [N]; None where no force is larger.
    """

    names: tuple[str, ...]
    point: np.ndarray
    arrow: np.ndarray
    scale: float
    longest: float | None


def contact_view(trajectory, frames: Keyframes, length: float) -> ContactView | None:
    """The contacts of a trajectory, or None without any, or where they were not recorded.

    length: the diagonal of the room that the motion takes [m].
    """
    names: tuple[str, ...] = tuple(getattr(trajectory, "contact_names", ()))
    if not names or not is_recorded(trajectory, "contacts"):
        return None
    found = [trajectory.contacts[name] for name in names]
    force = np.stack([np.where(c.closed[:, None], c.force, 0.0) for c in found], axis=1)[frames.steps]
    point = np.stack([c.point for c in found], axis=1)[frames.steps]
    touching = np.flatnonzero(force.any(axis=(0, 2)))  # of the hundreds of points of a robot few ever do
    names = tuple(names[k] for k in touching)
    force, point = force[:, touching], point[:, touching]
    scale = REACH * length / _weight(trajectory.mechanism, force)
    sizes = np.linalg.norm(force, axis=-1, keepdims=True)
    longest = LONGEST * length / scale  # an impact's force would reach out of the picture
    arrow = scale * force * np.minimum(1.0, longest / np.maximum(sizes, 1e-300))
    return ContactView(names, point, arrow, scale, float(longest) if (sizes > longest).any() else None)


def _weight(mechanism, force: np.ndarray) -> float:
    """The weight of all [N]; without gravity, the largest force."""
    weight = sum(body.mass for body in mechanism.bodies) * float(np.linalg.norm(mechanism.gravity))
    return weight or float(np.abs(force).max(initial=0.0)) or 1.0


def plane_height(mechanism, up: np.ndarray) -> float | None:
    """The height along `up` of the highest level plane of the world that contacts stand on [m], or None."""
    grounds = [CONTACTS[contact.kind].ground(contact) for contact in mechanism.contacts if contact.parent == "world"]
    heights = [float(np.dot(ground[0], up)) for ground in grounds if ground and np.dot(ground[1], up) > 1.0 - 1e-9]
    return max(heights, default=None)
