"""The energy guard: whether a motion gained energy that nothing has paid for.

    b = E - E0 - W     energy against what inputs, drivers, targets and wrenches gave
    b + 3/4 D          the same, and what dampers, dry friction, limits and contacts have taken of it
    r = b - min b      what a ledger, either of these, has risen by since it was lowest
    epsilon            what the order of the method leaves open: of a knot's velocities, its turning, and the change
                       of forces, of all on the bodies and of those that are paid for, which joints may balance
                       (kernels/account.py); the median of three knots, so that impacts do not count
    T* = max (T - r)   the largest kinetic energy that was paid for, also between recorded knots
A rise r > min(4 max epsilon, T*) has no place in a motion, but for round-off (of the largest terms of E, which may
cancel each other: m |g| |x| of every body), for what is left of velocities and so of places, for what contacts, limits
and dry friction may give in every step (the complementarity that their solver leaves, impulse times velocity), and for
what energies of knots are wrong by where drivers tell their rates there.
    All maxima and minima are of the knots so far, so that no later one forgives a rise; T* is of some knots to come
too, for where motion sets in it is below all errors. What nobody paid for cannot raise it, as r is no part of it.
    Constant forces and linear springs at knots change E - W by part of epsilon exactly, stable or not: T* is what tells
a motion that explodes from one that swings.
    A rise that stays is held against the epsilon of most knots, and a third of T*: 12 times the largest median of
fifteen, for medians of fifteen b, so that a whip of a few knots, for which steps are too long, explains no energy that
a motion keeps.
    An instability that a damper eats raises b + D, not b. D is d times the square of a step's mean rate, of second
order while h d < m; beyond, far more is lost than it counts, which lowers b + D. So three quarters of it, and bounds
half as large again and without T*, leave its errors room: what is eaten for ever raises b + 3/4 D for ever. A part of
D that falls, as none should, tells more of them: rolling has work of either sign within the order.
    A fall is told where nothing can have taken the energy: no dampers, contacts, limits or friction, and nothing that
works on the motion from outside. Steps that cannot follow a whip lose what it swings by, for good: f = max b - b counts
where its median of fifteen is beyond 4 times the largest such epsilon and beyond a twentieth of T*.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from symvi.simulate.run_parameters import mass_of

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Array = NDArray[np.float64]

SPIKE, SCATTERS = 3, 4.0  # knots of a median without impacts; smooth motions stay below 1.7 of its largest
AHEAD = 7  # steps: T* of so many to come, for where motion sets in it is below all errors
WHIP, KEPT = 15, 12.0  # knots of a median without whips; chaotic motions with whips stay below 9 of its largest
TAKEN = 0.75  # of what was taken, whose account is of second order
FALLS = 2.0  # times what sums that cannot fall did fall by
STAYS = 1 / 3  # of T*, that may stay; sound motions stay below 0.13 of it
LOST, TOLD = 4.0, 0.05  # of the usual epsilon; of T*: regular motions come back from 0.8 of the first
MORE = 0.5  # of what the energy may be wrong by, for what was taken
CHANGE = 0.125  # of |dF dx|, what a trapezoid may leave open
NOISE = {"double": 1e-9, "float": 1e-4}  # round-off of long motions, of T + |V| and what V is summed from
FRICTION, OTHER = "friction", "other"
DAMPERS = "dampers"  # what the account calls the way in which they take energy (program/acting.py)


@dataclass(frozen=True)
class Balance:
    """What a guard remembers of a motion when it goes on [J]; pairs are of both ledgers.

    first: the energy where it began. lowest, lowest_kept, paid: so far: of the ledger, of its medians, and T*. scatter,
    usual: the largest epsilon, without impacts, without whips. misread: of energies of drivers' knots. left: what
    complementarity may have given. fallen: what the account of what was taken is wrong by. pending: r less noise at the
    last AHEAD knots, whose T* is not known. alarm: a Rise in numbers: since when [s], infinite where there was none;
    how far; in which ledger; which element of _elements; which sentence of law_jumps. highest: of b so far.
    """

    first: float
    lowest: tuple[float, float] = (math.inf, math.inf)
    lowest_kept: tuple[float, float] = (math.inf, math.inf)
    paid: tuple[float, float] = (0.0, 0.0)
    scatter: float = 0.0
    usual: float = 0.0
    misread: float = 0.0
    left: float = 0.0
    fallen: float = 0.0
    highest: float = -math.inf
    pending: tuple[tuple[float, ...], ...] = ((-math.inf,) * AHEAD,) * 2
    alarm: tuple[float, ...] = (math.inf, 0.0, 0.0, 0.0, 0.0)

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Balance:
        first, *rest = (float(number) for number in numbers)
        lowest, lowest_kept, paid = zip(rest[0:6:2], rest[1:6:2], strict=True)
        scatter, usual, misread, left, fallen, highest = rest[6:12]
        pending = tuple(rest[12 : 12 + AHEAD]), tuple(rest[12 + AHEAD : 12 + 2 * AHEAD])
        alarm = tuple(rest[12 + 2 * AHEAD :])
        return cls(first, lowest, lowest_kept, paid, scatter, usual, misread, left, fallen, highest, pending, alarm)

    @property
    def numbers(self) -> Array:
        values = [getattr(self, item.name) for item in fields(self)]
        parts = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
        return np.array([x for part in parts for x in (part if isinstance(part, tuple) else (part,))], float)


REMEMBERED = len(Balance(0.0).numbers)


@dataclass(frozen=True)
class Rise:
    """Energy that nothing has paid for.

    time [s] and knot: where it was first beyond the bound; of a motion that goes on perhaps before its first knot, 0.
    amount [J]: how far it rose in all; with what was taken, if `taken`, at least. element: what exchanged most energy
    there, a law, or else the body that gained most. jump: what no step is short enough for, if it was that.
    """

    time: float
    knot: int
    amount: float
    element: str
    taken: bool = False
    jump: str = ""

    @property
    def sentence(self) -> str:
        what = "energy and what was taken of it rose by at least" if self.taken else "energy rose by"
        return (
            f"{what} {self.amount:.3g} J that nothing has paid for, from {self.time:.6g} s on, most of it at "
            f"{self.element}: {self.jump or 'take shorter steps'}"
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
    """The guard's numbers over the knots of a motion [J].

    balance (N,): b. rise, bound (2, N): r of both ledgers, and what it may be; kept, kept_bound: the same of what
    stays; bounds are infinite where knots to come may still raise them. alarm: the first rise beyond a bound. fall: the
    first lasting fall that nothing has taken. after: for a motion that goes on.
    """

    balance: Array
    rise: Array
    bound: Array
    kept: Array
    kept_bound: Array
    alarm: Rise | None
    fall: Fall | None
    after: Balance

    @property
    def worst(self) -> float:
        """The largest rise, in units of its bound."""
        return max(_largest_ratio(self.rise, self.bound), _largest_ratio(self.kept, self.kept_bound))


def _largest_ratio(rise: Array, bound: Array) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmax(np.where(rise > 0.0, rise / bound, 0.0)))


def balance_of(trajectory: Trajectory) -> Array:
    """(N,) b [J]."""
    with np.errstate(over="ignore", invalid="ignore"):
        energy = trajectory.kinetic_energy + trajectory.potential_energy
        return energy - Balance.of(trajectory.begin).first - paid_work(trajectory)


def watch(trajectory: Trajectory) -> Watch:
    """The guard's numbers of a motion."""
    begin, balance = Balance.of(trajectory.begin), balance_of(trajectory)
    kinetic, potential = trajectory.kinetic_energy, trajectory.potential_energy
    with np.errstate(over="ignore", invalid="ignore"):
        spent, share = taken(trajectory), np.array([[0.0], [TAKEN]])
        ledgers = balance + share * spent
        # half of the impulses at a knot have acted there, but what they take is that of the step from there
        lows = balance + share * _with_next(spent[None])
        lowest = _so_far(np.minimum, lows, begin.lowest)
        rise = np.maximum(ledgers - lowest, 0.0)
        fastest = np.maximum(kinetic, trajectory.pace)
        cash = fastest - rise
        cash[:, -1] = fastest[-1]  # what the last knot has risen by is not settled
        cash[1] = np.inf  # stiff dampers of a motion that begins take more than its T*, by the order of their account
        paid = _so_far(np.maximum, cash, begin.paid)
        epsilon = _epsilon(trajectory)[None]
        (highest,) = _so_far(np.maximum, balance[None], [begin.highest])
        smooth = _median(np.concatenate([epsilon, lows, ledgers, (highest - balance)[None]]), WHIP)
        (scatter,) = _so_far(np.maximum, _median(epsilon, SPIKE), [begin.scatter])
        (usual,) = _so_far(np.maximum, smooth[:1], [begin.usual])
        (misread,) = _so_far(np.maximum, _with_next(np.abs(trajectory.misread)[None]), [begin.misread])
        each, once = trajectory.slack
        left = begin.left + each * (trajectory.time - trajectory.time[0]) / trajectory.step
        terms = kinetic + np.abs(potential) + _weighed(trajectory)
        noise = NOISE[trajectory.real] * terms + left + once + 2.0 * misread
        (fallen,) = _so_far(np.maximum, _with_next(_fallen(trajectory)[None]), [begin.fallen])
        noise = noise + FALLS * np.sign(share) * fallen
        ahead = -(-AHEAD // _every(trajectory))
        coming = np.hstack([paid[:, ahead:], np.full((2, min(ahead, len(kinetic))), np.inf)])
        more = 1.0 + MORE * np.sign(share)
        bound = np.minimum(SCATTERS * more * scatter, coming) + noise
        kept_bound = np.minimum(KEPT * more * usual, STAYS * coming) + noise
        bound[:, -(SPIKE // 2) :] = kept_bound[:, -(WHIP // 2) :] = np.inf  # not all is known there
        pending = np.hstack([begin.pending, rise - noise])
        late = pending[:, : len(kinetic)] > paid  # of knots before, and of those that bound has, too
        lowest_kept = _so_far(np.minimum, smooth[1:3], begin.lowest_kept)
        kept = np.maximum(smooth[3:5] - lowest_kept, 0.0)
        fallen_by = smooth[5] - noise[0]
        fall = _fall(trajectory, fallen_by, max(LOST * usual[-1], TOLD * paid[0, -1]))
    beyond = (rise > bound) | (kept > kept_bound)
    beyond[:, 0] |= late[:, :AHEAD].any(axis=1)
    alarm = _alarm(trajectory, rise, beyond, begin)
    settled = max(len(kinetic) - 2, 0)  # the last knot is judged by what goes on
    after = Balance(
        begin.first,
        tuple(lowest[:, settled]),
        tuple(lowest_kept[:, -1]),
        tuple(paid[:, settled]),
        float(scatter[-1]),
        float(usual[-1]),
        float(misread[-1]),
        float(left[-1]),
        float(fallen[settled]),
        float(highest[-1]),
        tuple(map(tuple, pending[:, len(kinetic) - 1 : len(kinetic) - 1 + AHEAD])),
        begin.alarm if alarm is None else _in_numbers(trajectory, alarm),
    )
    return Watch(balance, rise, bound, kept, kept_bound, alarm, fall, after)


def _every(trajectory: Trajectory) -> int:
    """How many steps lie between two recorded knots."""
    return max(round((trajectory.time[1] - trajectory.time[0]) / trajectory.step), 1) if len(trajectory) > 1 else 1


def _so_far(which: np.ufunc, values: Array, before: Sequence[float]) -> Array:
    """(m, N) running extremes of every row, and of what was before."""
    return which(which.accumulate(values, axis=1), np.array(before)[:, None])


def _with_next(values: Array) -> Array:
    """(m, N) every knot's value or the next one's, whichever is larger."""
    found = values.copy()
    np.maximum(values[:, :-1], values[:, 1:], out=found[:, :-1])
    return found


def _weighed(trajectory: Trajectory) -> Array:
    """(N,) the sum of m |g| (|x| + |c|) of all bodies, x of their frames, c of their centres in these [J].

    The potential of gravity, the sum of -m g·(x + R c), is as uncertain as these are, also where it vanishes.
    """
    mechanism, settings = trajectory.mechanism, trajectory.settings
    masses = np.array([mass_of(body, settings) for body in mechanism.bodies])
    centers = np.array([math.hypot(*body.center_of_mass) for body in mechanism.bodies])
    weight = math.hypot(*settings.get("common.gravity", mechanism.gravity)) * masses
    return (np.linalg.norm(trajectory.position, axis=2) + centers) @ weight


def _epsilon(trajectory: Trajectory) -> Array:
    """(N,) what the order of the method leaves open of the energies of knots."""
    return trajectory.scatter + CHANGE * (np.abs(trajectory.swerve) + trajectory.sway)


def _median(values: Array, knots: int) -> Array:
    """(m, N) running medians of every row, of an odd number of knots; NaN where one of these is.

    np.median is the same, and loads all of masked arrays.
    """
    ends = np.repeat(values[:, :1], knots // 2, axis=1), np.repeat(values[:, -1:], knots // 2, axis=1)
    windows = sliding_window_view(np.concatenate([ends[0], values, ends[1]], axis=1), knots, axis=1)
    middle = np.partition(windows, knots // 2, axis=2)[..., knots // 2]
    return np.where(np.isnan(windows).any(axis=2), np.nan, middle)


def _alarm(trajectory: Trajectory, rise: Array, beyond: Array, begin: Balance) -> Rise | None:
    """The first rise beyond its bound, or the one that the motion goes on from."""
    since, risen, ledger, element, jump = begin.alarm
    if since < math.inf:
        from symvi.simulate.law_jumps import sentences

        amount = max(risen, float(np.nanmax(rise[int(ledger)])))
        return Rise(
            since,
            0,
            amount,
            _elements(trajectory)[int(element)],
            bool(ledger),
            sentences(trajectory.mechanism)[int(jump)],
        )
    knots = np.flatnonzero(beyond.any(axis=0))
    if not len(knots):
        return None
    knot = int(knots[0])
    ledger = int(not beyond[0, knot])
    amount = float(np.nanmax(rise[ledger, knot:]))
    element = _element(trajectory, rise[ledger], knot)
    jump = ""
    if all(one.time > trajectory.time[knot] for one in trajectory.too_stiff):
        from symvi.simulate.law_jumps import jump_of

        jump = jump_of(trajectory, max(min(_onset(rise[ledger], knot), knot - WHIP), 0), knot + WHIP // 2)
    return Rise(float(trajectory.time[knot]), knot, amount, element, bool(ledger), jump)


def _fall(trajectory: Trajectory, fallen_by: Array, bound: float) -> Fall | None:
    """The first fall beyond a bound; None also where something may have taken the energy."""
    if trajectory.loss_names or any(paid for _, paid in trajectory.work_names):
        return None
    beyond = np.flatnonzero(fallen_by > bound)
    if not len(beyond):
        return None
    knot = int(beyond[0])
    return Fall(float(trajectory.time[knot]), knot, float(np.nanmax(fallen_by[knot:])))


def _in_numbers(trajectory: Trajectory, rise: Rise) -> tuple[float, ...]:
    """As Balance.alarm."""
    from symvi.simulate.law_jumps import sentences

    element, jump = _elements(trajectory).index(rise.element), sentences(trajectory.mechanism).index(rise.jump)
    return rise.time, rise.amount, float(rise.taken), float(element), float(jump)


def _elements(trajectory: Trajectory) -> list[str]:
    """What an alarm may name."""
    laws, bodies = (name for name, _ in trajectory.work_names), trajectory.names
    return [f"'{name}'" for name in laws] + [f"body '{name}'" for name in bodies]


def _onset(rise: Array, knot: int) -> int:
    """The last knot at which it was half as large; the first one, if a motion goes on."""
    return int(np.flatnonzero(rise[: knot + 1] <= rise[knot] / 2)[-1:].sum())


def _element(trajectory: Trajectory, rise: Array, knot: int) -> str:
    """What exchanged most energy while the rise doubled; a body where no law exchanged a tenth as much."""
    first = _onset(rise, knot)
    gained = rise[knot] - rise[first]
    flows = np.abs(trajectory.work_values[first + 1 : knot + 3]).sum(axis=0)
    names = _elements(trajectory)
    if len(flows) and flows.max() >= gained / 10:
        return names[int(flows.argmax())]
    energies = body_energies(trajectory, [first, knot])
    return names[len(flows) + int(np.argmax(energies[1] - energies[0]))]


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
def work_by_law(trajectory: Trajectory) -> dict[str, Array]:
    """Spring, damper or potential -> (N,) what it has given up to every knot [J]: springs what they store no more, less
    what dampers have taken."""
    names = [name for name, paid in trajectory.work_names if not paid]
    columns = [k for k, (_, paid) in enumerate(trajectory.work_names) if not paid]
    found = dict(zip(names, np.cumsum(trajectory.work_values[:, columns], axis=0).T, strict=True))
    taken = np.cumsum(trajectory.spent_values, axis=0).T
    for (name, way), column in zip(trajectory.loss_names, taken, strict=True):
        if way == DAMPERS:
            found[name] = found.get(name, 0.0) - column
    return found


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


def taken(trajectory: Trajectory) -> Array:
    """(N,) what dampers, dry friction, limits and contacts have taken [J]."""
    return np.cumsum(trajectory.spent_values, axis=0).sum(axis=1)


def _fallen(trajectory: Trajectory) -> Array:
    """(N,) what all that was taken has fallen by since it was largest [J]: it must not, but rolling has work of either
    sign within the order, and complementarity is left."""
    sums = np.cumsum(trajectory.spent_values, axis=0)
    return (np.maximum.accumulate(sums) - sums).sum(axis=1)


def ways_of(trajectory: Trajectory) -> list[str]:
    """What energy is taken by."""
    return list(dict.fromkeys([*(way for _, way in trajectory.loss_names), OTHER]))


def dissipation_by_way(trajectory: Trajectory) -> dict[str, Array]:
    """Way -> (N,) energy taken up to every knot [J]; what no way explains is `other`: of the method, and of impacts of
    joints at singular positions."""
    sums: dict[str, Array] = {}
    for (_, way), column in zip(trajectory.loss_names, np.cumsum(trajectory.spent_values, axis=0).T, strict=True):
        sums[way] = sums.get(way, np.zeros(len(trajectory))) + column
    balance = trajectory.energy_balance
    return sums | {OTHER: -balance - sum(sums.values(), np.zeros(len(trajectory)))}
