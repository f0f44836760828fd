"""Real robots: each of the 69 URDF files of PyPI's example-robot-data is simulated for a second, or refused.

As the file is, and where that is refused, once more with repair. No contacts; every joint is free within its limits.
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
HEAD = ("robot", "read", "bodies", "joints", "limits", "us/step", "closure", "energy J")
BEYOND_REPAIR = 4  # names that lead nowhere, a file without links, and two free bodies, which base "floating" sets free


def read(path: Path) -> tuple[str, Imported | None, str]:
    """How a file was read, what came of it, and the first line of what was refused."""
    said = ""
    for way in ("as it is", "repaired"):
        try:
            return way, load(path, repair=way == "repaired", packages={PACKAGE: share()}), said
        except SymviError as error:
            said = str(error).splitlines()[0].replace(str(share()), "")
    return "refused", None, said


def row(path: Path) -> tuple[str, list[object], str]:
    """(outcome, cells, what was said) of one robot."""
    name = f"{path.parents[1].name.removesuffix('_description')}/{path.stem}"
    way, imported, said = read(path)
    if imported is None:
        return way, [name, way, *[None] * 6], said
    mechanism = imported.mechanism
    counts = [len(mechanism.bodies), len(mechanism.joints), len(mechanism.limits)]
    try:
        simulator = Simulator(mechanism)
        begin = perf_counter()
        motion = simulator.simulate(SECONDS, STEP)
        spent = 1e6 * (perf_counter() - begin) * STEP / SECONDS
    except SymviError as error:
        return "not simulated", [name, "not simulated", *counts, *[None] * 3], str(error).splitlines()[0]
    moved = bool(np.isfinite(motion.position).all())
    figures = [spent, float(motion.closure.max()), float(motion.energy[-1] - motion.energy[0])]
    return way if moved else "not simulated", [name, way, *counts, *figures], said


def measure(report: Report) -> None:
    files = robot_files()
    if not files:
        raise missing_extra("peers", PACKAGE)
    rows, outcomes, refused = [], Counter(), []
    for path in files[:: 20 if report.quick else 1]:
        outcome, cells, said = row(path)
        outcomes[outcome] += 1
        rows.append(cells)
        if said:
            refused.append((cells[0], cells[1], said))
    report.table("a second without contacts", HEAD, rows)
    report.table("refused as they are: the first line", ("robot", "with repair", "message"), refused)
    report.table("robots", ("outcome", "count"), [*outcomes.items(), ("all", len(rows))])
    report.at_most("robots neither simulated nor refused", outcomes["not simulated"], 0, timed=False)
    report.at_most("robots refused with repair too", outcomes["refused"], BEYOND_REPAIR, timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
