"""A VectorEnv as stable-baselines3 wants vectors of environments: actions between -1 and 1, infos as a list."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from stable_baselines3.common.vec_env import VecEnv

from symvi.learn import VectorEnv


class Adapter(VecEnv):
    """env: with autoreset="same_step", as stable-baselines3 begins episodes anew."""

    def __init__(self, env: VectorEnv):
        self.env, space = env, env.single_action_space
        assert isinstance(space, Box)
        self._middle, self._half = (space.high + space.low) / 2, (space.high - space.low) / 2
        self._rewards: list[float] = []
        super().__init__(env.num_envs, env.single_observation_space, Box(-1.0, 1.0, space.shape, np.float32))

    def actions(self, given: np.ndarray) -> np.ndarray:
        """Actions of the environment from numbers between -1 and 1."""
        return self._middle + self._half * np.clip(given, -1.0, 1.0)

    def reset(self) -> np.ndarray:
        return self.env.reset(seed=self._seeds[0])[0]

    def step_async(self, actions: np.ndarray) -> None:
        self._given = self.actions(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, ends, cuts, info = self.env.step(self._given)
        self._rewards.append(float(rewards.mean()))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(ends | cuts):
            cut = bool(cuts[k] and not ends[k])
            infos[k] = {"terminal_observation": info["final_obs"][k], "TimeLimit.truncated": cut}
        return observations, rewards.astype(np.float32), ends | cuts, infos

    def gained(self) -> float:
        """The mean reward of a step since this was asked last."""
        mean, self._rewards = float(np.mean(self._rewards)), []
        return mean

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("worlds of one batch have no attributes of their own")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError("worlds of one batch have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs
