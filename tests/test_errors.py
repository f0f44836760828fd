"""One family of errors: what a user gives wrongly comes back as a SymviError that says so, whatever it was."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import json
import math
import pkgutil
import random
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi.cli import main
from symvi.demos import demo_file
from symvi.mechanism.values import LARGEST, SMALLEST
from symvi.simulate import recording, room

# What people, programs and files give for a number, a text, a list, a mode: none of them, or one out of all bounds.
ODD = [
    math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-320, -1e-320, 0, -1, 10**400, 2**31, 2**63, True, None, "", "x",
    "\u0661\u0662", "nan", b"x", [], (), {}, [1, 2], [math.nan] * 3, [1e308] * 3, [1e-320, 0, 0], [[1, 2], [3]],
    np.array([1, 2, 3]), np.array(5), np.array(["a"]), np.float32(1e30), np.int64(2**62), Fraction(1, 3),
    Decimal("1.5"), 1j, object(), symvi, set(), range(3), np.array([1 + 2j] * 3), itertools.count(), np.ma.masked,
]  # fmt: skip
WITHOUT_VALUE = re.compile(r"\bby nan|\bone by nan|\bis nan |open by ;|by  ")


def told(ask: Callable[[], object]) -> str:
    """What an error of the family says, "" where there is none; anything else is the test's failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (symvi.SpinWarning, symvi.EnergyWarning, symvi.StiffnessWarning, symvi.RateWarning):
            warnings.simplefilter("ignore", kind)
        try:
            ask()
        except symvi.SymviError as error:
            said = str(error)
            assert said.strip() and not WITHOUT_VALUE.search(said), said
            return said
    return ""


def test_every_error_of_the_package_for_its_users_is_of_the_family() -> None:
    """Those that are not are for other parts of symvi, which turn them into one that is."""
    inside = {
        "Complaints", "GrammarError", "WrongFieldError",  # on their way to a MechanismError
        "Refused",  # of xacro's expressions, in a process of its own
        "SetUpError",  # of python3 -m symvi, before anything is installed
        "Spent", "TooLong", "UnreadableNumber", "UnreadableText",
        "Spoiled", "Unknown",  # of code that runs as it is where its line of operations does not hold
        "_LeftToCffi",  # of declarations that only cffi reads
    }  # fmt: skip
    found = {}
    for module in pkgutil.walk_packages(symvi.__path__, "symvi."):
        if module.name.endswith("__main__") or ".xacro_process" in module.name:
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:  # of an extra
            continue
        found |= {
            name: kind
            for name, kind in names.items()
            if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__.startswith("symvi")
        }
    others = {
        name for name, kind in found.items() if not issubclass(kind, symvi.SymviError | ArithmeticError | Warning)
    }
    assert others <= inside, others - inside


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (symvi.ArgumentError, ValueError),
        (symvi.FileError, OSError),
        (symvi.MissingFileError, FileNotFoundError),
    ],
)
def test_what_python_has_a_name_for_has_that_too(kind: type, builtin: type) -> None:
    assert issubclass(kind, symvi.SymviError) and issubclass(kind, builtin)


ELEMENTS = {
    symvi.Body: {"name": "a", "mass": 1.0, "inertia": (1, 1, 1)},
    symvi.Box: {"size": (1, 1, 1)},
    symvi.Cylinder: {"radius": 1, "length": 1},
    symvi.Rod: {"length": 1},
    symvi.Sphere: {"radius": 1},
    symvi.Capsule: {"radius": 1, "length": 1},
    symvi.Joint: {"name": "j", "type": "revolute", "child": "a"},
    symvi.Coupling: {"name": "c", "joints": ("a", "b"), "ratio": 2},
    symvi.Driver: {"name": "d", "joint": "j"},
    symvi.JointSpring: {"name": "f", "joint": "j", "stiffness": 1.0},
    symvi.JointDamper: {"name": "f", "joint": "j", "damping": 1.0},
    symvi.DryFriction: {"name": "f", "joint": "j", "bound": 1.0},
    symvi.Actuator: {"name": "f", "joint": "j"},
    symvi.Servo: {"name": "f", "joint": "j", "stiffness": 1.0, "damping": 1.0},
    symvi.Wrench: {"name": "f", "body": "a"},
    symvi.PointSpring: {"name": "f", "parent": "world", "child": "a", "stiffness": 1.0, "length": 1.0},
    symvi.Potential: {"name": "f", "child": "a", "expression": "x_b[2]"},
    symvi.Contact: {"name": "k", "child": "a"},
    symvi.Limit: {"name": "l", "joint": "j", "lower": 0},
    symvi.Mechanism: {"name": "m", "bodies": [symvi.Body(name="a", mass=1, inertia=(1, 1, 1))]},
}


