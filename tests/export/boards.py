"""What the tests of emulated boards share: they are skipped where the tools are not, and a small export to measure."""

from __future__ import annotations

import pytest

from symvi.exporters.measure import Subject
from symvi.exporters.measure.tools import NotMeasured, cross_compiler, emulator
from symvi.mechanism import Mechanism
from symvi.simulate.solver_build import text_of

__all__ = ["needs_boards", "subject_of"]


def _lacking() -> str:
    try:
        cross_compiler()
        emulator()
    except NotMeasured as error:
        return str(error)
    return ""


needs_boards = pytest.mark.skipif(bool(_lacking()), reason=_lacking())


def subject_of(mechanism: Mechanism, real: str, steps: int = 200, **how: object) -> Subject:
    """A mechanism's generated C, to be measured in steps of 0.01 s. how: as for text_of."""
    text = text_of(mechanism, real=real, **how)
    return Subject(text.files, text.prefix, 0.01, steps)
