"""One bit pattern: the state after 1000 steps is the same for every compiler, optimisation, layout, run, and for the
reference.

The reproducible profile promises it. Each mechanism takes part in what could differ: rotations,
angles unwrapped by our own series, dampers, drivers, loops.
"""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from symvi.errors import CompilerError
from symvi.mechanism import Body, Box, Driver, Joint, JointDamper, JointSpring, Mechanism
from symvi.native import compile_library, load_library
from symvi.native.compiler import identify
from symvi.numbers.control import SolverOptions
from symvi.simulate.engine import CEngine
from symvi.simulate.simulator import Simulator
from tests.support.crooked_chains import crooked_chain
from tests.support.subset import first_of

STEPS = 1000
STEP = 0.01
OPTIONS = SolverOptions()


def link(name: str) -> Body:
    return Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.2, 1.0)))


def arm() -> Mechanism:
    """A damped, sprung, driven serial arm: revolute, spherical, screw."""
    return Mechanism(
        name="arm",
        bodies=[link("upper"), link("lower"), link("hand")],
        joints=[
            Joint(
                name="shoulder",
                type="revolute",
                child="upper",
                child_anchor=(0.0, 0.0, 0.5),
                axis=(1.0, 0.0, 0.0),
                coordinate=0.4,
            ),
            Joint(
                name="elbow",
                type="spherical",
                parent="upper",
                child="lower",
                parent_anchor=(0.0, 0.0, -0.5),
                child_anchor=(0.0, 0.0, 0.5),
            ),
            Joint(
                name="wrist",
                type="screw",
                parent="lower",
                child="hand",
                parent_anchor=(0.0, 0.0, -0.5),
                child_anchor=(0.0, 0.0, 0.5),
                pitch=0.02,
                axis=(0.0, 0.6, 0.8),
            ),
        ],
        forces=[
            JointDamper(name="friction", joint="elbow", damping=0.1),
            JointSpring(name="spring", joint="wrist", stiffness=2.0, rest=0.3),
        ],
        drivers=[Driver(name="motor", joint="shoulder", signal="0.4 + 2*t")],
    )


def pair() -> Mechanism:
    """A double pendulum: small enough for the inline layout."""
    return Mechanism(
        name="pair",
        bodies=[link("first"), link("second")],
        joints=[
            Joint(
                name="top",
                type="revolute",
                child="first",
                child_anchor=(0.0, 0.0, 0.5),
                axis=(0.6, 0.0, 0.8),
                coordinate=1.0,
            ),
            Joint(
                name="middle",
                type="revolute",
                parent="first",
                child="second",
                parent_anchor=(0.0, 0.0, -0.5),
                child_anchor=(0.0, 0.0, 0.5),
                axis=(1.0, 0.0, 0.0),
                coordinate=0.5,
            ),
        ],
    )


MECHANISMS = {"pair": pair, "arm": arm}


def run(simulator: Simulator) -> str:
    return simulator.simulate(STEPS * STEP, STEP, every=STEPS, options=OPTIONS).state_hash()


@pytest.mark.parametrize("name", MECHANISMS)
def test_layouts_and_runs_agree(name: str) -> None:
    mechanism = MECHANISMS[name]()
    hashes = {
        layout: run(Simulator(mechanism, layout=layout, backend="c")) for layout in ("inline", "unrolled", "looped")
    }
    assert len(set(hashes.values())) == 1, hashes
    again = Simulator(mechanism, layout="looped", backend="c")
    assert run(again) == run(again) == hashes["looped"]


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_reference_agrees_to_the_last_bit(name: str) -> None:
    mechanism, steps = MECHANISMS[name](), 200
    compiled, reference = Simulator(mechanism, backend="c"), Simulator(mechanism, backend="python")
    hashes = {simulator.simulate(steps * STEP, STEP, every=steps).state_hash() for simulator in (compiled, reference)}
    assert len(hashes) == 1


@pytest.mark.parametrize("name", first_of(MECHANISMS))
@pytest.mark.parametrize(
    "compiler, flags", [("gcc", ("-O0",)), ("gcc", ()), ("clang", ()), ("tcc", ()), ("zig", ())], ids=str
)
def test_compilers_agree(name: str, compiler: str, flags: tuple[str, ...]) -> None:
    mechanism = MECHANISMS[name]()
    usual = Simulator(mechanism, backend="c")
    expected = run(usual)
    text = usual.text
    path = compile_library(text.files, text.prefix, compiler=_compiler(compiler), flags=flags)
    engine = CEngine(text.plan, load_library(path, text.declarations), text.prefix, text.real)
    usual.engine = engine
    assert run(usual) == expected


@pytest.mark.thorough
@pytest.mark.parametrize(
    "compiler, flags",
    [("gcc", ("-O0",)), ("gcc", ("-O2",)), ("gcc", ("-O3", "-ftree-loop-vectorize")), ("clang", ("-O0",)),
     ("clang", ("-O2", "-fvectorize")), ("clang", ("-O3", "-funroll-loops")), ("tcc", ()), ("zig", ("-O2",))],
    ids=str,
)  # fmt: skip
def test_loops_have_the_bits_of_calls(compiler: str, flags: tuple[str, ...]) -> None:
    """Whatever a project asks of its compiler: what one turn of a loop stores, the next one loads."""
    mechanism = crooked_chain(20, "revolute")
    calls, loops = (Simulator(mechanism, layout=layout, backend="c") for layout in ("unrolled", "looped"))
    text = loops.text
    path = compile_library(text.files, text.prefix, compiler=_compiler(compiler), flags=flags)
    loops.engine = CEngine(text.plan, load_library(path, text.declarations), text.prefix, text.real)
    assert len({simulator.simulate(50 * STEP, STEP, every=50).state_hash() for simulator in (calls, loops)}) == 1


def _compiler(name: str):
    try:
        if name == "zig":
            import sys

            pytest.importorskip("ziglang", reason="needs the package ziglang")
            return identify((sys.executable, "-m", "ziglang", "cc"))
        if shutil.which(name) is None:
            pytest.skip(f"needs the package {name}")
        return identify((name,))
    except CompilerError as error:
        pytest.skip(str(error))


def test_float_follows_double() -> None:
    mechanism = pair()
    single, double = (Simulator(mechanism, real=real, backend="c") for real in ("float", "double"))
    options = SolverOptions(tolerance=1e-5)
    a, b = (s.simulate(2.0, STEP, options=o) for s, o in ((single, options), (double, OPTIONS)))
    assert np.abs(a.position - b.position).max() < 1e-3  # 200 steps of round-off 6e-8, grown by the motion itself
    assert a.closure.max() < 1e-6