@pytest.mark.parametrize("kind", ELEMENTS, ids=lambda kind: kind.__name__)
def test_every_field_of_every_element(kind: type) -> None:
    kind(**ELEMENTS[kind])
    for name in (*kind.model_fields, "unknown"):
        for value in ODD:
            told(lambda name=name, value=value: kind(**{**ELEMENTS[kind], name: value}))


def test_elements_are_frozen_and_pydantics_own_ways_have_the_words_of_symvi() -> None:
    body = symvi.Body(name="arm", mass=1, inertia=(1, 1, 1))
    for ask in (lambda: setattr(body, "mass", 2), lambda: setattr(body, "other", 2), lambda: delattr(body, "mass")):
        assert re.match(r"body 'arm' is frozen; make another one: \.changed\((mass|other)=", told(ask))
    for ask in (
        lambda: symvi.Body.model_validate(3),
        lambda: symvi.Body.model_validate_json("{"),
        lambda: symvi.Body.model_validate({"name": "arm", "mass": -1}),
        lambda: body.model_copy(update={"mass": -1}),
    ):
        assert told(ask)
    assert body.model_copy(update={"mass": 2}).mass == 2.0 and body.model_copy() == body


# --- simulators ---------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pendulum() -> symvi.Mechanism:
    plain = symvi.load(demo_file("pendulum")).mechanism
    (joint,) = plain.joints
    servo = symvi.Servo(name="servo", joint=joint.name, stiffness=1.0, damping=1.0)
    return plain.changed(forces=[symvi.Actuator(name="motor", joint=joint.name), servo])


@pytest.mark.parametrize("name", ["layout", "real", "profile", "backend", "loops"])
def test_modes_of_a_simulator(name: str, pendulum: symvi.Mechanism) -> None:
    for value in ODD:
        assert re.match(
            rf"{name} .*: use 'auto'|{name} .*: use ", told(lambda v=value: symvi.Simulator(pendulum, **{name: v}))
        )
    assert told(lambda: symvi.Simulator(pendulum, parameters=3)) and told(lambda: symvi.Simulator("pendulum"))


@pytest.mark.parametrize(("backend", "real"), [("c", "double"), ("c", "float"), ("python", "double")])
def test_every_argument_of_a_run(backend: str, real: str, pendulum: symvi.Mechanism) -> None:
    simulator = symvi.Simulator(pendulum, backend=backend, real=real)
    motion = simulator.simulate(0.02, 0.01)
    state, joint = motion.state(), pendulum.joints[0].name
    for value in ODD:
        names = ("start", "inputs", "every", "options", "project", "papers_start", "rates", "on_error")
        asked = [lambda v=value: simulator.simulate(v, 0.01), lambda v=value: simulator.simulate(0.02, v)]
        asked += [lambda v=value, n=name: simulator.simulate(0.02, 0.01, **{n: v}) for name in names]
        if value is not None and not callable(value):
            asked += [lambda v=value, n=n: simulator.simulate(0.02, 0.01, **{n: v}) for n in ("controller", "progress")]
        asked += [
            lambda v=value: simulator.simulate(0.02, 0.01, inputs={"motor.force": v}),
            lambda v=value: simulator.simulate(0.02, 0.01, inputs={"servo.stiffness": v}),
            lambda v=value: simulator.simulate(0.02, 0.01, controller=lambda t, z: v),
            lambda v=value: simulator.simulate(0.02, 0.01, controller=lambda t, z: {"motor.force": v}),
            lambda v=value: simulator.project(v),
            lambda v=value: simulator.project(step=v),
            lambda v=value: simulator._twin().set_parameter(v, 1.0),
            lambda v=value: symvi.state_from(pendulum, v),
            lambda v=value: symvi.state_from(pendulum, {joint: v}),
            lambda v=value: symvi.coordinates_of(pendulum, v, state),
            lambda v=value: symvi.coordinates_of(pendulum, joint, v),
            lambda v=value: motion.state(v),
            lambda v=value: motion.coordinates(v),
        ]
        asked += [lambda v=value, n=n: simulator._twin().set_parameter(n, v) for n in simulator.parameter_names]
        for name in ("time", "position", "orientation", "velocity", "angular_velocity", "names", "angles"):
            asked.append(lambda v=value, n=name: simulator.project(dataclasses.replace(state, **{n: v})))
        for ask in asked:
            told(ask)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(symvi.SolverOptions)])
