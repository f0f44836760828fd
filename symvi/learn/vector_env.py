"""VectorEnv: many worlds of one mechanism as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.learn.spaces import RENDER_MODES, checked_render_mode, gymnasium, seeding, spaces_of
from symvi.learn.task import Task
from symvi.learn.worlds import Worlds
from symvi.mechanism import Mechanism
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import shown
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.page.pixels import Camera
from symvi.simulate import Simulator, Trajectory

AutoresetMode = gymnasium.vector.AutoresetMode
MODES = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}
Mask = NDArray[np.bool_]


class VectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` worlds that learn together. It steps as so many `Env` in Gymnasium's SyncVectorEnv do.

    worlds: the batch, and what is read of it. info has "failed": (n,) worlds whose step could not be solved; they keep
    the state before it and are truncated.
    """

    def __init__(
        self,
        mechanism: Mechanism | HasMechanism | Simulator,
        task: Task,
        num_envs: int,
        *,
        inputs: Mapping[str, Any] | None = None,
        options: SolverOptions = DEFAULTS,
        threads: int | None = None,
        autoreset: str = "next_step",
        render_mode: str | None = None,
        size: tuple[int, int] = (480, 360),
    ):
        """mechanism: or a simulator. inputs: those that no action names, (n,) or one for all; one that actions set has
        this value where an episode begins (a servo's target, before the first action). threads: that share the
        worlds. autoreset: "next_step", "same_step" or "disabled", as Gymnasium means them. size: of a picture, width
        and height in pixels. Raises ArgumentError, MechanismError; MissingExtraError without Gymnasium.
        """
        if not isinstance(num_envs, Integral) or isinstance(num_envs, bool) or num_envs < 1:
            raise ArgumentError(f"num_envs {shown(num_envs)}: must be a whole number, at least 1")
        if autoreset not in MODES:
            raise ArgumentError(f"autoreset {shown(autoreset)}: use {', '.join(map(repr, MODES))}")
        self.render_mode, self._size = checked_render_mode(render_mode), size
        self.worlds = Worlds(mechanism, task, int(num_envs), inputs, options, threads)
        self.num_envs, self._mode = int(num_envs), MODES[autoreset]
        self.metadata = {"render_modes": RENDER_MODES, "autoreset_mode": self._mode, "render_fps": _fps(task)}
        self.single_observation_space, self.single_action_space = spaces_of(self.worlds)
        self.observation_space, self.action_space = (
            gymnasium.vector.utils.batch_space(space, self.num_envs)
            for space in (self.single_observation_space, self.single_action_space)
        )
        self._generators = [seeding.np_random(None)[0] for _ in range(self.num_envs)]
        self._over: Mask = np.zeros(self.num_envs, bool)
        self._begun = False
        self._camera: Camera | None = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin new episodes. seed: of the first world, s + k of the k-th; or a list. options: "reset_mask", (n,) True
        for worlds that begin anew; all, if left out."""
        mask = self._mask(options)
        for k, each in enumerate(self._seeds(seed)):
            if each is not None and mask[k]:
                self._generators[k], number = seeding.np_random(each)
                if k == 0:
                    self._np_random, self._np_random_seed = self._generators[0], number
        self.worlds.reset(mask, self._generators)
        self._over &= ~mask
        self._begun = True
        return self.worlds.observations(), self._info(mask)

    def step(self, actions: Any) -> tuple[NDArray[np.float32], NDArray[np.float64], Mask, Mask, dict[str, Any]]:
        """Take a step with every world. actions: (n, a)."""
        if not self._begun:
            raise ArgumentError("reset() comes before the first step()")
        if self._mode == AutoresetMode.DISABLED and self._over.any():
            raise ArgumentError(f"world {int(self._over.argmax())}: its episode is over; reset it with reset_mask")
        anew = self._over.copy()
        reward, end, cut = self.worlds.step(actions)
        if anew.any():  # what these did in the step is forgotten
            self.worlds.reset(anew, self._generators)
            reward[anew], end[anew], cut[anew] = 0.0, False, False
        self._over = end | cut
        info, observations = self._info(np.ones(self.num_envs, bool)), None
        if self._mode == AutoresetMode.SAME_STEP and self._over.any():
            last = self.worlds.observations()
            info = self._finals(last)
            self.worlds.reset(self._over, self._generators)
            observations = np.where(self._over[:, None], self.worlds.observations(), last)
            self._over = np.zeros(self.num_envs, bool)
        return (self.worlds.observations() if observations is None else observations), reward, end, cut, info

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each world, (height, width, 3); None without a render_mode."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = Camera(self.worlds.simulator.mechanism, *self._size)
        return tuple(self._camera.frame(*self.worlds.placements(k)) for k in range(self.num_envs))

    def episode(self) -> Trajectory:
        """The motion of the first world since its episode began, for its page, its curves, its forces."""
        return self.worlds.episode()

    def write_page(self, path: str | Path) -> Path:
        """Write a page that replays the first world's episode. Raises ArgumentError before a step."""
        from symvi.page import write_page

        return write_page(self.episode(), path)

    def close_extras(self, **kwargs: Any) -> None:
        """Let go of the batch's threads."""
        self.worlds.batch.close()

    # --- inside ------------------------------------------------------------------------------------------------------
    def _seeds(self, seed: object) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, Integral):
            return [int(seed) + k for k in range(self.num_envs)]
        if not isinstance(seed, Sequence) or len(seed) != self.num_envs:
            raise ArgumentError(f"seed {shown(seed)}: give one, or {self.num_envs} of them")
        return seed

    def _mask(self, options: dict[str, Any] | None) -> Mask:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, bool)
        if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ArgumentError(f"reset_mask {shown(mask)}: give {self.num_envs} of True and False, one True at least")
        return mask

    def _info(self, mask: Mask) -> dict[str, Any]:
        return {"failed": self.worlds.failed & mask, "_failed": mask.copy()}

    def _finals(self, last: NDArray[np.float32]) -> dict[str, Any]:
        """What ended episodes saw last."""
        over, observations = self._over, np.full(self.num_envs, None, object)
        for k in np.flatnonzero(over):
            observations[k] = last[k]
        final = {"failed": self.worlds.failed & over, "_failed": over.copy()}
        everyone = np.ones(self.num_envs, bool)
        return {
            "final_obs": observations,
            "_final_obs": over.copy(),
            "final_info": final,
            "_final_info": over.copy(),
            "failed": self.worlds.failed & ~over,
            "_failed": everyone,
        }


def _fps(task: Task) -> float:
    """Pictures for a second of the motion."""
    return 1.0 / (task.step * task.repeat)
