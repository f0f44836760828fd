"""Numbers in float: the text, the manifest and Python hold the very same ones, and what follows from them too."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from symvi.exporters import export
from symvi.mechanism import Body, Mechanism
from symvi.simulate import Simulator
from tests.emit.test_start import MECHANISMS
from tests.export.test_adapting import stack
from tests.export.test_static_checks import need, run
from tests.program.test_point_masses import rope
from tests.support.firmware import Firmware
from tests.support.strict_c import STRICT, written

STEP = 0.01


def uneven(seed: int) -> Mechanism:
    """Blocks on each other of masses with many digits, in gravity that leans."""
    draw = random.Random(seed)
    bodies = [
        Body(name=body.name, mass=body.mass * draw.uniform(0.5, 2.0), shape=body.shape, position=body.position)
        for body in stack().bodies
    ]
    return stack().changed(bodies=bodies, gravity=tuple(draw.gauss(0.0, 5.0) for _ in range(3)))


@pytest.mark.parametrize("seed", range(8))
def test_nothing_follows_anew_where_nothing_was_changed(seed: int) -> None:
    """Masses are summed and |g| is rooted in float, in the order of generated text, both described and set."""
    mechanism = uneven(seed)
    simulator = Simulator(mechanism, real="float", backend="c")
    described = simulator.engine.parameters.tobytes()
    simulator.set_parameter("gravity", mechanism.gravity)
    simulator.set_parameter("light.mass", mechanism.body("light").mass)
    assert simulator.engine.parameters.tobytes() == described
    firmware = Firmware(simulator)
    firmware.init()
    started = simulator.engine.parameters.tobytes()
    firmware.adapt()
    assert simulator.engine.parameters.tobytes() == started


def tiny() -> Mechanism:
    """A rope whose anchors are off by what is nothing in float, as after turns by a program."""
    mechanism = rope(2)
    first, *others = mechanism.joints
    x, y, z = first.parent_anchor
    return mechanism.changed(joints=[first.changed(parent_anchor=(x + 2.8e-56, y - 1e-50, z)), *others])


@pytest.mark.parametrize("build", [MECHANISMS["walker"], tiny], ids=["walker", "tiny"])
def test_numbers_below_float_are_written_as_zero(build, tmp_path: Path) -> None:
    """No constant of the text is one that its compiler would round to zero, which strict ones refuse."""
    prefix = written(tmp_path, build(), "float")
    assert run(tmp_path, need("gcc"), *STRICT, "-fsyntax-only", f"{prefix}.c") == ""


@pytest.mark.parametrize("real", ["double", "float"])
def test_a_manifest_tells_what_memory_holds(real: str, tmp_path: Path) -> None:
    manifest = export(tiny(), tmp_path / "out", real=real, measure=False, step=STEP).manifest
    simulator = Simulator(tiny(), real=real, backend="c")
    Firmware(simulator).init()
    told = np.array([x for field in manifest["parameters"] for x in np.ravel(field["value"])])
    held = simulator.engine.parameters
    assert np.array_equal(told.astype(held.dtype), held)
    assert not np.any((told != 0.0) & (held == 0.0))
    assert np.any((told != 0.0) & (np.abs(told) < 1e-40)) == (real == "double")