def test_every_option_of_the_solver(field: str, pendulum: symvi.Mechanism) -> None:
    simulator = symvi.Simulator(pendulum)
    for value in ODD:
        told(lambda v=value: simulator.simulate(0.02, 0.01, options=symvi.SolverOptions(**{field: v})))


@pytest.mark.parametrize("name", ["max_iterations", "max_halvings", "fixed_iterations", "substeps"])
@pytest.mark.parametrize("value", [2**31 - 1, 2**31, 2**63, -1, 1.5, True, "3", None])
def test_whole_numbers_that_c_cannot_count_with(name: str, value: object) -> None:
    with pytest.raises(symvi.ArgumentError, match=name):
        symvi.SolverOptions(**{name: value})


def test_numpys_own_numbers_are_taken() -> None:
    options = symvi.SolverOptions(tolerance=np.float32(1e-5), max_iterations=np.int64(7), extrapolate=np.bool_(False))
    assert (type(options.max_iterations), options.max_iterations, options.extrapolate) == (int, 7, False)
    assert symvi.SolverOptions(extrapolate=0, papers_method=1) == symvi.SolverOptions(
        extrapolate=False, papers_method=True
    )


# --- memory ---------------------------------------------------------------------------------------------------------
def test_more_steps_than_memory_holds_are_told_before_any_is_taken(pendulum: symvi.Mechanism) -> None:
    simulator = symvi.Simulator(pendulum)
    said = told(lambda: simulator.simulate(1e10, 0.01))
    assert re.match(r"1000000000000 steps take about [\d.]+ [TP]iB of memory, and there are .*: run in pieces", said)
    assert "counted" in told(lambda: simulator.simulate(1e30, 1e-10))


