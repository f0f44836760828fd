"""Units live at the edge of files: an exact conversion, and a refusal of what measures something else."""

import math

import pytest

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.units import quantity


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("10 mm", "m", 0.01),
        ("41.5 mm", "m", 0.0415),  # 41.5 * 0.001 in doubles is another number
        ("38mm", "m", 0.038),
        ("-2.5e1 cm", "m", -0.25),
        ("1 in", "m", 0.0254),
        ("2 kg", "kg", 2.0),
        ("250 g", "kg", 0.25),
        ("180 deg", "rad", math.pi),
        ("30 deg", "rad", math.pi / 6),
        ("1 turn", "rad", 2 * math.pi),
        ("60 rpm", "rad/s", 2 * math.pi),
        ("90 deg/s", "rad/s", math.pi / 2),
        ("-9.81 m/s^2", "m/s^2", -9.81),
        ("3.6 km/min", "m/s", 60.0),
        ("1 kN/mm", "N/m", 1e6),
        ("5 N m/rad", "N m/rad", 5.0),
        ("5 N*m/rad", "N m/rad", 5.0),
        ("2 J", "N m", 2.0),
        ("1000 g cm^2", "kg m^2", 1e-4),
        ("1 kg m^2 s**-2", "N m", 1.0),
        (".5 mm/rad", "m/rad", 0.0005),
    ],
)
def test_conversion_is_exact_to_the_last_bit(text, unit, value):
    assert quantity(text, [unit]) == value


@pytest.mark.parametrize(
    ("text", "unit", "reason"),
    [
        ("10 mm", "kg", "does not measure"),
        ("30 deg", "m", "does not measure"),
        ("1 m", "rad", "does not measure"),
        ("5 N", "N/m", "does not measure"),
        ("10 parsec", "m", "unknown unit 'parsec'"),
        ("10", "m", "no quantity like '10 m'"),
        ("mm", "m", "no quantity"),
        ("ten mm", "m", "no quantity"),
        ("nan m", "m", "no quantity"),
        ("1 m^", "m", "cannot be read"),
        ("1 m//s", "m/s", "cannot be read"),
        ("1e999 m", "m", "too large"),
        ("1e999999999 m", "m", "no quantity"),
        ("1" * 10_000 + " m", "m", "no quantity"),
        ("1 m; rm", "m", "no quantity"),
        ("\u0661 m", "m", "no quantity"),  # digits of another script
        ("1 m^\u0662", "m^2", "no quantity"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, unit, reason):
    with pytest.raises(ValueError, match=reason):
        quantity(text, [unit])


FILE = """
[mechanism]
name = "m"
[bodies.a]
mass = 1
inertia = [1, 1, 1]
[joints.slide]
type = "cylindrical"
child = "a"
coordinate = ["{first}", "{second}"]
[forces.spring]
kind = "joint_spring"
joint = "slide"
stiffness = ["{k_first}", "{k_second}"]
"""


def test_the_unit_of_a_coordinate_follows_from_the_joint():
    good = {"first": "10 mm", "second": "30 deg", "k_first": "2 N/mm", "k_second": "3 N m/rad"}
    mechanism = Mechanism.from_toml(FILE.format(**good))
    assert mechanism.joint("slide").coordinate == (0.01, math.pi / 6)
    assert mechanism.force("spring").stiffness == (2000.0, 3.0)
    swapped = {"first": "30 deg", "second": "10 mm", "k_first": "3 N m/rad", "k_second": "2 N/mm"}
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_toml(FILE.format(**swapped))
    assert len(caught.value.problems) == 4


def test_python_takes_numbers_only():
    with pytest.raises(MechanismError, match="mass '10 kg' must be a number"):
        Mechanism(name="m", bodies=[{"name": "a", "mass": "10 kg", "inertia": (1, 1, 1)}])
