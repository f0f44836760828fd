"""Files of a trajectory: everything in one archive, from which it is read again, and a table of its knots."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError, MissingFileError, SymviError, told_as_files
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path, refuse_pipe
from symvi.numbers.composition import NAMES
from symvi.numbers.quadrature import is_rule
from symvi.simulate import energy_guard
from symvi.simulate.curves import TOTALS
from symvi.simulate.recording import FORMAT, GROUPS, PER_KNOT
from symvi.simulate.saved import check_arrays, check_header, numbers_of_file

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

PART = 7  # of a part of what can be recorded: it holds a whole motion too, with fewer knots
READ = (3, FORMAT, PART)  # no simulation goes on from 3: the state at a knot meant something else
WHOLE = "whole/"  # before the names of its arrays
LOOPS = ("drop-redundant", "rigid", "drop")
COORDINATES = ("maximal", "tree")
REALS = ("double", "float")
BY_NAME = {  # what stands before the names of elements, and the field of a Trajectory
    "reaction": "kept_reactions",
    "multiplier": "multipliers",
    "power": "powers",
    "angle": "carried_angles",
}
Array = NDArray[np.float64]


def save(trajectory: Trajectory, path: str | Path) -> Path:
    """Write everything to one npz file, whole or not at all."""
    path = _in_a_folder(path)
    arrays, header = _told_of(trajectory)
    temporary = path.with_name(path.name + ".part")
    with told_as_files(path):
        with temporary.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
        os.replace(temporary, path)
    return path


def _told_of(trajectory: Trajectory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Its arrays, by name, and all else, as JSON takes it."""
    arrays: dict[str, Any] = {
        f.name: getattr(trajectory, f.name)
        for f in fields(trajectory)
        if trajectory.has(PER_KNOT.get(f.name, "coordinates")) and isinstance(getattr(trajectory, f.name), np.ndarray)
    }
    for kind, name in BY_NAME.items():
        if trajectory.has(PER_KNOT[name]):
            arrays |= {f"{kind}:{element}": values for element, values in getattr(trajectory, name).items()}
    header = {
        "format": PART if trajectory.watched else trajectory.format,
        "mechanism": json.loads(trajectory.mechanism.to_json()),
        "step": trajectory.step,
        "input_names": trajectory.input_names,
        "contact_names": trajectory.contact_names,
        "stop_names": trajectory.stop_names,
        "undetermined": trajectory.undetermined,
        "settings": dict(trajectory.settings),
        "loops": trajectory.loops,
        "formulation": trajectory.formulation,
        **({"composition": trajectory.composition} if trajectory.composition else {}),
        "work_names": trajectory.work_names,
        "loss_names": trajectory.loss_names,
        "real": trajectory.real,
        "slack": trajectory.slack,
        "first_angles": dict(trajectory.first_angles),
    }
    if not trajectory.watched:
        arrays.pop("struck")
    else:
        whole, own = _told_of(trajectory.watched)
        arrays |= {f"{WHOLE}{name}": values for name, values in whole.items()}
        header |= {"recorded": trajectory.recorded, "whole": own}
    return arrays, header


def load(cls: type[Trajectory], path: str | Path) -> Trajectory:
    """Read a saved trajectory. Raises SymviError if it is none, or damaged; FileError if it cannot be read."""
    path = checked_path(path)
    with told_as_files(path):
        return _loaded(cls, path)


def _loaded(cls: type[Trajectory], path: Path) -> Trajectory:
    refuse_pipe(path)
    try:
        with np.load(path, allow_pickle=False) as data:
            header = json.loads(str(data["header"]))
            if header["format"] not in READ:
                raise SymviError(
                    f"{path}: written by another version of symvi (format {header['format']}); simulate again"
                )
            trajectory = _of_parts(cls, header, {name: data[name] for name in data.files if name != "header"})
        check_arrays(trajectory)
    except (OSError, SymviError) as error:
        if isinstance(error, MechanismError):
            raise SymviError(f"{path}: is no trajectory that symvi saved: {error}") from error
        raise
    except Exception as error:  # an archive that was damaged may fail in any part of its reader
        why = f": {error}" if type(error) is ValueError else ""
        raise SymviError(f"{path}: is no trajectory that symvi saved, or is damaged{why}") from error
    return trajectory