def test_what_would_do_is_told(pendulum: symvi.Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the bound that is told a run is taken; recorded less, a longer one is."""
    simulator = symvi.Simulator(pendulum)
    monkeypatch.setattr(room, "memory", lambda: 2_000_000)
    said = told(lambda: simulator.simulate(100.0, 0.01))
    most = int(re.search(r"at most (\d+) steps", said)[1])
    assert "record fewer knots, with every, or run in pieces" in said
    assert len(simulator.simulate((most - 1) * 0.01, 0.01).time) == most
    assert told(lambda: simulator.simulate((most + 2) * 0.01, 0.01))
    assert len(simulator.simulate(100.0, 0.01, every=1000).time) == 11


def test_what_is_told_is_what_is_taken(pendulum: symvi.Mechanism) -> None:
    import tracemalloc

    simulator, share = symvi.Simulator(pendulum), {}
    simulator.simulate(0.1, 0.01)
    needed = room.needed(simulator.plan, len(simulator.gains.names), 20_000, 1)
    for how in ("left", "read", "at once"):
        tracemalloc.start()
        motion = simulator.simulate(200.0, 0.01, record=recording.EVERYTHING if how == "at once" else None)
        _ = motion.energy if how == "read" else None
        share[how] = tracemalloc.get_traced_memory()[1] / needed
        tracemalloc.stop()
    assert 0.4 < share["at once"] < 1.6 and share["left"] < share["read"] < 1.6


def test_memory_of_the_machine_is_told() -> None:
    assert 2**28 < room.memory() < 2**60


# --- files ----------------------------------------------------------------------------------------------------------
def test_files_that_are_not_there(pendulum: symvi.Mechanism, tmp_path: Path) -> None:
    motion = symvi.Simulator(pendulum).simulate(0.02, 0.01)
    for write in (motion.save, motion.to_csv):
        with pytest.raises(symvi.MissingFileError, match="does not exist"):
            write(tmp_path / "none" / "motion")
    with pytest.raises(symvi.MissingFileError):
        symvi.Trajectory.load(tmp_path / "none.npz")
    with pytest.raises(symvi.FileError):
        symvi.Trajectory.load(tmp_path)
    for value in ODD:
        if not isinstance(value, str | bytes):
            assert told(lambda v=value: motion.save(v)) and told(lambda v=value: symvi.load(v))
            assert told(lambda v=value: symvi.Trajectory.load(v)) and told(lambda v=value: symvi.Mechanism.from_file(v))
            assert told(lambda v=value: symvi.Mechanism.from_toml(v))


def test_a_trajectory_whose_file_was_changed_is_refused_or_used_whole(tmp_path: Path) -> None:
    mechanism = symvi.Mechanism.from_toml(EVERYTHING)
    simulator = symvi.Simulator(mechanism)
    whole = simulator.simulate(0.03, 0.01).save(tmp_path / "whole.npz")
    with np.load(whole) as data:
        arrays = {name: data[name] for name in data.files}
    header, odd, refused = json.loads(str(arrays.pop("header"))), random.Random(5), 0
    values = [None, math.nan, -1, 10**30, "x", [], {}, [1], {"a": 1}, 1e308, [["a", 1]], [["a"]], {"a": [1]}, 3]

    def use(path: Path) -> None:
        motion = symvi.Trajectory.load(path)
        assert motion.energy_balance.shape == motion.time.shape and motion.alarms is not None and motion.fast_spin
        for joint in mechanism.joints:
            motion.coordinates(joint.name), motion.rates(joint.name)
        assert list(motion.contacts.values()) and motion.stop_forces and motion.state()
        motion.to_csv(tmp_path / "motion.csv")
        simulator.simulate(0.01, 0.01, start=motion, on_error="status")

    use(whole)
    for _ in range(150):
        changed, kept = json.loads(json.dumps(header)), dict(arrays)
        if odd.random() < 0.4:
            changed[odd.choice(sorted(changed))] = odd.choice(values)
        else:
            name = odd.choice(sorted(kept))
            array = kept[name].astype(float)
            ways = [
                array[:-1] if array.ndim else array, array.ravel(), array.astype(str), array + 1j, np.array(1.0),
                np.full_like(array, np.inf), np.full_like(array, 1e308), np.full_like(array, np.nan),
            ]  # fmt: skip
            kept[name] = odd.choice(ways)
        np.savez(tmp_path / "changed.npz", header=np.array(json.dumps(changed)), **kept)
        refused += bool(told(lambda: use(tmp_path / "changed.npz")))
    assert refused > 90


# --- texts ----------------------------------------------------------------------------------------------------------
EVERYTHING = """
[mechanism]
name = "everything"
[bodies.a]
mass = 1.0
shape = { kind = "box", size = [0.2, 0.3, 0.4], position = [0.0, 0.0, 0.1] }
[bodies.b]
mass = "500 g"
inertia = [0.01, 0.01, 0.01]
[bodies.c]
mass = 2.0
inertia = [0.02, 0.02, 0.02]
position = [1.0, 0.0, 0.5]
velocity = [0.1, 0.0, 0.0]
[joints.j]
type = "revolute"
child = "a"
axis = [0.0, 1.0, 0.0]
child_anchor = [0.0, 0.0, 0.5]
coordinate = 0.3
[joints.k]
type = "prismatic"
parent = "a"
child = "b"
coordinate = "10 mm"
[forces.damper]
kind = "joint_damper"
joint = "k"
damping = 0.3
[forces.friction]
kind = "dry_friction"
joint = "k"
bound = 0.2
[forces.servo]
kind = "servo"
joint = "j"
stiffness = 3.0
damping = 0.1
signal = "0.1*sin(2*t)"
[forces.spring]
kind = "point_spring"
parent = "world"
child = "c"
stiffness = 5.0
length = 1.0
child_anchor = [0.1, 0.0, 0.0]
[contacts.foot]
child = "c"
child_anchor = [0.0, 0.0, -0.1]
radius = 0.05
friction = 0.6
[limits.stop]
joint = "k"
lower = -0.2
upper = 0.2
"""
VALUES = re.compile(r'(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?(?![\w.])|"[^"\n]*"')
TOKENS = [
    "nan", "inf", "1e308", "-1e308", "1e-320", "0", "-1", "1e99", "1e-99", "1e999", "9" * 40, "9" * 5000, "true", '""',
    '"\u0661"', '"\u0661 m"', "[]", "{}", "[nan,0,0]", '"1e400 m"', '"1e-400 m"', "2147483648", "1_0", '"1/t"',
    '"exp(1e5*t)"', '"sqrt(-1)"', "1e60", "1e-60", "1e20", "1e-20", "-1e45",
]  # fmt: skip


def changed_text(odd: random.Random) -> str:
    place = odd.choice(list(VALUES.finditer(EVERYTHING)))
    return EVERYTHING[: place.start()] + odd.choice(TOKENS) + EVERYTHING[place.end() :]


def test_files_with_numbers_that_are_none() -> None:
    odd = random.Random(11)
    for _ in range(600):
        told(lambda: symvi.Mechanism.from_toml(changed_text(odd)))


def test_motions_of_numbers_at_the_bounds() -> None:
    """What is taken runs, or is refused in words; nothing that is no number comes out as a motion."""
    odd = random.Random(13)

    def run(text: str) -> None:
        motion = symvi.Simulator(symvi.Mechanism.from_toml(text), backend="python").simulate(0.02, 0.01)
        assert np.isfinite(motion.position).all() and np.isfinite(motion.energy).all(), text

    for _ in range(12):
        told(lambda: run(changed_text(odd)))


# --- the command line -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options",
    [
        ("--time", "1e10", "--step", "0.01"),
        ("--time", "1e308", "--step", "1e-10"),
        ("--time", "0.02", "--step", "1e-320"),
        ("--time", "0.02", "--step", "0.01", "--set", "rod.mass=1e200"),
        ("--time", "0.02", "--step", "0.01", "--set", "rod.mass=1e-200"),
        ("--time", "0.02", "--step", "0.01", "--set", "rod.mass=\u0663"),
        ("--time", "0.02", "--step", "0.01", "--tolerance", "1e-320"),
        ("--time", "0.02", "--step", "0.01", "--fixed-iterations", "2147483648"),
        ("--time", "0.02", "--step", "0.01", "--every", "9223372036854775808"),
        ("--time", "0.02", "--step", "0.01", "--continue", "none.npz"),
        ("--time", "0.02", "--step", "0.01", "--out", "none/motion.npz"),
    ],
)
def test_the_command_line_says_so_without_a_traceback(options: tuple[str, ...], capsys) -> None:
    assert main(["simulate", str(demo_file("pendulum")), *options]) != 0
    said = capsys.readouterr().err
    assert said.strip() and "Traceback" not in said and not WITHOUT_VALUE.search(said)


# --- magnitudes -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "field", "value", "words"),
    [
        (symvi.Body, "mass", 2 * LARGEST, r"body 'a': mass 2e\+100 is too large, beyond 1e\+100; check its unit"),
        (symvi.Body, "mass", SMALLEST / 2, r"body 'a': mass 5e-101 is too small, below 1e-100; check its unit"),
        (symvi.Body, "inertia", (1e-120,) * 3, "is too small, below 1e-100; check its unit, or give"),
        (symvi.Body, "position", (0, 0, 1e200), "is too large"),
        (symvi.Joint, "axis", (1e-320, 0, 0), "axis .* is shorter than 1e-100"),
        (symvi.Joint, "coordinate", 1e200, "is too large"),
        (symvi.Box, "size", (1, 1, 1e-200), "is too small"),
        (symvi.Servo, "stiffness", 1e200, "is too large"),
    ],
)
def test_bounds_of_magnitudes_name_the_element_the_value_and_what_to_do(kind, field, value, words: str) -> None:
    assert re.search(words, told(lambda: kind(**{**ELEMENTS[kind], field: value})))


def test_at_the_bounds_numbers_are_taken() -> None:
    body = symvi.Body(name="a", mass=LARGEST, inertia=(0, 0, 0), position=(LARGEST, -LARGEST, 1e-320))
    assert body.mass == LARGEST and body.position[2] == 1e-320 and symvi.Body(**(body.given() | {"mass": SMALLEST}))


def test_a_shape_and_a_mass_whose_inertia_is_beyond_the_bounds() -> None:
    ball = symvi.Sphere(radius=1e80)
    said = told(lambda: symvi.Body(name="star", mass=1e60, shape=ball))
    assert re.match(r"body 'star': inertia .*, of its shape and mass, is too large", said)


def test_inertias_too_far_apart_to_be_added_are_named(tmp_path: Path) -> None:
    """Two arms in a loop, one with 1e20 times the other's inertia: in a double their sum is the heavy one alone."""
    file = tmp_path / "arms.trep"
    file.write_text(
        '(system (ry "L0" (tx 2.5 (name "mL") (mass 1.0 1.0 1.0 1.0))) (tx "slider" (mass 1.0) (ry "R0" (tx 2.5 (name '
        '"mR") (mass 1.0 1e20 1.0 1.0)))) (point-constraint "mL" "mR" (1 0 0)) (point-constraint "mL" "mR" (0 0 1)))'
    )
    said = told(lambda: symvi.Simulator(symvi.load(file, repair=True)))
    assert "too far apart for the 16 digits of a double: moments of inertia from 1 (body 'L0_body') to" in said


def test_steps_of_float_and_double_have_bounds(pendulum: symvi.Mechanism) -> None:
    for real, step in (("double", 1e-120), ("double", 1e120), ("float", 1e-20), ("float", 1e20)):
        simulator = symvi.Simulator(pendulum, real=real)
        assert "must lie between" in told(lambda s=simulator, h=step: s.simulate(h, h))
    simulator = symvi.Simulator(pendulum, real="float")
    assert "beyond 1e+38" in told(lambda: simulator.simulate(0.02, 0.01, inputs={"servo.stiffness": 1e60}))
    assert "not finite" in told(lambda: simulator.simulate(0.02, 0.01, inputs={"motor.force": 1e60}))


def test_a_signal_beyond_all_floats_is_told(pendulum: symvi.Mechanism) -> None:
    forces = [symvi.Actuator(name="motor", joint=pendulum.joints[0].name, signal="1e99*(1 + t)")]
    steep = pendulum.changed(forces=forces)
    said = told(lambda: symvi.Simulator(steep, real="float"))
    assert said.startswith("input 'motor.force': 1e+99 is too large for a number in float; check its unit, or compute")
    rising = steep.changed(forces=[forces[0].changed(signal="1e99*t")])
    simulator = symvi.Simulator(rising, real="float")
    assert "not finite" in told(lambda: simulator.simulate(0.02, 0.01))


def test_a_start_beyond_all_floats_is_told() -> None:
    far = symvi.Body(name="star", mass=1.0, inertia=(1, 1, 1), position=(1e60, 0, 0))
    free = symvi.Mechanism(name="sky", bodies=[far], joints=[symvi.Joint(name="free", type="floating", child="star")])
    said = told(lambda: symvi.Simulator(free.changed(joints=()), real="float"))
    assert said.startswith("body 'star': position at the start: 1e+60 is too large for a number in float"), said
