"""The numbers that steer Newton's method, in one place for every back end, and the ways in which a step can end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from math import pi
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeGuard

from symvi.errors import ArgumentError

DOMAIN = 0.9975  # largest a·a that is tried: a half turn of 87 degrees in a step
FAR_TURN = 0.5  # an a·a, of a right angle: beyond it steps have no momentum of their own (see Beginning)
FAST = 0.4  # an a·a, of a turn of 78 degrees: a step that fails beyond it does so because of the turn
FALL = 1e-4  # share of the predicted fall of the residual that a step must bring
SMALLEST_RADIUS = 1e-3  # m: a body's inertia counts as at least that of its mass at this radius, in the merit only
STILL = 10.0  # a residual of so many tolerances needs no further fall
LEFT = 1000.0  # a residual of so many tolerances is accepted where increments are below the tolerance
CHORD = 10.0  # factor on the residual that the same factors are predicted to leave, if they are used once more
CURVED = 0.25  # rates whose change changes by more, as squares, bend too unevenly for a start along a parabola
SAFETY = 100.0  # factor on the next increment, predicted from the fall of the residual; on the residual itself
SLOW = 0.25  # a merit that falls by less, twice in succession, stagnates
SINGULAR_VIOLATION = 1e-4  # of the mechanism's extent: how far rows may open in one step from a singular position
GUARD = 1e-12  # of a row's scale s², added to the pivot of a loop's row in the factorisation only
WEAK = 0.5  # times the square of a step's half turn: a loop's pivot below this share of s² has other branches near it
BENT = 8.0  # times the same: below this share of s² a way may bend too sharply for the step
LOST = 1e-7  # a loop's pivot below this share of s²: round-off may hide on which branch the solution lies
# Of a step's kinetic energy: a step that departs from a knot by more left its branch, or is too long. Where a way bends
# by an angle with the sine 1/4 in half a step, s = 1/16 departs; along the impulses of the first knot s/(1 - 2s)²
APART = 4 / 49
SLIGHT = 1 / 256  # of the same: departures that may grow from knot to knot as they like
SPLAYED = 1 / 256  # of squared velocities, missed by their last change carried on: ways may bend too unevenly
SHARP = 1 / 4  # of the kinetic energy: an uneven departure where no pivot is weak; regular motions stay below a fifth
IDLE = 1e-3  # of what all weigh in a step: contacts, limits and dry friction that press by less do next to nothing
UNEVEN = 2 / 9  # (n1 - n0)/(√n1 + √n0)²: after a knot the way bends 11/7 times as much as before it
# (share of the old momentum, weight of the polynomial of degree 7 through steps with such shares, at the whole one)
BESIDE = tuple(
    (1 + sign * count / 16, weight)
    for sign in (-1, 1)
    for count, weight in ((4, -1 / 70), (3, 4 / 35), (2, -2 / 5), (1, 4 / 5))
)
TOLERANCE = {"double": 1e-10, "float": 1e-5}  # m/s or rad/s: changes of velocities that may be left
ROUND_OFF = {"double": 4e-15, "float": 2e-6}  # of the largest impulse: what counts as round-off of a momentum

MOST_PARTS = 1024  # into which a step may be split: a part of a step of 0.01 s is then 10 us
MOST_ROUNDS = 8  # in which contacts that a step closed are added one by one, before all are
MOST_COUNTED = 10**9  # iterations or starts that are counted in one step, all of its parts together
KEPT = 1 / 4  # parts of one length are kept for 1/KEPT steps that succeed, before parts twice as long are tried
ROUGH = 1e-3  # of the squared velocities: what parts may miss of them where the last change was to lead; h⁴ in order
SMOOTHER = 1 / 4  # of the roughness: parts of half the length, which promise 1/16 of it, end where it falls by less
FAINT = 1e4  # tolerances: velocities that small are those of rest
MOST_TRIED, MOST_HALVINGS = 1_000_000, 1000  # iterations of a solution, halvings of an increment: beyond all use
FINEST = 1e-30  # the smallest tolerance: far below all round-off, and float still tells it from zero
MOST_ITERATIONS = 1000  # of a fixed number of iterations: many times what any step needs
PROJECTIONS = 50  # steps of Gauss and Newton that move an approximate placement onto the joints
CLOSED = {"double": 1e-8, "float": 1e-4}  # m or rad: a start whose joints are open by more is refused
UNIT = 1e-3  # how far the square of a quaternion's length may be from one
CONTACT_SIZE = 14  # gap, normal force, friction (3), sliding (3), point (3), normal (3)
COMPLEMENTARITY = {"double": 1e-8, "float": 3e-3}  # products that contacts may leave, of effective mass (|g| h)²


class Beginning(IntEnum):
    """What the velocities of a start are; bodies are refused that turn by a right angle or more in a step.

    A step that turns by an angle A about a principal axis has the momentum J sin(A)/h, which is largest at a right
    angle, where a·a = sin²(A/2) is 1/2: beyond it every momentum is that of a smaller turn as well. For any inertia the
    derivative of the momentum by the turn is regular below that a·a. At a knot momenta are means of those of the steps
    before and after it.
    """

    CHORD = 0  # over the step before, the papers' start: a rate w = 2 sin(A/2)/h
    KNOT = 1  # at the knot, momenta m v and J w: a body turns by A with sin(A) = h w
    TURN = 2  # at the knot, where a body turns by A = h w: its angular momentum is less than J w

    @property
    def fastest(self) -> float:
        """(h w)² of a body that turns by a right angle."""
        return (2.0, 1.0, (pi / 2) ** 2)[self]


class SolverStatus(IntEnum):
    """How a step ended. Positive: usable, with a warning. Negative: failed, and the state is untouched."""

    OK = 0
    ROUND_OFF = 1
    SINGULAR_STEP = 2
    UNSETTLED = 3
    NOT_CONVERGED = -1
    LINE_SEARCH = -2
    DOMAIN = -3
    NOT_FINITE = -4
    LOOP_OPEN = -5
    LOOP_STALLED = -6
    BAD_STEP = -7
    SQUEEZED = -8
    NOT_CLOSED = -9
    NOT_APART = -10
    NO_STEP = -11
    MISFIT = -12
    BAKED = -13
    BAD_PARAMETER = -14
    BAD_OPTION = -15
    NOT_UNIT = -16
    JUMP = -17
    OVERDAMPED = -18
    DEAD_CENTRE = -19
    SINGULAR_POSITION = -20

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    SolverStatus.OK: "the step was solved",
    SolverStatus.ROUND_OFF: "the step was solved; the residual is round-off and falls no further",
    SolverStatus.SINGULAR_STEP: "the step was solved at a singular position; "
    "loops close less tightly, and the next step repairs it",
    SolverStatus.UNSETTLED: "the fixed number of iterations was done, and more was left than is allowed; "
    "take a smaller step, or allow more",
    SolverStatus.NOT_CONVERGED: "Newton's method did not converge in the iterations allowed; "
    "take a smaller step, or allow more",
    SolverStatus.LINE_SEARCH: "no shorter increment lowers the residual; take a smaller step",
    SolverStatus.DOMAIN: "a body turns by a quarter of a turn or more in one step; take a smaller step",
    SolverStatus.NOT_FINITE: "a value is not finite; look at the inputs and parameters",
    SolverStatus.LOOP_OPEN: "a loop opens along a row that was dropped as redundant; "
    "the mechanism was analysed in another position",
    SolverStatus.LOOP_STALLED: "two singular steps in a row; the mechanism rests in a singular position",
    SolverStatus.BAD_STEP: "the time step is not a positive number",
    SolverStatus.SQUEEZED: "a contact is pressed beyond all bounds; give it room, "
    "or leave it out where a joint holds the same gap",
    SolverStatus.NOT_CLOSED: "joints are open here, and cannot be closed from here; place the bodies nearer",
    SolverStatus.NOT_APART: "bodies lie inside each other, or a joint is beyond its limit; place them apart",
    SolverStatus.NO_STEP: "the work memory holds no step; ask right after one",
    SolverStatus.MISFIT: "header and object do not belong together; compile both anew",
    SolverStatus.BAKED: "a parameter was changed that the text has as a constant, or that is tied to others; "
    "change the description instead",
    SolverStatus.BAD_PARAMETER: "a parameter makes no sense: no number, a mass that is not positive, "
    "a limit without room, or the like",
    SolverStatus.BAD_OPTION: "an option makes no sense: a tolerance not between 0 and 1, no iterations, or the like",
    SolverStatus.NOT_UNIT: "an orientation is none: its quaternion is not of unit length; "
    "give it that, and start again",
    SolverStatus.JUMP: "ways bend too sharply for this step, as beside a singular position, and the energy would jump; "
    "take a smaller step",
    SolverStatus.OVERDAMPED: "an inner step is too long for a damper, which grows backwards in time; "
    "take a smaller step, or order 2",
    SolverStatus.DEAD_CENTRE: "a coordinate of the state does not move here, as at a dead centre, or follows others; "
    "choose others",
    SolverStatus.SINGULAR_POSITION: "the mechanism stands in or beside a singular position, where its motion has no "
    "derivative; move it away",
}
OF_COMPOSITIONS = (SolverStatus.OVERDAMPED,)  # ways to end that only steps of an order above 2 have
OF_SLOPES = (SolverStatus.DEAD_CENTRE, SolverStatus.SINGULAR_POSITION)  # and derivatives in independent coordinates


# What a shorter step may mend: an iteration that does not find the solution near the last motion, turns that are too
# large, a singular position that a shorter step does not end in. Nothing mends numbers that are none, joints that open
# along rows that were dropped, a contact that a joint squeezes, or options that make no sense.
MENDED = (
    SolverStatus.NOT_CONVERGED,
    SolverStatus.LINE_SEARCH,
    SolverStatus.DOMAIN,
    SolverStatus.LOOP_STALLED,
    SolverStatus.JUMP,
    SolverStatus.OVERDAMPED,
)
PARTS = tuple(1 << n for n in range(MOST_PARTS.bit_length()))


@dataclass(frozen=True)
class SolverOptions:
    """Stopping and effort of Newton's method, the same for every back end.

    tolerance: largest change of a velocity or angular velocity that may be left [m/s, rad/s]; None: 1e-10 in double,
        1e-5 in float.
    max_iterations: Newton iterations per solution, at most a million; a step beside a singular position may take
        eleven solutions.
    max_halvings: halvings of one increment, at most a thousand.
    extrapolate: start from the velocities carried on by their last change.
    fixed_iterations: 0, or exactly so many Newton iterations in every step, in one solution and without halvings: the
        same time for every step. A step whose last increment is above the tolerance, or whose contacts have not
        converged, is taken, and its status is UNSETTLED.
    complementarity: largest product of impulse and velocity that contacts and limits may leave, in units of
        effective mass (|g| h)², the weight of the part that a contact acts on times its fall in a step
        (complementarity_scale.py); None: 1e-8 in double, 3e-3 in float. A contact that sticks creeps in proportion to
        it.
    substeps: equal parts, a power of two, into which a step that fails may be split; inputs are held over them, drivers
        go at an even rate. 1: none; nor where fixed_iterations are asked for.
    papers_method: contacts by a basic interior point after BSMH23 appendix D, not seen: one right-hand side an
        iteration, centring that falls by a fixed factor, from a start far inside in every step; slower, for comparison.

    Raises ArgumentError for numbers that make no sense; generated text, given the same, returns BAD_OPTION.
    """

    tolerance: float | None = None
    max_iterations: int = 50
    max_halvings: int = 20
    extrapolate: bool = True
    fixed_iterations: int = 0
    complementarity: float | None = None
    papers_method: bool = False
    substeps: int = 256

    def __post_init__(self) -> None:
        for name, words in (
            ("tolerance", "must lie between 0 and 1 m/s"),
            ("complementarity", "must be above 0 and at most 1"),
        ):
            value = getattr(self, name)
            if value is None:
                continue
            if not _is_real(value) or not 0 < value <= 1 or (value == 1 and name == "tolerance"):
                raise ArgumentError(f"{name} {shown(value)} {words}")
            if value < FINEST:
                raise ArgumentError(f"{name} {shown(value)} is too small; {FINEST:g} asks for all that doubles have")
            object.__setattr__(self, name, float(value))
        for name, least, most in (
            ("max_iterations", 1, MOST_TRIED),
            ("max_halvings", 0, MOST_HALVINGS),
            ("fixed_iterations", 0, MOST_ITERATIONS),
        ):
            value = getattr(self, name)
            if not _is_whole(value) or not least <= value <= most:
                raise ArgumentError(f"{name} {shown(value)} must lie between {least} and {most}")
            object.__setattr__(self, name, int(value))
        if not _is_whole(self.substeps) or self.substeps not in PARTS:
            raise ArgumentError(f"substeps {shown(self.substeps)} must be a power of two, from 1 to {MOST_PARTS}")
        object.__setattr__(self, "substeps", int(self.substeps))
        for name in ("extrapolate", "papers_method"):
            value = getattr(self, name)
            is_bool = type(value).__name__ in ("bool", "bool_")  # Python's, NumPy's
            if not is_bool and not (_is_whole(value) and value in (0, 1)):
                raise ArgumentError(f"{name} {shown(value)} must be True or False")
            object.__setattr__(self, name, bool(value))

    def in_precision(self, real: str) -> ChosenOptions:
        """The same options for "double" or "float", with a number for each that was left to the precision."""
        tolerance = TOLERANCE[real] if self.tolerance is None else self.tolerance
        complementarity = COMPLEMENTARITY[real] if self.complementarity is None else self.complementarity
        chosen = replace(self, tolerance=tolerance, complementarity=complementarity)
        if not _all_chosen(chosen):
            raise ValueError(f"{chosen} leaves a number to the precision")
        return chosen


if TYPE_CHECKING:

    class ChosenOptions(SolverOptions):
        """Options of which none is left to the precision."""

        tolerance: float
        complementarity: float


def _all_chosen(options: SolverOptions) -> TypeGuard[ChosenOptions]:
    return options.tolerance is not None and options.complementarity is not None


def shown(value: object) -> str:
    """As symvi.mechanism.names has it, which a command need not load where nothing is wrong."""
    from symvi.mechanism.names import shown

    return shown(value)


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def swerved(degree: int) -> float:
    """Of the kinetic energy of a step by a rule: what its rates may have at a knot beside those that close loops.

    A midpoint step has sin² of half the angle by which a way bends in it, which may be 20 degrees. Rates of more nodes
    miss less where energies change as much: 3 % of them, at a change point, at each of these shares.
    """
    return 1 / (16 * 2**degree)


DEFAULTS = SolverOptions()