def _of_parts(cls: type[Trajectory], header: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Trajectory:
    """A motion, or a part of what can be recorded of one, with the whole motion that it holds."""
    if header["format"] != PART:
        return _of_file(cls, header, arrays)
    if header["whole"]["format"] != FORMAT:
        raise ValueError("holds a motion of another format")
    recorded = tuple(header["recorded"])
    if not {"coordinates"} <= set(recorded) < GROUPS.keys():
        raise ValueError(f"recorded names {', '.join(map(str, recorded))}")
    own = {name: array for name, array in arrays.items() if not name.startswith(WHOLE)}
    inner = {name.removeprefix(WHOLE): array for name, array in arrays.items() if name not in own}
    whole = _of_file(cls, header["whole"], inner)
    check_arrays(whole)
    left_out = dict.fromkeys(name for name, group in PER_KNOT.items() if group not in recorded)
    return _of_file(cls, header, own, recorded=recorded, watched=whole, **left_out)


def _of_file(
    cls: type[Trajectory], header: Mapping[str, Any], arrays: dict[str, np.ndarray], **more: Any
) -> Trajectory:
    """more: fields of a part of a motion."""
    groups: dict[str, dict[str, np.ndarray]] = {kind: {} for kind in BY_NAME}
    arrays = numbers_of_file(arrays)
    for name in [n for n in arrays if ":" in n]:
        kind, joint = name.split(":", 1)
        groups[kind][joint] = arrays.pop(name)
    numbers: dict[str, Any] = {BY_NAME[kind]: found for kind, found in groups.items()}
    numbers |= arrays
    if header["format"] < FORMAT:
        header = _of_old(header, numbers)
    header = {"formulation": "maximal", "composition": "", **header}
    known = {"loops": LOOPS, "real": REALS, "formulation": COORDINATES, "composition": ("", *NAMES)}
    if is_rule(header["composition"]):
        known.pop("composition")
    check_header(header, known)
    first, second = map(float, header["slack"])
    return cls(
        mechanism=Mechanism.from_json(json.dumps(header["mechanism"])),
        step=header["step"],
        input_names=tuple(header["input_names"]),
        contact_names=tuple(header["contact_names"]),
        stop_names=tuple(header["stop_names"]),
        undetermined=tuple(header["undetermined"]),
        settings={name: tuple(values) for name, values in header["settings"].items()},
        loops=header["loops"],
        formulation=header["formulation"],
        composition=header["composition"],
        work_names=tuple((name, bool(paid)) for name, paid in header["work_names"]),
        loss_names=tuple((name, way) for name, way in header["loss_names"]),
        real=header["real"],
        slack=(first, second),
        first_angles={name: tuple(values) for name, values in header["first_angles"].items()},
        format=min(header["format"], FORMAT),
        **numbers | more,
    )


def _of_old(header: Mapping[str, Any], arrays: dict[str, Any]) -> Mapping[str, Any]:
    """The header of an old format, and its arrays, filled up: no step was split, and nothing is known of work."""
    count = len(arrays["time"])
    arrays.setdefault("substeps", np.minimum(np.arange(count), 1.0))
    arrays["substeps"] = arrays["substeps"].astype(np.int64)
    for name in ("scatter", "swerve", "pace", "sway", "misread"):
        arrays.setdefault(name, np.full(count, np.nan))
    arrays.setdefault("begin", np.full(energy_guard.REMEMBERED, np.nan))
    arrays.setdefault("account", np.zeros(0))
    for name, shape in (("work_values", (0,)), ("late_values", (0, 2)), ("spent_values", (0,))):
        arrays.setdefault(name, np.zeros((count, *shape)))
    return {"work_names": [], "loss_names": [], "real": "double", "slack": (0.0, 0.0), **header}


def write_csv(trajectory: Trajectory, path: str | Path, curves: Iterable[str] | None = None) -> Path:
    """Write one row per knot: time, and the curves of some names; left out, all that was recorded but joints, reactions
    and powers."""
    told = (name for name in _told(trajectory) if trajectory.curves.holds(name))
    columns = trajectory.curves.columns(told if curves is None else curves)
    path = _in_a_folder(path)
    temporary = path.with_name(path.name + ".part")
    with told_as_files(path):
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["time", *(column.name for column in columns)])
            rows = zip(trajectory.time, *(column.values for column in columns), strict=True)
            writer.writerows([repr(float(value)) for value in row] for row in rows)
        os.replace(temporary, path)
    return path


def _told(trajectory: Trajectory) -> Iterator[str]:
    """What a table has where nothing is chosen, by name."""
    for name in trajectory.names:
        yield from (f"{name}.{field}" for field in ("position", "orientation", "velocity", "angular_velocity"))
    yield from TOTALS
    for name in trajectory.contacts:
        yield from (f"{name}.{field}" for field in ("gap", "normal_force", "friction_force", "sliding"))
    yield from (f"{name}.force" for name in dict.fromkeys(trajectory.stop_names))
    yield from (f"{name}.work" for name, paid in trajectory.work_names if paid)
    yield "dissipation"
    yield from trajectory.input_names


def _in_a_folder(path: str | Path) -> Path:
    """A path whose folder exists. Raises MissingFileError naming the path, MechanismError for what is no path."""
    path = checked_path(path)
    if not path.parent.is_dir():
        raise MissingFileError(2, "its folder does not exist", str(path))
    return path
