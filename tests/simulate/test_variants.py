"""A simulator with other lengths moves, to the last bit, as one built for its description; and nothing is built."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from math import hypot, nan
from random import Random

import numpy as np
import pytest

from symvi import Simulator
from symvi.demos import demo_file
from symvi.errors import AssemblyError, MechanismError, SymviError
from symvi.mechanism import Body, Capsule, Joint, JointSpring, Limit, Mechanism, Rod, start_state
from symvi.mechanism.changing import number_names, with_numbers
from symvi.simulate import simulator as simulators
from symvi.simulate import solver_build
from tests.simulate.test_state_hashes import SCENES, STEP, TREE
from tests.support.quick import compiled_quickly  # noqa: F401
from tests.support.subset import first_of, only

HOWS = {"double": {}, "float": {"real": "float"}, "python": {"backend": "python"}}
FOUR_BAR = {"rocker_pin.child_anchor": (0, 0, "62 cm"), "coupler.shape.length": 0.62}
STOPPED = {"hinge.child_anchor": (0, 0, 0.6), "both.lower": -0.07}
# What is changed, by scene: chains, screws, distances, drivers, laws, stops, contacts, loops that must close again.
CHANGES = {
    "pendulum": {"pin.child_anchor": (0, 0, "10 cm"), "rod.shape.length": 1.2},
    "tree double pendulum": {"elbow.parent_anchor": (0, "25 mm", "-55 cm"), "gravity": (0, 0, "-1.62 m/s^2")},
    "four bar": FOUR_BAR,
    "tree four bar": FOUR_BAR,
    "slider crank": {"wrist_pin.child_anchor": (0, 0, 0.3)},
    "governor": {"upper_left.parent_anchor": (0.05, 0, 0.61), "upper_left.length": 0.31, "left.mass": 0.9},
    "strandbeest": {"left_heel.parent_anchor": (-0.41, 0.0, 0.02)},
    "askew screw": {"j2.pitch": 0.3, "j1.parent_anchor": (0.3, -0.1, 0.4)},
    "askew universal": {"j1.orientation": (0.7, 0.3, 0.4, 0.26**0.5), "j2.child_anchor": (0.2, 0.2, 0.2)},
    "tree damped spherical": {"there.parent_anchor": (0.3, 0.1, -0.2), "damper_there.damping": 0.3},
    "held": {"rod.length": 1.2, "track.k": 1.1},
    "stops": STOPPED,
    "tree stops": STOPPED,
    "tree legged": {"hip.parent_anchor": (0.25, 0.2, -0.35), "foot.friction": 0.7},
    "sphere round": {"touch.radius": 0.3, "touch.child_anchor": (0.1, 0.2, 0.25)},
}
IN_SUBSET = [(scene, "double") for scene in CHANGES] + [("tree four bar", "float"), ("four bar", "python")]


def built(scene: str, how: str) -> Simulator:
    """The simulator of a scene, one for all tests of it."""
    coordinates = "tree" if scene.startswith(TREE) else "maximal"
    return Simulator(SCENES[scene](), **HOWS[how], coordinates=coordinates)


def built_anew(simulator: Simulator) -> Simulator:
    """A simulator of its description."""
    real = "float" if simulator.engine.parameters.dtype == np.float32 else "double"
    return Simulator(simulator.mechanism, real=real, backend=simulator.backend, coordinates=simulator.coordinates)


def motion(simulator: Simulator, steps: int) -> str:
    """The hash of what it does, or why it does nothing."""
    driven = {f"{driver.name}.target" for driver in simulator.mechanism.drivers}
    inputs = {name: 0.3 + 0.1 * k for k, name in enumerate(simulator.input_names) if name not in driven}
    try:
        return simulator.simulate(steps * STEP, STEP, inputs=inputs, on_error="status").state_hash()
    except SymviError as error:
        return str(error)


def check_is_as_built_anew(variant: Simulator) -> None:
    """Its numbers, what it tells of them, and its motion, are those of a simulator of its description."""
    fresh = built_anew(variant)
    assert variant.plan.to_json() == fresh.plan.to_json() or _sorted(variant.plan) == _sorted(fresh.plan)
    assert variant.engine.parameters.tobytes() == fresh.engine.parameters.tobytes()
    steps = 4 if variant.backend == "python" else 40
    assert motion(variant, steps) == motion(fresh, steps)


def _sorted(plan) -> str:
    import json

    return json.dumps(json.loads(plan.to_json()), sort_keys=True)


@pytest.fixture
def nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> Callable[[], pytest.MonkeyPatch]:
    """Called: from then on nothing is composed, printed or compiled, until what it returns is undone."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a simulator was built")

    def begin() -> pytest.MonkeyPatch:
        for module, names in ((solver_build, ("text_of", "compile_library", "composed")), (simulators, ("composed",))):
            for name in names:
                monkeypatch.setattr(module, name, refuse)
        return monkeypatch

    return begin


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("scene", "how"), only(IN_SUBSET, [(scene, how) for scene in CHANGES for how in HOWS]))
def test_other_lengths_move_as_a_new_build_does(scene: str, how: str, nothing_is_built) -> None:
    simulator = built(scene, how)
    before = simulator.engine.parameters.copy()
    building = nothing_is_built()
    variant = simulator.with_parameters(CHANGES[scene])
    building.undo()
    assert (variant.engine.parameters != before).any()
    check_is_as_built_anew(variant)
    assert simulator.engine.parameters.tobytes() == before.tobytes()


