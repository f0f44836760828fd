"""The bits of motions, kept: what is moved, renamed or written in other words changes no state of any mechanism.

state_hashes.json has, for every motion and precision, the hash of the solver's state at a few knots, and how the last
step went. The reproducible profile has the same bits with every compiler and in every layout, so one table serves
them all. Motions are short: a difference in one operation shows within a few steps. After a change of the numbers that
is meant, write the table anew with `python -m tests.simulate.test_state_hashes`, and say in the commit what changed it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from symvi.demos import demo_file
from symvi.mechanism import (
    JOINT_TYPES,
    Body,
    Contact,
    Coupling,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    PointSpring,
    Potential,
    Servo,
    Wrench,
)
from symvi.proofs import zoo
from symvi.simulate import Simulator
from tests.support.contact_scenes import box, corners, meeting, table
from tests.support.damped import DAMPED
from tests.support.linkages import bar_row, geared_cranks
from tests.support.loops import three_link_loop
from tests.support.quick import compiled_quickly  # noqa: F401
from tests.support.subset import only

TABLE = Path(__file__).with_name("state_hashes.json")
STEP, KNOTS = 0.01, (1, 10, 80)
REALS = ("double", "float")
DEMOS = ("double_pendulum", "four_bar", "governor", "pendulum", "slider_crank", "strandbeest")
CONES = {"none": (0.0, "second_order"), "round": (0.4, "second_order"), "linear": (0.4, "linear")}
HOW = {"papers start": {"papers_start": True}, "projected": {"project": True}}
# What the subset runs: every kind of force, of contact, of loop, and of joint elimination once.
SHORT = (
    "askew revolute", "askew spherical", "askew screw", "damped cylindrical", "stopped revolute", "pulled", "held",
    "sphere round", "gap linear", "tumbling", "geared cranks", "four bar", "slider crank", "stops",
    "tree four bar", "tree double pendulum", "tree stops",
)  # fmt: skip
# What is solved for the rates of joints too: every kind of joint that carries, laws, stops, contacts, loops.
TREE = "tree "
IN_JOINT_COORDINATES = (
    *(name.replace("_", " ") for name in DEMOS), "along spherical", "damped prismatic", "damped cylindrical",
    "damped spherical", "swinging", "stopped revolute", "stopped planar_axis", "stopped spherical", "point round",
    "sphere round", "bar row", "tumbling", "stops", "legged", "table", "geared cranks", "three link loop",
    "papers start",
)  # fmt: skip


def askew(joint_type: str) -> Mechanism:
    """The zoo's chain with every law of a joint, and a gear that fits at the start."""
    chain = zoo.askew(joint_type)
    return chain.changed(couplings=[gear.changed(offset=0.0) for gear in chain.couplings])


def pulled() -> Mechanism:
    """Two free bodies with everything that pulls at bodies: springs between points, wrenches, a user's own energy."""
    energy = "k*((x_b[0] - x_a[0])**2 + R_b[1, 2]*x_a[1] + q_a[1]*q_b[2])"
    return Mechanism(
        name="pulled",
        bodies=[zoo.body("first").changed(position=(0.1, 0.2, 0.3)), zoo.body("second").changed(position=(1, 0.5, -1))],
        forces=[
            PointSpring(name="wire", child="first", parent_anchor=(1, 2, 0.5), stiffness=4, length=0.5),
            PointSpring(name="band", parent="first", child="second", child_anchor=(0, 0.3, 0), stiffness=9, length=0.4,
                        damping=0.7),
            Wrench(name="wind", body="first", point=(0.3, 0, 0.4)),
            Wrench(name="jet", body="second", point=(0.3, 0.2, 0.4), frame="body"),
            Potential(name="bond", parent="first", child="second", expression=energy, parameters={"k": 3.0}),
        ],
    )  # fmt: skip


def held() -> Mechanism:
    """Rows of a user, a rod of constant length, and a point mass that its joint's rows keep from turning."""
    rows = ["x_b[0] - 0.2*R_b[1, 2]", "(x_b[1]/5)**2 + (x_b[2]/2)**2 - k"]
    return Mechanism(
        name="held",
        bodies=[
            Body(name="bead", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(0, 0, 2), velocity=(0, 2, 0)),
            Body(name="bob", mass=0.5, inertia=(0.01, 0.02, 0.015), position=(0.5, 0, 1)),
            Body(name="weight", mass=0.7, inertia=(0, 0, 0)),
        ],
        joints=[
            Joint(name="track", type="custom", child="bead", expressions=rows, parameters={"k": 1.0}),
            Joint(name="rod", type="distance", parent="bead", child="bob", length=1.25**0.5),
            Joint(name="arm", type="revolute", parent="bob", child="weight", axis=(0, 1, 0), child_anchor=(0.3, 0, 0)),
        ],
    )


def tumbling() -> Mechanism:
    """A turning cube that lands with its lower corners on a rough plane."""
    cube = box(
        position=(0, 0, 0.5), orientation=(0.9, 0.3, 0.1, 0.3), velocity=(1, 0.5, -2), angular_velocity=(1, 2, 3)
    )
    return Mechanism(name="tumbling", bodies=[cube], contacts=corners("c", "box", friction=0.5))


