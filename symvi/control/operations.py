"""A step and a motion as differentiable functions of JAX (extra `jax`) and of PyTorch (extra `torch`).

Values and derivatives come from the simulator's own step: forwards A and B are kept, backwards a cotangent w becomes
(Aᵀw, Bᵀw). Leading axes are a batch, whose members are taken one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, missing_extra
from symvi.simulate.simulator import Simulator
from symvi.simulate.step_map import StepMap

Array = NDArray[np.float64]
Operation = Callable[[Any, Any], Any]


def jax_step(simulator: Simulator, step: float = 0.01, *, first: bool = False, **more: Any) -> Operation:
    """f(x (..., n), u (..., m)) -> (..., n), a step for `jax.jit`, `grad`, `vjp`, `vmap` and `lax.scan`.

    x, u: as `linearize` names them, in the order of `StepMap.names` and `StepMap.inputs`. first: the step of a start.
    more: of `StepMap`: start, inputs, coordinates, smoothing, options. Numbers are computed in double and returned in
    the precision of x; enable `jax_enable_x64` to keep them. A step that cannot be taken raises JAX's runtime error,
    with the solver's words. Raises MissingExtraError, and what `StepMap` raises.
    """
    return _jax_operation(_Batched(StepMap(simulator, step, **more)), first)


def jax_rollout(simulator: Simulator, step: float = 0.01, **more: Any) -> Operation:
    """f(x (n,), u (N, m)) -> (N + 1, n), the motion of N steps that `simulate` makes from x. As `jax_step`."""
    jax = _jax()
    batched = _Batched(StepMap(simulator, step, **more))
    begin, go = (_jax_operation(batched, first) for first in (True, False))

    def rollout(x: Any, u: Any) -> Any:
        """(N + 1, n) from x (n,) and u (N, m)."""
        after = begin(x, u[0])
        _, others = jax.lax.scan(lambda now, row: (go(now, row),) * 2, after, u[1:])
        return jax.numpy.concatenate([x[None], after[None], others])

    return rollout


def torch_step(simulator: Simulator, step: float = 0.01, *, first: bool = False, **more: Any) -> Operation:
    """f(x (..., n), u (..., m)) -> (..., n), a step for PyTorch's autograd. Arguments as in `jax_step`.

    A step that cannot be taken raises SolverError. Raises MissingExtraError, and what `StepMap` raises.
    """
    return _torch_operation(_Batched(StepMap(simulator, step, **more)), first)


def torch_rollout(simulator: Simulator, step: float = 0.01, **more: Any) -> Operation:
    """f(x (..., n), u (..., N, m)) -> (..., N + 1, n), the motion of N steps that `simulate` makes from x."""
    torch = _torch()
    batched = _Batched(StepMap(simulator, step, **more))
    begin, go = (_torch_operation(batched, first) for first in (True, False))

    def rollout(x: Any, u: Any) -> Any:
        """(..., N + 1, n) from x (..., n) and u (..., N, m)."""
        knots = [x]
        for k in range(u.shape[-2]):
            knots.append((go if k else begin)(knots[-1], u[..., k, :]))
        return torch.stack(knots, -2)

    return rollout


class _Batched:
    """Steps of one map, of arrays with leading axes; one thread at a time."""

    def __init__(self, step: StepMap):
        self.step, self.lock = step, Lock()
        self.n, self.m = len(step.names), len(step.inputs)

    def shape(self, x: tuple[int, ...], u: tuple[int, ...]) -> tuple[int, ...]:
        """The leading axes. Raises ArgumentError."""
        if x[-1:] != (self.n,) or u[-1:] != (self.m,):
            raise ArgumentError(
                f"step: x has shape {x} and u has shape {u}; the last axis of x holds {', '.join(self.step.names)}, "
                f"that of u holds {', '.join(self.step.inputs) or 'nothing: its size is 0'}"
            )
        return np.broadcast_shapes(x[:-1], u[:-1])

    def __call__(self, x: Any, u: Any, first: bool) -> tuple[Array, Array, Array]:
        """next (..., n), A (..., n, n), B (..., n, m). Raises SolverError, AssemblyError, ArgumentError."""
        x, u = np.asarray(x, float), np.asarray(u, float)
        lead, n, m = self.shape(x.shape, u.shape), self.n, self.m
        count = prod(lead)
        rows = np.broadcast_to(x, (*lead, n)).reshape(count, n), np.broadcast_to(u, (*lead, m)).reshape(count, m)
        with self.lock:
            found = [self.step.slopes(one, row, first=first) for one, row in zip(*rows, strict=True)]
        ahead, a, b = ([getattr(each, name) for each in found] for name in ("next", "A", "B"))
        return (
            np.array(ahead).reshape(*lead, n),
            np.array(a).reshape(*lead, n, n),
            np.array(b).reshape(*lead, n, m),
        )


# --- JAX --------------------------------------------------------------------------------------------------------------
def _jax() -> Any:
    try:
        import jax  # pyright: ignore[reportMissingImports]
        import jax.numpy  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise missing_extra("jax", "JAX") from error
    return jax


def _jax_operation(batched: _Batched, first: bool) -> Operation:
    jax, n, m = _jax(), batched.n, batched.m

    def taken(x: Any, u: Any) -> Any:
        lead, kind = batched.shape(x.shape, u.shape), jax.numpy.result_type(x, float)
        shapes = [jax.ShapeDtypeStruct((*lead, *tail), kind) for tail in ((n,), (n, n), (n, m))]

        def call(x: Any, u: Any) -> Any:
            return tuple(each.astype(kind) for each in batched(x, u, first))

        return jax.pure_callback(call, shapes, x, u, vmap_method="broadcast_all")

    @jax.custom_vjp
    def step(x: Any, u: Any) -> Any:
        return taken(x, u)[0]

    def forwards(x: Any, u: Any) -> Any:
        ahead, a, b = taken(x, u)
        return ahead, (a, b, x, u)

    def backwards(kept: Any, by: Any) -> Any:
        a, b, x, u = kept
        return tuple(
            _summed(jax.numpy.einsum("...i,...ij->...j", by, each), to.shape).astype(to.dtype)
            for each, to in ((a, x), (b, u))
        )

    step.defvjp(forwards, backwards)
    return step


def _summed(array: Any, shape: tuple[int, ...]) -> Any:
    """What was broadcast to an array is summed."""
    array = array.sum(tuple(range(array.ndim - len(shape))))
    for axis, size in enumerate(shape):
        if array.shape[axis] != size:
            array = array.sum(axis, keepdims=True)
    return array


# --- PyTorch ----------------------------------------------------------------------------------------------------------
def _torch() -> Any:
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise missing_extra("torch", "PyTorch") from error
    return torch


def _torch_operation(batched: _Batched, first: bool) -> Operation:
    torch = _torch()

    class Step(torch.autograd.Function):
        """x₊ of x and u."""

        @staticmethod
        def forward(ctx: Any, x: Any, u: Any) -> Any:
            found = batched(x.detach().cpu().numpy(), u.detach().cpu().numpy(), first)
            ahead, a, b = (torch.as_tensor(each, dtype=x.dtype, device=x.device) for each in found)
            ctx.save_for_backward(a, b)
            ctx.shapes = tuple(x.shape), tuple(u.shape)
            return ahead

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, by: Any) -> Any:
            return tuple(
                torch.einsum("...i,...ij->...j", by, each).sum_to_size(shape)
                for each, shape in zip(ctx.saved_tensors, ctx.shapes, strict=True)
            )

    return Step.apply
