"""The energy guard: whether a motion gained energy that nothing has paid for.

    b = E - E0 - W     energy against what inputs, drivers, targets and wrenches gave
    r = b - min b      what it has risen by since it was lowest
    epsilon            what the order of the method leaves open: of a knot's velocities, its turning, and the change
                       of forces, of all on the bodies and of those that are paid for, which joints may balance
                       (program/account.py); the median of three knots, so that impacts do not count
    T* = max (T - r)   the largest kinetic energy that was paid for, also between recorded knots
A rise r > min(4 max epsilon, T*) has no place in a motion, but for round-off, for what is left of velocities, for what
contacts, limits and dry friction may give in every step (the complementarity that their solver leaves, impulse times
velocity), and for what energies of knots are wrong by where drivers tell their rates there.
    Constant forces and linear springs at knots change E - W by part of epsilon exactly, stable or not: T* is what tells
a motion that explodes from one that swings. A knot alone cannot tell them: where a force sets in, T* is that of the
step to come, so that it does not judge the last knot.
    A rise that stays is held against the epsilon of most knots: 12 times the largest median of fifteen, for the median
of fifteen r, so that a whip of a few knots, for which steps are too long, explains no energy that a motion keeps.
    A fall is told where nothing can have taken the energy: no dampers, contacts, limits or friction, and nothing that
works on the motion from outside. Steps that cannot follow a whip lose what it swings by, for good: f = max b - b counts
where its median of fifteen is beyond 4 times the largest such epsilon and beyond a twentieth of T*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Array = NDArray[np.float64]

SPIKE, SCATTERS = 3, 4.0  # knots of a median without impacts; smooth motions stay below 1.7 of its largest
WHIP, KEPT = 15, 12.0  # knots of a median without whips; chaotic motions with whips stay below 9 of its largest
LOST, TOLD = 4.0, 0.05  # of that; of the largest kinetic energy: regular motions come back from 0.8 of the first
CHANGE = 0.125  # of |dF dx|, what a trapezoid may leave open
NOISE = {"double": 1e-9, "float": 1e-4}  # round-off of long motions, of T + |V|
FRICTION, OTHER = "friction", "other"


@dataclass(frozen=True)
class Balance:
    """What a guard remembers of a motion when it goes on [J].

    first: the energy where it began. lowest: of b so far. scatter, usual: the largest epsilon, without impacts, without
    whips. misread: of energies of drivers' knots. paid: the largest T - r. left: what complementarity may have given.
    highest: of b so far.
    """

    first: float
    lowest: float = 0.0
    scatter: float = 0.0
    usual: float = 0.0
    misread: float = 0.0
    paid: float = 0.0
    left: float = 0.0
    highest: float = 0.0

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Balance:
        return cls(*map(float, numbers))

    @property
    def numbers(self) -> Array:
        return np.array([getattr(self, field.name) for field in fields(self)])


@dataclass(frozen=True)
class Rise:
    """Energy that nothing has paid for.

    time [s] and knot: where it was first beyond the bound. amount [J]: how far it rose in all. element: what exchanged
    most energy there, a law, or else the body that gained most.
    """

    time: float
    knot: int
    amount: float
    element: str

    @property
    def sentence(self) -> str:
        return (
            f"energy rose by {self.amount:.3g} J that nothing has paid for, from {self.time:.6g} s on, most of it at "
            f"{self.element}: take shorter steps"
        )


@dataclass(frozen=True)
class Fall:
    """Energy that nothing has taken.

    time [s] and knot: where it was first beyond the bound. amount [J]: how far it fell in all.
    """

    time: float
    knot: int
    amount: float

    @property
    def sentence(self) -> str:
        return (
            f"energy fell by {self.amount:.3g} J that nothing has taken, beyond doubt from {self.time:.6g} s on: "
            "take shorter steps"
        )


@dataclass(frozen=True)
class Watch:
    """The guard's numbers over the knots of a motion, all (N,) [J].

    balance: b. rise, bound: r and what it may be. kept, kept_bound: the same of what stays. fall, fall_bound: f that
    stays. after: for a motion that goes on.
    """

    balance: Array
    rise: Array
    bound: Array
    kept: Array
    kept_bound: Array
    fall: Array
    fall_bound: Array
    after: Balance

    @property
    def worst(self) -> float:
        """The largest rise, in units of its bound."""
        return max(_largest_ratio(self.rise, self.bound), _largest_ratio(self.kept, self.kept_bound))

    @property
    def first(self) -> int | None:
        """The knot at which a rise is beyond its bound first; None where none is."""
        with np.errstate(invalid="ignore"):
            beyond = np.flatnonzero((self.rise > self.bound) | (self.kept > self.kept_bound))
        return int(beyond[0]) if len(beyond) else None


def _largest_ratio(rise: Array, bound: Array) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmax(np.where(rise > 0.0, rise / bound, 0.0)))


def watch(trajectory: Trajectory) -> Watch:
    """The guard's numbers of a motion."""
    begin = Balance.of(trajectory.begin)
    kinetic, potential = trajectory.kinetic_energy, trajectory.potential_energy
    with np.errstate(over="ignore", invalid="ignore"):
        balance = kinetic + potential - begin.first - paid_work(trajectory)
        lowest = np.minimum(np.minimum.accumulate(balance), begin.lowest)
        highest = np.maximum(np.maximum.accumulate(balance), begin.highest)
        rise = balance - lowest
        scatter = max(begin.scatter, _epsilon(trajectory, SPIKE))
        usual = max(begin.usual, _epsilon(trajectory, WHIP))
        paid = max(begin.paid, float(np.max(np.maximum(kinetic - rise, trajectory.pace), initial=0.0)))
        misread = max(begin.misread, float(np.max(np.abs(trajectory.misread), initial=0.0)))
        each, once = trajectory.slack
        left = begin.left + each * (trajectory.time - trajectory.time[0]) / trajectory.step
        noise = NOISE[trajectory.real] * (kinetic + np.abs(potential)) + left + once
        noise += 2.0 * misread
        fall, fall_bound = _median(highest - balance, WHIP), max(LOST * usual, TOLD * paid) + noise
        bounds = (_bound(size, paid, len(kinetic)) + noise for size in (SCATTERS * scatter, KEPT * usual))
    last = float(left[-1]), float(highest[-1])
    after = Balance(begin.first, float(lowest[-1]), scatter, usual, misread, paid, *last)
    return Watch(balance, rise, next(bounds), _median(rise, WHIP), next(bounds), fall, fall_bound, after)


