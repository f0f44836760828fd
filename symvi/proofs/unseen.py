"""Numbers that no definition is compared with: who can see them, when they are wrong.

A kernel may keep what only kernels read: factors of an elimination, values kept for later phases. Definitions do not
state such a number; they are compared with everything that is made of it. So a number may differ without harm where
    it is *private*: a work record's, and no function but the kernels names it in the printed text, or
    it is *worn*: elimination leaves its own numbers in the place of the residual. Definitions state the residual where
    `evaluate` leaves it, and every function that reads it does so there.
Both are read off the printed text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symvi.proofs.cprogram import PrintedCall, PrintedProgram
from symvi.proofs.crun import Memory


class Place(NamedTuple):
    """One number of the records."""

    store: str
    kind: str
    node: int
    field: str
    entry: int


def differing(before: Memory, after: Memory) -> Iterator[Place]:
    """Where two memories differ."""
    for store, kinds in before.items():
        for kind, records in kinds.items():
            for node, (old, new) in enumerate(zip(records, after[store][kind], strict=True)):
                for field, values in old.items():
                    if values != new[field]:
                        pairs = enumerate(zip(values, new[field], strict=True))
                        yield from (Place(store, kind, node, field, k) for k, (a, b) in pairs if a != b)


class Unseen:
    """Which numbers of a printed program may differ."""

    def __init__(self, printed: PrintedProgram):
        self.named = printed.named
        self.worn = _stored_by(printed, "eliminate", "substitute") & _stored_by(printed, "evaluate")

    def __contains__(self, place: Place) -> bool:
        private = place.store == "work" and (place.kind, place.field) not in self.named
        return private or place in self.worn


def _stored_by(printed: PrintedProgram, *phases: str) -> set[Place]:
    """The numbers that phases store."""
    return {place for phase in phases for call in printed.phases.get(phase, ()) for place in stored(call)}


def stored(call: PrintedCall) -> Iterator[Place]:
    """The numbers that a kernel stores."""
    records = dict(zip((name for name, _ in call.function.records), call.records, strict=True))
    for statement in call.function.statements:
        if not isinstance(statement.target, str):
            _, name, field, entry = statement.target
            yield Place(*records[name], field, entry)
