"""The account of energies in the reference back end: its sums, as in templates/c/account.c.jinja."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

from symvi.kernels.account import SUMS
from symvi.program.program import Program


class Accounts:
    """The records of the store "account" of one program."""

    def __init__(self, program: Program, records: Mapping[str, list[SimpleNamespace]]):
        self.common = records["common"][0]
        self.records = [record for kind, found in records.items() if kind != "common" for record in found]
        works, losses = program.notes["works"], program.notes["losses"]
        self.works = [records[note["kind"]][note["index"]] for note in works]
        self.late = [records[note["kind"]][note["index"]] for note in works if note["late"]]
        self.losses = [records[note["kind"]][note["index"]] for note in losses]

    def note_step(self) -> None:
        """After a step: its pace; from here on the forces of a step before are known."""
        common = self.common
        common.fresh[0], common.known[0] = 0.0, 1.0
        common.fastest[0] = max(common.fastest[0], common.pace[0], 0.0)
        common.farthest[0] = max(common.farthest[0], abs(common.sway[0]))
        common.pace[0] = common.sway[0] = 0.0

    def record(self) -> dict[str, list]:
        """The sums since the last recorded knot, which begin anew."""
        found = {
            "work": [record.work[0] for record in self.works],
            "late": [[record.settled[0], record.ahead[0]] for record in self.late],
            "spent": [value for record in self.losses for value in record.spent],
            "pace": self.common.fastest[0],
            "sway": self.common.farthest[0],
        }
        self.common.fastest[0] = self.common.farthest[0] = 0.0
        self.common.fresh[0] = 1.0
        for record in self.records:
            for name in SUMS:
                if hasattr(record, name):
                    values = getattr(record, name)
                    values[:] = [0.0] * len(values)
        return found
