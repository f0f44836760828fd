"""Where a mechanism starts is said by the names of its joints, with units, alike for own files and imports."""

from __future__ import annotations

import json
from math import cos, pi, radians
from pathlib import Path

import pytest

from symvi import MechanismError, cli, load, state_from
from symvi.mechanism import Mechanism
from tests.importers.urdf_texts import inertial, joint, link, robot

# A rod of 1 kg that hangs by its end, 0.5 m above its centre.
ROD = """
[mechanism]
name = "pendulum"

[bodies.rod]
mass = 1.0
shape = { kind = "rod", length = 1.0, radius = 0.02, position = [0.0, 0.0, -0.5] }

[joints.pin]
type = "revolute"
child = "rod"
axis = [0.0, 1.0, 0.0]
coordinate = "60 deg"
"""
# A bead of 2 kg on a wire that slides, and turns.
BEAD = """
[mechanism]
name = "bead"

[bodies.bead]
mass = 2.0
shape = { kind = "sphere", radius = 0.1 }
position = [0.0, 0.0, 0.0]

[joints.wire]
type = "cylindrical"
child = "bead"
axis = [0.0, 0.0, 1.0]
"""


@pytest.fixture
def rod(tmp_path: Path) -> Path:
    path = tmp_path / "rod.toml"
    path.write_text(ROD)
    return path


def first_energy(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> float:
    assert cli.main(["simulate", str(path), "--time", "0.02", "--step", "0.01", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)["energy_at_start_end"][0]


@pytest.mark.parametrize("options", [("--start", "pin=100 deg"), ("--set", "pin.coordinate=100 deg")])
def test_an_own_file_starts_where_the_command_says(rod: Path, capsys, options) -> None:
    assert first_energy(capsys, rod) == pytest.approx(-9.81 * 0.5 * cos(radians(60)), rel=1e-12)
    assert first_energy(capsys, rod, *options) == pytest.approx(-9.81 * 0.5 * cos(radians(100)), rel=1e-12)


def test_a_rate_is_set_too(rod: Path, capsys) -> None:
    about_the_end = 1 / 3 + 0.02**2 / 4  # kg m²
    energy = first_energy(capsys, rod, "--start", "pin=90 deg", "--set", "pin.velocity=30 rpm")
    assert energy == pytest.approx(0.5 * about_the_end * pi**2, rel=1e-3)  # h |w| = 0.03 at a knot


def test_an_import_takes_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    limit = '<limit lower="-1" upper="1" effort="5" velocity="3"/>'
    upper = link("upper", inertial(1.0, xyz=(0, 0, -0.5)))
    path.write_text(robot(link("base", inertial()), upper, joint("pin", "revolute", "base", "upper", limit), name="a"))
    assert load(path, start={"pin": "30 deg"}).mechanism == load(path, start={"pin": radians(30)}).mechanism
    with pytest.raises(MechanismError, match="start '30 mm' of joint 'pin' '30 mm' has the unit mm, which does not"):
        load(path, start={"pin": "30 mm"})


def test_a_body_with_a_placement_of_its_own_is_placed_by_the_joint() -> None:
    mechanism = Mechanism.from_toml(BEAD)
    state = state_from(mechanism, {"wire": ["250 mm", "90 deg"]}, {"wire": ["1 cm/s", "60 rpm"]})
    assert state.position[0] == pytest.approx([0, 0, 0.25])
    assert state.orientation[0] == pytest.approx([cos(pi / 4), 0, 0, cos(pi / 4)])
    assert state.velocity[0] == pytest.approx([0, 0, 0.01])
    assert state.angular_velocity[0] == pytest.approx([0, 0, 2 * pi])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--start", "pim=1"], "no joint 'pim'; did you mean 'pin'?"),
        (["--start", "knee=1"], "no joint 'knee'; known: pin"),
        (["--start", "pin=1,2"], "joint 'pin': coordinate has 2 values, but a joint of type 'revolute' has 1"),
        (["--start", "pin=10 mm"], "joint 'pin': coordinate '10 mm' has the unit mm, which does not measure this"),
        (["--start", "pin=10 degrees"], "--start 'pin=10 degrees': write JOINT=VALUE; '10 degrees' has the unknown"),
        (["--start", "upright"], "start 'upright': symvi's own form names no starts"),
        (["--set", "knee.coordinate=1"], "no joint 'knee'; known: pin"),
        (["--set", "pin.coordinate=x"], "--set 'pin.coordinate=x': write pin.coordinate=VALUE"),
        (["--set", "pin.coordinate=1", "--set", "pin.coordinate=2"], "it has a value already"),
    ],
)
def test_what_does_not_fit_is_named(rod: Path, capsys, options: list[str], message: str) -> None:
    assert cli.main(["simulate", str(rod), "--time", "0.02", "--step", "0.01", *options]) == 1
    assert message in capsys.readouterr().err
