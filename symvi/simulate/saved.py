"""What a saved trajectory must be, before anything is computed with it: files are damaged, and edited by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.mechanism import contact_points, free_rotations
from symvi.mechanism.values import numbers, positive, text
from symvi.simulate import energy_guard
from symvi.simulate.recording import PER_KNOT

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

COUNTED = ("iterations", "status", "substeps", "retries")
MOST = 1e150  # whose square is a double
KEPT_APART = ("kept_reactions", "multipliers", "powers", "carried_angles")  # arrays by name


def numbers_of_file(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of a file as doubles, counts as integers. Raises ValueError for what is no array of real numbers."""
    found = {}
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name} holds no real numbers")
        if name in COUNTED and not np.isfinite(array).all():
            raise ValueError(f"{name} holds what is no count")
        found[name] = array.astype(np.int64 if name in COUNTED else np.float64)
    return found


def check_header(header: Mapping[str, Any], modes: Mapping[str, Iterable[str]]) -> None:
    """Raises ValueError for values that are none of theirs. modes: "loops" and "real" -> what they may be."""
    positive(numbers([header["step"]])[0])
    for name, known in modes.items():
        if header[name] not in list(known):
            raise ValueError(f"{name} is none")
    for name in ("input_names", "contact_names", "stop_names", "undetermined"):
        _check_texts(header[name])
    for name, what in header["work_names"]:
        _check_texts([name])
        if not isinstance(what, Integral):  # also True and False
            raise ValueError("work_names say what is paid for")
    for pair in header["loss_names"]:
        _check_texts(pair, 2)
    for name in ("settings", "first_angles"):
        for values in header[name].values():
            numbers(values)
    numbers(header["slack"], 2)


def _check_texts(items: object, count: int | None = None) -> None:
    if not isinstance(items, list | tuple) or len(items) != (len(items) if count is None else count):
        raise ValueError("names are no list of texts")
    for item in items:
        text(item)


def check_arrays(trajectory: Trajectory) -> None:
    """Raises ValueError where arrays do not belong together, or to the mechanism."""
    count, bodies = len(trajectory.time), len(trajectory.names)
    shapes = {name: shape for name, shape in _shapes(trajectory, count, bodies).items() if _has(trajectory, name)}
    for name, shape in shapes.items():
        if getattr(trajectory, name).shape != shape:
            raise ValueError(f"{name} has the shape {getattr(trajectory, name).shape}, not {shape}")
    for name, columns in (("before_position", 3), ("before_orientation", 4)) if trajectory.has("reactions") else ():
        array = getattr(trajectory, name)
        if array.size and array.shape != (count, bodies, columns):
            raise ValueError(f"{name} has the shape {array.shape}")
    if not count or not np.isfinite(trajectory.time).all() or not (np.diff(trajectory.time) > 0.0).all():
        raise ValueError("times do not rise from knot to knot")
    solved = trajectory.status >= 0  # a step that failed may leave any number behind
    for name in shapes.keys() - {"begin", "account", "resume"}:
        if (np.abs(getattr(trajectory, name)[solved]) > MOST).any():
            raise ValueError(f"{name} holds numbers beyond {MOST:g}")
    if (np.abs(trajectory.resume) > MOST).any():
        raise ValueError(f"resume holds numbers beyond {MOST:g}")
    _check_groups(trajectory, count)
    if trajectory.watched is not None:
        _check_watched(trajectory, trajectory.watched)


def _has(trajectory: Trajectory, field: str) -> bool:
    return trajectory.has(PER_KNOT.get(field, "coordinates"))


def _shapes(trajectory: Trajectory, count: int, bodies: int) -> dict[str, tuple[int, ...]]:
    per_body = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
    per_knot = ("kinetic_energy", "potential_energy", "closure", *COUNTED)
    per_knot += ("scatter", "swerve", "pace", "sway", "misread")
    shapes: dict[str, tuple[int, ...]] = {name: (count, bodies, size) for name, size in per_body.items()}
    shapes |= {name: (count,) for name in ("time", *per_knot)}
    shapes |= {name: (count, 3) for name in ("linear_momentum", "angular_momentum")}
    return shapes | {
        "inputs": (count, len(trajectory.input_names)),
        "contact_values": (count, len(trajectory.contact_names), 14),
        "stop_values": (count, len(trajectory.stop_names)),
        "begin": (energy_guard.REMEMBERED,),
        "work_values": (count, len(trajectory.work_names)),
        "late_values": (count, sum(paid for _, paid in trajectory.work_names), 2),
        "spent_values": (count, len(trajectory.loss_names)),
        "resume": (trajectory.resume.size,),
        "account": (trajectory.account.size,),
    }


def _check_watched(trajectory: Trajectory, whole: Trajectory) -> None:
    """A whole motion is one of the same mechanism, at some of the knots."""
    if whole.mechanism.digest != trajectory.mechanism.digest or whole.step != trajectory.step:
        raise ValueError("holds a whole motion of another mechanism")
    if not np.isin(whole.time, trajectory.time).all() or whole.resume.shape != trajectory.resume.shape:
        raise ValueError("holds a whole motion with other knots")
    if trajectory.struck.shape not in ((0,), (max(len(trajectory) - 2, 0),)):
        raise ValueError(f"struck has the shape {trajectory.struck.shape}")


def _check_groups(trajectory: Trajectory, count: int) -> None:
    """Arrays by the names of elements, which the mechanism has."""
    mechanism = trajectory.mechanism
    joints = {joint.name: free_rotations(joint) for joint in mechanism.joints}
    known = {*joints, *(item.name for item in (*mechanism.couplings, *mechanism.drivers))}
    rows = {"kept_reactions": (6,), "powers": ()}
    for group in KEPT_APART:
        for name, array in getattr(trajectory, group).items() if _has(trajectory, group) else ():
            own = (joints.get(name, 0),) if group == "carried_angles" else rows.get(group, array.shape[1:2])
            if name not in known or array.shape != (count, *own):
                raise ValueError(f"{group} of '{name}' have the shape {array.shape}")
    for name, angles in trajectory.first_angles.items():
        if len(angles) != joints.get(name):
            raise ValueError(f"first_angles of '{name}' are {len(angles)}")
    if not {point.name for point in contact_points(mechanism)} <= set(trajectory.contact_names):
        raise ValueError("contact_names are not those of the mechanism")
