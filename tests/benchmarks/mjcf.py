"""MuJoCo's own models: each MJCF file of gymnasium and dm_control is simulated for a second, or refused.

The packages are looked for, not imported: pip install --no-deps gymnasium dm_control brings their files. No contacts.
Many files are pieces that others include, in which nothing moves; these are refused, with file, line and remedy, as is
what MuJoCo itself refuses. Anything else than a motion or such a refusal is a fault, and counted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from _benchmark import Report, run

from symvi.errors import missing_extra

sys.path.append(str(Path(__file__).parents[2]))
from tests.importers.mjcf_files import files_of, outcome, package_folders

HEAD = ("file", "outcome", "what there is to say")


def measure(report: Report) -> None:
    folders = package_folders()
    if not folders:
        raise missing_extra("peers", "gymnasium")
    faults = 0
    for folder in folders:
        counts: Counter[str] = Counter()
        rows = []
        for path in files_of(folder)[:: 7 if report.quick else 1]:
            kind, said = outcome(path, folder)
            counts[kind] += 1
            rows.append((str(path.relative_to(folder)), kind, said.removeprefix(str(path))[:160]))
        report.table(folder.name, HEAD, rows)
        report.table(f"{folder.name}: files", ("outcome", "count"), [*counts.items(), ("all", len(rows))])
        faults += counts["failed"]
    report.at_most("files neither simulated nor refused", faults, 0, timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
