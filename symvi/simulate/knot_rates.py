"""Rates at knots that dampers hide: where the velocities of a knot are far from those of the steps around it.

A knot's velocity has half of what springs, dampers and servos do in the step from there. Where d, the damping along a
coordinate, and h are such that h d is far more than the mass m along it, that half is a small difference of large
impulses: while a spring or a servo pulls such a coordinate with k to and fro, its rate misses the mean rate of both
steps by (h/4) (phi+ - phi-)/m, h² k/(4 m) of it, however well the steps resolve k/d and positions are right.

So the rate of every damped coordinate, at every knot, is held against the mean rates of the steps before and after it,
by differences of positions: of a motion that steps resolve it lies between them, in an impact too, or where the steps
on one side lead. What lies outside of that by more than TOLD of the largest mean rate, or of the rate at the start, is
misread, if that is the dampers' doing,

    y = h e·D e >= e·M e,      e: what the velocities of all bodies miss of the mean of both steps.

Undamped springs, which keep energies in velocities of knots, have y = 0. Not looked at: the first and last knot; the
knot where a contact, a limit or dry friction strikes, and the one after it, since steps resolve no impact; coordinates
that hardly move; and motions of which not every knot was recorded, whose differences are of many steps.

Gradients of coordinates at all knots take longer than the steps. So they are evaluated at some knots, and their norms
there, times MARGIN, bound what coordinates miss where bodies miss e. Only where that is beyond TOLD are rates looked
at; and only if they are far off there, at all knots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symvi.mechanism import coordinate_kinds
from symvi.registry import law_of
from symvi.simulate.recording import NotRecordedError, not_recorded
from symvi.simulate.run_parameters import body_numbers, with_settings
from symvi.simulate.turns import CONJUGATE, product, rotation_matrices

if TYPE_CHECKING:
    from symvi.physics.joints import Geometry
    from symvi.physics.model import ConstraintModel, LawModel, ShareModel
    from symvi.simulate.trajectory import Trajectory

Array = np.ndarray
TOLD = 0.05  # of the largest mean rate of a coordinate, or of its rate at the start
STILL = {"double": 1e-6, "float": 1e-4}  # of the mechanism's size, or of a radian: what moves less in any step, rests
STRIKES, HELD = 0.1, 1e-3  # of a force: what it sets in or turns round by; of the largest of its kind: less is none
CHUNK, BOUNDED = 20_000, 2000  # knots that are looked at, and bounded, at a time
LOOKED_AT, MARGIN = 50, 2.0  # knots at which gradients are bounded, and what for they may be larger at others
LIGHTEST = 1e-9  # of a body's mass, at a metre: what an axis without inertia counts as


@dataclass(frozen=True)
class MisreadRate:
    """The rate at a knot that misses the mean rates of both steps around it most, of all damped coordinates.

    element: the joint or point spring. rate, before, after: read at the knot, and over both steps, in unit (m/s or
    rad/s). share: what it misses both by, of the largest mean rate. step [s]: about what would do. others: how many
    joints and point springs have misread rates too.
    """

    element: str
    time: float
    rate: float
    before: float
    after: float
    unit: str
    share: float
    step: float
    others: int

    @property
    def sentence(self) -> str:
        more = f", and of {self.others} other element{'s' * (self.others > 1)}" if self.others else ""
        return (
            f"rates at knots of '{self.element}'{more} are not resolved: {self.rate:.4g} {self.unit} is read at "
            f"{self.time:.6g} s, between steps of {self.before:.4g} and {self.after:.4g}, {100 * self.share:.2g} % of "
            f"its largest rate off; what damps it is too strong for its mass in such a step: take differences of "
            f"positions, or a step below {self.step:.2g} s"
        )


@dataclass(frozen=True)
class _Along:
    """Damped coordinates of one element: rows of a model on its bodies, their damping (N, rows), and units of rates."""

    name: str
    model: ConstraintModel
    damping: Array
    units: tuple[str, ...]


def misread_rate(trajectory: Trajectory) -> MisreadRate | None:
    """The worst of a motion; None where rates are resolved, and of motions of which not every knot was recorded.

    Above order 2 laws act halfway, and rates at knots are of the order of the steps.

    Raises NotRecordedError for a motion without rates.
    """
    if not trajectory.has("rates"):
        raise NotRecordedError(not_recorded("velocity", "rates", trajectory.recorded))
    if (
        trajectory.composition
        or len(trajectory) < 3
        or not np.allclose(np.diff(trajectory.time), trajectory.step, rtol=1e-3)
    ):
        return None
    with np.errstate(all="ignore"):
        damped = list(_damped(trajectory))
        if not damped:
            return None
        rates = _Rates(trajectory, damped)
        if not rates.may_be_misread() or not rates.are_off(rates.suspects()):
            return None
        return rates.worst()


# --- what damps -------------------------------------------------------------------------------------------------------
def _damped(trajectory: Trajectory) -> Iterator[_Along]:
    """The damped coordinates of all joints and point springs."""
    from symvi.physics.coordinates import coordinate_units
    from symvi.physics.force_models import force_model
    from symvi.physics.model import LawModel, ShareModel
    from symvi.physics.multibody import MultibodySystem

    mechanism, settings = trajectory.mechanism, trajectory.settings
    system = MultibodySystem(mechanism)
    damped = [force for force in mechanism.forces if (law := law_of(force)) and law.is_damped]
    forces = [force_model(system, force) for force in damped]
    for joint in mechanism.joints:
        shares = [f for f in forces if isinstance(f, ShareModel) and f.joint == joint.name]
        damping = sum((_numbers(trajectory, share) for share in shares), np.zeros(1))
        if np.any(damping > 0.0):
            model = with_settings(mechanism, model_along(system.geometry(joint.name)), settings)
            yield _Along(joint.name, model, damping, tuple(f"{unit}/s" for unit in coordinate_units(joint)))
    for force in forces:
        if isinstance(force, LawModel) and np.any(damping := _numbers(trajectory, force)):
            yield _Along(force.name, _along_points(force), damping, ("m/s",))


def _numbers(trajectory: Trajectory, force: ShareModel | LawModel) -> Array:
    """(N, rows) damping of a force, which may be an input."""
    name = f"{force.name}.damping"
    if name in trajectory.input_names:
        return trajectory.inputs[:, [trajectory.input_names.index(name)]]
    numbers = np.array(trajectory.settings.get(name, force.parameters["damping"].values), float)
    return np.broadcast_to(numbers, (len(trajectory), len(numbers)))


def model_along(geometry: Geometry) -> ConstraintModel:
    from symvi.physics.coordinates import coordinate_groups, still_angles
    from symvi.physics.model import AtFirstKnot, ConstraintModel

    joint = geometry.joint
    groups = tuple(
        replace(group, inputs={n: s.source if isinstance(s, AtFirstKnot) else s for n, s in group.inputs.items()})
        for group in still_angles(coordinate_groups(geometry, rates=True))
    )
    rows = len(coordinate_kinds(joint.type))
    return ConstraintModel(joint.name, joint.type, geometry.bodies, groups, geometry.used(groups), rows, (), ())


def _along_points(model: LawModel) -> ConstraintModel:
    """Along the distance of its points."""
    from symvi.physics.model import ConstraintModel

    (along,) = (group for group in model.groups if model.laws.damped[0] in group.into)
    groups = (replace(along, into=(0,)),)
    return ConstraintModel(model.name, model.type, model.bodies, groups, model.parameters, 1, (), ())


# --- rates ------------------------------------------------------------------------------------------------------------
class _Rates:
    """Rates at the knots of a motion, all of them to compare with those of steps."""

    def __init__(self, trajectory: Trajectory, damped: list[_Along]):
        self.trajectory, self.damped, self.mechanism = trajectory, damped, trajectory.mechanism
        self.q, self.step = trajectory.orientation, trajectory.step
        self.centres = np.array([body.center_of_mass for body in self.mechanism.bodies], float)
        self.some = np.unique(np.linspace(0, len(trajectory) - 1, LOOKED_AT).astype(int))

    def _knots(self, knots: Array) -> Array:
        """(K, n, 6) at knots: velocities of centres of mass, and angular velocities, in world axes."""
        spin = np.einsum("nkij,nkj->nki", rotation_matrices(self.q[knots]), self.trajectory.angular_velocity[knots])
        return np.concatenate([self.trajectory.velocity[knots], spin], axis=2)

    def _steps(self, knots: Array) -> Array:
        """(K, n, 6) the same over the steps from there, a turn by A at sin(A)/h, as momenta of knots have it."""
        turn = product(self.q[knots + 1], self.q[knots] * CONJUGATE)
        sines = 2 * turn[..., :1] * turn[..., 1:]  # 2 cos(A/2) sin(A/2)
        bodies = np.arange(len(self.centres))
        moved = self._centres(knots + 1, bodies) - self._centres(knots, bodies)
        return np.concatenate([moved, sines], axis=2) / self.step

    def _centres(self, knots: Array, bodies: Array) -> Array:
        """(K, m, 3) centres of mass of some bodies at knots [m]."""
        places, offsets = self.trajectory.position[np.ix_(knots, bodies)], self.centres[bodies]
        if not offsets.any():
            return places
        return places + np.einsum("nkij,kj->nki", rotation_matrices(self.q[np.ix_(knots, bodies)]), offsets)

    # --- bounds -------------------------------------------------------------------------------------------------------
    @cached_property
    def _sample(self) -> list[tuple[list[int], Array]]:
        """Of every element, the bodies that it acts on, and its gradient at some knots (S, rows, 6 of each)."""
        return [self._gradient(along, self.some) for along in self.damped]

    def may_be_misread(self) -> bool:
        """Whether y may reach 1: with its bodies' masses in equal shares, that of every element alone bounds it."""
        shared = Counter(body for columns, _ in self._sample for body in columns)
        highest, rotation = 0.0, rotation_matrices(self.q[self.some])
        for along, (columns, gradient) in zip(self.damped, self._sample, strict=True):
            yields = np.zeros(gradient.shape[:2])
            for column, entries in zip(columns, np.split(gradient, len(columns), axis=2), strict=True):
                mass, inertia = self._body(column)
                turned = entries[:, :, 3:] @ rotation[:, column]
                inverse = np.linalg.inv(inertia + LIGHTEST * mass * np.eye(3))
                turning = np.einsum("nri,ij,nrj->nr", turned, inverse, turned)
                yields += shared[column] * ((entries[:, :, :3] ** 2).sum(axis=2) / mass + turning)
            highest = max(highest, (along.damping.max(axis=0) * yields).sum(axis=1).max())
        return not MARGIN * self.step * highest < 1.0

    @cached_property
    def _least(self) -> list[Array]:
        """Of every element's rows, what the largest mean rate is not below, of any row that does not rest."""
        inner = self.some[1:-1]
        steps = self._steps(inner)
        found = []
        for along, (columns, gradient) in zip(self.damped, self._sample, strict=True):
            means = np.einsum("nij,nj->ni", gradient[1:-1], steps[:, columns].reshape(len(inner), -1))
            found.append(np.maximum(np.abs(means).max(axis=0, initial=0.0), self._still(along) / self.step))
        return found

    def _still(self, along: _Along) -> Array:
        """(rows,) what a coordinate that rests moves by in a step at most [m, rad]."""
        from symvi.numbers.extent import size_of

        size = np.array([size_of(self.mechanism) if unit == "m/s" else 1.0 for unit in along.units])
        return STILL[self.trajectory.real] * size

    def suspects(self) -> Array:
        """The knots where nothing strikes and a rate may miss the mean of both steps by more than TOLD: it misses

        |G e| <= |G_x| |e_x| + |G_w| |e_w|, summed over bodies, and is off by no more than that."""
        from symvi.simulate.missed_rates import missed_moving, missed_turning

        weights = np.zeros((len(self.mechanism.bodies), 2, sum(len(least) for least in self._least)))
        row = 0
        for (columns, gradient), least in zip(self._sample, self._least, strict=True):
            norms = np.linalg.norm(gradient.reshape(*gradient.shape[:2], len(columns), 2, 3), axis=4).max(axis=0)
            weights[columns, :, row : row + len(least)] = MARGIN * norms.transpose(1, 2, 0) / (TOLD * least)
            row += len(least)
        moving, turning = (np.flatnonzero(weights[:, k].any(axis=1)) for k in range(2))
        motion, found = self.trajectory, []
        for first in range(1, len(motion) - 1, BOUNDED):
            last = min(first + BOUNDED, len(motion) - 1)
            centres = self._centres(np.arange(first - 1, last + 1), moving)
            here, around = slice(first, last), slice(first - 1, last + 1)
            missed = missed_moving(centres, motion.velocity[here, moving], self.step) @ weights[moving, 0]
            spin = motion.angular_velocity[here, turning]
            missed += missed_turning(self.q[around, turning], spin, self.step) @ weights[turning, 1]
            found.append(first + np.flatnonzero(~(missed <= 1.0).all(axis=1)))
        knots = np.concatenate(found)
        return knots[~self._struck[knots - 1]] if len(knots) else knots

    def are_off(self, knots: Array) -> bool:
        """Whether a rate is off at one of these knots, by as much as is known of the largest mean rate."""
        for some in (knots[first : first + CHUNK] for first in range(0, len(knots), CHUNK)):
            rates, loads = self._of_chunk(some)
            for values, least in zip(rates, self._least, strict=True):
                before, at, after = np.moveaxis(values, 1, 0)
                off = np.maximum(at - np.maximum(before, after), np.minimum(before, after) - at) > TOLD * least
                if (off & (loads >= 1.0)[:, None]).any():
                    return True
        return False

    # --- all knots ----------------------------------------------------------------------------------------------------
    def worst(self) -> MisreadRate | None:
        last = len(self.q) - 1
        chunks = [self._of_chunk(np.arange(first, min(first + CHUNK, last))) for first in range(1, last, CHUNK)]
        rates = [np.concatenate(values) for values in zip(*(rates for rates, _ in chunks), strict=True)]
        loads = np.concatenate([load for _, load in chunks])
        told = [self._misread(along, values, loads) for along, values in zip(self.damped, rates, strict=True)]
        told = [one for one in told if one]
        return replace(max(told, key=lambda one: one.share), others=len(told) - 1) if told else None

    def _of_chunk(self, knots: Array) -> tuple[list[Array], Array]:
        """(K, 3, rows) of every element: its rates before, at and after knots; and y there (K,)."""
        before, at, after = self._steps(knots - 1), self._knots(knots), self._steps(knots)
        missed = at - (before + after) / 2
        rates, load = [], np.zeros(len(knots))
        for along in self.damped:
            *seen, off = self._along(along, knots, before, at, after, missed)
            load += (along.damping[knots] * off**2).sum(axis=1)
            rates.append(np.stack(seen, axis=1))
        steps = self.step / np.maximum(self.trajectory.substeps[knots + 1], 1.0)
        return rates, steps * load / np.maximum(self._twice_energy(knots, missed), np.finfo(float).tiny)

    def _along(self, along: _Along, knots: Array, *motions: Array) -> list[Array]:
        """(K, rows) rates of an element at knots, for velocities (K, n, 6) of all bodies."""
        columns, gradient = self._gradient(along, knots)
        return [np.einsum("nij,nj->ni", gradient, each[:, columns].reshape(len(knots), -1)) for each in motions]

    def _gradient(self, along: _Along, knots: Array) -> tuple[list[int], Array]:
        """The columns of the bodies that an element acts on, and its gradient (K, rows, 6 of each)."""
        from symvi.simulate.reactions import gradients

        names = list(dict.fromkeys(body for body in along.model.bodies.values() if body is not None))
        columns = [self.trajectory.body(name) for name in names]
        places, bodies = {name: k for k, name in enumerate(names)}, np.array(columns, int)
        found = gradients(along.model, places, self._centres(knots, bodies), self.q[np.ix_(knots, bodies)])
        return columns, np.nan_to_num(found)

    def _body(self, column: int) -> tuple[float, Array]:
        """Mass, and inertia in body axes."""
        mass, (xx, yy, zz, xy, xz, yz) = body_numbers(self.mechanism.bodies[column], self.trajectory.settings)
        return mass, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _twice_energy(self, knots: Array, motion: Array) -> Array:
        """(K,) e·M e of velocities e of all bodies."""
        total, rotation = np.zeros(len(knots)), rotation_matrices(self.q[knots])
        for k in range(len(self.mechanism.bodies)):
            mass, inertia = self._body(k)
            own = np.einsum("nji,nj->ni", rotation[:, k], motion[:, k, 3:])
            total += mass * (motion[:, k, :3] ** 2).sum(axis=1) + np.einsum("ni,ij,nj->n", own, inertia, own)
        return total

    def _misread(self, along: _Along, rates: Array, loads: Array) -> MisreadRate | None:
        """The worst rate of an element. rates (K, 3, rows): before, at and after the knots 1, ...; loads (K,): y."""
        means, at = rates[:, [0, 2]], rates[:, 1]
        near = np.concatenate([means, _foreseen(means)], axis=1)
        off = np.maximum(np.maximum(at - near.max(axis=1), near.min(axis=1) - at), 0.0)
        (start,) = self._along(along, np.arange(1), self._knots(np.arange(1)))
        largest = np.maximum(np.abs(means).max(axis=(0, 1), initial=0.0), np.abs(start[0]))
        rests = largest * self.step <= self._still(along)
        share = off / np.where(rests, np.inf, np.maximum(largest, np.finfo(float).tiny))
        share[~(loads >= 1.0) | self._struck] = 0.0
        knot, row = np.unravel_index(np.where(np.isfinite(share), share, 0.0).argmax(), share.shape)
        worst = float(share[knot, row])
        if not worst > TOLD:
            return None
        before, after = map(float, means[knot, :, row])
        time, rate = float(self.trajectory.time[knot + 1]), float(at[knot, row])
        step = self.step * TOLD / worst  # what is misread falls faster than the step
        return MisreadRate(along.name, time, rate, before, after, along.units[row], worst, step, 0)

    @cached_property
    def _struck(self) -> Array:
        """(K,) whether a contact, a limit or dry friction strikes at the knots 1, ..., or did at the one before."""
        motion = self.trajectory
        if motion.has("contacts"):
            return strikes(motion.contact_values, motion.stop_values)
        return motion.struck.astype(bool)


def strikes(contact_values: Array, stop_values: Array) -> Array:
    """(N - 2,) whether a contact, a limit or dry friction strikes at the knots 1, ..., or did at the one before.

    contact_values (N, c, 14), stop_values (N, m): as a Trajectory has them.
    """
    count = len(contact_values)
    forces = np.concatenate([contact_values[:, :, 1:5].reshape(count, -1), stop_values], axis=1)
    size = np.abs(forces)
    apart = np.abs(np.diff(forces, axis=0)) > STRIKES * size[1:]
    sets_in = apart & (size[1:] >= (1 - STRIKES) * size[:-1]) & (size[1:] > HELD * size.max(axis=0, initial=0.0))
    struck = sets_in.any(axis=1)
    return struck[1:] | struck[:-1]


def _foreseen(means: Array) -> Array:
    """(K, 2, rows) where rates of the steps on either side alone lead at a knot, for motions that jump on the other."""
    found = means.copy()
    found[1:, 0] += np.diff(means[:, 0], axis=0) / 2
    found[:-1, 1] -= np.diff(means[:, 1], axis=0) / 2
    return found
