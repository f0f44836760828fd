"""A quadruped learns to walk by PPO in VectorEnv: four minutes of one core for 600 000 steps, from standing.

The robot of BSMH23 Fig. 13 (`_quadruped.py`, friction coefficient 0.8), asked 50 times a second for twelve targets
around its stance. It sees, in axes of the trunk, which way is up, the trunk's velocity and rates, and its joints,
their rates and its last targets, and a clock of 0.4 s; it gains by a pace of 0.6 m/s ahead, and loses by swaying,
bouncing, hasty targets and falls. PPO tries actions near those it would take: with wider trials (a standard deviation
of 0.4 in place of 0.14) it learns to walk with the noise, and falls without.
PPO is that of stable-baselines3 (`pip install stable-baselines3`), with its own numbers but for those named here; 64
worlds, one seed. With --quick nothing is learned: the paper's trot goes through the same environment. With --plot the
last episode of the first robot is written as a page beside the figure.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
from _quadruped import LEGS, PARTS, STANCE, gait, quadruped, standing_height
from _report import OURS, Report
from quadruped import TROT

from symvi import Simulator, SymviError
from symvi.learn import Now, Task, VectorEnv

FRICTION, LIFT, STEP, REPEAT, EPISODE = 0.8, 0.03, 1e-3, 20, 250
PACE, CLOCK, FALL = 0.6, 0.4, 5.0  # m/s, s, what a fall costs
WORLDS, STEPS, LOG_STD = 64, 600_000, -2.0
NAMES = [f"{leg}_{part}" for leg in LEGS for part in PARTS]
TARGETS, JOINTS = [f"{name}_servo.target" for name in NAMES], [f"{name}_joint" for name in NAMES]
STANDING = np.array([STANCE[part] for _ in LEGS for part in PARTS])
REACH = np.array([0.2 if part == "hip" else 0.5 for _ in LEGS for part in PARTS])  # rad around the stance


def column(now: Now, names: list[str]) -> np.ndarray:
    return np.stack([now[name] for name in names], axis=1)


def in_trunk(orientation: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors of the world in axes of the trunk. orientation: (n, 4), vectors: (n, 3)."""
    w, u = orientation[:, :1], -orientation[:, 1:]
    return vectors + 2 * np.cross(u, np.cross(u, vectors) + w * vectors)


def observe(now: Now) -> np.ndarray:
    orientation, up = now["trunk.orientation"], np.zeros((len(now.time), 3))
    up[:, 2] = 1.0
    parts = [in_trunk(orientation, up), in_trunk(orientation, now["trunk.velocity"])]
    parts += [0.3 * now["trunk.angular_velocity"], column(now, JOINTS) - STANDING]
    parts += [0.05 * column(now, [f"{joint}.rate" for joint in JOINTS]), (column(now, TARGETS) - STANDING) / REACH]
    phase = 2 * np.pi * now.time[:, None] / CLOCK
    return np.concatenate([*parts, np.sin(phase), np.cos(phase)], axis=1)


def reward(now: Now) -> np.ndarray:
    v, w = now["trunk.velocity"], now["trunk.angular_velocity"]
    haste = ((column(now, TARGETS) - column(now.before, TARGETS)) / REACH) ** 2
    sway = 0.3 * v[:, 1] ** 2 + 0.1 * v[:, 2] ** 2 + 0.05 * w[:, 2] ** 2 + 0.02 * (w[:, :2] ** 2).sum(axis=1)
    return 0.2 + np.exp(-((v[:, 0] - PACE) ** 2) / 0.1) - sway - 0.01 * haste.sum(axis=1) - FALL * fallen(now)


def fallen(now: Now) -> np.ndarray:
    upright = 1 - 2 * (now["trunk.orientation"][:, 1:3] ** 2).sum(axis=1)
    return (now["trunk.position"][:, 2] < 0.55 * standing_height()) | (upright < 0.7)


def start(generator: np.random.Generator) -> dict[str, float]:
    return {name: angle + generator.uniform(-0.05, 0.05) for name, angle in zip(JOINTS, STANDING, strict=True)}


