"""A user's own expressions: all that the grammar allows is simulated, or refused by the name of its element."""

import pytest

from symvi.analysis.loops import analyse
from symvi.errors import MechanismError
from symvi.mechanism import Body, Contact, Joint, Mechanism, Potential, Wrench
from symvi.simulate import Simulator

BEAD = Body(name="bead", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 1.0, 4.0))


def with_bead(**elements) -> Mechanism:
    return Mechanism(name="wire", gravity=(0, 0, 0), bodies=[BEAD], **elements)


def track(*expressions: str) -> Mechanism:
    return with_bead(joints=[Joint(name="track", type="custom", child="bead", expressions=expressions)])


def hill(expression: str) -> Mechanism:
    return with_bead(forces=[Potential(name="hill", child="bead", expression=expression)])


def test_the_root_of_a_square_is_a_distance() -> None:
    """SymPy makes |y - 3| of sqrt((y - 3)**2): it holds the bead 2 m from a plane, and pulls it towards one."""
    held = track("sqrt((x_b[1] - 3)**2) - 2", "x_b[2]**2.0/2 - 8")
    motion = Simulator(held).simulate(0.1)
    assert motion.closure.max() < 1e-14
    pulled = Simulator(hill("3*sqrt(x_b[1]**2)")).simulate(0.1)
    # 3 N towards y = 0, from rest: v = 3 t, and the energy 3 y + v²/2 stays
    assert pulled.velocity[-1, 0] == pytest.approx((0.0, -0.3, 0.0), abs=1e-13)
    assert pulled.potential_energy[0] == pytest.approx(3.0, abs=1e-14)


@pytest.mark.parametrize(
    ("mechanism", "problem"),
    [
        (track("x_b[0]", "sqrt(x_b[2] - 4)"), r"joint 'track': .*'sqrt\(x_b\[2\] - 4\)' has no finite gradient where"),
        (track("1/(x_b[2] - 4)"), r"joint 'track': .* has no finite value where the mechanism starts"),
        (track("log(x_b[0])"), r"joint 'track': .* has no finite value where"),
        (track("sqrt(-1)"), r"joint 'track': .* is not a real function"),
        (track("x_b[0]/0"), r"joint 'track': .* is not a real function"),
        (hill("1/x_b[0]"), r"force 'hill': .* has no finite value where"),
        (hill("sqrt(x_b[0]**2)"), r"force 'hill': .* has no finite gradient where"),
        (
            with_bead(contacts=[Contact(name="wall", kind="gap", child="bead", expression="log(x_b[0])")]),
            r"contact 'wall': .* has no finite value where",
        ),
    ],
)
def test_an_expression_without_a_value_is_refused_by_the_name_of_its_element(mechanism, problem) -> None:
    with pytest.raises(MechanismError, match=f"^{problem}"):
        analyse(mechanism)


def test_all_expressions_without_a_value_are_named_at_once() -> None:
    with pytest.raises(MechanismError) as caught:
        analyse(track("log(x_b[0])", "1/x_b[0]").changed(forces=hill("log(x_b[0])").forces))
    assert len(caught.value.problems) == 3


def test_a_signal_without_a_value_is_refused_by_the_name_of_its_input() -> None:
    mechanism = with_bead(forces=[Wrench(name="hand", body="bead", signal=["0", "1/t", "0", "0", "0", "0"])])
    with pytest.raises(MechanismError, match=r"^the signal of hand\.force\[1\]: .* no value at t = 0\.0"):
        Simulator(mechanism).simulate(0.1)
