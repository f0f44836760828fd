"""The numbers that steer how a solution is settled before it is linearised, for every back end."""

from __future__ import annotations

LANES = 8  # directions that generated text takes at once
MOST_CENTRED = 40  # increments towards a centred point
INSIDE = 0.995  # how far to the boundary of its cones an increment may go
SETTLED = 1e-13  # m/s, rad/s: an increment of velocities that small is the last
STAYING = 3  # so many of them with contacts, whose impulses may be small beside all others, and follow one behind
UNSETTLED = 1e-6  # the same: one that is larger at the end says that no solution was found
NOWHERE = 1e30  # the same, where numbers are not finite, or no centring is asked for
DEAD = 1e-6  # of the largest direction of rows, or of what a coordinate tells of all ways: one with less holds nothing
BESIDE_SINGULAR = 1e-11  # of a row's scale s²: a loop with a smaller pivot has no derivative that means anything
STRONG = 1e-4  # the same: of all larger ones the guard leaves 1e-8, and of that as little in a second round
SAME = 1e-14  # of the largest velocity along a coordinate: rows of loops are closed that change it by less
MOST_ROUNDS = 24  # beside a singular position each leaves a tenth of what the rows are open by
COINCIDE = 1.0 - 1e-9  # of two quaternions of one orientation, the square of their product at least
