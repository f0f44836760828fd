"""Tangents in the reference back end: scripts run on its memory, all directions at once as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace

import numpy as np

from symvi.emit.python import compile_kernel
from symvi.kernels.records import STORES
from symvi.numbers.centring import INSIDE, MOST_CENTRED, SETTLED, STAYING
from symvi.numbers.control import PARTS, SolverOptions
from symvi.program.slope_scripts import increments, slopes_of
from symvi.program.slopes import MARK, Place, Slopes, slope_fields
from symvi.simulate.engine import PythonEngine
from symvi.simulate.rule_newton import RuleNewton
from symvi.simulate.slope_layout import SlopeLayout, layout_of


class ReferenceSlopes:
    """The tangents of one reference solver. The engine's memory is its own: give it a twin.

    scripts: all of them, unless they are some that are known.
    """

    def __init__(
        self,
        engine: PythonEngine,
        parameters: frozenset[Place] = frozenset(),
        scripts: Mapping[str, Slopes] | None = None,
    ):
        self.engine, self.solver = engine, engine.solver
        self.program = self.solver.program
        self.scripts = slopes_of(self.program, parameters) if scripts is None else scripts
        self.layout: SlopeLayout = layout_of(self.program, parameters, self.scripts)
        self.records = slope_fields(frozenset().union(*(each.places for each in self.scripts.values())))
        self.arrived = np.zeros(0)  # the state where the last step led whose tangents were taken along
        self._compiled: dict[str, Callable] = {}

    # --- steps --------------------------------------------------------------------------------------------------------
    def enter(self, state: np.ndarray, inputs: np.ndarray) -> None:
        """The state of a knot, and the inputs of the step from there."""
        self.engine.state[:] = state
        self.engine._enter(inputs[None])

    def step(self, options: SolverOptions) -> tuple[int, int]:
        """(status, equal parts) of the step from the knot; the state moves on, the work memory holds the last part."""
        self.solver.options = options.in_precision("double")
        status = self.solver.step()
        return int(status), self.solver.substeps

    def part(self, parts: int, number: int, options: SolverOptions) -> int:
        """The `number`-th of equal parts of a step, or of their inner steps, from 1; returns its status."""
        solver, common = self.solver, self.solver.common
        solver.options = options.in_precision("double")
        inner = len(solver.ends)
        if number == 1:
            solver.set_up(PARTS.index(parts))
            common.parts[0], common.elapsed[0], common.rough[0] = float(parts * inner), 0.0, 0.0
            solver.run("reset")
        if solver.shares:
            solver.set_up(PARTS.index(parts), solver.shares[(number - 1) % inner])
        solver.iterations = solver.retries = 0
        return int(solver.stepper._take(number == parts * inner, False))

    def state(self) -> np.ndarray:
        """The state as it is."""
        return self.engine.flat("state")

    def settle(self, smoothing: float) -> float:
        """Newton increments at the solution of the step from the state as it is, until nothing moves; the last of them.

        smoothing: complementarity of contacts, limits and dry friction, which are sent to one centring.
        """
        solver, common = self.solver, self.solver.common
        self._switch_on()
        solver.run("prepare")
        contacts = solver.interior is not None
        if contacts:
            speed = solver.memory.parameters["common"][0].acceleration[0] * common.step[0]
            common.target[0], common.second[0] = smoothing * (speed * speed), 0.0
        change, still = np.inf, 0
        if solver.rule:
            return self._settle_rule(solver.rule)
        for _ in range(MOST_CENTRED if contacts else 3):
            solver.run("evaluate")
            if contacts:
                solver.run("apply_impulse")
                solver.run("exact")
            solver.run("linearize")
            if contacts:
                solver.run("right_hand_side_exact")
            solver.run("eliminate")
            solver.run("substitute")
            share = 1.0
            if solver.interior is not None:
                solver.run("respond")
                share = solver.interior.measures.largest_share(1.0 / INSIDE)
                share = INSIDE * share if share < 1.0 / INSIDE else 1.0
            common.length[0] = share
            solver.run("advance")
            change = solver.measures.largest_change()
            still = still + 1 if share >= 1.0 and change <= SETTLED else 0
            if still == (STAYING if contacts else 1):
                break
        return float(change)

    def _settle_rule(self, rule: RuleNewton) -> float:
        """The same of a step by a quadrature rule."""
        solver, change = self.solver, np.inf
        solver.run("prepare_rule")
        rule.drive()
        for _ in range(3):
            for phase in ("evaluate_rule", "eliminate_rule", "substitute_rule"):
                solver.run(phase)
            solver.common.length[0] = 1.0
            solver.run("advance_rule")
            change = rule._largest()
            if change <= SETTLED:
                break
        return float(change)

    def _switch_on(self) -> None:
        solver, before = self.solver, self.solver.memory.state["common"][0].before[0]
        solver.switches(0.5 * (before + solver.common.step[0]), 1.0, solver.common.inverse[0])

    # --- tangents -----------------------------------------------------------------------------------------------------
    def run(self, name: str, seeds: Mapping[str, np.ndarray], last: bool = True) -> dict[str, np.ndarray]:
        """Tangents at the end of a script, by store (numbers, columns); values go with them.

        seeds: by store, (numbers, columns) in the order of the layout. last: the last of a step's parts.
        """
        common = self.solver.common
        if name == "step":
            self._switch_on()
            common.length[0] = 1.0
        elif name == "chord":
            self.solver.set_up()
            self._switch_on()
            common.length[0] = 1.0
            self._clear(increments(self.program))
        else:
            self.solver.set_up()
            self.solver.switches(0.0, 1.0, 0.0)
        memory = self._memory(seeds)
        script = self.scripts[name]
        still = {(place.kind, place.field): place.entry for place in script.script.still}
        for action, calls in zip(script.script.actions, script.calls, strict=True):
            if action.phase == "finish":
                self._clear(still)
            if action.phase != "arrive" or last:
                self._call(calls, memory)
        if name in ("step", "chord"):
            self.arrived = self.state()
        columns = next(iter(seeds.values())).shape[1]
        return {store: self._flat(store, memory, columns) for store in ("state", "work", "motion")}

    def _clear(self, fields: Iterable[tuple[str, str]]) -> None:
        """Zeros in fields of work records, by type of nodes."""
        for kind, name in fields:
            for record in self.solver.memory.work[kind]:
                values = getattr(record, name)
                for k in range(len(values)):
                    values[k] = 0.0

    def rows(self) -> np.ndarray:
        """How far rows of joints are open, in the order of the layout; of the placement whose tangents were taken."""
        work = self.solver.memory.work
        found = [work[kind][node].g for kind, node, _ in self.layout.whole("work", "g")]
        return np.concatenate([np.zeros(0), *(np.array(each, float) for each in found)])

    def coordinates(self, near: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of joints and their rates by the momenta that are carried to the knot, and (n, 6) velocities of
        bodies; angles nearest to some."""
        solver = self.solver
        solver.placing.take(list(near), list(near))
        solver.set_up()
        solver.switches(0.0, 1.0, 0.0)
        for phase in ("prepare", "rest", "evaluate", "release", "linearize", "eliminate", "substitute"):
            solver.run(phase)
        solver.run("take_velocity")
        solver.run("measure")
        found, rates = solver.placing.outputs()
        return np.array(found), np.array(rates), np.array([[*body.v, *body.w] for body in solver.bodies])

    def _call(self, calls, memory) -> None:
        for call in calls:
            kernel = call.kernel
            if kernel.name not in self._compiled:
                self._compiled[kernel.name] = self.solver.run.kernels.get(kernel.name) or compile_kernel(kernel)
            nodes = {port.label: node for port, node in zip(kernel.ports, call.nodes, strict=True)}
            arguments = [
                (memory[store] if store.startswith(MARK) else getattr(self.solver.memory, store))[port.kind][
                    nodes[port.label].index
                ]
                for port, store, _ in kernel.used_stores()
            ]
            self._compiled[kernel.name](*arguments)

    def _memory(self, seeds: Mapping[str, np.ndarray]) -> dict[str, dict[str, list[SimpleNamespace]]]:
        found: dict = {MARK + store: {} for store in STORES}
        columns = next(iter(seeds.values())).shape[1]
        for (kind, store), fields in self.records.items():
            records = []
            for node in self.program.nodes[kind]:
                record = SimpleNamespace()
                for name, each in fields.items():
                    rows = self.layout.at(store.removeprefix(MARK), kind, node.index, name)
                    given = seeds.get(store.removeprefix(MARK))
                    setattr(record, name, list(np.zeros((each.size, columns)) if given is None else given[rows].copy()))
                records.append(record)
            found[store][kind] = records
        return found

    def _flat(self, store: str, memory, columns: int) -> np.ndarray:
        found = np.zeros((self.layout.sizes[store], columns))
        for name, (offset, _) in self.layout.fields[store].items():
            kind, index, own = name.split("/")
            for k, values in enumerate(getattr(memory[MARK + store][kind][int(index)], own)):
                found[offset + k] = values
        return found
