"""The simulators of variants: one build for each pattern of a description, kept by the worker that made it."""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism import start_state
from symvi.mechanism.named_numbers import value_of
from symvi.mechanism.state import State
from symvi.simulate.engine import CEngine
from symvi.sweeps.names import Name

if TYPE_CHECKING:
    from symvi.simulate import Simulator

KEPT, RECENT = 4, 64  # sweeps that a worker keeps the builds of; changed descriptions, of which many variants share one
_KEPT: OrderedDict[str, Variants] = OrderedDict()
_LOCK = Lock()


@dataclass(frozen=True)
class Found:
    """A described variant: its simulator, its start, and the simulator whose text it runs on."""

    simulator: Simulator
    start: State
    base: Simulator


class Variants:
    """The simulators of one sweep in one worker. Several threads may ask.

    origin: of the description. patterns: those that had to be built for variants with a text of their own.
    """

    def __init__(self, origin: Simulator):
        self.origin = origin
        self.patterns: list[Simulator] = []
        self._as_it_is = Found(origin, start_state(origin.mechanism), origin)
        self._recent: OrderedDict[tuple, Found] = OrderedDict()
        self._zeros: dict[str, NDArray[np.bool_]] = {}
        self._lock = Lock()

    def of(self, values: Mapping[str, Any], names: Mapping[str, Name]) -> Found:
        """A simulator with a memory of its own.

        values: by title. What a run can set is set; all else changes the description, and so does a number that breaks
        what the text has baked in. Raises MechanismError, AssemblyError.
        """
        told = [(names[title], value) for title, value in values.items()]
        changes = self._values(told, "description")
        settings = self._values(told, "parameter")
        for name in [name for name, value in settings.items() if self._is_new(name, value)]:
            changes[name] = settings.pop(name)
        found = self._described(changes)
        try:
            return replace(found, simulator=_set(found.simulator, settings))
        except MechanismError:
            found = self._described(changes | settings)  # says what is wrong, where that is not the text's fault
            return replace(found, simulator=found.simulator._twin())

    def _values(self, told: list[tuple[Name, Any]], kind: str) -> dict[str, Any]:
        """Values by the mechanism's own names; those of single entries put together."""
        found: dict[str, Any] = {}
        for name, value in told:
            if name.kind == kind:
                before = found.get(name.own)
                if before is not None and name.entry is not None:
                    value = (*before[: name.entry], value[name.entry], *before[name.entry + 1 :])
                found[name.own] = value
        return found

    def _is_new(self, name: str, value: Any) -> bool:
        """Whether a zero comes or goes, with which a description has other formulas, as a spring of length 0 has."""
        if name not in self._zeros:
            self._zeros[name] = np.asarray(value_of(self.origin.mechanism, name) or (), float) == 0.0
        now = np.atleast_1d(np.asarray(value, float)) == 0.0
        return now.shape != self._zeros[name].shape or bool((now != self._zeros[name]).any())

    def _described(self, changes: Mapping[str, Any]) -> Found:
        if not changes:
            return self._as_it_is
        key = tuple(sorted(changes.items()))
        with self._lock:
            found = self._recent.get(key)
            if found is None:
                simulator = self.origin._with(changes, self.patterns)
                known = (self.origin, *self.patterns)
                base = next((each for each in known if _library(each) is _library(simulator)), None)
                if base is None:
                    base = simulator
                    self.patterns.append(base)
                found = self._recent[key] = Found(simulator, start_state(simulator.mechanism), base)
                if len(self._recent) > RECENT:
                    self._recent.popitem(last=False)
            return found


def variants_of(description: bytes) -> Variants:
    """Those of a simulator that was pickled, built when a worker first sees it."""
    key = hashlib.sha256(description).hexdigest()
    with _LOCK:
        found = _KEPT.get(key)
        if found is None:
            found = _KEPT[key] = Variants(pickle.loads(description))
            if len(_KEPT) > KEPT:
                _KEPT.popitem(last=False)
        _KEPT.move_to_end(key)
        return found


def _library(simulator: Simulator) -> object:
    assert isinstance(simulator.engine, CEngine)
    return simulator.engine._library


def _set(simulator: Simulator, settings: Mapping[str, Any]) -> Simulator:
    twin = simulator._twin()
    for name, value in settings.items():
        twin.set_parameter(name, value)
    return twin
