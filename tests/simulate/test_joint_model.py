"""A model in joint coordinates against mechanics on placements: those of `state_from`, differentiated numerically.

Placements along q(t) come from another code, body by body; their first and second differences in time are velocities
and accelerations, and d'Alembert's principle says what acts along the coordinates. A difference over h = 1e-3 s is off
by h² and by round-off over h², parts in 1e6 of numbers of size one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from symvi import Body, Joint, Mechanism, Simulator, state_from
from symvi.errors import MechanismError
from symvi.mechanism import start_state
from symvi.mechanism.rotation import about, from_rotation_vector, rotation_vector
from symvi.registry import JOINTS
from symvi.simulate.joint_model import JointModel
from tests.support.poses import Pose, multiply

H = 1e-3
NEAR = {"rtol": 0, "atol": 2e-5}
TYPES = [name for name in JOINTS if JOINTS[name].tree and not JOINTS.serial(name)]
Path = Callable[[float], np.ndarray]


def body(name: str, mass: float) -> Body:
    inertia = (0.3 * mass, 0.4 * mass, 0.5 * mass, 0.02 * mass, -0.03 * mass, 0.01 * mass)
    return Body(name=name, mass=mass, inertia=inertia, center_of_mass=(0.1, -0.2, 0.3))


def tree(kind: str, inward: bool = False) -> Mechanism:
    """A hinge, a joint of a type, a hinge. inward: the joint is led to from its child."""
    more = {"axis": (0.6, 0.0, 0.8)}
    if kind == "universal":
        more["child_axis"] = (0.0, 1.0, 0.0)
    if kind == "screw":
        more["pitch"] = 0.2
    near, far = ("arm", "base") if inward else ("base", "arm")
    turn = about((1.0, 2.0, 3.0), 0.7)
    joints = [
        Joint(name="first", type="revolute", child="base", axis=(0, 0.6, 0.8), child_anchor=(0.1, 0.2, 0)),
        Joint(name="it", type=kind, parent=near, child=far, parent_anchor=(0.3, 0.1, -0.2), child_anchor=(0.2, 0, 0.1),
              orientation=turn, **more),
        Joint(name="last", type="revolute", parent="arm", child="tip", parent_anchor=(0.5, 0, 0), axis=(1, 0, 0)),
    ]  # fmt: skip
    bodies = [body("base", 1.0), body("arm", 2.0), body("tip", 0.5)]
    return Mechanism(name=f"tree_{kind}", bodies=bodies, joints=joints)


def random_motion(model: JointModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    q, rates, accelerations = (random.uniform(-1, 1, n) for n in (*model.size, model.size[1]))
    for held in model._queries.held:
        if held.quaternion is not None:
            own = q[held.quaternion : held.quaternion + 4]
            own /= np.linalg.norm(own)
    return q, rates, accelerations


def along(model: JointModel, q: np.ndarray, rates: np.ndarray, change: np.ndarray) -> Path:
    """q(t) with these rates at t = 0, which grow by `change` each second; to third order in t."""

    def at(t: float) -> np.ndarray:
        found, way = q.copy(), rates * t + change * t * t / 2
        for held in model._queries.held:
            own, first = way[held.rates], held.coordinates.start
            slides = len(own) - 3 if held.quaternion is not None else len(own)
            found[first : first + slides] += own[:slides]
            if held.quaternion is None:
                continue
            turn, old = own[slides:], q[first + slides : first + slides + 4]
            w = rates[held.rates][-3:]
            turn = turn + np.cross(w, change[held.rates][-3:]) * t**3 / 12  # Magnus
            if held.together:  # ∫ R v dt, v and w in the axes that turn
                v, a = rates[held.rates][:3], change[held.rates][:3]
                second = a + np.cross(w, v)
                third = 2 * np.cross(w, a) + np.cross(change[held.rates][-3:], v) + np.cross(w, np.cross(w, v))
                found[first : first + 3] = q[first : first + 3] + Pose(np.zeros(3), old).R @ (
                    v * t + second * t**2 / 2 + third * t**3 / 6
                )
            found[first + slides : first + slides + 4] = multiply(old, np.array(from_rotation_vector(tuple(turn))))
        return found

    return at


def placed(mechanism: Mechanism, model: JointModel, q: np.ndarray):
    """Origins and rotations of all bodies by `state_from`, which takes rotation vectors."""
    given = {}
    for held in model._queries.held:
        own = q[held.coordinates]
        if held.quaternion is not None:
            own = [*own[:-4], *rotation_vector(tuple(own[-4:]))]
        given[held.name] = tuple(own)
    state = state_from(mechanism, {name: values for name, values in given.items() if values})
    poses = [Pose(x, p) for x, p in zip(state.position, state.orientation, strict=True)]
    return np.array([pose.x for pose in poses]), np.array([pose.R for pose in poses])


class Witness:
    """Centres of mass and rotations of all bodies along a path, and their rates by differences."""

    def __init__(self, mechanism: Mechanism, model: JointModel, path: Path):
        self.mechanism, self.bodies = mechanism, mechanism.bodies
        moments = [placed(mechanism, model, path(t)) for t in (-H, 0.0, H)]
        centers = np.array([body.center_of_mass for body in mechanism.bodies])
        x = [place + np.einsum("nij,nj->ni", turn, centers) for place, turn in moments]
        turns = [turn for _, turn in moments]
        self.place, self.turn, self.center = *moments[1], x[1]
        self.velocity, self.acceleration = (x[2] - x[0]) / (2 * H), (x[2] - 2 * x[1] + x[0]) / H**2
        first = (turns[2] - turns[0]) / (2 * H)
        second = (turns[2] - 2 * turns[1] + turns[0]) / H**2
        self.spin = np.array([vee(a @ r.T) for a, r in zip(first, self.turn, strict=True)])
        self.twist = np.array([vee(a @ r.T) for a, r in zip(second, self.turn, strict=True)])  # of R'' Rᵀ: w'

    def inertia(self) -> np.ndarray:
        found = []
        for each, r in zip(self.bodies, self.turn, strict=True):
            xx, yy, zz, xy, xz, yz = each.inertia
            found.append(r @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ r.T)
        return np.array(found)

    def momentum(self) -> np.ndarray:
        """Linear, and angular about the centre of mass of all."""
        masses = np.array([each.mass for each in self.bodies])
        p = masses[:, None] * self.velocity
        spins = np.einsum("nij,nj->ni", self.inertia(), self.spin)
        return np.array([*p.sum(0), *(spins + np.cross(self.center - self.middle(), p)).sum(0)])

    def middle(self) -> np.ndarray:
        masses = np.array([each.mass for each in self.bodies])
        return masses @ self.center / masses.sum()


def vee(matrix: np.ndarray) -> np.ndarray:
    """The vector of the skew part of a matrix."""
    return np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]) / 2


def bodies_jacobian(mechanism: Mechanism, model: JointModel, q: np.ndarray) -> np.ndarray:
    """(bodies, 6, rates): velocities of centres of mass, and angular ones, by differences."""
    columns = []
    for unit in np.eye(model.size[1]):
        seen = Witness(mechanism, model, along(model, q, unit, np.zeros(model.size[1])))
        columns.append(np.concatenate([seen.velocity, seen.spin], axis=1))
    return np.moveaxis(np.array(columns), 0, 2)


@pytest.mark.parametrize("inward", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_all_answers_are_those_of_placements(kind: str, inward: bool) -> None:
    mechanism = tree(kind, inward)
    model = Simulator(mechanism).model
    q, rates, change = random_motion(model)
    seen = Witness(mechanism, model, along(model, q, rates, change))
    jacobian, inertia, g = bodies_jacobian(mechanism, model, q), seen.inertia(), np.array(mechanism.gravity)
    masses = np.array([each.mass for each in mechanism.bodies])
    frames = model.frames(q)
    assert np.allclose(frames.position, seen.place, rtol=0, atol=1e-12)
    assert np.allclose(frames.rotation, seen.turn, rtol=0, atol=1e-12)
    for k, each in enumerate(mechanism.bodies):
        assert np.allclose(model.jacobian(each.name, q, each.center_of_mass), jacobian[k], **NEAR)
    wanted = np.einsum("n,nia,nib->ab", masses, jacobian[:, :3], jacobian[:, :3])
    wanted += np.einsum("nia,nij,njb->ab", jacobian[:, 3:], inertia, jacobian[:, 3:])
    mass = model.mass_matrix(q)
    assert np.allclose(mass, wanted, **NEAR) and np.array_equal(mass, mass.T)
    force = masses[:, None] * (seen.acceleration - g)
    turning = np.einsum("nij,nj->ni", inertia, seen.twist)
    turning += np.cross(seen.spin, np.einsum("nij,nj->ni", inertia, seen.spin))
    along_rates = np.einsum("nia,ni->a", jacobian, np.concatenate([force, turning], axis=1))
    found = model.inverse_dynamics(q, rates, change)
    assert np.allclose(found, along_rates, rtol=1e-5, atol=1e-4)
    assert np.allclose(model.bias(q, rates), found - mass @ change, rtol=0, atol=1e-11)
    assert np.allclose(model.forward_dynamics(q, rates, found), change, rtol=0, atol=1e-10)
    assert np.allclose(model.momentum(q, rates), seen.momentum(), **NEAR)
    assert np.allclose(model.centre_of_mass(q), seen.middle(), rtol=0, atol=1e-12)
    assert np.allclose(model.centre_of_mass_jacobian(q) @ rates, masses @ seen.velocity / masses.sum(), **NEAR)


@pytest.mark.parametrize("kind", ["cylindrical", "spherical", "floating", "universal"])
def test_coordinates_of_a_state_are_those_that_made_it(kind: str) -> None:
    """And the kinetic energy of the state is q'·M q'/2."""
    mechanism = tree(kind)
    simulator = Simulator(mechanism)
    count = len(JOINTS[kind].coordinates)
    state = state_from(
        mechanism, {"it": (0.3, -0.4, 0.5, 0.2, 0.1, 0.6)[:count]}, {"it": (0.7, 0.8, -0.9, 1.0, 1.1, 1.2)[:count]}
    )
    q, rates = simulator.model.coordinates(state)
    assert np.allclose(simulator.model.frames(q).position, state.position, rtol=0, atol=1e-12)
    masses = np.array([each.mass for each in mechanism.bodies])
    spin = [
        np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]) @ w @ w
        for i, w in zip((each.inertia for each in mechanism.bodies), state.angular_velocity, strict=True)
    ]
    energy = (masses @ (state.velocity**2).sum(1) + sum(spin)) / 2
    assert rates @ simulator.model.mass_matrix(q) @ rates / 2 == pytest.approx(energy, rel=1e-12)


def test_a_body_that_no_joint_leads_to_is_a_floating_base_and_far_away_as_exact() -> None:
    """Beside the same body on a floating joint; and 100 km away, where moments about the world's origin lose digits."""
    bodies = [body("base", 1.0).changed(position=(0, 0, 0)), body("arm", 2.0)]
    hinge = Joint(name="hinge", type="revolute", parent="base", child="arm", parent_anchor=(0.3, 0, 0), axis=(0, 1, 0))
    free = Simulator(Mechanism(name="free", bodies=bodies, joints=[hinge])).model
    floating = Joint(name="root", type="floating", child="base")
    held = Simulator(Mechanism(name="held", bodies=bodies, joints=[floating, hinge])).model
    assert free.entries == {"base": slice(0, 7), "hinge": slice(7, 8)} and free.size == held.size == (8, 7)
    assert free.names[2:5] == ("base.z", "base.qw", "base.qx")
    assert free.rate_names[4:] == ("base.wy", "base.wz", "hinge")
    q, rates, change = random_motion(free)
    force = free.inverse_dynamics(q, rates, change)
    assert np.array_equal(force, held.inverse_dynamics(q, rates, change))
    far = q + [1e5, -1e5, 1e5, 0, 0, 0, 0, 0]
    assert np.array_equal(free.inverse_dynamics(far, rates, change), force)
    assert np.array_equal(free.mass_matrix(far), free.mass_matrix(q))
    assert np.allclose(free.momentum(far, rates), free.momentum(q, rates), rtol=0, atol=1e-9)


