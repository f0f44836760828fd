"""What worlds of a batch tell by name: hinge, hinge.rate, pole.position, energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.mechanism import coordinate_kinds
from symvi.mechanism.quantities import ALONG_AXES
from symvi.numbers.control import DEFAULTS
from symvi.simulate.knots import knots_of
from symvi.simulate.turns import Turning
from symvi.simulate.world_coordinates import WorldCoordinates

if TYPE_CHECKING:
    from symvi.mechanism import Mechanism
    from symvi.simulate.simulator import Simulator

Array = NDArray[np.floating]
OF_BODIES = {"position": ("m", 3), "orientation": ("", 4), "velocity": ("m/s", 3), "angular_velocity": ("rad/s", 3)}


@dataclass(frozen=True)
class Quantity:
    """A named array of worlds. recorded: what a batch records for it. place: its part of that. units: of entries."""

    recorded: str
    place: int | slice | None
    units: tuple[str, ...]

    def of(self, values: Array, lead: int = 2) -> Array:
        """(n, N) or (n, N, k) of what was recorded, or without N what was read. lead: axes before its own."""
        return values if self.place is None else values[(*(slice(None),) * lead, self.place)]


def entries_of(simulator: Simulator) -> Mapping[str, slice]:
    """Joint -> where its coordinates are, as `Batch.entries`, of a simulator that need not have a start."""
    own = simulator._twin()
    own.turning = Turning(own.mechanism, own.settings)
    return WorldCoordinates(own, knots_of(own.engine, DEFAULTS)).entries


def quantities_of(mechanism: Mechanism, entries: Mapping[str, slice]) -> dict[str, Quantity]:
    """Every name that numbers of a batch have. entries: joint -> where its coordinates are, as `Batch.entries`."""
    found = {"energy": Quantity("energy", None, ("J",))}
    for joint in mechanism.joints:
        if joint.name not in entries:
            continue
        kinds, place = coordinate_kinds(joint.type), entries[joint.name]
        for name, recorded, along in (
            (joint.name, "coordinates", "coordinate"), (f"{joint.name}.rate", "rates", "coordinate/s"),
        ):  # fmt: skip
            units = tuple(ALONG_AXES[along][kind != "translation"][0] for kind in kinds)
            found[name] = Quantity(recorded, place if len(units) > 1 else place.start, units)
    for k, body in enumerate(mechanism.bodies):
        for field, (unit, size) in OF_BODIES.items():
            found[f"{body.name}.{field}"] = Quantity(field, k, (unit,) * size)
    return found
