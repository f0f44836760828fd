"""Steps in JAX and PyTorch: their gradients are the adjoint's of the simulator, and those of differences."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from symvi import ArgumentError, Simulator, state_from
from symvi.control import StepMap, jax_rollout, jax_step, torch_rollout, torch_step
from symvi.errors import MissingExtraError
from tests.slopes.test_regulator import cart_pole
from tests.support.slope_scenes import scene

STEP, N = 0.02, 30
PUSHES = np.sin(0.3 * np.arange(N))[:, None]
WEIGHTS = np.arange(1.0, 5.0)
HAS_TORCH = find_spec("torch") is not None  # in no lock: where it is not installed there is nothing to test


@pytest.fixture(scope="module")
def jax():
    found = pytest.importorskip("jax", reason="needs the extra jax")
    before = found.config.jax_enable_x64
    found.config.update("jax_enable_x64", True)
    yield found
    found.config.update("jax_enable_x64", before)


def adjoint():
    """The gradient of a loss by the simulator's own adjoint."""

    def loss(x, u):
        return (WEIGHTS * x**2).sum() + 0.1 * (u**2).sum(), 2 * WEIGHTS * x, 0.2 * u

    start = state_from(cart_pole(), {"hinge": 0.2})
    given = {"motor.force": np.append(PUSHES[:, 0], 0.0)}
    return Simulator(cart_pole()).gradient(loss, N * STEP, STEP, start=start, inputs=given)


def start() -> np.ndarray:
    return np.array([0.0, 0.2, 0.0, 0.0])


def test_grad_of_a_jitted_scan_is_the_adjoint(jax) -> None:
    rollout, expected = jax_rollout(Simulator(cart_pole()), STEP), adjoint()

    @jax.jit
    def loss(x, u):
        return (WEIGHTS * rollout(x, u) ** 2).sum() + 0.1 * (u**2).sum()

    value, (by_x, by_u) = jax.value_and_grad(loss, argnums=(0, 1))(start(), PUSHES)
    assert float(value) == pytest.approx(expected.value, rel=1e-12)
    scale = np.abs(expected.start).max()
    np.testing.assert_allclose(by_x, expected.start, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(by_u, expected.inputs, rtol=0, atol=1e-10 * scale)


def test_vmap_and_batches_are_one_step_each(jax) -> None:
    simulator = Simulator(cart_pole())
    step, alone = jax_step(simulator, STEP), StepMap(simulator, STEP)
    x, u = start() + 0.1 * np.random.default_rng(0).standard_normal((5, 4)), np.ones(1)
    expected = np.array([alone(each, u) for each in x])
    np.testing.assert_allclose(jax.vmap(step, (0, None))(x, u), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(step(x, u), expected, rtol=0, atol=1e-12)
    by_u = jax.grad(lambda u: (step(x, u) * WEIGHTS).sum())(u)
    slopes = sum(WEIGHTS @ alone.slopes(each, u).B for each in x)
    np.testing.assert_allclose(by_u, slopes, rtol=0, atol=1e-11)
    assert step(x.astype(np.float32), u.astype(np.float32)).dtype == np.float32


def test_a_smoothed_contact_has_a_gradient_in_jax(jax) -> None:
    mechanism, _ = scene("sphere")
    step = jax_step(Simulator(mechanism), 0.01, smoothing=1e-3)
    x = StepMap(Simulator(mechanism), 0.01, smoothing=1e-3).start
    by_x = jax.jit(jax.grad(lambda x: step(x, np.zeros(0))[8]))(x)  # how fast it rises afterwards
    eps = 1e-6
    for k in range(len(x)):
        change = eps * np.eye(len(x))[k]
        difference = (step(x + change, np.zeros(0))[8] - step(x - change, np.zeros(0))[8]) / (2 * eps)
        assert by_x[k] == pytest.approx(float(difference), abs=1e-6 * np.abs(by_x).max())


def test_a_step_that_cannot_be_taken_raises(jax) -> None:
    mechanism, _ = scene("slider_crank")
    step = jax_step(Simulator(mechanism.changed(drivers=[])), 0.01, coordinates=["guide"])
    with pytest.raises(Exception, match="no state of these coordinates closes the joints"):
        step(np.array([0.5, 0.0]), np.zeros(0))
    with pytest.raises(ArgumentError, match="the last axis of x holds guide, guide.rate"):
        step(np.zeros(3), np.zeros(0))


if HAS_TORCH:

    def test_torch_agrees_with_the_adjoint_and_with_differences() -> None:
        import torch

        rollout, expected = torch_rollout(Simulator(cart_pole()), STEP), adjoint()
        x = torch.tensor(start(), requires_grad=True)
        u = torch.tensor(PUSHES, requires_grad=True)
        value = (torch.tensor(WEIGHTS) * rollout(x, u) ** 2).sum() + 0.1 * (u**2).sum()
        value.backward()
        assert float(value.detach()) == pytest.approx(expected.value, rel=1e-12)
        scale = np.abs(expected.start).max()
        np.testing.assert_allclose(x.grad, expected.start, rtol=0, atol=1e-10 * scale)
        np.testing.assert_allclose(u.grad, expected.inputs, rtol=0, atol=1e-10 * scale)

    @pytest.mark.parametrize("name", ["pair", "balls", "four_bar", "free"])
    def test_torch_gradcheck(name: str) -> None:
        import torch

        mechanism, _ = scene(name)
        simulator = Simulator(mechanism)
        step, alone = torch_step(simulator, 0.01), StepMap(simulator, 0.01)
        rng = np.random.default_rng(0)
        x = torch.tensor(alone.start + 0.02 * rng.standard_normal((2, len(alone.names))), requires_grad=True)
        u = torch.tensor(rng.standard_normal(len(alone.inputs)), requires_grad=len(alone.inputs) > 0)
        assert torch.autograd.gradcheck(step, (x, u), eps=1e-6, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_without_a_library_its_extra_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=library):
        {"jax": jax_step, "torch": torch_step}[library](Simulator(cart_pole()))