def stops() -> Mechanism:
    """A swinging arm that runs into both its stops, with dry friction, a damper, a servo, and the floor."""
    return Mechanism(
        name="stops",
        bodies=[zoo.body("upper"), zoo.body("lower")],
        joints=[
            Joint(name="hinge", type="revolute", child="upper", axis=(0.6, 0.8, 0), child_anchor=(0, 0, 0.5)),
            Joint(name="tube", type="cylindrical", parent="upper", child="lower", velocity=(-2, 4)),
        ],
        limits=[
            Limit(name="both", joint="hinge", lower=-0.05, upper=0.06),
            Limit(name="bottom", joint="tube", lower=-0.04),
            Limit(name="turned", joint="tube", coordinate=1, upper=0.1),
        ],
        forces=[
            DryFriction(name="bearing", joint="hinge", bound=0.3),
            DryFriction(name="sleeve", joint="tube", bound=(0.4, 0.6)),
            JointDamper(name="damper", joint="tube", damping=(0.2, 0.3)),
            Servo(name="servo", joint="hinge", stiffness=5.0, damping=0.6),
        ],
        contacts=[Contact(name="touch", child="lower", parent_anchor=(0, 0, -0.7), friction=0.3, cone="linear")],
    )  # fmt: skip


def legged() -> Mechanism:
    """A free trunk with a leg on rough ground: contacts, dampers and joints in one tree, and a gear between hinges."""
    tree = next(m for m, _ in zoo.zoo() if m.name == "walking")
    trunk = tree.bodies[0].changed(position=(0, 0, 1.5), velocity=(0.3, 0, -1))
    gear = Coupling(name="gear", joints=("hip", "collar"), ratio=-2.0)
    return tree.changed(bodies=[trunk, *tree.bodies[1:]], couplings=[gear])


def scenes() -> Iterator[tuple[str, Callable[[], Mechanism]]]:
    """Every motion of the table by its name."""
    for name in DEMOS:
        yield name.replace("_", " "), lambda name=name: Mechanism.from_file(demo_file(name))
    for joint_type in JOINT_TYPES:
        if joint_type not in ("distance", "custom"):  # they are among the held
            yield f"askew {joint_type}", partial(askew, joint_type)
    for joint_type in ("prismatic", "cylindrical", "spherical"):
        yield f"along {joint_type}", partial(zoo.along_axes, joint_type, zoo.ALONG[2])
        yield f"damped {joint_type}", partial(zoo.damped_tree, joint_type)
    yield "both ways", zoo.both_ways
    yield "swinging", partial(zoo.swinging, "swinging", "screw")
    for joint_type in ("prismatic", "revolute", "planar_axis", "spherical"):
        yield f"stopped {joint_type}", partial(_of_zoo, f"stopped_{joint_type}")
    for kind in ("point", "ball", "sphere", "gap"):
        for cone, (friction, shape) in CONES.items():
            yield f"{kind} {cone}", partial(meeting, kind, friction, shape)
    for name, make in DAMPED.items():
        yield f"damped {name}", make
    yield "bar row", partial(bar_row, 2, 1.0)
    for make in (pulled, held, tumbling, stops, legged, table, geared_cranks, three_link_loop):
        yield make.__name__.replace("_", " "), make
    yield "papers start", DAMPED["arm"]
    yield "projected", partial(zoo.askew, "screw")  # its gear does not fit at the start


def _in_joint_coordinates(names: Iterable[str]) -> Iterator[tuple[str, Callable[[], Mechanism]]]:
    found = dict(scenes())
    for name in names:
        yield TREE + name, found[name]


def _of_zoo(name: str) -> Mechanism:
    return next(mechanism for mechanism, _ in zoo.zoo() if mechanism.name == name)


SCENES = {**dict(scenes()), **dict(_in_joint_coordinates(IN_JOINT_COORDINATES))}


def motion(name: str, real: str) -> dict[str, object]:
    """Hashes of the state at the knots of the table; iterations and status of the step to the last one."""
    mechanism = SCENES[name]()
    coordinates = "tree" if name.startswith(TREE) else "maximal"
    simulator = Simulator(mechanism, real=real, backend="c", coordinates=coordinates)
    driven = {f"{driver.name}.target" for driver in mechanism.drivers}
    # constant inputs: sines of signals would bring the bits of a C library in
    inputs = {own: 0.3 + 0.1 * k for k, own in enumerate(simulator.input_names) if own not in driven}
    hashes = {}
    for steps in KNOTS:
        how = {"inputs": inputs, "every": steps, "on_error": "status", **HOW.get(name.removeprefix(TREE), {})}
        run = simulator.simulate(steps * STEP, STEP, **how)
        hashes[str(steps)] = run.state_hash()
    return {**hashes, "iterations": int(run.iterations[-1]), "status": int(run.status[-1])}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", only(SHORT, SCENES))
def test_states_are_the_kept_ones(name: str) -> None:
    kept = json.loads(TABLE.read_text(encoding="utf-8"))[name]
    for real in REALS:
        assert motion(name, real) == kept[real], f"{name} in {real} moves in other bits than before"


def test_the_table_has_every_joint_and_every_way_to_move() -> None:
    mechanisms = [make() for make in SCENES.values()]
    assert {joint.type for m in mechanisms for joint in m.joints} == set(JOINT_TYPES)
    kept = json.loads(TABLE.read_text(encoding="utf-8"))
    assert set(kept) == set(SCENES)


def main() -> None:
    """Write the table anew."""
    import warnings

    warnings.simplefilter("ignore")
    kept = {}
    for name in SCENES:
        kept[name] = {real: motion(name, real) for real in REALS}
        print(name, *(f"{real}: status {m['status']}, {m['iterations']} iterations" for real, m in kept[name].items()))
    TABLE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
