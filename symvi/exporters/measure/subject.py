"""What is measured: generated C of one precision, and the motion during which it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from symvi.emit.templates import environment

__all__ = ["Subject"]

STEPS = 200  # enough for every kind of step, and quick on an emulated board
COARSE = 0.5  # m/s, rad/s: a tolerance that the first iteration meets


@dataclass(frozen=True)
class Subject:
    """files: PREFIX.h and PREFIX.c, name -> text. step [s]. inputs: a row for each step, in the order of the struct of
    inputs; later steps take the last row, and no row at all stands for zeros."""

    files: Mapping[str, str]
    prefix: str
    step: float
    inputs: tuple[tuple[float, ...], ...] = ()
    steps: int = STEPS

    @property
    def header(self) -> str:
        return self.files[f"{self.prefix}.h"]

    @property
    def real(self) -> str:
        """The type of real numbers: float or double."""
        return re.search(rf"^typedef (\w+) {self.prefix}_real;", self.header, re.M).group(1)

    def firmware(self) -> str:
        """The program that measures it (templates/measure/firmware.c.jinja)."""
        return (
            environment("measure")
            .get_template("firmware.c.jinja")
            .render(
                prefix=self.prefix,
                steps=self.steps,
                step=self._literal(self.step),
                coarse=self._literal(COARSE),
                rows=[", ".join(map(self._literal, row)) for row in self.inputs],
            )
        )

    def _literal(self, number: float) -> str:
        return f"{float(number)!r}{'f' if self.real == 'float' else ''}"
