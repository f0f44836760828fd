"""The numbers that steer the interior point along the central path, in one place for every back end."""

from __future__ import annotations

from dataclasses import dataclass

FIRST = 0.01  # centring at a start, per effective mass, of the fall in a step squared, or times the speed of closing
ASTRAY = 1.0  # squares of the weight's fall in a step: a start that misses more is off the path
RESTING = 1e-11  # of those squares: contacts that are no further from rest start near the end of the path
SLID = 1e-4  # the part of squares of sliding in them
# What is pressed by so much of its share times the fall in a step, or opens by so much of that fall, is likely to stay
# so: it starts near the end of the path as well, if its friction is, as squares, no larger a part of its bound.
FORESEEN_BY = 0.3
STICKING = 0.81
JOLTED = 0.5  # of the last change of rates, as squares: where that before was another by more, none is carried on
# Of the fall in a step squared: no start lies near an end that is nearer. Its stiff pairs would leave more of what is
# missed there than iterations from further off.
STIFF_END = 1e-9
NEXT_TO = 4.0  # times what may be left of complementarity: with no more than that no predictor is needed
BALANCE = 0.3  # centring at a start, per effective mass, of the squares of what it misses
ASIDE = 10.0  # times the mean complementarity: a product that large is far from the central path
RECENTRE = 0.01  # of that product, to centre by
NEAR = 0.01  # of the fall in a step squared: below it, after increments longer than LONG, laws are linearised exactly
LONG = 0.5
SHORT = 0.3  # increments shorter than this bring the scaled law back
# Of the way to the boundary of a cone, what an exactly linearised increment leaves: products fall by as much at most,
# and near a solution at once. In float less would be the round-off of a cone's determinant.
BESIDE_BOUNDARY = {"double": 1e-6, "float": 1e-3}
FALLING = 0.1  # of the mean complementarity: the next centring in the papers' method
PROJECTION_FORCE_TIME = 1e-9  # for how long forces act in a projection, as a fraction of a step: next to no time
APART_BY = 0.1  # of a gap's slack: what it may miss of the gap's rate, so that no body is entered
BEYOND = 1e3  # times all that moves and pushes: no impulse is larger but where a joint holds a contact at zero
FACTORS = (
    "FIRST",
    "ASTRAY",
    "RESTING",
    "SLID",
    "FORESEEN_BY",
    "STICKING",
    "JOLTED",
    "STIFF_END",
    "NEXT_TO",
    "BALANCE",
    "ASIDE",
    "RECENTRE",
    "NEAR",
    "LONG",
    "SHORT",
    "FALLING",
    "PROJECTION_FORCE_TIME",
    "APART_BY",
    "BEYOND",
)
# Of the mechanism's extent: a gap that is less negative, and rows that are less open, need no projection.
CLEAR = {"double": 1e-10, "float": 1e-6}
JOINED = {"double": 1e-13, "float": 1e-6}
TURNED = 1e-6  # half a turn's vector, squared: while bodies turn by more, a projection goes half of the way
REFINED = {"double": 1e-10, "float": 1e-4}  # complementarity of a projection: gaps of its root times g h² are left
# Of the squared rate at which a projection parts bodies: with less, masses would vanish beside the stiffness of pairs.
STIFFEST = {"double": 1e-13, "float": 1e-5}
# Of the mass that an impulse moves: what holds a knot at rest is no stiffer. What is held moves by one part in so many;
# the error of what moves freely is round-off times so many.
HOLDING = {"double": 1e7, "float": 1e3}
INNER_HALVINGS = 8  # of an increment


@dataclass(frozen=True)
class Attempt:
    """How the interior point starts: see follow_path in the generated text."""

    ratio: float
    spread: float
    stick: float
    memory: float
    boundary: float
    predict: bool
    calm: float  # centring where nothing moves, as a multiple of that at the end; 0: as elsewhere
    text: str


PAPERS = 3  # the attempt that is the papers' basic method
ATTEMPTS = (
    Attempt(1.0, 1.0, 1.0, 1.0, 0.99, True, 2.0, "warm: near the last impulse and the predicted velocity"),
    Attempt(16.0, 1.0, 0.0, 1.0, 0.9, True, 0.0, "from the side of sticking"),
    Attempt(1.0, 1e4, 0.0, 0.0, 0.9, True, 0.0, "far inside"),
    Attempt(1.0, 1e4, 0.0, 0.0, 0.9, False, 0.0, "far inside, one right-hand side: the papers' method"),
    Attempt(0.25, 1.0, 1.0, 1.0, 0.9, True, 0.0, "from the side of sliding"),
    Attempt(0.25, 1e2, 1.0, 0.0, 0.9, True, 0.0, "further inside, on the side of sliding"),
    Attempt(0.0625, 1.0, 1.0, 1.0, 0.9, True, 0.0, "far on the side of sliding"),
)