# --- random changes ---------------------------------------------------------------------------------------------------
def random_changes(mechanism: Mechanism, random: Random) -> dict[str, object]:
    """Some numbers a little different; a few zeros come or go."""

    def other(x: float) -> float:
        if x == 0.0 or random.random() < 0.05:
            return random.uniform(-0.1, 0.1) if random.random() < 0.2 else 0.0
        return x * random.uniform(0.8, 1.2) if random.random() < 0.7 else x

    found: dict[str, object] = {}
    names = list(number_names(mechanism))
    for name in random.sample(names, min(len(names), random.choice((1, 2, 4)))):
        value = _number(mechanism, name)
        if value is not None:
            new = tuple(map(other, value)) if isinstance(value, tuple) else other(value)
            size = hypot(*new) if name.endswith("orientation") else 1.0
            found[name] = tuple(x / size for x in new) if isinstance(new, tuple) and size else new
    return found


def _number(mechanism: Mechanism, name: str):
    """What a name stands for now."""
    owner, _, field = name.partition(".")
    tables = (mechanism.bodies, mechanism.joints, mechanism.couplings, mechanism.forces, mechanism.contacts)
    found = next((e for table in (*tables, mechanism.limits) for e in table if e.name == owner), mechanism)
    for part in (field or owner).split("."):
        known = getattr(found, "parameters", {})
        found = known[part] if part in known else getattr(found, part)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", first_of(range(48), kept=3))
def test_random_changes_are_what_a_new_build_has(seed: int) -> None:
    """Or both are refused: of the rows that are kept, of zeros that come or go, of starts that cannot be closed."""
    random = Random(seed)
    simulator = built(random.choice(list(SCENES)), random.choice(list(HOWS)))
    changes = random_changes(simulator.mechanism, random)
    try:
        variant = simulator.with_parameters(changes)
    except SymviError:
        with pytest.raises(SymviError):
            changed = with_numbers(simulator.mechanism, changes)
            Simulator(changed, backend=simulator.backend, coordinates=simulator.coordinates).start()
        return
    check_is_as_built_anew(variant)


# --- loops ------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def four_bar() -> Simulator:
    return Simulator(Mechanism.from_file(demo_file("four_bar")))


@pytest.mark.parametrize("length", [0.55, 0.62, 0.7])
def test_a_loop_closes_again_where_circles_meet(four_bar: Simulator, length: float) -> None:
    """The pin of coupler and rocker lies on both circles, about the crank's end and the rocker's bearing."""
    variant = four_bar.with_parameters({"rocker_pin.child_anchor": (0, 0, length)})
    state = start_state(variant.mechanism)
    ends = {name: _end(state, name, arm) for name, arm in (("crank", 0.2), ("coupler", length), ("rocker", 0.7))}
    assert np.allclose(ends["coupler"], ends["rocker"], rtol=0, atol=1e-12)
    assert hypot(*ends["crank"]) == pytest.approx(0.2, abs=1e-12)
    assert hypot(*(ends["coupler"] - ends["crank"])) == pytest.approx(length, abs=1e-12)
    assert hypot(*(ends["rocker"] - (0.9, 0.0))) == pytest.approx(0.7, abs=1e-12)
    assert variant.simulate(0.2, STEP).closure.max() < 1e-12


