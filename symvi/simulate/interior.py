"""The interior point of the reference back end, in the words of templates/c/interior.c.jinja and with its bits."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from symvi.numbers import path
from symvi.numbers.control import (
    CONTACT_TYPES,
    DEFAULTS,
    DOMAIN,
    FALL,
    FAR_TURN,
    LEFT,
    ROUND_OFF,
    SLOW,
    STILL,
    SolverStatus,
)

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver

ROOMS = (*CONTACT_TYPES, "limit")  # what bodies or joints may not enter


class Interior:
    """Contacts, limits and dry friction of one reference solver, and the way through their central path."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        notes = solver.program.notes["inequalities"]
        kinds = dict.fromkeys(node["kind"] for node in notes)
        memory = solver.memory
        self.nodes = [record for kind in kinds for record in memory.work[kind]]
        closing = dict.fromkeys(node["kind"] for node in notes if node["type"] in CONTACT_TYPES)
        sides = {n["kind"]: 1 if n["type"] in CONTACT_TYPES else n["pairs"] for n in notes if n["type"] in ROOMS}
        self.rooms = [(node, count) for kind, count in sides.items() for node in memory.work[kind]]
        self.closing = [record for kind in closing for record in solver.memory.work[kind]]
        self.pulling = [r for records in memory.work.values() for r in records if hasattr(r, "load")]
        self.degree = float(sum(node["pairs"] + node["cone"] for node in notes))
        self.iterations = self.retries = 0
        self.complementarity = 0.0

    def solve(self, rest: bool = False) -> SolverStatus:
        """Attempts from ever safer starts, until one gets through."""
        status = SolverStatus.NOT_CONVERGED
        papers = self.solver.options.papers_method and not rest
        attempts = (path.ATTEMPTS[path.PAPERS],) if papers else path.ATTEMPTS
        attempts = attempts[:1] if self.solver.options.fixed_iterations > 0 and not rest else attempts
        for retries, attempt in enumerate(attempts):
            self.retries = retries
            try:
                status = self.follow_path(attempt, rest)
            except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
                status = SolverStatus.LINE_SEARCH
            if status >= 0:
                break
        if status in (SolverStatus.LINE_SEARCH, SolverStatus.NOT_CONVERGED):
            return self.solver.failed(status)
        # contacts may throw bodies on the way; where they turn that far, another solution lies near
        if not rest and status >= 0 and not self.solver._turn() < FAR_TURN:
            return SolverStatus.DOMAIN
        if not rest and status >= 0 and self._is_squeezed():
            return SolverStatus.SQUEEZED
        fixed = self.solver.options.fixed_iterations > 0
        if not rest and status >= 0 and not fixed and self.solver.branch and self.solver.branch.jumps():
            return SolverStatus.JUMP
        return status

    def _is_squeezed(self) -> bool:
        """Whether a contact is pressed by more than anything that moves or pushes.

        Where a joint holds a gap at zero, every force between them balances, and the central path leads to ever larger
        ones.
        """
        memory = self.solver.memory
        parameters = memory.parameters["common"][0]
        step = self.solver.common.step[0]
        fastest, pushed, pressed = parameters.acceleration[0] * step, 0.0, 0.0
        for state, body in zip(memory.state["body"], self.solver.bodies, strict=True):
            for k in range(3):
                fastest = max(fastest, abs(state.v[k]), abs(parameters.extent[0] * state.w[k]))
                pushed = max(pushed, abs(body.e[k]))
        for node in self.pulling:
            for force in node.phi:
                pushed = max(pushed, abs(step * force), abs((step * force) / parameters.extent[0]))
        for node in self.closing:
            pressed = max(pressed, abs(node.impulse[0]))
        return pressed > path.BEYOND * (parameters.mass[0] * fastest + pushed)

    def follow_path(self, how: path.Attempt, rest: bool) -> SolverStatus:
        """One attempt from one start (BSMH23 appendix D; Mehrotra's predictor and corrector).

        rest: for a displacement out of each other, not a step. The residual at rest is linear, so that every solve
        gives it whole.
        """
        solver = self.solver
        options = solver.options
        if rest:
            options = replace(DEFAULTS.in_precision("double"), complementarity=self._refined())
        run, common, parameters = solver.run, solver.common, solver.memory.parameters["common"][0]
        speed = parameters.acceleration[0] * common.step[0]
        fall = speed * speed
        small = 0.5 * (options.complementarity * fall)
        left, still = LEFT * options.tolerance, STILL * options.tolerance
        # a fixed number of iterations: none of the step's is left out, and no increment is halved
        fixed = 0 if rest else options.fixed_iterations
        last = fixed if fixed > 0 else options.max_iterations
        exact, slow = False, 0
        if rest:
            run("rest")
        elif not self._begin():
            return SolverStatus.DOMAIN
        run("evaluate")
        if rest:
            run("release")
            run("linearize")
        closing = self._closing_speed()
        common.ratio[0] = how.ratio
        lasting = solver.against_last()  # share of the last impulses that is expected, by the time that forces act for
        common.stick[0], common.memory[0] = how.stick, 0.0 if rest else how.memory * (lasting if lasting < 1.0 else 1.0)
        first = path.FIRST * (speed * (speed if speed > closing else closing))
        first = first if first > closing * closing else closing * closing
        common.target[0] = how.spread * (how.ratio * first)
        run("warm")
        merit = self._merit()
        # rows answer for what bodies miss, and are solved for at once; without rows it is impulses that miss it
        missed = self._missed() if self.solver.program.notes["constraints"] else merit
        first = path.BALANCE * (how.ratio * missed)
        if missed > path.ASTRAY * (speed * speed) and first > common.target[0]:
            common.target[0] = first
            run("warm")
            merit = self._merit()
        if not isfinite(merit):
            return SolverStatus.NOT_FINITE
        for n in range(last + 1):
            before, gap, product = merit, self._gap(0.0), self._largest_product()
            self.iterations = n
            self.complementarity = product / fall
            closed = product <= options.complementarity * fall
            if rest and n > 0 and closed and common.length[0] >= 1.0:
                return SolverStatus.OK
            # not before one increment: forces too weak to be missed in one step would never move anything
            done = n > 0 if fixed == 0 else n == fixed
            met = closed and self._is_apart()
            if not rest and done and met and solver.within(still) and self._attained(still):
                return SolverStatus.OK
            # rows have to close: on the way to a singular position a residual falls slowly too, by large increments
            if fixed == 0 and slow >= 2 and met and solver._balanced(left, still) and self._attained(left):
                return SolverStatus.ROUND_OFF
            if n == last:
                break
            run("exact" if exact else "scale")
            run("linearize")
            run("keep")
            aim = "aim_exact" if exact else "aim"
            if how.predict:
                for phase in ("predict", "eliminate", "substitute", "respond"):
                    run(phase)
                share = self._largest_share(1.0)
                after = self._gap(share) / gap
                centring = (after * after) * (after * gap)
                common.target[0] = centring if centring > small else small
                common.second[0] = 1.0
                if product > path.ASIDE * gap:  # far from the central path the way is back to it, not along it
                    common.target[0] = max(path.RECENTRE * product, common.target[0])
                    common.second[0] = 0.0
                for phase in ("recall", aim, "resolve"):
                    run(phase)
            else:
                common.target[0] = path.FALLING * gap if path.FALLING * gap > small else small
                common.second[0] = 0.0
                run(aim)
                run("eliminate")
            run("substitute")
            run("respond")
            # products fall by no more than an increment's distance from the boundary: exact ones may end next to it
            most = 1.0 - path.BESIDE_BOUNDARY["double"] if exact and how.predict else how.boundary
            share = self._largest_share(1.0 / most)
            length = common.length[0] = most * share if share < 1.0 / most else 1.0
            run("advance")
            if rest:
                run("rest")
            merit = self._merit()
            halvings = 0
            if fixed > 0 and not isfinite(merit):
                return SolverStatus.DOMAIN if solver._turn() >= DOMAIN else SolverStatus.NOT_FINITE
            while not rest and fixed == 0 and not self._accepted(merit, before, product):
                if halvings == path.INNER_HALVINGS:
                    return SolverStatus.LINE_SEARCH
                halvings += 1
                common.length[0] = 0.5 * common.length[0]
                run("retreat")
                merit = self._merit()
            length = common.length[0]
            solver.increment = length * solver._largest_change()
            slow = slow + 1 if merit > SLOW * before else 0
            if not exact and gap < path.NEAR * fall and length > path.LONG:
                exact = True
            elif exact and length < path.SHORT:
                exact = False
        return SolverStatus.UNSETTLED if fixed > 0 else SolverStatus.NOT_CONVERGED

    def _begin(self) -> bool:
        """Bodies at their predicted velocities, or their last ones; whether those lie inside the domain."""
        share = self.solver.against_last() if self.solver.options.extrapolate else 0.0
        for length, most in ((share, FAR_TURN), (0.0, DOMAIN)):
            self.solver.common.length[0] = length
            self.solver.run("begin")
            if self.solver._turn() < most:
                return True
        return False

    def _merit(self) -> float:
        solver = self.solver
        if not solver._turn() < DOMAIN:
            return inf
        solver.run("evaluate")
        solver.run("press")
        solver.common.merit[0] = 0.0
        solver.run("merit")
        return solver.common.merit[0] if isfinite(solver.common.merit[0]) else inf

    def _accepted(self, merit: float, before: float, product: float) -> bool:
        solver = self.solver
        share, still = 1.0 - FALL * solver.common.length[0], STILL * solver.options.tolerance
        return isfinite(merit) and (
            merit <= share * before
            or self._largest_product() <= share * product
            or (solver.within(still) and self._attained(still))
            or solver.common.length[0] * solver._largest_change() <= solver.options.tolerance
        )

    # --- complementarity ---------------------------------------------------------------------------------------------
    def _gap(self, length: float) -> float:
        """Mean complementarity after `length` of the increment, per heft."""
        total = 0.0
        for node in self.nodes:
            own = 0.0
            for name, other in (("impulse", "slack"), ("b", "e")):
                if hasattr(node, name):
                    values = zip(*(getattr(node, key) for key in (name, f"d_{name}", other, f"d_{other}")), strict=True)
                    for x, dx, y, dy in values:
                        own = own + ((x + length * dx) * (y + length * dy) if length else x * y)
            total = total + own * node.light[0]
        return total / self.degree

    def _largest_product(self) -> float:
        """The largest product that complementarity wants to vanish, per heft, or a number that is not finite."""
        largest = 0.0
        for node in self.nodes:
            own = 0.0
            for x, y in zip(node.impulse, node.slack, strict=True):
                own = _larger(own, x * y)
            if hasattr(node, "b"):
                b, e = node.b, node.e
                own = _larger(own, (b[0] * e[0]) + ((b[1] * e[1]) + ((b[2] * e[2]) + (b[3] * e[3]))))
                for k in (1, 2, 3):
                    own = _larger(own, (b[0] * e[k]) + (e[0] * b[k]))
            largest = _larger(largest, own * node.light[0])
        return largest

    def _attained(self, rate: float) -> bool:
        """Whether all slacks stand for their velocities but for a rate and their own round-off."""
        for node in self.nodes:
            largest = node.e[0] if hasattr(node, "e") else 0.0
            for slack in node.slack:
                largest = max(largest, abs(slack))
            if not all(abs(miss) <= rate + ROUND_OFF["double"] * largest for miss in node.miss):
                return False
        return True

    def _is_apart(self) -> bool:
        """Whether what gaps and limits miss of their rates is a small part of their slacks, but for round-off."""
        extent, fastest = self.solver.memory.parameters["common"][0].extent[0], 0.0
        for body in self.solver.bodies:
            for k in range(3):
                fastest = max(fastest, abs(body.v[k]), abs(extent * body.w[k]))
        for node, sides in self.rooms:
            for miss, slack in zip(node.miss[:sides], node.slack[:sides], strict=True):
                if not abs(miss) <= path.APART_BY * slack + ROUND_OFF["double"] * fastest:
                    return False
        return True

    def _missed(self) -> float:
        """Squares of what slacks miss of the velocities that they stand for."""
        total = 0.0
        for node in self.nodes:
            for miss in node.miss:
                total = total + (miss * miss)
        return total

    def _largest_share(self, share: float) -> float:
        """The largest share of the increment, up to `share`, that stays inside all cones."""
        for node in self.nodes:
            for x, dx, y, dy in zip(node.impulse, node.d_impulse, node.slack, node.d_slack, strict=True):
                share = _share_inside(share, x, dx)
                share = _share_inside(share, y, dy)
            if hasattr(node, "b"):
                share = _share_in_cone(share, node.b, node.d_b, node.det[0])
                share = _share_in_cone(share, node.e, node.d_e, node.det[1])
        return share

    def depth(self) -> float:
        """How far the worst contact or limit is beyond its bound at the knot that was prepared [m or rad]."""
        deepest = 0.0
        for node in self.nodes:
            for room in getattr(node, "gap", None) or getattr(node, "room", ()):
                deepest = -room if room < -deepest else deepest
        return deepest

    def _refined(self) -> float:
        """Complementarity that a projection leaves: a little, but enough for masses to count beside stiffness."""
        parameters, h = self.solver.memory.parameters["common"][0], self.solver.common.step[0]
        rate = self.depth() / (parameters.acceleration[0] * (h * h))
        least = path.STIFFEST["double"] * (rate * rate)
        return least if least > path.REFINED["double"] else path.REFINED["double"]

    def _closing_speed(self) -> float:
        largest = 0.0
        for node in self.closing:
            if -node.un[0] > largest:
                largest = -node.un[0]
        return largest


def _larger(largest: float, value: float) -> float:
    """The larger of a number and the size of another; what is not finite stays."""
    return largest if abs(value) <= largest else abs(value)


def _share_inside(share: float, x: float, change: float) -> float:
    return share if x + share * change > 0.0 else -x / change


def _share_in_cone(share: float, x: list[float], change: list[float], c: float) -> float:
    """c: x0² less the squared length of the rest."""
    a = (change[0] * change[0]) - ((change[1] * change[1]) + ((change[2] * change[2]) + (change[3] * change[3])))
    b = (x[0] * change[0]) - ((x[1] * change[1]) + ((x[2] * change[2]) + (x[3] * change[3])))
    if x[0] + share * change[0] > 0.0 and c + share * ((b + b) + share * a) > 0.0:
        return share  # a cone is convex: with the end inside, the way is
    root = (b * b) - (a * c)
    below = sqrt(root) - b if root >= 0.0 else 0.0
    return c / below if below > 0.0 and c < share * below else share
