"""Records: the named fields that a node type keeps, in six stores.

parameters: numbers that the user may change at run time; state: what a step hands on to the next; input: what drives
one step; work: scratch of the solver; motion: coordinates of joints and their rates, where bodies are placed by them;
account: sums over the steps between two recorded knots, of energy that laws give and take.
Every field is an array of reals, so any back end can hold a record as it likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

STORES = ("parameters", "state", "input", "work", "motion", "account")


@dataclass(frozen=True)
class Field:
    """A field of a record: its size, what it means and its unit."""

    name: str
    size: int
    meaning: str
    unit: str = "1"


@dataclass
class Records:
    """The fields of every node type, in the order in which they were first named.

    entries: what the entries of a field are called that is no vector but holds what a block needs: (kind, store, name).
    """

    fields: dict[tuple[str, str], dict[str, Field]] = field(default_factory=dict)
    entries: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)

    def declare(self, kind: str, store: str, name: str, size: int, meaning: str = "", unit: str = "1") -> Field:
        """Add a field to the record of node type `kind` in `store`; naming it again must agree in size."""
        record = self.fields.setdefault((kind, store), {})
        known = record.get(name)
        if known is None:
            record[name] = known = Field(name, size, meaning, unit)
        elif known.size != size:
            raise ValueError(f"record {kind}.{store}: field {name} has size {known.size} and {size}")
        elif meaning and not known.meaning:
            record[name] = known = Field(name, size, meaning, unit)
        return known

    def resize(self, kind: str, store: str, name: str, size: int) -> None:
        """Give a field another size, once all that was traced on it lies elsewhere."""
        record = self.fields[kind, store]
        record[name] = replace(record[name], size=size)

    def of(self, kind: str, store: str) -> tuple[Field, ...]:
        return tuple(self.fields.get((kind, store), {}).values())

    def size(self, kind: str, store: str) -> int:
        return sum(f.size for f in self.of(kind, store))

    def kinds(self, store: str) -> Iterator[str]:
        for kind, where in self.fields:
            if where == store:
                yield kind
