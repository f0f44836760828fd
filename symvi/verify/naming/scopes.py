"""Parts of a matrix that an explanation may be about: all of it, rows, columns, the columns of a variable, entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symvi.verify.judging.problem import Problem

Place = tuple[int, int]
WHOLE = "the whole derivative"


@dataclass(frozen=True)
class Scope:
    """where: in words. rows, columns: what it covers. cost: the larger the part, the simpler."""

    where: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    cost: float

    @property
    def places(self) -> Iterator[Place]:
        return ((i, k) for i in self.rows for k in self.columns)

    def holds(self, place: Place) -> bool:
        return place[0] in self.rows and place[1] in self.columns


@dataclass(frozen=True)
class Layout:
    """rows, columns: how many. blocks: the columns of each variable, by name. row_blocks: likewise, of a square one."""

    rows: int
    columns: int
    blocks: dict[str, range]
    row_blocks: dict[str, range]
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]

    def levels(self, wrong: set[Place]) -> Iterator[list[Scope]]:
        """Scopes with something wrong, the largest first; every level covers all that is wrong."""
        bad_rows = tuple(sorted({i for i, _ in wrong}))
        bad_columns = tuple(sorted({k for _, k in wrong}))
        every_row, every_column = tuple(range(self.rows)), tuple(range(self.columns))
        whole = Scope(WHOLE, every_row, every_column, 0.0)
        parts = [
            Scope(self._rows_said(bad_rows), bad_rows, every_column, 0.1),
            Scope(self._columns_said(bad_columns), every_row, bad_columns, 0.1),
            Scope(self.said(bad_rows, bad_columns), bad_rows, bad_columns, 0.3),
        ]
        yield _distinct([whole, *parts])
        yield _distinct(self._block_scopes(wrong))
        yield _distinct(self._line_scopes(wrong))
        yield [Scope(f"entry {[i, k]}", (i,), (k,), 1.5) for i, k in sorted(wrong)]

    def _block_scopes(self, wrong: set[Place]) -> Iterator[Scope]:
        for name, block in self.blocks.items():
            found = sorted({i for i, k in wrong if k in block})
            said = f"the columns of {name}"
            if found:
                yield Scope(said, tuple(range(self.rows)), tuple(block), 0.2)
                yield Scope(f"{self._rows_said(tuple(found))} in {said}", tuple(found), tuple(block), 0.4)
                for run in _runs(found):
                    yield Scope(f"{self._rows_said(run)} in {said}", run, tuple(block), 0.5)
        for run in _runs(sorted({i for i, _ in wrong})):
            yield Scope(self._rows_said(run), run, tuple(range(self.columns)), 0.5)
        for name, block in self.row_blocks.items():
            for other, columns in self.blocks.items():
                if any(i in block and k in columns for i, k in wrong):
                    said = f"the block of {name} by {other}"
                    yield Scope(said, tuple(block), tuple(columns), 0.5)

    def _line_scopes(self, wrong: set[Place]) -> Iterator[Scope]:
        for k in sorted({k for _, k in wrong}):
            bad = tuple(sorted(i for i, c in wrong if c == k))
            said = f"the column {self.column_names[k]}"
            yield Scope(said, tuple(range(self.rows)), (k,), 0.6)
            yield Scope(f"{self._rows_said(bad)} in {said}", bad, (k,), 0.8)
        for i in sorted({i for i, _ in wrong}):
            bad = tuple(sorted(k for r, k in wrong if r == i))
            yield Scope(self._rows_said((i,)), (i,), tuple(range(self.columns)), 0.6)
            yield Scope(self.said((i,), bad), (i,), bad, 0.8)
            for name, block in self.blocks.items():
                if set(block) & set(bad):
                    yield Scope(f"{self._rows_said((i,))} in the columns of {name}", (i,), tuple(block), 0.7)

    def said(self, rows: Sequence[int], columns: Sequence[int]) -> str:
        """A part of the matrix in words."""
        if len(rows) == self.rows:
            return WHOLE if len(columns) == self.columns else self._columns_said(columns)
        rows_said = self._rows_said(rows)
        return rows_said if len(columns) == self.columns else f"{rows_said} in {self._columns_said(columns)}"

    def _rows_said(self, rows: Sequence[int]) -> str:
        if len(rows) == self.rows:
            return "all rows"
        return _listed("row", "rows", [self.row_names[i].removeprefix("row ") for i in rows])

    def _columns_said(self, columns: Sequence[int]) -> str:
        if len(columns) == self.columns:
            return "all columns"
        covered = [name for name, block in self.blocks.items() if set(block) <= set(columns)]
        if sum(len(self.blocks[name]) for name in covered) == len(columns):
            return f"the columns of {' and '.join(covered)}"
        return _listed("column", "columns", [self.column_names[k] for k in columns])


def layout_of(problem: Problem) -> Layout:
    """The parts of a problem's derivative, by name."""
    question, width = problem.question, problem.shape[-1]
    rows = 1 if len(problem.shape) == 1 else problem.shape[0]
    names = question.column_names()
    square = question.order == 2 and (bool(question.weights) or problem.rows == 1)
    blocks, columns = question.blocks(), names
    if question.order == 2 and not square:
        count = len(names)
        blocks = {f"{name}'s derivative": range(i * count, (i + 1) * count) for i, name in enumerate(names)}
        columns = [f"{i} then {k}" for i in names for k in names]
    row_names = names if square else [f"row {i}" for i in range(rows)]
    return Layout(rows, width, blocks, question.blocks() if square else {}, tuple(row_names), tuple(columns))


def _listed(one: str, many: str, names: Iterable[str]) -> str:
    names = list(names)
    return f"{one} {names[0]}" if len(names) == 1 else f"{many} {', '.join(names)}"


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Neighbours together."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield tuple(run)
            run = []
        run.append(number)
    if run:
        yield tuple(run)


def _distinct(scopes: Iterable[Scope]) -> list[Scope]:
    return list({(scope.rows, scope.columns): scope for scope in reversed(list(scopes))}.values())[::-1]
