"""What is measured: generated C of one precision, and the motion during which it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symvi.emit.c_printer import literal
from symvi.emit.templates import environment

__all__ = ["Subject", "files_of"]

DRIVING = "golden.h"  # as in exported folders
STEPS = 200  # enough for every kind of step, and quick on an emulated board
COARSE = 0.5  # m/s, rad/s: a tolerance that the first iteration meets


@dataclass(frozen=True)
class Subject:
    """files: PREFIX.h and PREFIX.c, name -> text; golden.h too, where inputs change; others do no harm. step [s].

    golden.h defines golden_input(n, u), which writes what changes in the inputs of step n.
    """

    files: Mapping[str, str]
    prefix: str
    step: float
    steps: int = STEPS

    @property
    def header(self) -> str:
        return self.files[f"{self.prefix}.h"]

    @property
    def entry_points(self) -> tuple[str, ...]:
        """The functions that the header declares, without their prefix."""
        called = re.findall(rf"^{self.prefix.upper()}_API [^;(]*\b{self.prefix}_(\w+)\(", self.header, re.M)
        return tuple(called)

    @property
    def real(self) -> str:
        """The type of real numbers: float or double."""
        found = re.search(rf"^typedef (\w+) {self.prefix}_real;", self.header, re.M)
        assert found, "every header has it"
        return found.group(1)

    def driven(self, rows: Iterable[Sequence[float]]) -> Subject:
        """The same with a row of inputs for every step, in the order of their struct; later steps take the last row."""
        literals = [", ".join(literal(number, self.real) for number in row) for row in rows]
        text = _template("driving.h").render(prefix=self.prefix, rows=literals)
        return replace(self, files={**self.files, DRIVING: text})

    def sources(self, firmware: str) -> dict[str, str]:
        """All files of the program FIRMWARE.c that measures it (templates/measure)."""
        driven = self if DRIVING in self.files else self.driven(())
        text = _template("firmware.c").render(
            prefix=self.prefix,
            driving=DRIVING,
            steps=self.steps,
            step=literal(self.step, self.real),
            coarse=literal(COARSE, self.real),
            retries=" int retries;" in self.header,
        )
        return {**driven.files, f"{firmware}.c": text}


def files_of(folder: Path, prefix: str) -> dict[str, str]:
    """The C of an exported folder, name -> text: PREFIX.h, PREFIX.c, and its example with golden.h."""
    paths = [folder / "include" / f"{prefix}.h", folder / "src" / f"{prefix}.c"]
    paths += sorted((folder / "examples").glob("*.[ch]"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def _template(name: str):
    return environment("measure").get_template(f"{name}.jinja")
