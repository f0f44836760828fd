"""What Python puts around one knot: a cart-pole, one step at a time, beside MuJoCo's mj_step called from Python.

The same cart and pole at steps of 0.02 s with a force on the cart. Both are called from the same loop in Python, taking
turns; the least of several rounds counts. Needs MuJoCo, of the extra bench.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TypeVar

from _benchmark import Report, run
from _mujoco import packages, version

from symvi import Actuator, Body, Box, Joint, Mechanism, Rod, Simulator, State, coordinates_of, state_from

Name = TypeVar("Name", bound=Hashable)
STEP = 0.02
MODEL = """
<mujoco>
  <option timestep="0.02" integrator="Euler"/>
  <worldbody>
    <body>
      <inertial mass="1" pos="0 0 0" diaginertia="0.00667 0.01667 0.01667"/>
      <joint name="slide" type="slide" axis="1 0 0"/>
      <body>
        <inertial mass="0.1" pos="0 0 0.5" diaginertia="0.00834 0.00834 0.00002"/>
        <joint type="hinge" axis="0 1 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="slide"/></actuator>
</mujoco>
"""


def cart_pole() -> Mechanism:
    """A cart of 1 kg on a rail, a pole of 0.1 kg hinged on it."""
    bodies = [
        Body(name="cart", mass=1.0, shape=Box(size=(0.4, 0.2, 0.2))),
        Body(name="pole", mass=0.1, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5))),
    ]
    joints = [
        Joint(name="slide", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="hinge", type="revolute", parent="cart", child="pole", axis=(0, 1, 0), coordinate=0.05),
    ]
    return Mechanism(name="cart", bodies=bodies, joints=joints, forces=[Actuator(name="motor", joint="slide")])


def least(works: dict[Name, tuple[Callable[[], object], int]], rounds: int) -> dict[Name, float]:
    """Microseconds of each work, the least of rounds in which all take turns; with each, how many calls a round has."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, (work, count) in works.items():
            begin = time.perf_counter()
            for _ in range(count):
                work()
            found[name] = min(found[name], 1e6 * (time.perf_counter() - begin) / count)
    return found


def measure(report: Report) -> None:
    mujoco, _ = packages()
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mechanism = cart_pole()
    simulator = Simulator(mechanism, backend="c", coordinates="maximal")
    world, state, saved = simulator.reset(step=STEP), simulator.project(), simulator.reset(step=STEP).save()
    force, start, steps = {"motor.force": 0.1}, {"slide": 0.0, "hinge": 0.05}, 20 if report.quick else 1000

    def mj_step() -> None:
        data.ctrl[0] = 0.1
        mujoco.mj_step(model, data)

    def read() -> object:
        world.step(force)
        return world.coordinates

    def read_all() -> object:
        world.step(force)
        return world.coordinates, world.rates, world.energy

    def controlled() -> None:
        simulator.simulate(steps * STEP, STEP, controller=lambda t, z: force)

    def read_by_controller(t: float, z: State) -> dict[str, float]:
        (slide,), (slide_rate,) = coordinates_of(mechanism, "slide", z)
        (hinge,), (hinge_rate,) = coordinates_of(mechanism, "hinge", z)
        return {"motor.force": 20.0 * hinge + 4.0 * hinge_rate + 0.5 * slide + slide_rate}

    def balanced() -> None:
        simulator.simulate(steps * STEP, STEP, controller=read_by_controller)

    calls = 20 if report.quick else 2000
    works = {
        "mj_step": (mj_step, calls),
        "mj_resetData": (lambda: mujoco.mj_resetData(model, data), calls),
        "world.step": (lambda: world.step(force), calls),
        "world.step, all coordinates": (read, calls),
        "world.step, coordinates, rates, energy": (read_all, calls),
        "world.reset to coordinates": (lambda: world.reset(start), calls),
        "world.reset": (world.reset, calls),
        "world.save": (world.save, calls),
        "world.restore": (lambda: world.restore(saved), calls),
        "world.copy": (world.copy, calls // 20),
        "world.state": (lambda: (world.step(force), world.state), calls // 20),
        "state_from": (lambda: state_from(mechanism, start), calls // 20),
        "coordinates_of, a joint": (lambda: coordinates_of(mechanism, "hinge", state), calls // 20),
        "simulate, a step alone": (lambda: simulator.simulate(STEP, STEP, inputs=force), calls // 20),
        "simulate, a controller, each step": (controlled, 1),
        "simulate, a controller that reads both joints, each step": (balanced, 1),
    }
    found = least(works, 2 if report.quick else 9)
    for name in found:
        if name.endswith("each step"):
            found[name] /= steps
    reference = found["mj_step"]
    rows = [(name, value, value / reference) for name, value in found.items()]
    report.note(f"beside {version()}")
    report.table("a cart-pole from Python, one knot at a time", ("call", "us", "of mj_step"), rows)
    for name, bound in (
        ("world.step", 2.5),
        ("world.step, all coordinates", 5.0),
        ("world.reset to coordinates", 6.0),
        ("simulate, a controller, each step", 5.0),
    ):
        report.at_most(f"{name}, of mj_step's time", found[name] / reference, bound)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
