"""Motions in closed form, as values with a trajectory's attributes: what the page and the plots are tested on.

Nothing here is simulated, so that these tests need neither a solver nor a compiler.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.special import ellipj, ellipk

from symvi.mechanism import Body, Box, Capsule, Joint, Mechanism

GRAVITY = 9.81

# Jansen's thirteen numbers, as lengths in units of a tenth of a metre: a 38 becomes 0.38 m.
JANSEN = {name: value / 100 for name, value in zip(
    "abcdefghijklm", (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15), strict=True
)}  # fmt: skip


def pendulum(count: int = 601, step: float = 0.01) -> SimpleNamespace:
    """A rod of 1 m that swings about y by 2 rad; its angle is 2 asin(k sn(w t + K)) with k = sin 1."""
    length, amplitude = 1.0, 2.0
    shape = Capsule(radius=0.04, length=length, position=(0, 0, -length / 2))
    rod = Body(name="rod", mass=1.0, shape=shape)
    pivot = Joint(name="pivot", type="revolute", child="rod", axis=(0, 1, 0))
    mechanism = Mechanism(name="pendulum", bodies=(rod,), joints=(pivot,), description="One rod on a pin.")
    inertia = rod.inertia[1] + rod.mass * length**2 / 4
    rate = np.sqrt(rod.mass * GRAVITY * length / 2 / inertia)
    time = step * np.arange(count)
    k = np.sin(amplitude / 2)
    sn, cn, _, _ = ellipj(rate * time + ellipk(k * k), k * k)
    angle, speed = 2 * np.arcsin(k * sn), 2 * k * rate * cn
    kinetic = inertia * speed**2 / 2
    potential = -rod.mass * GRAVITY * length / 2 * np.cos(angle)
    position = np.zeros((count, 1, 3))
    return _trajectory(mechanism, time, position, _turned_about_y(angle)[:, None], kinetic, potential)


def strandbeest_leg(count: int = 721, turns: float = 3.0, shapes: bool = False) -> SimpleNamespace:
    """Jansen's leg, its crank turning evenly; seven bodies in the x-z plane, placed by circles that meet."""
    p = JANSEN
    angle = np.linspace(0.0, 2 * np.pi * turns, count)
    at = {"O": np.zeros(count, complex), "A": np.full(count, -p["a"] - 1j * p["l"])}
    at["P"] = p["m"] * np.exp(-1j * angle)
    at["B"] = _meet(at["P"], p["j"], at["A"], p["b"])
    at["D"] = _meet(at["A"], p["c"], at["P"], p["k"])
    at["C"] = _meet(at["B"], p["e"], at["A"], p["d"])
    at["F"] = _meet(at["C"], p["f"], at["D"], p["g"])
    at["G"] = _meet(at["F"], p["h"], at["D"], p["i"])
    links = {"crank": "OP", "upper_rod": "PB", "lower_rod": "PD", "triangle": "ABC", "rocker": "AD", "shank": "CF",
             "foot": "FDG"}  # fmt: skip
    pins = (("world", "crank", "O"), ("world", "triangle", "A"), ("world", "rocker", "A"), ("crank", "upper_rod", "P"),
            ("crank", "lower_rod", "P"), ("upper_rod", "triangle", "B"), ("lower_rod", "rocker", "D"),
            ("rocker", "foot", "D"), ("triangle", "shank", "C"), ("shank", "foot", "F"))  # fmt: skip
    direction = {name: np.unwrap(np.angle(at[ends[1]] - at[ends[0]])) for name, ends in links.items()}
    local = {
        (name, end): _point((at[end][0] - at[ends[0]][0]) * np.exp(-1j * direction[name][0]))
        for name, ends in links.items()
        for end in ends
    }
    bodies = [
        Body(name=name, mass=1.0, inertia=(0.01, 0.02, 0.01), shape=Box(size=(0.3, 0.03, 0.03)) if shapes else None,
             center_of_mass=tuple(np.mean([local[name, end] for end in ends], axis=0)))
        for name, ends in links.items()
    ]  # fmt: skip
    joints = [
        Joint(name=f"{parent}_{child}_{end}", type="revolute", parent=parent, child=child, axis=(0, 1, 0),
              parent_anchor=_point(at[end][0]) if parent == "world" else local[parent, end],
              child_anchor=local[child, end])
        for parent, child, end in pins
    ]  # fmt: skip
    mechanism = Mechanism(name="strandbeest_leg", bodies=bodies, joints=joints, description="Jansen's leg.")
    position = np.array([[_point(at[ends[0]][k]) for ends in links.values()] for k in range(count)])
    orientation = np.stack([_turned_about_y(-direction[name]) for name in links], axis=1)
    time = np.linspace(0.0, 2.0 * turns, count)
    kinetic = 1.5 + 0.5 * np.sin(angle) ** 2
    return _trajectory(mechanism, time, position, orientation, kinetic, 4.0 + 0.3 * np.cos(angle))


