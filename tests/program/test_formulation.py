"""A formulation is what composing asks, and nothing else: two that stand in no file of symvi make the same motions."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from symvi.analysis.loops import analyse
from symvi.emit.template_files import templates_folder
from symvi.kernels import blocks
from symvi.kernels.account import body_kernels as account_of_bodies
from symvi.kernels.body_kernels import BODY, body_kernels, diagonal_block
from symvi.kernels.common import SHARED, single
from symvi.kernels.kernel import Port
from symvi.mechanism import Body, Contact, Mechanism, Potential, Wrench, start_state
from symvi.numbers.control import DEFAULTS
from symvi.program.compose import compose
from symvi.program.formulation import READ_BY_CONTROL, SET_BY_CONTROL
from symvi.program.maximal import MaximalCoordinates
from symvi.program.program import Program
from symvi.simulate.engine import PythonEngine
from symvi.simulate.frames import entry
from symvi.simulate.plan import plan_of
from symvi.simulate.reference import ReferenceSolver
from symvi.simulate.solver_state import solver_state
from tests.support.pendulums import chain

STEP, STEPS = 0.01, 30


class OneByOne(MaximalCoordinates):
    """BM20's own order: bodies and joints in turn, no body together with the joint that carries it."""

    def _newton(self):
        return replace(super()._newton(), carriers={})


class FreeBodies:
    """Bodies without joints, each for itself, with an elimination of its own: its six rows solved in one kernel."""

    laws, joints, sizes, sides = (), {}, {BODY: 6}, {}

    def __init__(self, draft, problem):
        self.draft, self.bodies = draft, problem.mechanism.bodies
        assert not problem.mechanism.joints and not problem.inequalities

    def unknowns(self) -> None:
        records = self.draft.records
        self.draft.baked[BODY, "inertia"] = (None,) * 6
        self.kernels = body_kernels(records, (None,) * 6, diagonal_block(), held=False) | account_of_bodies(
            records, False
        )
        self.kernels["substitute"] = single(records, "solve", "D s = f", (SHARED, Port(BODY, BODY)), BODY, self._solve)
        for body in self.bodies:
            node = self.draft.node(BODY, body.name)
            numbers = {"mass": (body.mass,), "inertia": tuple(body.inertia), "size": (max(body.inertia[:3]),)}
            self.draft.parameters[BODY, node.index] = numbers
            self.draft.schedule(self.kernels, {BODY: node}, body.name)

    @staticmethod
    def _solve(trace) -> None:
        d, f = trace.read(BODY, "work", "D", 36), trace.read(BODY, "work", "f", 6)
        zero = trace.graph.constant(0)
        rows = [[d[6 * r + c] if r == c < 3 or min(r, c) > 2 else zero for c in range(6)] for r in range(6)]
        solved = blocks.solve(blocks.factor(rows), [[value] for value in f])
        trace.write(BODY, "s", [row[0] for row in solved], "solved increment")

    def residual(self) -> None: ...
    def matrix(self) -> None: ...
    def landing(self) -> None: ...
    def elimination(self) -> None: ...

    def role(self, model) -> tuple[str, ...]:
        return ()

    def notes(self) -> dict[str, object]:
        return {
            "order": [body.name for body in self.bodies],
            "fill": [],
            "loops": [],
            "coordinates": "bodies",
            "chords": False,
            "bends": False,
        }

    def simplified(self, phases):
        return phases


def motion(mechanism: Mechanism, program: Program) -> dict[str, np.ndarray]:
    """Velocities and energies at all knots, from the description's start."""
    engine = PythonEngine(plan_of(program), ReferenceSolver(program))
    engine.parameters[engine.plan.at("parameters", "common", 0, "h")] = STEP
    for name, rows in solver_state(mechanism, start_state(mechanism)).items():
        for k, row in enumerate(rows):
            engine.state[engine.plan.at("state", "body", k, name)] = row
    nothing = np.zeros((1, len(engine.plan.inputs)))
    engine.start(nothing[0], True)
    status, _, frames = engine.rollout(nothing, False, STEPS, 1, DEFAULTS)
    assert status == 0
    return {name: entry(engine.plan, frames, name) for name in ("x", "q", "v", "w", "kinetic", "potential")}


def tossed() -> Mechanism:
    """Two bodies in flight, in a field of their own and in a wind that blows no further than its record."""
    fields = {"inertia": (0.3, 0.4, 0.5, 0.02, -0.03, 0.05), "center_of_mass": (0.1, -0.2, 0.05)}
    return Mechanism(
        name="tossed",
        bodies=[
            Body(name="one", mass=1.3, velocity=(1, 2, 3), angular_velocity=(4, -2, 1), **fields),
            Body(name="two", mass=0.7, position=(1, 1, 1), angular_velocity=(-1, 3, 2), **fields),
        ],
        forces=[
            Potential(name="field", child="one", expression="k*(x_b[0]**2 + R_b[1, 2]*x_b[1])", parameters={"k": 2.0}),
            Wrench(name="wind", body="two"),
        ],
    )


def landing() -> Mechanism:
    """A chain whose tip swings into a rough floor."""
    arm = chain(2)
    tip = (0, 0, -0.5)
    floor = Contact(name="floor", child="link2", child_anchor=tip, parent_anchor=(0, 0, -1.5), friction=0.4)
    return arm.changed(name="landing", contacts=[floor])


SCENES = {
    "free bodies": (tossed, FreeBodies),
    "a chain of balls": (lambda: chain(3, "spherical"), OneByOne),
    "a chain that lands": (landing, OneByOne),
}


@pytest.mark.parametrize("name", SCENES)
def test_another_formulation_makes_the_same_motion(name: str) -> None:
    """To round-off: the equations are the same, the order of operations is not. Iterations stop at 1e-10 of a step."""
    make, formulation = SCENES[name]
    mechanism = make()
    choices = analyse(mechanism)
    usual, other = (compose(mechanism, choices, how) for how in (MaximalCoordinates, formulation))
    if mechanism.joints:
        assert other.flops("eliminate") > usual.flops("eliminate")  # another elimination, and the dearer one
    expected, found = motion(mechanism, usual), motion(mechanism, other)
    for field, values in expected.items():
        assert np.abs(values - found[field]).max() <= 1e-9 * (1.0 + np.abs(values).max()), field


OF_THE_MODEL = {"asked", "queries"}  # what a model is asked is another program, with records of its own


def test_control_reads_no_more_of_bodies_than_a_formulation_must_give() -> None:
    """The table of what templates read and set of bodies' records, against the templates."""
    reads, sets = {}, {}
    for path in sorted((templates_folder() / "c").glob("*.jinja")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        name = path.name.removesuffix(".c.jinja")
        if name in OF_THE_MODEL:
            continue
        found = set(re.findall(r"[wz]->body\[\w+\]\.(\w+)", text)) | set(re.findall(r"after->body\[\w+\]\.(\w+)", text))
        for either in re.findall(r"->body\[\w+\]\.\{\{ \"(\w+)\" if chords else \"(\w+)\" \}\}", text):
            found |= set(either)
        put = set(re.findall(r"[wz]->body\[\w+\]\.(\w+)(?:\[[^\]]*\])? = ", text))
        reads |= {name: tuple(sorted(found))} if found else {}
        sets |= {name: tuple(sorted(put))} if put else {}
    assert reads == READ_BY_CONTROL
    assert sets == SET_BY_CONTROL
