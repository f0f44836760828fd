"""What is chosen of a motion by name: the same values in pictures, tables and arrays; powers add up to works."""

from __future__ import annotations

import csv
import sys
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

from symvi import ArgumentError, MissingExtraError, Simulator, Trajectory, cli
from symvi.mechanism import Actuator, Body, Contact, Driver, Joint, Limit, Mechanism, Servo, Sphere
from symvi.simulate.curves import by_unit

STEP = 0.002  # s
TORQUE = 0.3  # N m


def two_rods() -> Mechanism:
    """A rod that a motor turns by a constant torque, one that a driver turns by 0.5 sin 3 t; each hangs by its end."""
    rods = [
        Body(name=name, mass=1.0, inertia=(0.1, 0.1, 0.01, 0, 0, 0), center_of_mass=(0, 0, -0.5)) for name in ("a", "b")
    ]
    pins = [Joint(name=f"pin_{rod.name}", type="revolute", child=rod.name, axis=(0, 1, 0)) for rod in rods]
    crank = Driver(name="crank", joint="pin_b", signal="0.5*sin(3*t)")
    motor = Actuator(name="motor", joint="pin_a")
    return Mechanism(name="rods", bodies=rods, joints=pins, drivers=[crank], forces=[motor])


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    return Simulator(two_rods()).simulate(1.0, STEP, inputs={"motor.force": TORQUE})


def test_coordinates_and_rates_by_the_joints_name(motion: Trajectory) -> None:
    curves = motion.curves
    assert curves["pin_b"][:, 0] == pytest.approx(0.5 * np.sin(3 * motion.time), abs=1e-12)
    assert curves["pin_a.rate"][:, 0] == pytest.approx(motion.rates("pin_a")[:, 0])


def test_powers_integrate_to_the_works_of_the_energy_account(motion: Trajectory) -> None:
    """And to what physics says they are: torque times turn, and the energy of what a driver leads along its path."""
    curves = motion.curves
    for name in ("motor", "crank"):
        assert np.nansum(curves[f"{name}.power"]) * STEP == pytest.approx(motion.work[name][-1], rel=1e-9)
    assert curves["motor.work"][-1] == pytest.approx(TORQUE * curves["pin_a"][-1, 0], rel=1e-3)
    end = 0.5 * sin(3.0)
    lifted = 9.81 * 0.5 * (1 - cos(end))
    moving = 0.5 * (0.1 + 0.25) * (1.5**2 * (cos(3.0) ** 2 - 1))  # the crank starts at 1.5 rad/s
    assert curves["crank.work"][-1] == pytest.approx(lifted + moving, abs=1e-2)


def test_a_power_is_the_torque_times_the_rate(motion: Trajectory) -> None:
    """Between two knots: the mean power of the step is of second order at its middle."""
    middle = (motion.rates("pin_a")[1:, 0] + motion.rates("pin_a")[:-1, 0]) / 2
    assert motion.curves["motor.power"][1:-1] == pytest.approx(TORQUE * middle[:-1], abs=1e-4)
    turning = motion.curves["crank.force"] * np.gradient(motion.curves["pin_b"][:, 0], motion.time)
    assert motion.curves["crank.power"][2:-1] == pytest.approx(turning[2:-1], abs=0.03)  # of first order: half a step


def test_reactions_hold_a_rod_that_hangs_still() -> None:
    rod = Body(name="rod", mass=2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0), center_of_mass=(0, 0, -0.5))
    pin = Joint(name="pin", type="revolute", child="rod", axis=(0, 1, 0))
    motion = Simulator(Mechanism(name="still", bodies=[rod], joints=[pin])).simulate(0.1, 0.01)
    columns = motion.curves.columns(["pin.reaction"])
    assert [column.name for column in columns[:3]] == [f"pin.reaction.force.{axis}" for axis in "xyz"]
    assert [column.unit for column in columns] == ["N"] * 3 + ["N m"] * 3
    assert np.linalg.norm([column.values[-1] for column in columns]) == pytest.approx(2.0 * 9.81)


def test_the_force_of_a_contact_carries_the_weight_of_what_lies_there() -> None:
    ball = Body(name="ball", mass=3.0, shape=Sphere(radius=0.1), position=(0, 0, 0.1))
    floor = Contact(name="floor", kind="half_space", child="ball", friction=0.5)
    motion = Simulator(Mechanism(name="lying", bodies=[ball], contacts=[floor])).simulate(0.5, 0.01)
    assert motion.curves["floor.force"][-1] == pytest.approx([0, 0, 3.0 * 9.81], abs=1e-3)
    assert motion.curves["floor.force.z"][1:] == pytest.approx(motion.contacts["floor"].force[1:, 2])


def test_a_servo_has_inputs_and_powers() -> None:
    rod = Body(name="rod", mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    slide = Joint(name="slide", type="prismatic", child="rod", axis=(1, 0, 0))
    servo = Servo(name="hold", joint="slide", stiffness=100.0, damping=20.0)
    mechanism = Mechanism(name="held", bodies=[rod], joints=[slide], forces=[servo])
    motion = Simulator(mechanism).simulate(1.0, 0.01, inputs={"hold.target": 0.1})
    units = {column.name: column.unit for column in motion.curves.columns(["hold.target", "hold.target_rate"])}
    assert units == {"hold.target": "m", "hold.target_rate": "m/s"}
    assert np.nansum(motion.curves["hold.power"]) * 0.01 == pytest.approx(motion.work["hold"][-1])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("pin_a.rat", "of 'pin_a' there are pin_a, pin_a.rate, pin_a.reaction"),
        ("pin_c", "near are pin_"),
        ("motr.power", "near are motor.power"),
        ("energi", "near are energy"),
    ],
)
def test_an_unknown_name_is_told_what_is_near(motion: Trajectory, name: str, remedy: str) -> None:
    with pytest.raises(ArgumentError, match=f"no curve '{name}'; .*{remedy}"):
        motion.curves.columns([name])