def environment(simulator: Simulator, worlds: int) -> VectorEnv:
    task = Task(
        observe=observe, act={name: (a - r, a + r) for name, a, r in zip(TARGETS, STANDING, REACH, strict=True)},
        reward=reward, end=fallen, episode=EPISODE, start=start, step=STEP, repeat=REPEAT,
        reads=("trunk.position", "trunk.orientation", "trunk.velocity", "trunk.angular_velocity"),
    )  # fmt: skip
    held = dict(zip(TARGETS, STANDING.tolist(), strict=True))
    return VectorEnv(simulator, task, worlds, inputs=held, threads=1, autoreset="same_step")


def walk(env: VectorEnv, policy: Any) -> tuple[np.ndarray, int]:
    """(n,) how far the trunks come in an episode [m], NaN for those that fall, and steps that failed.

    policy: gives targets of (observations, number of the step).
    """
    observations, failed = env.reset(seed=1000)[0], 0
    begin, way = env.worlds.now["trunk.position"][:, 0].copy(), np.zeros(env.num_envs)
    for k in range(EPISODE - 1):
        observations, _, ends, _, info = env.step(policy(observations, k))
        failed += int(info["failed"].sum())
        way[ends] = np.nan
    return way + env.worlds.now["trunk.position"][:, 0] - begin, failed


def trotting(observations: np.ndarray, k: int) -> np.ndarray:
    """The targets of the paper's gait."""
    targets = gait(np.array([STEP * REPEAT * (k + 1)]), TROT)
    return np.repeat(np.stack([targets[name] for name in TARGETS], axis=1), len(observations), axis=0)


def learned(env: VectorEnv, steps: int) -> tuple[Any, list[tuple[int, float]]]:
    """A policy, and (steps, mean reward of a step) of each round."""
    try:
        from stable_baselines3 import PPO
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError as error:
        raise SymviError("this needs stable-baselines3: pip install stable-baselines3; --quick does without") from error
    from _stable_baselines import Adapter

    adapter, curve = Adapter(env), []

    class Curve(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            curve.append((self.num_timesteps, adapter.gained()))

    network = {"net_arch": {"pi": [128, 64], "vf": [128, 64]}, "log_std_init": LOG_STD}
    model = PPO(
        "MlpPolicy", adapter, n_steps=64, batch_size=1024, n_epochs=5, learning_rate=5e-4, gamma=0.98,
        policy_kwargs=network, seed=0, device="cpu",
    )  # fmt: skip
    model.learn(steps, callback=Curve())
    return lambda observations, k: adapter.actions(model.predict(observations, deterministic=True)[0]), curve


def main() -> int:
    report = Report(__doc__)
    env = environment(Simulator(quadruped(FRICTION, lift=LIFT)), 8 if report.quick else WORLDS)
    begin, curve, policy = process_time(), [], trotting
    if not report.quick:
        policy, curve = learned(env, STEPS)
        report.note(f"{STEPS} steps of {STEP * REPEAT:g} s take, processor time", process_time() - begin, "s")
        report.note("gained in a step, in the first round and the last", f"{curve[0][1]:.2f}, {curve[-1][1]:.2f}")
    test = environment(env.worlds.simulator, 16)
    ways, failed = walk(test, policy)
    seconds = STEP * REPEAT * (EPISODE - 1)
    report.equal("steps that failed", failed, 0)
    report.equal(f"of {len(ways)} robots fall in {seconds:.3g} s", int(np.isnan(ways).sum()), 0)
    report.between("the median comes", float(np.nanmedian(ways)), 0.5 if report.quick else 2.0, np.inf, "m")
    if report.plot:
        test.write_page(report.plot.with_suffix(".html"))
        figure, axes = report.figure(1, 1, width=5)
        axes.plot(*zip(*(curve or [(0, 0.0)]), strict=True), color=OURS)
        axes.set(title="mean reward of a step", xlabel="steps of all worlds")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