def _end(state, name: str, arm: float) -> np.ndarray:
    """(2,): the end of a bar, x and z [m]."""
    w, _, y, _ = state.orientation[state.index(name)]
    return state.position[state.index(name)][[0, 2]] + arm * np.array([2 * w * y, w * w - y * y])


def test_what_cannot_close_is_told_by_name(four_bar: Simulator) -> None:
    with pytest.raises(AssemblyError, match="rocker_pin"):
        four_bar.with_parameters({"rocker_pin.child_anchor": (0, 0, 3)})
    with pytest.raises(AssemblyError, match=r"'rocker_pin' stays open by 0\.01 m"):  # beside the plane of the others
        four_bar.with_parameters({"rocker_pin.child_anchor": (0, 0.01, 0.6)})


def test_rows_that_others_imply_no_more_are_looked_at_anew() -> None:
    """Two hinges of a door, one behind the other: where the axes part, the door is held."""
    leaf = Body(name="leaf", mass=20.0, shape=Rod(length=1.0), position=(0, 0, 0))
    hinges = [Joint(name=n, type="revolute", child="leaf", parent_anchor=p, child_anchor=p, axis=(0, 0, 1))
              for n, p in (("lower", (0.1, 0.2, -0.5)), ("upper", (0.1, 0.2, 0.5)))]  # fmt: skip
    simulator = Simulator(Mechanism(name="door", bodies=[leaf], joints=hinges))
    shifted = {f"upper.{side}_anchor": (0.3, 0.2, 0.5) for side in ("parent", "child")}
    variant = simulator.with_parameters(shifted)
    assert simulator.plan.notes["mobility"] == 1 and variant.plan.notes["mobility"] == 0
    check_is_as_built_anew(variant)


def test_a_start_that_was_open_stays_as_described() -> None:
    mechanism = Mechanism.from_file(demo_file("four_bar"))
    open_at_start = with_numbers(mechanism, {"rocker_bearing.coordinate": "-36 deg"})
    variant = Simulator(open_at_start).with_parameters({"crank.mass": 0.3})
    assert start_state(variant.mechanism).position.tolist() == start_state(open_at_start).position.tolist()
    with pytest.raises(AssemblyError, match="project=True"):
        variant.simulate(0.1, STEP)
    assert variant.simulate(0.1, STEP, project=True).closure.max() < 1e-9


# --- zeros ------------------------------------------------------------------------------------------------------------
def arm(**pin: object) -> Mechanism:
    rod = Body(name="rod", mass=1.0, shape=Rod(length=1.0, position=(0.0, 0.0, -0.5)))
    joint = Joint(**{"name": "pin", "type": "revolute", "child": "rod", "axis": (0, 1, 0), "coordinate": 1.0, **pin})
    return Mechanism(name="arm", bodies=[rod], joints=[joint])


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_zeros_that_come_and_go_are_built_in(coordinates: str) -> None:
    """The text has the zeros of a planar arm as constants; out of its plane, and back, it has another one."""
    flat = Simulator(arm(), coordinates=coordinates)
    askew = flat.with_parameters({"pin.child_anchor": (0.1, 0.2, 0.3), "pin.axis": (0.6, 0.0, 0.8)})
    check_is_as_built_anew(askew)
    again = askew.with_parameters({"pin.child_anchor": (0, 0, 0), "pin.axis": (0, 1, 0)})
    assert again.mechanism == flat.mechanism and motion(again, 40) == motion(flat, 40) != motion(askew, 40)


# --- what goes with it ------------------------------------------------------------------------------------------------
def test_parameters_that_were_set_stay_set_but_for_those_that_change() -> None:
    spring = JointSpring(name="spring", joint="pin", stiffness=2.0)
    mechanism = arm().changed(forces=[spring])
    set_before = Simulator(mechanism, parameters={"rod.mass": 2.0, "spring.stiffness": 5.0})
    variant = set_before.with_parameters({"rod.shape.length": 1.5, "spring.stiffness": 3.0})
    assert variant.settings == {"rod.mass": (2.0,)}
    expected = Simulator(variant.mechanism, parameters={"rod.mass": 2.0})
    assert variant.engine.parameters.tobytes() == expected.engine.parameters.tobytes()
    assert variant.described["spring.stiffness"].value == (3.0,)


