"""A contact from outside is worth what symvi's own are: read from TOML, simulated, proved, drawn, exported."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest

import symvi
from symvi import Simulator, register_contact
from symvi.mechanism import Contact, Mechanism
from symvi.page.contact_arrows import contact_view, plane_height
from symvi.page.keyframes import choose_keyframes
from symvi.physics.constraint import function_of_bodies
from symvi.physics.inequalities import contact_arm
from symvi.physics.model import ContactModel
from symvi.proofs.contact_zoo import BALL, HEXAGON, ROUND, contact
from symvi.proofs.kernels import Bench, subject
from symvi.proofs.mutation import score_of
from symvi.proofs.proof import prove
from symvi.proofs.zoo import body
from symvi.registry import CONTACTS
from tests.registry.pipe import PIPE, PIPE_INPUTS, across, gap_in_pipe
from tests.support.quick import compiling_quickly

RADIUS, BORE, ANGLE = 0.1, 0.6, 0.05
DEPTH = BORE - RADIUS
MARBLE = f"""
[mechanism]
name = "marble"
gravity = [0, 0, -9.81]

[bodies.marble]
mass = 2.0
shape = {{kind = "sphere", radius = {RADIUS}}}
position = [{DEPTH * np.sin(ANGLE)}, 0, {-DEPTH * np.cos(ANGLE)}]

[contacts.bed]
kind = "pipe"
child = "marble"
radius = "10 cm"
normal = [0, 1, 0]
parameters = {{bore = "600 mm"}}
friction = 2.0
"""


@pytest.fixture(autouse=True)
def registered():
    register_contact(PIPE)
    yield
    CONTACTS.forget(PIPE.name)


@pytest.fixture
def marble(tmp_path) -> Mechanism:
    path = tmp_path / "marble.toml"
    path.write_text(MARBLE)
    return symvi.load(path).mechanism


def test_it_is_read_from_a_file_and_stands_in_the_schema(marble: Mechanism) -> None:
    assert marble.contact("bed").parameters["bore"] == BORE and marble.contact("bed").radius == RADIUS
    assert "pipe" in Mechanism.json_schema()["$defs"]["Contact"]["properties"]["kind"]["enum"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, r"needs bore among its parameters: radius of the pipe \[m\]"),
        ({"parameters": {"bore": 1.0, "boer": 1.0}}, "has no parameter 'boer', but bore"),
        ({"parameters": {"bore": 1.0}, "parent_radius": 0.1}, "parent_radius belongs to contacts of kind 'sphere'"),
        ({"parameters": {"bore": 1.0}, "expression": "x_b[0]"}, "expression belongs to contacts of kind 'gap'"),
        ({"parameters": {"bore": 0.1}, "radius": 0.1}, "radius 0.1 m does not fit"),
    ],
)
def test_what_is_wrong_with_a_description_is_named(fields: dict, says: str) -> None:
    with pytest.raises(symvi.MechanismError, match=says):
        Contact(name="bed", kind="pipe", child="marble", **fields)


def test_it_rolls_with_the_period_of_a_ball_in_a_trough(marble: Mechanism) -> None:
    """A uniform ball that rolls without slipping: T = 2 pi sqrt(7 (R - r)/(5 g)), times 1 + angle²/16."""
    with compiling_quickly():
        motion = Simulator(marble).simulate(3.0, 0.002)
    x = motion.position[:, 0, 0]
    down = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))[:2]
    crossings = motion.time[down] + 0.002 * x[down] / (x[down] - x[down + 1])
    assert crossings[1] - crossings[0] == pytest.approx(
        2 * pi * sqrt(7 * DEPTH / (5 * 9.81)) * (1 + ANGLE**2 / 16), rel=1e-4
    )
    assert motion.contacts["bed"].gap.min() > -1e-9
    assert np.abs(motion.contacts["bed"].gap).max() < 1e-6


@pytest.mark.parametrize("law", [{}, ROUND, HEXAGON], ids=["smooth", "round", "hexagon"])
def test_its_motion_is_that_of_the_same_gap_as_text(marble: Mechanism, law: dict) -> None:
    """The ball spins, slips and rolls along the pipe."""
    spinning = marble.body("marble").changed(velocity=(0.3, 0.5, 0.0), angular_velocity=(3.0, -5.0, 2.0))
    bed = {"child": "marble", "radius": RADIUS, **law}
    text = "bore - 0.1 - sqrt(x_b[0]**2 + x_b[2]**2)"
    named = Contact(name="bed", kind="pipe", normal=(0, 1, 0), parameters={"bore": BORE}, **bed)
    own = Contact(name="bed", kind="gap", expression=text, parameters={"bore": BORE}, **bed)
    with compiling_quickly():
        found, expected = (
            Simulator(marble.changed(bodies=[spinning], contacts=[c])).simulate(0.5, 0.005) for c in (named, own)
        )
    assert np.abs(found.position - expected.position).max() < 1e-7  # what complementarity leaves
    assert np.abs(found.orientation - expected.orientation).max() < 1e-6


def test_its_bore_is_a_parameter(marble: Mechanism) -> None:
    with compiling_quickly():
        simulator = Simulator(marble)
    simulator.set_parameter("bed.bore", 0.7)
    assert simulator.simulate(0.01, 0.01).contacts["bed"].gap[0] == pytest.approx(0.1, abs=1e-12)


def test_its_kernels_are_proved_and_their_mutants_found() -> None:
    """Of the world and between bodies, smooth, with the circular cone and with a pyramid."""
    surface = {**BALL, "kind": "pipe", **PIPE.examples[0]}
    contacts = [
        contact("smooth", surface),
        contact("round", surface, ROUND, parent="second"),
        contact("hexagon", surface, HEXAGON, parent="second"),
    ]
    of = subject(Mechanism(name="pipes", bodies=[body("first"), body("second")], contacts=contacts))
    wrong = [verdict for verdict in prove(of) if not verdict.proved]
    assert not wrong, wrong
    score = score_of(Bench(of), of.printed.kernels.values(), 1)
    assert not score.missed, score.missed


def test_a_page_shows_its_force(marble: Mechanism) -> None:
    """Of a marble at rest at the bottom: an arrow upwards from where it touches, and no ground."""
    rests = marble.changed(bodies=[marble.body("marble").changed(position=(0.0, 0.0, -DEPTH))])
    with compiling_quickly():
        motion = Simulator(rests).simulate(0.1, 0.01)
    view = contact_view(motion, choose_keyframes(motion, 2001, None), 2.0)
    assert view is not None and view.names == ("bed",)
    assert view.point[-1, 0] == pytest.approx([0.0, 0.0, -BORE], abs=1e-6)
    arrow = view.arrow[-1, 0]
    assert arrow[2] > 0.0 and np.abs(arrow[:2]).max() < 1e-9 * arrow[2]
    assert plane_height(marble, np.array([0.0, 0.0, 1.0])) is None


def test_it_is_exported_and_its_self_test_passes(marble: Mechanism, tmp_path) -> None:
    folder = tmp_path / "marble"
    symvi.export(marble, folder)
    subprocess.run(["make", "-C", str(folder), "test"], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "Pipe"}, "small letters"),
        ({"name": "sphere"}, "'sphere' is registered already"),
        ({"model": None}, "model is None"),
        ({"fields": ("bore",)}, "'bore'.*parent_anchor"),
        ({"numbers": {"bore": "m"}}, "meaning, unit"),
        ({"type_name": "contact"}, "is that of 'half_space'"),
    ],
)
def test_a_wrong_record_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    CONTACTS.forget(PIPE.name)
    with pytest.raises(symvi.ArgumentError, match=says):
        register_contact(replace(PIPE, **changes))
    register_contact(PIPE)


@function_of_bodies("l_b = r_b", "wrong: the sphere's centre", PIPE_INPUTS, 3)
def arm_at_centre(n, x_a, r_a, x_b, r_b, radius, let):
    return r_b


@function_of_bodies("phi = 2 (bore - radius - |d - n (n·d)|)", "wrong", gap_in_pipe.inputs, 1)
def twice(n, x_a, r_a, x_b, r_b, radius, bore, let):
    import sympy as sp

    d = across(n, x_a, r_a, x_b, r_b, let)
    return 2 * (bore[0] - radius[0] - let("distance", [sp.sqrt((d.T * d)[0])])[0])


def beside(model: ContactModel) -> ContactModel:
    """Friction at the sphere's centre."""
    assert model.place is not None
    return replace(model, place=contact_arm(arm_at_centre, model.place.inputs))


