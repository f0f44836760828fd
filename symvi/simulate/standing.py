"""How an engine's knot stands: what is open there or too deep, and whether a motion can start from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, sqrt

import numpy as np

from symvi.errors import AssemblyError, MechanismError
from symvi.mechanism.state import State
from symvi.numbers.control import CLOSED, Beginning
from symvi.simulate import frames
from symvi.simulate.engine import Engine

DOUBTS = 10.0  # how much a gear or a lever may enlarge what a driver's rate is off


class Standing:
    """The last knot that one engine observed."""

    def __init__(self, engine: Engine):
        self.engine, self.plan = engine, engine.plan
        self.real = precision_of(engine)

    def numbers(self, store: str, kind: str, index: int, field: str) -> np.ndarray:
        """A field of a node, in the store "parameters" or "work"."""
        values = self.engine.parameters if store == "parameters" else self.engine.flat(store)
        return values[self.plan.at(store, kind, index, field)]

    def _of_node(self, node: Mapping, field: str) -> np.ndarray:
        return self.numbers("work", node["kind"], node["index"], field)

    def deepest(self) -> tuple[str, float, str]:
        """The contact or limit that is furthest beyond its bound at the last knot observed: name, how far, its unit.

        Not beyond: a negative number, or -inf without contacts and limits.
        """
        worst = ("", -np.inf, "m")
        for node in self.plan.notes["inequalities"]:
            if node["type"] != "dry_friction":
                room = float(self._of_node(node, "room" if node["type"] == "limit" else "gap").min())
                if -room > worst[1]:
                    worst = node["name"], -room, node["unit"]
        return worst

    def worst_constraint(self) -> tuple[str, float]:
        """The constraint with the largest residual, and that residual [m or rad]."""
        return self.worst([*self.plan.constraints, *self.plan.notes["watch"]])

    def worst(self, nodes: Iterable[Mapping]) -> tuple[str, float]:
        """The constraint of these with the largest residual, and that residual [m or rad]."""
        worst = ("", -1.0)
        for node in nodes:
            residual = float(np.abs(self._of_node(node, "g")).max())
            if not residual <= worst[1]:
                worst = node["name"], residual
        return worst

    # --- checks of a start --------------------------------------------------------------------------------------------
    def check_speed(self, state: State, step: float, beginning: Beginning) -> None:
        """No body may turn by a right angle or more in a step."""
        speeds, limit = np.linalg.norm(state.angular_velocity, axis=1), sqrt(beginning.fastest)
        if len(speeds) and speeds.max() >= limit / step:
            k = int(speeds.argmax())
            raise MechanismError(
                f"body '{state.names[k]}': turns at {speeds[k]:.6g} rad/s; {step:g} s steps allow less than "
                f"{limit / step:.6g} rad/s: take a step below {limit / speeds[k]:.3g} s"
            )

    def check_limits(self) -> None:
        """Raises MechanismError for a limit whose bounds, as they were set, leave no room between them."""
        for node in self.plan.notes["inequalities"]:
            if node["type"] == "limit" and node["pairs"] == 2:
                lower, upper = (
                    float(self.engine.parameters[self.plan.at("parameters", node["kind"], node["index"], side)][0])
                    for side in ("lower", "upper")
                )
                if not lower < upper:
                    raise MechanismError(
                        f"limit '{node['name']}': lower {lower:g} is not below upper {upper:g}; set one of them anew"
                    )

    def check_start(self, frame: np.ndarray, change: float, doubt: float, projected: bool) -> None:
        """A motion can start here. change: of velocities by a projection; doubt: what a driver's rate may be off.

        Raises AssemblyError for what is open, inside a contact, or moved to no finite place.
        """
        if not isfinite(change):  # balls with one centre have no direction: they lie inside each other
            self.check_apart(projected)
        self.check_closed(frame, None if projected else change, doubt)
        self.check_apart(projected)
        if projected and not isfinite(change):
            raise AssemblyError(
                "no start that fits is found from here: bodies are moved to no finite place; start nearer"
            )

    def check_apart(self, projected: bool) -> None:
        """Raises AssemblyError, naming the contact or limit and how far, when the start is beyond one by 1e-8."""
        name, depth, unit = self.deepest()
        if depth > CLOSED[self.real]:
            remedy = (
                "it cannot be moved out from here; start nearer"
                if projected
                else "start with project=True, or mend the placement"
            )
            raise AssemblyError(f"the start lies {depth:.3g} {unit} inside '{name}': {remedy}")

    def check_closed(self, frame: np.ndarray, change: float | None, doubt: float) -> None:
        """Rows that are kept close to 1e-8; those that were dropped may open as far as the analysis of loops said.

        change: of velocities, when they were projected onto the joints; None where that was asked for. Round-off of
        the largest velocity is allowed, and what a driver's rate may be off.
        """
        limit = float(self.engine.parameters[self.plan.at("parameters", "common", 0, "limit")][0])
        allowed = (
            (self.plan.constraints, CLOSED[self.real]),
            (self.plan.notes["watch"], max(CLOSED[self.real], limit)),
        )
        found = [(*self.worst(nodes), most) for nodes, most in allowed]
        name, size, most = max(found, key=lambda worst: worst[1] / worst[2] if isfinite(worst[1]) else np.inf)
        if not isfinite(size):
            raise AssemblyError(f"the start is singular: rows of '{name}' have no value or no direction there")
        if not size <= most:
            remedy = (
                "it cannot be assembled from here; start nearer"
                if change is None
                else "start with project=True, or mend the placement"
            )
            raise AssemblyError(f"the start violates the constraints by {size:.3g}, worst at '{name}': {remedy}")
        velocities = np.concatenate([frames.entry(self.plan, frame[None], name) for name in "vw"])
        size = max(1.0, float(self.engine.parameters[self.plan.at("parameters", "common", 0, "extent")][0]))
        allowed = 100.0 * CLOSED[self.real] * max(1.0, float(np.abs(velocities).max())) + DOUBTS * doubt * size
        if change is not None and not isfinite(change):
            finer = "" if self.real == "double" else ", or compute in double"
            raise AssemblyError(
                f"the start cannot be computed in {self.real}: its momenta are not finite; check the units of masses, "
                f"inertias, velocities and the step{finer}"
            )
        if change is not None and not change <= allowed:
            raise AssemblyError(
                f"the start velocities violate the constraints: projecting changes one by {change:.3g} m/s or rad/s; "
                "start with project=True, or mend the velocities (a driver's input sets the rate of its joint)"
            )


def precision_of(engine: Engine) -> str:
    """ "double" or "float": what an engine's memory holds."""
    return "double" if engine.parameters.dtype == np.float64 else "float"
