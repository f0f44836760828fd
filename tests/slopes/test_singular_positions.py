"""Beside a singular position rows of a loop are nearly lost: derivatives are right there, or refused; in it, refused.

A parallelogram folds flat, where its coupler may cross. Without gravity and at rest it goes on as one body on a hinge
does, A = (1, h; 0, 1), at whatever angle. The guard of a loop's pivots (1e-12 of a row's scale) is as large as the
pivots themselves a millionth of a radian away from there.
"""

from __future__ import annotations

import subprocess
from math import atan2, cos, sin
from pathlib import Path

import numpy as np
import pytest

from symvi import Actuator, AssemblyError, Body, Driver, Joint, Mechanism, Simulator, SolverOptions, State
from symvi.exporters import export
from symvi.numbers.centring import UNSETTLED
from symvi.numbers.control import SolverStatus
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.slope_tapes import Tapes
from tests.support.quick import compiled_quickly  # noqa: F401
from tests.support.strict_c import STRICT

STEP, CRANK, COUPLER = 0.01, 0.5, 0.8
OPTIONS = SolverOptions(tolerance=1e-12)
BOTH = pytest.mark.parametrize("coordinates", ["maximal", "tree"])
Point = tuple[float, float]


def bars(angle: float) -> list[tuple[Point, Point]]:
    """Where both cranks and the coupler between them begin and end, in the plane of x and z."""
    pin = CRANK * cos(angle), CRANK * sin(angle)
    across = pin[0] + COUPLER, pin[1]
    return [((0.0, 0.0), pin), (pin, across), ((COUPLER, 0.0), across)]


def placed(first: Point, last: Point) -> tuple[tuple, tuple]:
    turn = -atan2(last[1] - first[1], last[0] - first[0]) / 2
    return ((first[0] + last[0]) / 2, 0.0, (first[1] + last[1]) / 2), (cos(turn), 0.0, sin(turn), 0.0)


def parallelogram(moved: bool = False) -> Mechanism:
    """Described well away from where it is flat. moved: a driver slides the foot of one crank along the coupler."""
    bodies = []
    for name, ends in zip(("one", "coupler", "two"), bars(0.5), strict=True):
        position, orientation = placed(*ends)
        bodies.append(Body(name=name, mass=1.0, inertia=(0.01, 0.02, 0.01), position=position, orientation=orientation))
    hinge = {"type": "revolute", "axis": (0, 1, 0)}
    left, right = {"child_anchor": (-CRANK / 2, 0, 0)}, {"child_anchor": (CRANK / 2, 0, 0)}
    joints = [
        Joint(name="left", parent="foot" if moved else "world", child="one", **left, **hinge),
        Joint(name="near", parent="one", child="coupler", parent_anchor=(CRANK / 2, 0, 0),
              child_anchor=(-COUPLER / 2, 0, 0), **hinge),
        Joint(name="far", parent="coupler", child="two", parent_anchor=(COUPLER / 2, 0, 0), **right, **hinge),
        Joint(name="right", child="two", parent_anchor=(COUPLER, 0, 0), **left, **hinge),
    ]  # fmt: skip
    if moved:
        bodies.insert(0, Body(name="foot", mass=0.3, inertia=(0.01,) * 3))
        joints.insert(0, Joint(name="rail", type="prismatic", child="foot", axis=(1, 0, 0)))
    drivers = [Driver(name="drive", joint="rail")] if moved else []
    about = {"bodies": bodies, "joints": joints, "drivers": drivers, "gravity": (0, 0, 0)}
    return Mechanism(name="parallelogram", forces=[Actuator(name="motor", joint="left")], **about)


class Asked:
    """The slopes of a parallelogram at rest, by the generated function and by Python's matrices."""

    def __init__(self, mechanism: Mechanism, coordinates: str):
        self.simulator = Simulator(mechanism, coordinates=coordinates)
        self.own = self.simulator._twin()
        self.own._set_step(STEP)
        slopes = slopes_of(self.own, ())
        assert isinstance(slopes, NativeSlopes)
        self.slopes, self.row = slopes, np.zeros(len(self.own.plan.inputs))

    def at(self, angle: float) -> tuple[Linearizer, np.ndarray]:
        """What linearises there, and the solver's state."""
        names = [body.name for body in self.simulator.mechanism.bodies]
        places = [((0.0,) * 3, (1.0, 0.0, 0.0, 0.0))] * (len(names) - 3) + [placed(*each) for each in bars(angle)]
        position, orientation = (np.array(each) for each in zip(*places, strict=True))
        still = np.zeros((len(names), 3))
        self.simulator.start(State(0.0, position, orientation, still, still, tuple(names)), step=STEP)
        linear = Linearizer(self.slopes, self.own.plan, OPTIONS, ["left"], None, tangents_of(self.simulator, ()))
        return linear, linear.underway(self.simulator.engine.state.copy(), self.row)

    def by_function(self, angle: float) -> tuple[int, np.ndarray, np.ndarray]:
        """Its status, A and B."""
        linear, state = self.at(angle)
        left = next(each for each in linear.every if each.name == "left")
        self.slopes.enter(state, self.row)
        return self.slopes.linearize(OPTIONS, linear.near, [linear._place_of(left)])


