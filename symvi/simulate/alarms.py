"""Why a motion is not to be trusted."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from symvi.errors import EnergyWarning, RateWarning, SpinWarning, StiffnessWarning
from symvi.simulate import energy_guard
from symvi.simulate.energy_guard import Fall, Rise
from symvi.simulate.fast_spin import FastSpin, fastest, most_turn
from symvi.simulate.knot_rates import MisreadRate, misread_rate
from symvi.simulate.knot_stiffness import TooStiff, too_stiff
from symvi.simulate.recording import NotRecordedError, Recorded

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Change = TypeVar("Change", Rise, Fall)


class Judged(Recorded):
    """What a Trajectory tells of its own faults.

    Where not everything was recorded, energies, stiffness and turning are those of the knots at which everything was
    (`whole`), as of a motion that was recorded with `every`.
    """

    @cached_property
    def _watched(self) -> energy_guard.Watch:
        return energy_guard.watch(self.whole)

    @cached_property
    def rise(self) -> Rise | None:
        """The first rise of energy that nothing has paid for: time, amount, element; None in a motion that is sound."""
        return self._placed(self._watched.alarm)

    @cached_property
    def fall(self) -> Fall | None:
        """The first lasting fall of energy that nothing has taken: time, amount; None also where something may have."""
        return self._placed(self._watched.fall)

    def _placed(self, change: Change | None) -> Change | None:
        """With the number of the knot among those that were recorded."""
        if change is None or self.watched is None:
            return change
        time = cast("Trajectory", self).time
        return replace(change, knot=int(np.searchsorted(time, self.watched.time[change.knot])))

    @cached_property
    def too_stiff(self) -> list[TooStiff]:
        """The forces at knots that the step was too long for, each where it first was, in the order of time."""
        return too_stiff(self.whole)

    @cached_property
    def misread_rate(self) -> MisreadRate | None:
        """The rate at a knot that dampers hide most, where it is far from those of the steps around it; else nothing.

        Positions, and their differences, are right all the same. Nothing is known of it where not every knot was
        recorded (`every`), at the first knot and at the last one. Raises NotRecordedError where rates were not.
        """
        return misread_rate(cast("Trajectory", self))

    @property
    def alarms(self) -> list[Rise | Fall | TooStiff | MisreadRate]:
        """Why the motion is not to be trusted: its rise and fall of energy, and forces that its step was too long for:
        all of them after a rise or a failure, else those that were for several recorded knots on end; and why rates at
        knots are not."""
        found: list[Rise | Fall | TooStiff | MisreadRate] = []
        found += [change for change in (self.rise, self.fall) if change]
        wrong = bool(self.rise) or bool((cast("Trajectory", self).status < 0).any())
        found += [one for one in self.too_stiff if wrong or one.lasting]
        try:
            return found + [rate for rate in (self.misread_rate,) if rate]
        except NotRecordedError:  # where there are no rates, none are misread
            return found

    def fast_spin(self) -> FastSpin | None:
        """The body that turns fastest at a recorded knot, if its h |w| is above 0.25; else nothing.

        A step turns it by asin(h |w|), (h |w|)²/6 more than `angular_velocity`, its momentum over its inertia, says. Of
        an order above 2: if its turn is off by as much.
        """
        found = fastest(self.whole)
        return found if found.turn > most_turn(found.composition) else None


def warned_of(motion: Trajectory) -> list[tuple[type[Warning], str]]:
    """What is not to be trusted in a motion: warnings, each with its sentence."""
    spin = motion.fast_spin()
    found: list[tuple[type[Warning], str]] = [(SpinWarning, str(spin))] if spin else []
    kinds = {TooStiff: StiffnessWarning, MisreadRate: RateWarning}
    return found + [(kinds.get(type(alarm), EnergyWarning), alarm.sentence) for alarm in motion.alarms]