def test_parameters_that_were_set_count_at_once() -> None:
    simulator = Simulator(tree("revolute"))
    q = np.array([0.1, 0.2, 0.3])
    before = simulator.model.mass_matrix(q)
    assert simulator.model is simulator.model
    simulator.set_parameter("tip.mass", 1.5)
    simulator.set_parameter("gravity", (0.0, 0.0, 0.0))
    assert simulator.model.mass_matrix(q)[0, 0] > before[0, 0] + 0.1
    assert np.array_equal(simulator.model.bias(q, np.zeros(3)), np.zeros(3))


def test_an_anchor_that_was_set_is_that_of_a_description_that_has_it() -> None:
    mechanism, anchor = tree("revolute"), (0.4, 0.2, -0.1)
    simulator = Simulator(mechanism, parameters={"it.parent_anchor": anchor})
    joints = [joint.changed(parent_anchor=anchor) if joint.name == "it" else joint for joint in mechanism.joints]
    q = np.array([0.1, 0.2, 0.3])
    wanted = Simulator(mechanism.changed(joints=joints)).model.mass_matrix(q)
    assert np.allclose(simulator.model.mass_matrix(q), wanted, rtol=0, atol=1e-13)
    assert not np.allclose(wanted, Simulator(mechanism).model.mass_matrix(q))