def steep(model: ContactModel) -> ContactModel:
    """Twice the distance."""
    return replace(model, groups=(replace(model.groups[0], formula=twice),))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": lambda mechanism, point: None}, "kind of contact 'tube': model returned None"),
        ({"model": lambda m, p: replace(PIPE.model(m, p), type="pipe")}, "the type is 'pipe', but must be"),
        (
            {"model": lambda m, p: beside(PIPE.model(m, p))},
            "kind of contact 'tube': place ends .* m from the point of 'bed'",
        ),
        ({"model": lambda m, p: steep(PIPE.model(m, p))}, "is_distance is true, but .* grows by 2 m"),
    ],
    ids=["no model", "another type", "place beside", "no distance"],
)
def test_a_gap_that_is_not_what_its_record_says_is_refused(marble: Mechanism, changes: dict, says: str) -> None:
    """When it is registered, by its example; without one, when a mechanism has it."""
    says = says.replace("'bed'", "'(bed|example)'")
    with pytest.raises(symvi.ArgumentError, match=says):
        register_contact(replace(PIPE, name="tube", **changes))
    assert "tube" not in CONTACTS
    register_contact(replace(PIPE, name="tube", examples=(), **changes))
    try:
        with pytest.raises(symvi.MechanismError, match=says):
            Simulator(marble.changed(contacts=[marble.contact("bed").changed(kind="tube")]))
    finally:
        CONTACTS.forget("tube")
