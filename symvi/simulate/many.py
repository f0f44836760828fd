"""What a simulator makes many worlds with (batch.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.simulate.arguments import Rates
from symvi.simulate.orders import refuse

if TYPE_CHECKING:
    from symvi.simulate.batch import Batch
    from symvi.simulate.simulator import Simulator


class Many:
    """A simulator's batches."""

    def _twin(self) -> Simulator:
        """The same solver with a memory of its own."""
        raise NotImplementedError

    def batch(
        self,
        count: int,
        *,
        parameters: Mapping[str, Any] | None = None,
        starts: State | Sequence[State] | None = None,
        inputs: Mapping[str, Any] | None = None,
        step: float = 0.01,
        options: SolverOptions = DEFAULTS,
        project: bool = False,
        rates: Rates = "momentum",
        threads: int | None = None,
        lanes: int | None = None,
    ) -> Batch:
        """`count` worlds at their starts, to go on together with `Batch.step` and `Batch.rollout`.

        parameters, inputs: name -> one value for all worlds, or (n,) of each, (n, k) where the name has k numbers.
        Inputs are for every step that names no other. starts: one State for all, or n of them; None is the
        description's own. threads: that share the worlds, None for as many as this process may run on. lanes: whether
        worlds are stepped side by side in vectors, None where mechanism and compiler allow it; a number: of how many
        worlds each, not of as many as fit the registers of this processor. It changes no bit. The rest is as in
        `Simulator.reset`. Raises what it does, with the number of the world; ArgumentError for a batch that takes
        more memory than there is, and for a simulator that runs in Python.
        """
        from symvi.simulate.batch import batch_of

        own = cast("Simulator", self)._twin()
        refuse(own, "batch", "inputs of its worlds change at their knots")
        return batch_of(own, count, parameters, starts, inputs, step, options, project, rates, threads, lanes)
