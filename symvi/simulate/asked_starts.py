"""Starts that were asked for by number, and a start that was closed: what is asked for must be there afterwards.

A start that is open becomes the nearest one that fits. Where numbers of the start itself were changed, that one may be
far from them, and a motion from it is not what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism, State, free_rotations
from symvi.mechanism.names import shown

FITS = 1e-6  # m, rad, m/s, rad/s: how far a number may be from what was asked for
OF_JOINTS = {"coordinate": 0, "velocity": 1}  # which of the two that `coordinates_of` gives
OF_BODIES = ("position", "velocity", "angular_velocity")


def check_kept(mechanism: Mechanism, state: State, names: Iterable[str]) -> None:
    """Raises AssemblyError, naming one, for numbers of a start that a closed start does not have.

    mechanism: as it was described. state: its closed start. names: of what was asked for, crank.coordinate or
    ball.position; others are passed over.
    """
    from symvi.simulate.coordinates import coordinates_of  # brings the derivation, which most starts do without

    for name in names:
        owner, _, field = name.partition(".")
        if owner in mechanism.body_names and field in OF_BODIES:
            k = mechanism.body_names.index(owner)
            asked, found = np.array(getattr(mechanism.body(owner), field), float), getattr(state, field)[k]
            gap = np.abs(found - asked).max()
        elif field in OF_JOINTS and owner in [joint.name for joint in mechanism.joints]:
            joint = mechanism.joint(owner)
            asked = np.array(getattr(joint, field), float)
            found = coordinates_of(mechanism, owner, state)[OF_JOINTS[field]]
            away = np.abs(found - asked)
            if field == "coordinate" and free_rotations(joint) == 1:  # whole turns are no other place
                away[-1] = abs(np.remainder(away[-1] + np.pi, 2 * np.pi) - np.pi)
            gap = away.max()
        else:
            continue
        if not gap <= FITS:
            raise AssemblyError(
                f"{name} {_told(asked)}: no start fits it that is near what the description has; the nearest that "
                f"closes has {_told(found)}: change the coordinates of the other joints, too, so that all fit"
            )


def _told(numbers: np.ndarray) -> str:
    return shown(float(f"{numbers[0]:.6g}") if len(numbers) == 1 else [float(f"{number:.6g}") for number in numbers])
