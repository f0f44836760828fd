"""Env: one world of a mechanism as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.learn.spaces import RENDER_MODES, checked_render_mode, gymnasium, spaces_of
from symvi.learn.task import Task
from symvi.learn.worlds import Worlds
from symvi.mechanism import Mechanism
from symvi.mechanism.mechanism import HasMechanism
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.page.pixels import Camera
from symvi.simulate import Simulator, Trajectory

ALL = np.ones(1, bool)


class Env(gymnasium.Env):
    """A world that learns. worlds: the batch of this one, and what is read of it.

    info has "failed": whether the step could not be solved; the world keeps the state before it and is truncated.
    """

    def __init__(
        self,
        mechanism: Mechanism | HasMechanism | Simulator,
        task: Task,
        *,
        inputs: Mapping[str, Any] | None = None,
        options: SolverOptions = DEFAULTS,
        render_mode: str | None = None,
        size: tuple[int, int] = (480, 360),
    ):
        """The arguments are those of `VectorEnv`."""
        self.render_mode, self._size = checked_render_mode(render_mode), size
        self.worlds = Worlds(mechanism, task, 1, inputs, options, 1)
        self.metadata = {"render_modes": RENDER_MODES, "render_fps": 1.0 / (task.step * task.repeat)}
        self.observation_space, self.action_space = spaces_of(self.worlds)
        self._begun = False
        self._camera: Camera | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a new episode. options: nothing is known."""
        super().reset(seed=seed)
        self.worlds.reset(ALL, [self.np_random])
        self._begun = True
        return self.worlds.observations()[0], {"failed": False}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take a step. action: (a,)."""
        if not self._begun:
            raise ArgumentError("reset() comes before the first step()")
        reward, end, cut = self.worlds.step(np.asarray(action)[None])
        info = {"failed": bool(self.worlds.failed[0])}
        return self.worlds.observations()[0], float(reward[0]), bool(end[0]), bool(cut[0]), info

    def render(self) -> Any:
        """A picture, (height, width, 3); None without a render_mode."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = Camera(self.worlds.simulator.mechanism, *self._size)
        return self._camera.frame(*self.worlds.placements(0))

    def episode(self) -> Trajectory:
        """The motion since the episode began, for its page, its curves, its forces."""
        return self.worlds.episode()

    def write_page(self, path: str | Path) -> Path:
        """Write a page that replays the episode. Raises ArgumentError before a step."""
        from symvi.page import write_page

        return write_page(self.episode(), path)

    def close(self) -> None:
        """Let go of the batch."""
        self.worlds.batch.close()
