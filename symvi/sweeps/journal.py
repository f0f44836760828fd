"""The file of a sweep: rows as they come in a journal beside it, from which an interrupted sweep goes on; at the end
the table itself, written whole."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from filelock import FileLock, Timeout

from symvi.errors import FileError, MissingFileError, missing_extra, told_as_files
from symvi.sweeps.job import Row

SUFFIXES = (".csv", ".parquet")


def checked_out(out: str | Path | None) -> Path | None:
    """A path that a table can be written to. Raises FileError, MissingExtraError."""
    if out is None:
        return None
    path = Path(out)
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(f"{path}: a sweep is written as {' or '.join(SUFFIXES)}; name the file so")
    if not path.parent.is_dir():
        raise MissingFileError(2, "no such folder", str(path.parent))
    if path.suffix.lower() == ".parquet":
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise missing_extra("sweep", "pandas and pyarrow") from error
    return path


class Journal:
    """The rows of one sweep, kept while it runs; of none, where it writes no file.

    rows: what is known, by variant. told: what makes it this sweep: part -> text; another one is refused.
    """

    def __init__(self, out: Path | None, told: Mapping[str, str]):
        self.rows: dict[int, Row] = {}
        self._out, self._told, self._file = out, dict(told), None
        self._lock: FileLock | None = None

    def __enter__(self) -> Journal:
        """Take the file, and read what is there. Raises FileError where another sweep has it, or had."""
        if self._out is None:
            return self
        self._lock = FileLock(self._out.with_name(self._out.name + ".lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            self._lock = None
            raise FileError(
                f"{self._out}: another sweep is writing it; wait for its end, or name another file"
            ) from None
        try:
            if self._out.exists():
                raise FileError(f"{self._out}: it is there already, and finished; remove it, or name another file")
            with told_as_files(self.path):
                self._open()
        except BaseException:
            self._let_go()
            raise
        return self

    @property
    def path(self) -> Path:
        """Of the journal."""
        assert self._out is not None
        return self._out.with_name(self._out.name + ".part")

    def _open(self) -> None:
        kept = 0
        if self.path.exists():
            lines = self.path.read_bytes().split(b"\n")
            whole = lines[:-1]  # a line that was cut off has no end
            if whole:
                self._check(whole[0])
                self.rows = {row.variant: row for row in self._rows(whole[1:])}
                kept = sum(len(line) + 1 for line in whole)
        file: IO[bytes] = self.path.open("r+b" if self.path.exists() else "w+b")
        file.truncate(kept)
        file.seek(kept)
        self._file = file
        if not kept:
            file.write(json.dumps(self._told).encode() + b"\n")
            file.flush()

    def _check(self, line: bytes) -> None:
        try:
            told = json.loads(line)
        except ValueError:
            told = {}
        wrong = [part for part, text in self._told.items() if not isinstance(told, dict) or told.get(part) != text]
        if wrong:
            raise FileError(
                f"{self.path}: it is of another sweep ({', '.join(wrong)} differ{'s' * (len(wrong) == 1)}); remove it, "
                "or name another file"
            )

    def _rows(self, lines: list[bytes]) -> Iterator[Row]:
        for number, line in enumerate(lines, start=2):
            try:
                yield _read(line)
            except (ValueError, TypeError):
                raise FileError(
                    f"{self.path}: line {number} is no row of a sweep; remove the file, or its lines from there on"
                ) from None

    def keep(self, rows: list[Row]) -> None:
        """Write rows, so that nothing of them is lost."""
        self.rows.update((row.variant, row) for row in rows)
        if self._file is not None:
            with told_as_files(self.path):
                self._file.write(b"".join(_written(row) for row in rows))
                self._file.flush()
                os.fsync(self._file.fileno())

    def finish(self, table: Any) -> None:
        """Write the table, and let the journal go. table: pandas' or NumPy's, with all rows."""
        from symvi.sweeps.tables import write

        if self._out is None:
            return
        with told_as_files(self._out):
            write(table, self._out)
        if self._file is not None:
            self._file.close()
            self._file = None
        self.path.unlink()
        if self._lock is not None:  # while it is held: who opens it anew finds the table there
            Path(self._lock.lock_file).unlink(missing_ok=True)

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._let_go()


def _written(row: Row) -> bytes:
    values = [value if math.isfinite(value) else None for value in row.values]
    return json.dumps([row.variant, values, row.steps, row.own, row.error]).encode() + b"\n"


def _read(line: bytes) -> Row:
    variant, values, steps, own, error = json.loads(line)
    return Row(variant, tuple(math.nan if value is None else value for value in values), steps, own, error)
