"""What symvi.load returns may be given wherever a mechanism may; anything else is told what makes one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi.errors import MechanismError
from symvi.importers import Imported
from symvi.mechanism import Mechanism
from symvi.simulate.simulator import Simulator, generate_text
from tests.importers.trep_texts import FOUR_BAR


@pytest.fixture
def bars(tmp_path: Path) -> Imported:
    path = tmp_path / "bars.trep"
    path.write_text(FOUR_BAR)
    return symvi.load(path)


def test_an_import_is_simulated(bars: Imported) -> None:
    runs = [Simulator(given, backend="python").simulate(0.02, 0.01) for given in (bars, bars.mechanism)]
    assert np.array_equal(runs[0].position, runs[1].position) and runs[0].mechanism is bars.mechanism


def test_an_import_has_states(bars: Imported) -> None:
    name, first = bars.joints["crank"]
    state = symvi.state_from(bars, {name: 0.3})
    angle, rate = symvi.coordinates_of(bars, name, state)
    assert angle[first] == pytest.approx(0.3) and rate[first] == 0.0


def test_an_import_is_merged_and_written(bars: Imported, tmp_path: Path) -> None:
    pair = Mechanism.merge("pair", bars, bars.mechanism, prefixes=["left", "right"])
    assert len(pair.bodies) == 6
    assert generate_text(bars).files == generate_text(bars.mechanism).files


@pytest.mark.parametrize("give", [Simulator, generate_text, lambda given: symvi.state_from(given, {}), Mechanism.of])
def test_what_is_none_is_told_what_makes_one(give, tmp_path: Path) -> None:
    for other in ("arm.urdf", tmp_path, None, 3):
        with pytest.raises(MechanismError, match=r"is no Mechanism; .*symvi\.load"):
            give(other)


def test_exports_take_imports_too(bars: Imported, tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match="is no Mechanism"):
        symvi.export("bars.trep", tmp_path / "out")
    exported = symvi.export(bars, tmp_path / "out", measure=False)
    assert any(name.endswith("bars.c") for name in exported.files)