def test_it_is_pickled_asked_and_printed_as_what_it_is() -> None:
    variant = Simulator(arm(), coordinates="tree").with_parameters({"pin.child_anchor": (0, 0, 0.25)})
    copy = pickle.loads(pickle.dumps(variant))  # noqa: S301  (our own bytes)
    assert copy.mechanism == variant.mechanism and motion(copy, 20) == motion(variant, 20)
    fresh = built_anew(variant)
    assert variant.mass_matrix([0.3]) == fresh.mass_matrix([0.3]) == pytest.approx(1 / 12 + 0.75**2, rel=1e-3)
    assert variant.text is not None and variant.text.files == fresh.text.files
    inputs = {"start": variant.simulate(0.1, STEP)}
    assert variant.simulate(0.1, STEP, **inputs).state_hash() == fresh.simulate(0.1, STEP, **inputs).state_hash()
    world = variant.reset(step=STEP)
    world.step()
    assert world.state.position.tolist() == variant.simulate(STEP, STEP).state(1).position.tolist()


def test_a_variant_of_a_variant_has_both_changes() -> None:
    simulator = Simulator(arm())
    once = simulator.with_parameters({"pin.child_anchor": (0, 0, 0.1)}).with_parameters({"rod.shape.length": 2})
    both = simulator.with_parameters({"pin.child_anchor": (0, 0, 0.1), "rod.length": 2})
    assert once.mechanism == both.mechanism and motion(once, 20) == motion(both, 20)


# --- what makes no sense ----------------------------------------------------------------------------------------------
WRONG: dict[str, tuple[Mapping, str]] = {
    "element": ({"pun.axis": (0, 1, 0)}, r"no number 'pun\.axis'; did you mean 'pin\.axis'"),
    "field": ({"pin.child_ancor": (0, 0, 0)}, r"joint 'pin': no number 'child_ancor'; did you mean 'child_anchor'"),
    "text": ({"pin.type": "screw"}, r"joint 'pin': type is no number; .* change the description"),
    "whole": ({"pin": 1.0}, r"joint 'pin': no number ''"),
    "shape": ({"pin.child_anchor": (0, 0)}, r"joint 'pin': child_anchor \[0, 0\] must be 3 numbers"),
    "nan": ({"pin.child_anchor": (0, 0, nan)}, r"joint 'pin': child_anchor .* must be finite"),
    "none": ({"rod.mass": None}, r"rod\.mass: None is no number"),
    "unit": ({"pin.child_anchor": (0, 0, "3 kg")}, r"joint 'pin': child_anchor\.2 '3 kg' has the unit kg"),
    "twice": ({"rod.shape.length": 1, "rod.length": 2}, "rod.shape.length and rod.length are the same number"),
    "negative": ({"rod.shape.length": -1}, r"body 'rod': .*length -1 must be positive"),
    "other type": ({"pin.pitch": 0.1}, r"joint 'pin': pitch belongs to joints of type 'screw'"),
    "axis": ({"pin.axis": (0, 0, 0)}, r"joint 'pin': axis .* has length zero"),
    "limits": ({"stop.lower": 3}, r"limit 'stop': .*lower"),
    "name": ({3: 1.0}, r"must be a mapping from names of numbers to values"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_changes_are_named(case: str) -> None:
    changes, reason = WRONG[case]
    mechanism = arm().changed(limits=[Limit(name="stop", joint="pin", lower=-2, upper=2)])
    simulator = Simulator(mechanism, backend="python")
    with pytest.raises(MechanismError, match=reason):
        simulator.with_parameters(changes)


def test_changes_must_be_a_table() -> None:
    with pytest.raises(SymviError, match="names of numbers to values"):
        Simulator(arm(), backend="python").with_parameters([("pin.axis", (0, 1, 0))])


def test_what_follows_from_a_number_follows() -> None:
    """The inertia of a solid, its centre of mass, and the radius of a rod that has none of its own."""
    solid = Capsule(length=1.0, radius=0.1, position=(0, 0, -0.5))
    mechanism = arm().changed(bodies=[Body(name="rod", mass=1.0, shape=solid)])
    changes = {"rod.shape.length": "2 m", "rod.shape.position": (0, 0, -1), "rod.mass": "3 kg"}
    expected = Body(name="rod", mass=3.0, shape=solid.changed(length=2.0, position=(0, 0, -1)))
    assert with_numbers(mechanism, changes).bodies == (expected,)