def test_names_do_where_arrays_do() -> None:
    model = Simulator(tree("spherical")).model
    start, _ = model.coordinates(start_state(model.mechanism))
    start[model.entries["last"]] = 0.4
    assert np.array_equal(model.mass_matrix({"last": 0.4}), model.mass_matrix(start))
    rates = np.zeros(model.size[1])
    rates[model.rate_entries["it"]] = 1.0, 2.0, 3.0
    assert np.array_equal(model.bias({"last": 0.4}, {"it": (1, 2, 3)}), model.bias(start, rates))
    assert np.array_equal(model.mass_matrix(list(start)), model.mass_matrix(start))


def test_answers_may_be_kept_and_copies_answer_alike() -> None:
    model = Simulator(tree("revolute")).model
    first = model.mass_matrix([0.0, 0.0, 0.0])
    kept = first.copy()
    other = model.copy().mass_matrix([1.0, 1.0, 1.0])
    assert np.array_equal(model.mass_matrix([1.0, 1.0, 1.0]), other) and np.array_equal(first, kept)


BAD = {
    "a shape": (lambda m: m.mass_matrix([0.0] * 4), r"coordinates: .* have the shape \(4,\); \(3,\) are needed"),
    "NaN": (lambda m: m.bias(np.zeros(3), np.array([0.0, np.nan, 0.0])), "rates: 'it' is nan, and must be finite"),
    "infinity": (lambda m: m.frames([0.0, 0.0, np.inf]), "coordinates: 'last' is inf, and must be finite"),
    "a text": (lambda m: m.mass_matrix("abc"), "coordinates: 'abc' are no numbers"),
    "a joint": (lambda m: m.mass_matrix({"lst": 0.1}), "coordinates: no joint 'lst'; did you mean 'last'"),
    "too many": (lambda m: m.bias({}, {"it": (1, 2)}), r"rates of 'it': \(1, 2\) must be 1 numbers"),
    "a body": (lambda m: m.jacobian("tipp", np.zeros(3)), "jacobian: no body 'tipp'; did you mean 'tip'"),
    "a point": (lambda m: m.jacobian("tip", np.zeros(3), (0, 1)), r"point: \(0, 1\) have the shape \(2,\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named(case: str) -> None:
    ask, words = BAD[case]
    with pytest.raises(MechanismError, match=words):
        ask(Simulator(tree("revolute")).model)


def test_a_quaternion_has_the_length_one() -> None:
    model = Simulator(tree("spherical")).model
    with pytest.raises(MechanismError, match="the quaternion of 'it' has not the length one"):
        model.mass_matrix(np.zeros(model.size[0]))