@BOTH
def test_beside_it_the_generated_function_is_right(coordinates: str) -> None:
    """Round-off of placements counts there by the inverse of the angle, and once more in a derivative."""
    asked = Asked(parallelogram(), coordinates)
    for angle in (0.5, 1e-2, 1e-3, 1e-4, 1e-5):
        status, a, b = asked.by_function(angle)
        assert status == SolverStatus.OK
        np.testing.assert_allclose(a, [[1, STEP], [0, 1]], rtol=0, atol=1e-12 + 1e-15 / angle**2)
        linear, state = asked.at(angle)
        found = linear.step(state, asked.row)[0]
        np.testing.assert_allclose(found.A, [[1, STEP], [0, 1]], rtol=0, atol=1e-12 + 1e-15 / angle**2)
        np.testing.assert_allclose(b, found.B, rtol=1e-9)


@BOTH
def test_in_it_the_status_says_so_and_nothing_is_written(coordinates: str) -> None:
    asked = Asked(parallelogram(), coordinates)
    for angle in (0.0, 1e-9, 1e-7):
        status, a, b = asked.by_function(angle)
        assert status == SolverStatus.SINGULAR_POSITION
        assert not a.any() and not b.any()
        linear, state = asked.at(angle)
        with pytest.raises(AssemblyError, match="singular position"):
            linear.step(state, asked.row)


@BOTH
def test_placements_follow_targets_beside_it(coordinates: str) -> None:
    """How a crank turns where the other one's foot is moved grows as the inverse of the angle."""
    asked = Asked(parallelogram(moved=True), coordinates)
    for angle in (0.5, 1e-2, 1e-3, 1e-4):
        status, a, b = asked.by_function(angle)
        assert status == SolverStatus.OK
        linear, state = asked.at(angle)
        found = linear.step(state, asked.row)[0]
        for own, known in ((a, found.A), (b, found.B)):
            np.testing.assert_allclose(own, known, rtol=0, atol=1e-12 * np.abs(known).max())


@BOTH
def test_tapes_say_that_a_row_is_lost(coordinates: str) -> None:
    """A step from there is taken, at rest: so the step's status does not tell."""
    asked = Asked(parallelogram(), coordinates)
    for angle, lost in ((0.5, False), (1e-3, False), (0.0, True), (1e-9, True)):
        _, state = asked.at(angle)
        tapes = Tapes(asked.slopes)
        for record, settles in ((tapes.record, True), (tapes.record_knot, False)):
            if settles:
                asked.slopes.enter(state, asked.row)
                assert asked.slopes.step(OPTIONS)[0] == SolverStatus.OK
            asked.slopes.enter(state, asked.row)
            if settles:
                assert asked.slopes.settle(0.0) <= UNSETTLED
            if lost:
                with pytest.raises(AssemblyError, match="singular position"):
                    record(0)
            else:
                record(0)


CALLER = """
#include "it.h"
#include <stdio.h>

int main(void)
{
    enum { N = IT_STATES, M = IT_INPUTS };
    static it_parameters p;
    static it_options o;
    static it_state z;
    static it_state before;
    static it_input u[1];
    static it_work w;
    static it_slopes q;
    static it_info info;
    static it_tape tape;
    static it_tape_of_knot knot;
    static double A[N*N];
    static double B[N*(M + 1)];
    int status = it_init(&p, &o, &z, u, &w);
    PLACED
    before = z;
    A[0] = 7.0;
    B[0] = 7.0;
    printf("%d ", it_linearize(&p, &o, &z, u, &w, &q, A, B));
    printf("%g %g ", A[0], B[0]);
    status += it_step(&p, &o, &z, u, &w, &info);
    status += (it_settle(&p, &before, u, &w, 0.0) <= 1e-9) ? 0 : 1;
    printf("%d ", it_record(&p, &before, u, &w, &tape, 1));
    printf("%d ", it_record_knot(&p, &before, u, &w, &knot));
    return status;
}
"""


def test_an_export_hands_the_status_to_its_caller(tmp_path: Path) -> None:
    export(parallelogram(), tmp_path / "it", prefix="it", coordinates="tree", step=STEP, measure=False, slopes=True)
    for angle, expected in ((0.0, [SolverStatus.SINGULAR_POSITION, 7, 7, *[SolverStatus.SINGULAR_POSITION] * 2]),
                            (1e-2, [SolverStatus.OK, 1, None, SolverStatus.OK, SolverStatus.OK])):  # fmt: skip
        lines = []
        for body, ends in enumerate(bars(angle)):
            for field, values in zip("xq", placed(*ends), strict=True):
                lines += [f"z.body[{body}].{field}[{k}] = {value!r};" for k, value in enumerate(values)]
        (tmp_path / "main.c").write_text(CALLER.replace("PLACED", "\n    ".join(lines)))
        flags = [*STRICT, "-O0", "-Iit/include"]
        subprocess.run(["gcc", *flags, "main.c", "it/src/it.c", "-lm", "-o", "main"], cwd=tmp_path, check=True)
        done = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True)
        for found, known in zip(map(float, done.stdout.split()), expected, strict=True):
            assert known is None or found == pytest.approx(known, abs=1e-9)
