"""Random mechanisms with loops, gears, forces, contacts and dry friction, moved in both coordinates.

python -m tests.tree.random_scenes 0 400      seeds from 0 on; every pair that differs is printed
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass

import numpy as np

from symvi import Contact, DryFriction, Mechanism, Simulator, SymviError, Trajectory
from symvi.mechanism import JOINT_TYPES
from tests.support.quick import compiling_quickly
from tests.support.random_mechanisms import random_mechanism

TYPES = tuple(kind for kind in JOINT_TYPES if kind != "custom")  # joints of one's own carry no bodies of a tree
TIME, STEP = 0.4, 0.005


def scene(seed: int) -> Mechanism:
    """Two to seven bodies with up to two loops; some with dry friction in a joint, some above a floor."""
    random = np.random.default_rng(10_000 + seed)
    count, loops = int(random.integers(2, 8)), int(random.integers(0, 3))
    mechanism = random_mechanism(seed, count, loops, TYPES)
    movable = [joint for joint in mechanism.joints if joint.coordinate is not None]
    if random.random() < 0.4 and movable:
        joint = movable[int(random.integers(len(movable)))]
        bound = (float(random.uniform(0.1, 3.0)),) * len(joint.coordinate or ())
        dry = DryFriction(name="dry", joint=joint.name, bound=bound)
        mechanism = mechanism.changed(forces=[*mechanism.forces, dry])
    if random.random() < 0.4:
        floor = min(body.position[2] for body in mechanism.bodies if body.position) - 0.3
        touching = [mechanism.bodies[int(k)] for k in random.integers(count, size=int(random.integers(1, 4)))]
        contacts = [
            Contact(
                name=f"contact{k}",
                child=body.name,
                radius=0.05,
                parent_anchor=(0, 0, floor),
                friction=float(random.choice([0.0, 0.5])),
            )
            for k, body in enumerate(touching)
        ]
        mechanism = mechanism.changed(contacts=contacts)
    return mechanism


@dataclass(frozen=True)
class Pair:
    """The motion in maximal coordinates and in those of joints; refused: why there is none of the latter."""

    maximal: Trajectory
    tree: Trajectory | None
    refused: str

    def apart(self) -> float:
        """How far bodies are from each other [m], infinite where one motion ends earlier."""
        if self.tree is None or len(self.tree.time) != len(self.maximal.time):
            return np.inf
        return float(np.abs(self.tree.position - self.maximal.position).max())


def pair(seed: int) -> Pair:
    """Both motions of a scene."""
    mechanism = scene(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        maximal = Simulator(mechanism, coordinates="maximal").simulate(TIME, STEP, on_error="status")
        try:
            tree = Simulator(mechanism, coordinates="tree")
        except SymviError as error:
            return Pair(maximal, None, str(error))
        return Pair(maximal, tree.simulate(TIME, STEP, on_error="status"), "")


def main(first: int, count: int) -> int:
    """Print what differs; the exit code is 1 if anything does."""
    alike = refused = 0
    with compiling_quickly():
        for seed in range(first, first + count):
            found = pair(seed)
            if found.refused:
                refused += 1
            elif found.apart() < 1e-7:
                alike += 1
            else:
                print(f"seed {seed}: {found.apart():.2g} m apart", flush=True)
    print(f"{alike} alike, {refused} refused, {count - alike - refused} that differ")
    return int(alike + refused < count)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
