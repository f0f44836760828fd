"""Every MJCF file of gymnasium and dm_control, or of given folders: read, simulated for 1 s, and counted.

    python -m tests.importers.mjcf_files [FOLDER ...] [--read]

A file is simulated without contact, or refused with file, line and remedy; anything else is a failure, and the exit
status 1. Without folders, those of the two packages are taken as far as they are installed (without what they need:
pip install --no-deps gymnasium dm_control). --read: read only.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from symvi.errors import MechanismError, SymviError
from symvi.importers import load
from symvi.simulate.simulator import Simulator

__all__ = ["files_of", "outcome", "package_folders"]

PACKAGES = ("gymnasium", "dm_control")
STEP, SECONDS = 0.002, 1.0


def package_folders() -> list[Path]:
    """The folders of the packages that are installed; nothing is imported."""
    specs = (find_spec(name) for name in PACKAGES)
    return [Path(folder) for spec in specs if spec for folder in spec.submodule_search_locations or ()]


def files_of(folder: Path) -> list[Path]:
    """The files whose root is <mujoco>, in the order of their names; some are pieces that only others include."""
    return [path for path in sorted(folder.rglob("*.xml")) if re.search(rb"<mujoco[\s>]", path.read_bytes())]


def outcome(path: Path, folder: Path, simulates: bool = True) -> tuple[str, str]:
    """("simulated" | "read" | "refused" | "failed", what there is to say). Meshes may lie anywhere in the folder."""
    begin = time.perf_counter()
    try:
        found = load(path, packages={folder.name: folder})
    except MechanismError as error:
        first = str(error).splitlines()[0]
        return ("refused" if re.match(r".+:\d+: .+", first) else "failed"), first
    bodies = f"{len(found.mechanism.bodies)} bodies, {found.report.summary().removeprefix(str(path) + ': ')}"
    if not simulates:
        return "read", bodies
    try:
        run = Simulator(found.mechanism).simulate(SECONDS, STEP)
    except SymviError as error:
        return "failed", f"{bodies}: {error}"
    return "simulated", f"{bodies}; gap {run.closure.max():.0e} m, {time.perf_counter() - begin:.1f} s"


def main(arguments: list[str]) -> int:
    folders = [Path(text) for text in arguments if not text.startswith("--")] or package_folders()
    if not folders:
        print("neither gymnasium nor dm_control is here: pip install --no-deps gymnasium dm_control, or name folders")
        return 1
    everything: Counter[str] = Counter()
    for folder in folders:
        counts: Counter[str] = Counter()
        for path in files_of(folder):
            kind, told = outcome(path, folder, "--read" not in arguments)
            counts[kind] += 1
            print(f"{kind:<10}{path.relative_to(folder)}: {told[:300]}", flush=True)
        print(f"{folder}: {sum(counts.values())} files, {', '.join(f'{n} {kind}' for kind, n in counts.items())}")
        everything += counts
    return int(everything["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
