"""Real robots: each of the 69 URDF files of PyPI's example-robot-data is simulated for a second, or refused.

As the file is, and where that is refused, once more with repair. Every joint is free within its limits. First without
contacts; then with a floating base, servos on the joints and contacts of all collision shapes, those of meshes too.
What has no collision shape is refused then; the centre of mass of the others must not be below the ground in the end.
Energy is that at the end less that at the start: damping and friction take from it, and so do stops. What an import
refuses it says with file, line and remedy; anything else than a motion or such a refusal is a fault, and counted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

import numpy as np
from _benchmark import Report, run

from symvi.errors import SymviError, missing_extra
from symvi.importers import Imported, load
from symvi.simulate import Simulator

sys.path.append(str(Path(__file__).parents[2]))
from tests.importers.real_robots import PACKAGE, robot_files, share

SECONDS, STEP = 1.0, 0.01
HEAD = (
    "robot", "read", "bodies", "joints", "limits", "us/step", "closure", "energy J", "contacts", "falls through",
)  # fmt: skip
HOLD = (100.0, 5.0)
BEYOND_REPAIR = 4  # names that lead nowhere, a file without links, and two free bodies, which base "floating" sets free


def grounded(path: Path, repair: bool) -> tuple[list[object], str]:
    """(number of contacts, whether it falls through the ground), and what was said where there are none."""
    shared = {"contacts": "collision", "hold": HOLD, "packages": {PACKAGE: share()}}
    try:
        mechanism = load(path, base="floating", repair=repair, **shared).mechanism
        motion = Simulator(mechanism).simulate(SECONDS, STEP)
    except SymviError as error:
        return [0, "refused"], str(error).splitlines()[0].replace(str(share()), "")
    masses = np.array([body.mass for body in mechanism.bodies])
    height = float(motion.position[-1, :, 2] @ masses / masses.sum())
    return [len(motion.contacts), "no" if height > 0.0 else "yes"], ""


def read(path: Path) -> tuple[str, Imported | None, str]:
    """How a file was read, what came of it, and the first line of what was refused."""
    said = ""
    for way in ("as it is", "repaired"):
        try:
            return way, load(path, repair=way == "repaired", packages={PACKAGE: share()}), said
        except SymviError as error:
            said = str(error).splitlines()[0].replace(str(share()), "")
    return "refused", None, said


def row(path: Path) -> tuple[str, list[object], str, str]:
    """(outcome, cells, what was said of the file, and of its contacts) of one robot."""
    name = f"{path.parents[1].name.removesuffix('_description')}/{path.stem}"
    way, imported, said = read(path)
    if imported is None:
        on_ground, why = grounded(path, repair=True)
        return way, [name, way, *[None] * 6, *on_ground], said, why
    mechanism = imported.mechanism
    counts = [len(mechanism.bodies), len(mechanism.joints), len(mechanism.limits)]
    try:
        simulator = Simulator(mechanism)
        begin = perf_counter()
        motion = simulator.simulate(SECONDS, STEP)
        spent = 1e6 * (perf_counter() - begin) * STEP / SECONDS
    except SymviError as error:
        return "not simulated", [name, "not simulated", *counts, *[None] * 5], str(error).splitlines()[0], ""
    on_ground, why = grounded(path, repair=way == "repaired")
    if on_ground[1] == "refused" and way != "repaired":  # links without mass that nothing needs but a contact
        on_ground, why = grounded(path, repair=True)
    moved = bool(np.isfinite(motion.position).all())
    figures = [spent, float(motion.closure.max()), float(motion.energy[-1] - motion.energy[0])]
    return way if moved else "not simulated", [name, way, *counts, *figures, *on_ground], said, why


def measure(report: Report) -> None:
    files = robot_files()
    if not files:
        raise missing_extra("peers", PACKAGE)
    rows, outcomes, refused, bare = [], Counter(), [], []
    for path in files[:: 35 if report.quick else 1]:
        outcome, cells, said, why = row(path)
        outcomes[outcome] += 1
        rows.append(cells)
        if said:
            refused.append((cells[0], cells[1], said))
        if why:
            bare.append((cells[0], why))
    report.table("a second without contacts, and one on the ground", HEAD, rows)
    report.table("refused as they are: the first line", ("robot", "with repair", "message"), refused)
    report.table("refused on the ground: the first line", ("robot", "message"), bare)
    report.table("robots", ("outcome", "count"), [*outcomes.items(), ("all", len(rows))])
    report.at_most("robots neither simulated nor refused", outcomes["not simulated"], 0, timed=False)
    report.at_most("robots that fall through the ground", sum(cells[-1] == "yes" for cells in rows), 0, timed=False)
    report.at_most("robots refused with repair too", outcomes["refused"], BEYOND_REPAIR, timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