def test_every_name_gives_as_many_columns_as_it_says(motion: Trajectory) -> None:
    for name in motion.curves:
        columns = motion.curves.columns([name])
        values = motion.curves[name].reshape(len(motion), -1)
        assert np.array_equal(np.stack([column.values for column in columns], axis=1), values, equal_nan=True)
        for column in columns:
            assert np.array_equal(motion.curves.columns([column.name])[0].values, column.values, equal_nan=True)


def test_what_no_step_has_done_has_no_value(tmp_path: Path) -> None:
    """At the first knot of a fresh start; a motion that goes on knows the step that led there, but no power."""
    box = Body(name="box", mass=2.0, inertia=(0.1, 0.1, 0.1))
    mechanism = two_rods().changed(
        bodies=[*two_rods().bodies, box],
        joints=[*two_rods().joints, Joint(name="rail", type="prismatic", child="box", axis=(0, 0, 1))],
        limits=[Limit(name="stop", joint="rail", lower=-0.01)],
        contacts=[Contact(name="floor", child="box", parent_anchor=(0, 0, -0.01))],
    )
    simulator = Simulator(mechanism)
    fresh = simulator.simulate(0.1, 0.01)
    later = simulator.simulate(0.1, 0.01, start=fresh)
    again = simulator.simulate(0.1, 0.01, start=fresh.state())
    names = ("pin_a.reaction", "pin_b.reaction.force", "crank.force", "stop.force", "floor.force", "floor.normal_force")
    for name in names:
        for motion in (fresh, again):
            assert np.isnan(motion.curves[name][0]).all() and np.isfinite(motion.curves[name][1:]).all(), name
        assert np.array_equal(later.curves[name][0], fresh.curves[name][-1]), name
    for motion in (fresh, later, again):
        assert np.isnan(motion.curves["crank.power"]).tolist() == [True] + [False] * 10
        assert np.isfinite(motion.curves["floor.gap"]).all()
        assert motion.reactions["pin_a"][0].any() == (motion is later)
    rows = fresh.to_csv(tmp_path / "a.csv", ["crank.force"]).read_text().splitlines()
    assert rows[1] == "0.0,nan" and "nan" not in rows[2]


def test_curves_of_one_unit_share_a_panel(motion: Trajectory) -> None:
    columns = motion.curves.columns(["pin_a", "motor.force", "pin_b", "crank.force"])
    assert {title: [one.name for one in some] for title, some in by_unit(columns).items()} == {
        "Angles [rad]": ["pin_a", "pin_b"],
        "Torques [N m]": ["motor.force", "crank.force"],
    }


def test_the_command_writes_what_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, table = tmp_path / "rods.toml", tmp_path / "rods.csv"
    file.write_text(two_rods().to_toml())
    words = ["simulate", str(file), "--time", "0.1", "--step", "0.01", "--input", "motor.force=0.3"]
    page = tmp_path / "rods.html"
    chosen = ["--curves", "pin_a,motor.power", "--curves", "crank.force", "--csv", str(table), "--page", str(page)]
    assert cli.main([*words, *chosen]) == 0
    with table.open() as lines:
        rows = list(csv.reader(lines))
    assert rows[0] == ["time", "pin_a", "motor.power", "crank.force"] and len(rows) == 12
    assert '"title":"Powers [W]"' in page.read_text()
    assert cli.main([*words, *chosen, "--curves", "moter.power"]) == 1
    assert "no curve 'moter.power'; near are motor.power" in capsys.readouterr().err
    assert cli.main([*words, "--curves", "pin_a"]) == 1
    assert "--curves: says what --plot, --csv or --page show" in capsys.readouterr().err


def test_a_table_of_pandas_has_time_as_index_and_curves_as_columns(motion: Trajectory) -> None:
    pandas = pytest.importorskip("pandas")
    table = motion.to_pandas(["pin_a", "pin_a.reaction.force", "motor.power"])
    assert list(table) == ["pin_a", *(f"pin_a.reaction.force.{axis}" for axis in "xyz"), "motor.power"]
    assert table.index.name == "time" and isinstance(table, pandas.DataFrame)
    assert table["motor.power"].sum() * STEP == pytest.approx(motion.work["motor"][-1], rel=1e-9)
    assert table.attrs["units"]["motor.power"] == "W"
    assert table.loc[0.5:0.6, "pin_a"].iloc[0] == motion.coordinates("pin_a")[250, 0]


def test_without_a_choice_a_table_tells_of_joints_and_what_drives_them(motion: Trajectory) -> None:
    pytest.importorskip("pandas")
    own = {"energy", "pin_a", "pin_b.rate", "motor.force", "motor.power", "crank.target", "crank.force", "crank.work"}
    columns = set(motion.to_pandas())
    assert own <= columns and not {name for name in columns if "reaction" in name or name.startswith("a.")}


def test_without_pandas_the_extra_is_named(motion: Trajectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"needs the package pandas; .* -m pip install .*pandas"):
        motion.to_pandas()