def thrown_top(count: int = 401, shape: Box | None = None) -> SimpleNamespace:
    """A symmetric body thrown up: its axis goes around the angular momentum, the body around its axis, both evenly."""
    inertia = (0.02, 0.02, 0.006)
    body = Body(name="top", mass=2.0, inertia=inertia, shape=shape)
    mechanism = Mechanism(name="thrown_top", bodies=(body,), joints=())
    time = np.linspace(0.0, 1.6, count)
    start, tilt, precession = np.array([0.6, 0.2, 8.0]), 0.7, 9.0
    position = start * time[:, None] + np.array([0.0, 0.0, -GRAVITY / 2]) * time[:, None] ** 2
    spin = precession * np.cos(tilt) * (inertia[0] - inertia[2]) / inertia[2]
    turn = _multiply(_about(2, precession * time), _multiply(_about(0, tilt + 0 * time), _about(2, spin * time)))
    velocity = start + np.array([0.0, 0.0, -GRAVITY]) * time[:, None]
    spinning = 0.5 * precession**2 * (inertia[0] * np.sin(tilt) ** 2 + inertia[0] ** 2 / inertia[2] * np.cos(tilt) ** 2)
    kinetic = 0.5 * body.mass * np.sum(velocity**2, axis=1) + spinning
    potential = body.mass * GRAVITY * position[:, 2]
    return _trajectory(mechanism, time, position[:, None], turn[:, None], kinetic, potential)


def _trajectory(mechanism, time, position, orientation, kinetic, potential) -> SimpleNamespace:
    count = len(time)
    noise = np.random.default_rng(1).uniform(-1.0, 1.0, count)
    return SimpleNamespace(
        mechanism=mechanism,
        time=time,
        position=position,
        orientation=orientation,
        kinetic_energy=kinetic,
        potential_energy=potential,
        energy=kinetic + potential,
        closure=1e-15 * 10**noise,
        iterations=np.where(np.arange(count) == 0, 0, 2 + (noise > 0.6)),
        status=np.zeros(count, int),
    )


def _meet(first, first_radius, second, second_radius):
    """The point at these distances from two others, on the right of the way from the first to the second."""
    gap = second - first
    length = np.abs(gap)
    along = (first_radius**2 - second_radius**2 + length**2) / (2 * length)
    aside = np.sqrt(first_radius**2 - along**2)
    return first + gap / length * (along - 1j * aside)


def _point(z: complex) -> tuple[float, float, float]:
    return (float(z.real), 0.0, float(z.imag))


def _about(axis: int, angle: np.ndarray) -> np.ndarray:
    quaternion = np.zeros((len(angle), 4))
    quaternion[:, 0], quaternion[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quaternion


def _turned_about_y(angle: np.ndarray) -> np.ndarray:
    return _about(1, angle)


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    scalar = p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=1, keepdims=True)
    return np.hstack([scalar, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])
