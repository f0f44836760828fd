"""Tracing a node type: arithmetic on the fields of records, split afterwards by how often values change.

A trace holds all that a node type computes in a step. `kernels` cuts it into four: what depends on parameters only
(setup), what is fixed during a step (prepare), what every Newton iteration computes anew (evaluate), and what only the
Newton matrix needs (linearize). A value that a later part needs from an earlier one is kept in a field of the node's
own work record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, count
from typing import TypeVar

from symvi.kernels.kernel import Block, Entry, Formula, Kernel, Location, Passage, Port
from symvi.kernels.records import Records
from symvi.scalar import Graph, Rate, Scalar

PHASES = {Rate.PARAMETER: "setup", Rate.STEP: "prepare", Rate.ITERATION: "evaluate", Rate.MATRIX: "linearize"}
WHEN = {
    Rate.PARAMETER: "from parameters alone",
    Rate.STEP: "once in a step",
    Rate.ITERATION: "in every iteration",
    Rate.MATRIX: "for the Newton matrix alone",
}
STORE_RATES = {
    "parameters": Rate.PARAMETER,
    "state": Rate.STEP,
    "input": Rate.STEP,
    "work": Rate.ITERATION,
    "motion": Rate.STEP,
    "account": Rate.ITERATION,
}
Values = TypeVar("Values", bound=Sequence[Scalar])
Rows = TypeVar("Rows", bound=Sequence[Sequence[Scalar]])
KEPT, MEANING = "kept", "value kept from an earlier part of the step"


@dataclass
class Trace:
    """A trace over `ports`; `own` is the port whose work record keeps values between the parts."""

    records: Records
    ports: tuple[Port, ...]
    own: str
    summary: str = ""
    graph: Graph = field(default_factory=Graph)
    writes: list[tuple[Rate, Location, Scalar]] = field(default_factory=list)
    _around: Passage | None = None
    _kept: dict[int, Location] = field(default_factory=dict)

    def kind(self, label: str) -> str:
        return next(port.kind for port in self.ports if port.label == label)

    def read(
        self,
        label: str,
        store: str,
        name: str,
        size: int = 1,
        meaning: str = "",
        unit: str = "1",
        *,
        rate: Rate | None = None,
        baked: Sequence[Fraction | None] = (),
    ) -> list[Scalar]:
        """The entries of a field; `baked` entries are exact constants of the text instead."""
        self.records.declare(self.kind(label), store, name, size, meaning, unit)
        rate = STORE_RATES[store] if rate is None else rate
        prefix = "" if label == self.own else f"{label}_"
        entries, called = [], self.records.entries.get((self.kind(label), store, name))
        for i in range(size):
            constant = baked[i] if i < len(baked) else None
            if constant is not None:
                entries.append(self.graph.constant(constant))
            else:
                hint = f"{prefix}{called[i] if called else name}" + (f"_{i}" if size > 1 and not called else "")
                entries.append(self.graph.symbol(Location(label, store, name, i), rate, hint))
        return entries

    def write(
        self,
        label: str,
        name: str,
        values: Sequence[Scalar | None],
        meaning: str = "",
        unit: str = "1",
        *,
        store: str = "work",
        rate: Rate | None = None,
    ) -> None:
        """Store the entries of a field, in the part given by `rate` (default: as soon as the last of them is known).

        An entry that is None is left as it is.
        """
        self.records.declare(self.kind(label), store, name, len(values), meaning, unit)
        rate = max(v.rate for v in values if v is not None) if rate is None else rate
        for i, value in enumerate(values):
            if value is None:
                continue
            location = Location(label, store, name, i)
            self.writes.append((rate, location, value))
            if label == self.own and store == "work":
                self._remember(value, location, rate)
            self.graph.hint(value, name + (f"_{i}" if len(values) > 1 else ""))
        self.graph.origin = self._around

    def add_to(
        self, label: str, name: str, values: Sequence[Scalar], *, rate: Rate, meaning: str = "", unit: str = "1"
    ) -> None:
        """Add to a field of another node; the schedule orders such sums. Exact zeros leave the entry alone."""
        present = self.read(label, "work", name, len(values), meaning, unit, rate=rate)
        for i, (old, value) in enumerate(zip(present, values, strict=True)):
            if not value.is_zero:
                self._add(rate, Location(label, "work", name, i), old, value)
        self.graph.origin = self._around

    def add_to_state(self, label: str, name: str, values: Sequence[Scalar]) -> None:
        """Add to a field of the state. What a kernel adds to it in several terms is one store."""
        for i, (old, value) in enumerate(zip(self.read(label, "state", name, len(values)), values, strict=True)):
            self._add(max(old.rate, value.rate), Location(label, "state", name, i), old, value)

    def _add(self, rate: Rate, location: Location, old: Scalar, value: Scalar) -> None:
        """A kernel reads before it writes, so what it adds to one place in several terms is one store."""
        for k, (known_rate, known, total) in enumerate(self.writes):
            if known == location and (known_rate == rate or location.store == "state"):
                self.writes[k] = (max(known_rate, rate), location, total + value)
                return
        self.writes.append((rate, location, old + value))

    def block(self, name: str, rows: Sequence[Sequence[Scalar]], meaning: str) -> Block:
        """Describe a matrix by its entries, storing each value once (up to sign) in field `name` of the own record."""
        entries = [self._entry(name, meaning, value) for row in rows for value in row]
        return Block(len(rows), len(rows[0]) if rows else 0, tuple(entries))

    def named(self, name: str, values: Values, between: str = "_") -> Values:
        """The same values, with a name for the text where it needs one. between: in front of the index."""
        for i, value in enumerate(values):
            self.graph.hint(value, f"{name}{between}{i}" if len(values) > 1 else name, better=True)
        return values

    def matrix(self, name: str, rows: Rows) -> Rows:
        """The same matrix, its entries named by row and column."""
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                self.graph.hint(value, f"{name}_{r}{c}")
        return rows

    def note(self, equation: str, source: str, where: str = "") -> None:
        """What is computed from here to the end of the next field that is written."""
        self.graph.origin = Passage(Formula(equation, source), where)

    @contextmanager
    def computing(self, equation: str, source: str, where: str = "") -> Iterator[None]:
        """What is computed inside."""
        before = self._around, self.graph.origin
        self._around = self.graph.origin = Passage(Formula(equation, source), where)
        yield
        self._around, self.graph.origin = before

    # --- splitting ---------------------------------------------------------------------------------------------------
    def kernels(self, name: str) -> dict[str, Kernel]:
        """One kernel per part that has something to do: setup, prepare, evaluate, linearize."""
        pending: dict[Rate, list[tuple[Location, Scalar]]] = {rate: [] for rate in Rate}
        for rate, location, value in self.writes:
            pending[rate].append((location, value))
        parts: dict[str, Kernel] = {}
        for rate in sorted(Rate, reverse=True):
            if pending[rate]:
                kernel, early = self._part(f"{PHASES[rate]}_{name}", rate, pending[rate])
                parts[PHASES[rate]] = replace(kernel, summary=f"{self.summary}; {WHEN[rate]}")
                for value, location in early:
                    pending[value.rate].append((location, value))
        if len(parts) == 1:
            parts = {phase: replace(whole, summary=self.summary) for phase, whole in parts.items()}
        return dict(reversed(parts.items()))

    def _part(self, name: str, rate: Rate, outputs: list[tuple[Location, Scalar]]) -> tuple[Kernel, list]:
        """The kernel of one part, and the earlier values that it needs kept for it."""
        cut = _Cut(self, rate)
        places = [location for location, _ in outputs]
        if twice := sorted({str(place) for place in places if places.count(place) > 1}):
            raise ValueError(f"kernel '{name}' stores twice to {twice[0]}: the first of the two would be lost")
        new_outputs = tuple((location, cut.copy(value)) for location, value in outputs)
        used = {place.port for place, _ in new_outputs} | {place.port for place in cut.locations}
        ports = tuple(port for port in self.ports if port.label in used or port.label == self.own)
        return Kernel(name, self.summary, ports, cut.graph, new_outputs, places=cut.places), cut.early

    def location_of(self, value: Scalar) -> Location | None:
        return self._kept.get(value.index)

    def keep(self, value: Scalar) -> tuple[Location, bool]:
        """Where an early value is kept, and whether a new place had to be made for it."""
        known = self._kept.get(value.index)
        if known is not None:
            return known, False
        name = self.graph.names.get(value.index) or self.graph.hints.get(value.index)
        passage = self.graph.origins.get(value.index)
        meaning = f"part of {passage.text.partition(' = ')[0]}" if passage else MEANING
        location = self._grow(self._free(f"{KEPT}_{name}" if name else KEPT), meaning)
        self._kept[value.index] = location
        return location, True

    # --- inside ------------------------------------------------------------------------------------------------------
    def _remember(self, value: Scalar, location: Location, rate: Rate) -> None:
        if value.rate == rate and self.graph.operation(value.index) not in ("const", "neg"):
            self._kept.setdefault(value.index, location)

    def _entry(self, name: str, meaning: str, value: Scalar) -> Entry:
        constant = self.graph.constant_value(value)
        if constant is not None and constant in (-1, 0, 1):
            return Entry(int(constant))
        sign = 1
        if self.graph.operation(value.index) == "neg":
            sign, value = -1, self.graph.scalar(self.graph.operands(value.index)[0])
        location = self._kept.get(value.index)
        if location is None:
            location = self._grow(name, meaning)
            self._kept[value.index] = location
            self.writes.append((value.rate, location, value))
            self.graph.hint(value, f"{name}_{location.index}")
            called = self.graph.names.get(value.index) or self.graph.hints.get(value.index, f"{name}_{location.index}")
            self.records.entries.setdefault((self.kind(self.own), "work", name), []).append(called)
        return Entry(sign, location.field, location.index)

    def _free(self, name: str) -> str:
        """A name that no field of the own record has yet."""
        taken = self.records.fields.get((self.kind(self.own), "work"), {})
        names = chain([name], (f"{name}_{n}" for n in count(2)))
        return next(found for found in names if found not in taken)

    def _grow(self, name: str, meaning: str) -> Location:
        record = self.records.fields.setdefault((self.kind(self.own), "work"), {})
        size = record[name].size if name in record else 0
        record.pop(name, None)
        self.records.declare(self.kind(self.own), "work", name, size + 1, meaning)
        return Location(self.own, "work", name, size)


class _Cut:
    """A copy of part of a trace in which values of earlier parts are read from where they are kept."""

    def __init__(self, trace: Trace, rate: Rate):
        self.trace, self.rate = trace, rate
        self.graph = Graph()
        self.locations: list[Location] = []
        self.early: list[tuple[Scalar, Location]] = []
        self._copies: dict[int, Scalar] = {}
        self.places: dict[int, int] = {}

    def copy(self, value: Scalar) -> Scalar:
        source = self.trace.graph
        stack = [value.index]
        while stack:
            index = stack[-1]
            if index in self._copies:
                stack.pop()
                continue
            missing = [] if self._is_early(index) else [i for i in source.operands(index) if i not in self._copies]
            if missing:
                stack.extend(reversed(missing))
            else:
                first = len(self.graph)
                self.graph.origin = source.origins.get(index)
                self._copies[index] = self._copy_one(index)
                self.places.update(dict.fromkeys(range(first, len(self.graph)), index))
                stack.pop()
        return self._copies[value.index]

    def _is_early(self, index: int) -> bool:
        """Whether a value is read from an earlier part. Of an iteration, linearize reads what records hold anyway."""
        source = self.trace.graph
        if source.operation(index) in ("const", "symbol", "neg"):
            return False
        if source.rate(index) == Rate.ITERATION < self.rate:
            return self.trace.location_of(source.scalar(index)) is not None
        return source.rate(index) < self.rate

    def _copy_one(self, index: int) -> Scalar:
        source = self.trace.graph
        operation = source.operation(index)
        if operation == "const":
            return self.graph.constant(source.arguments(index)[0])
        if operation == "symbol":
            return self._symbol(source.arguments(index)[0], source.names.get(index))
        if self._is_early(index):
            value = source.scalar(index)
            location, new = self.trace.keep(value)
            if new:
                self.early.append((value, location))
            return self._symbol(location, source.names.get(index) or source.hints.get(index))
        copy = self.graph.apply(operation, [self._copies[i] for i in source.operands(index)])
        if index in source.names:
            self.graph.name(copy, source.names[index])
        if index in source.hints:
            self.graph.hint(copy, source.hints[index])
        return copy

    def _symbol(self, location: Location, name: str | None) -> Scalar:
        self.locations.append(location)
        return self.graph.symbol(location, Rate.ITERATION, name)
