"""The quadruped in MJX on this processor: many worlds at once, compiled by XLA, in single precision as MJX has it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from time import process_time

import numpy as np

CHUNK = 20  # steps of one call: compiled once for all lengths of a step


def is_installed() -> bool:
    return find_spec("jax") is not None and find_spec("mujoco") is not None and find_spec("mujoco.mjx") is not None


class MJXRobots:
    """Worlds of one model. model: MuJoCo's, of any time step; positions: where all begin."""

    def __init__(self, model, positions: np.ndarray, worlds: int):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        from mujoco import mjx

        self.jax, self.worlds = jax, worlds
        self.model = mjx.put_model(model)
        one = mjx.make_data(self.model).replace(qpos=jax.numpy.asarray(positions))
        self.start = jax.vmap(lambda q: one.replace(qpos=q))(jax.numpy.repeat(one.qpos[None], worlds, 0))

        def steps(model, data, controls):
            def step(data, control):
                return mjx.step(model, data.replace(ctrl=control)), None

            return jax.lax.scan(step, data, controls)[0]

        self.steps = jax.jit(jax.vmap(steps, in_axes=(None, 0, None)))

    def run(self, step: float, controls: np.ndarray) -> tuple[float, np.ndarray]:
        """Seconds of processors for (N, m) controls, N a multiple of CHUNK, and heights of the trunks at the end."""
        jax = self.jax
        model = self.model.replace(opt=self.model.opt.replace(timestep=jax.numpy.asarray(step)))
        pieces = [jax.numpy.asarray(piece) for piece in controls.reshape(-1, CHUNK, controls.shape[1])]
        for data in (self.start, self.steps(model, self.start, pieces[0])):  # compiled, for both, before it is timed
            jax.block_until_ready(self.steps(model, data, pieces[0]))
        begin, data = process_time(), self.start
        for piece in pieces:
            data = self.steps(model, data, piece)
        heights = np.asarray(jax.block_until_ready(data).qpos[:, 2])
        return process_time() - begin, heights