def _bound(size: float, paid: float, knots: int) -> Array:
    """(N,) what a rise may be; what is paid does not judge the last knot."""
    bound = np.full(knots, min(size, paid))
    bound[-1] = size
    return bound


def _epsilon(trajectory: Trajectory, knots: int) -> float:
    """The largest epsilon, as a median of so many knots."""
    changes = np.abs(trajectory.swerve) + trajectory.sway
    return float(np.max(_median(trajectory.scatter + CHANGE * changes, knots), initial=0.0))


def _median(values: Array, knots: int) -> Array:
    """Running medians of an odd number of knots; of fewer where a motion is that short."""
    knots = min(knots, (len(values) - 1) // 2 * 2 + 1)
    return np.median(sliding_window_view(np.pad(values, knots // 2, mode="edge"), knots), axis=1)


def find_rise(trajectory: Trajectory) -> Rise | None:
    """The first rise beyond its bound; None for a motion whose energy is accounted for."""
    found = watch(trajectory)
    knot = found.first
    if knot is None:
        return None
    amount = float(np.nanmax(found.rise[knot:]))
    return Rise(float(trajectory.time[knot]), knot, amount, _element(trajectory, found.rise, knot))


def find_fall(trajectory: Trajectory) -> Fall | None:
    """The first fall beyond its bound; None where there is none, and where something may have taken the energy."""
    if trajectory.loss_names or any(paid for _, paid in trajectory.work_names):
        return None
    found = watch(trajectory)
    with np.errstate(invalid="ignore"):
        beyond = np.flatnonzero(found.fall > found.fall_bound)
    if not len(beyond):
        return None
    knot = int(beyond[0])
    return Fall(float(trajectory.time[knot]), knot, float(np.nanmax(found.fall[knot:])))


def _element(trajectory: Trajectory, rise: Array, knot: int) -> str:
    """What exchanged most energy while the rise doubled; a body where no law exchanged a tenth as much."""
    first = int(np.flatnonzero(rise[: knot + 1] <= rise[knot] / 2)[-1:].sum())  # the first knot, if a motion goes on
    gained = rise[knot] - rise[first]
    flows = np.abs(trajectory.work_values[first + 1 : knot + 3]).sum(axis=0)
    if len(flows) and flows.max() >= gained / 10:
        return f"'{trajectory.work_names[int(flows.argmax())][0]}'"
    energies = body_energies(trajectory, [first, knot])
    return f"body '{trajectory.names[int(np.argmax(energies[1] - energies[0]))]}'"


def body_energies(trajectory: Trajectory, knots: Sequence[int]) -> Array:
    """(k, n) kinetic energy of every body at some knots [J]."""
    bodies = trajectory.mechanism.bodies
    mass = np.array([body.mass for body in bodies])
    tensors = np.array([_tensor(body.inertia) for body in bodies])
    v, w = trajectory.velocity[knots], trajectory.angular_velocity[knots]
    return (mass * (v * v).sum(axis=-1) + np.einsum("kni,nij,knj->kn", w, tensors, w)) / 2


def _tensor(inertia: Sequence[float]) -> list[list[float]]:
    xx, yy, zz, xy, xz, yz = inertia
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


# --- sums over the knots ----------------------------------------------------------------------------------------------
def work_by_element(trajectory: Trajectory) -> dict[str, Array]:
    """Driver, servo, actuator or wrench -> (N,) what it has given up to every knot [J]."""
    columns = [k for k, (_, paid) in enumerate(trajectory.work_names) if paid]
    late = trajectory.late_values
    # late work at a knot is settled by the step that begins there; at the last knot it is what is known of it
    settled = np.concatenate([late[1:, :, 0], late[-1:, :, 1]])
    sums = np.cumsum(trajectory.work_values, axis=0)[:, columns] + settled
    return {trajectory.work_names[k][0]: sums[:, n] for n, k in enumerate(columns)}


def paid_work(trajectory: Trajectory) -> Array:
    """(N,) what all of them have given [J]."""
    return sum(work_by_element(trajectory).values(), np.zeros(len(trajectory)))


def dissipation_by_way(trajectory: Trajectory) -> dict[str, Array]:
    """Way -> (N,) energy taken up to every knot [J]; what no way explains is `other`: of the method, and of impacts of
    joints at singular positions."""
    sums: dict[str, Array] = {}
    for (_, way), column in zip(trajectory.loss_names, np.cumsum(trajectory.spent_values, axis=0).T, strict=True):
        sums[way] = sums.get(way, np.zeros(len(trajectory))) + column
    balance = trajectory.energy_balance
    return sums | {OTHER: -balance - sum(sums.values(), np.zeros(len(trajectory)))}
