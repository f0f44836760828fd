"""Parameters have the names and frames of the description: setting one is the same as describing it so."""

import pytest

from symvi.errors import MechanismError
from symvi.mechanism import (
    Body,
    Box,
    Contact,
    Coupling,
    DryFriction,
    Joint,
    JointSpring,
    Limit,
    Mechanism,
    PointSpring,
    Potential,
    Wrench,
)
from symvi.simulate import Simulator

CENTER = (0.1, 0.02, -0.03)


def workshop(**new) -> Mechanism:
    """One of everything that can be set; `new` are other values, by the names of parameters."""

    def value(name: str, usual):
        return new.get(name.replace(".", "_"), usual)

    solid = {"inertia": (0.02, 0.03, 0.04, 0.001, 0.002, 0.003), "center_of_mass": CENTER}
    bodies = [Body(name=name, mass=value(f"{name}.mass", 1.0), **solid) for name in ("arm", "wheel")]
    bodies.append(Body(name="bead", mass=1.0, position=(0.5, 0.2, 2.0), **solid))
    bodies.append(Body(name="box", mass=1.0, shape=Box(size=(0.2, 0.2, 0.2)), position=(2, 0, 0.3)))
    joints = [
        Joint(name="pin", type="revolute", child="arm", axis=(0.0, 0.6, 0.8), coordinate=0.3,
              parent_anchor=value("pin.parent_anchor", (0.1, 0.2, 0.3)),
              child_anchor=value("pin.child_anchor", (0.4, 0.05, 0.06))),
        Joint(name="axle", type="revolute", child="wheel", axis=(0.0, 0.6, 0.8), parent_anchor=(1, 1, 1),
              coordinate=0.3 / value("teeth.ratio", 0.5)),
        Joint(name="track", type="custom", child="bead", expressions=["x_b[2] - 2 + q*(x_b[0] - 0.5)"],
              parameters={"q": value("track.q", 0.3)}),
    ]  # fmt: skip
    return Mechanism(
        name="workshop", gravity=value("gravity", (0.0, 0.0, -9.81)), bodies=bodies, joints=joints,
        couplings=[Coupling(name="teeth", joints=("pin", "axle"), ratio=value("teeth.ratio", 0.5))],
        forces=[
            JointSpring(name="sine", joint="pin", stiffness=2.0, law="sinusoidal", rest=value("sine.rest", 0.1)),
            JointSpring(name="spring", joint="axle", stiffness=value("spring.stiffness", 3.0), rest=0.2),
            PointSpring(name="rope", child="bead", child_anchor=value("rope.child_anchor", (0.3, 0.1, 0.2)),
                        stiffness=5.0, length=value("rope.length", 1.0)),
            Potential(name="hill", child="bead", expression="k*x_b[0]**2", parameters={"k": value("hill.k", 2.0)}),
            Wrench(name="hand", body="bead", point=value("hand.point", (0.2, 0.3, 0.4)), signal=["1"] * 3 + ["0"] * 3),
            DryFriction(name="dry", joint="pin", bound=value("dry.bound", 0.1)),
        ],
        contacts=[Contact(name="floor", child="box", whole_shape=True, friction=value("floor.friction", 0.2))],
        limits=[Limit(name="stop", joint="axle", upper=value("stop.upper", 0.7))],
    )  # fmt: skip


NEW = {
    "gravity": (0.5, -0.2, -3.0),
    "wheel.mass": 2.0,
    "pin.parent_anchor": (0.2, 0.3, 0.1),
    "pin.child_anchor": (0.45, 0.1, 0.02),
    "teeth.ratio": 0.75,
    "sine.rest": 0.8,
    "spring.stiffness": 30.0,
    "rope.length": 0.5,
    "rope.child_anchor": (0.1, -0.2, 0.4),
    "hill.k": 20.0,
    "hand.point": (0.5, -0.1, 0.2),
    "dry.bound": 0.5,
    "floor.friction": 0.7,
    "stop.upper": 0.65,
    "track.q": 0.1,
}


@pytest.fixture(scope="module")
def usual() -> Simulator:
    return Simulator(workshop(), backend="python")


@pytest.fixture(scope="module")
def new() -> Simulator:
    """Described with all the new values."""
    return Simulator(workshop(**{name.replace(".", "_"): value for name, value in NEW.items()}), backend="python")


@pytest.mark.parametrize("name", NEW)
def test_what_is_set_are_the_numbers_of_the_description_with_that_value(name: str, usual, new) -> None:
    """Points are given in body frames, whose origins are no centres of mass; angles and ratios as described."""
    before = usual.engine.parameters.copy()
    usual.set_parameter(name, NEW[name])
    changed = usual.engine.parameters != before
    assert changed.any()
    assert usual.engine.parameters[changed].tolist() == new.engine.parameters[changed].tolist()
    usual.set_parameter(name, usual.described[name].value)
    assert usual.engine.parameters.tolist() == before.tolist()


def test_names_are_those_of_the_description(usual: Simulator) -> None:
    names = set(usual.parameter_names)
    assert {*NEW, "pin.child_anchor", "pin.parent_anchor", "teeth.ratio", "teeth.offset", "arm.inertia"} <= names
    fields = {name.rpartition(".")[2] for name in names}
    hidden = "anchor frame column origin whole par_ minus extent effective_mass scale rest_ axis".split()
    assert not [field for field in fields for word in hidden if field.startswith(word)]
    assert usual.described["pin.child_anchor"].value == (0.4, 0.05, 0.06)
    assert usual.input_names == tuple(f"hand.{what}[{k}]" for what in ("force", "torque") for k in range(3))


def test_wrong_values_are_told_with_the_names_of_the_description(usual: Simulator) -> None:
    for name, value, reason in (
        ("track.p", 1.0, r"no parameter 'track\.p'; did you mean 'track\.q'"),
        ("pin.child_anchor", 1.0, r"parameter pin\.child_anchor: 1\.0 must be 3 finite"),
        ("spring.stiffness", -1.0, r"parameter spring\.stiffness: .* must not be negative"),
    ):
        with pytest.raises(MechanismError, match=reason):
            usual.set_parameter(name, value)
