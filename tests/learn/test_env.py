"""Environments follow Gymnasium's rules, move as worlds alone do, and are never anything but finite."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs the extra learn")

from symvi import Actuator, ArgumentError, MechanismError, Simulator
from symvi.learn import Env, Now, Task, VectorEnv
from tests.simulate.test_worlds import cart_pole, servoed

STEP, COUNT = 0.02, 5


def reward(now: Now) -> np.ndarray:
    return 1.0 - abs(now["hinge"]) - 1e-3 * now["motor.force"] ** 2 + abs(now.before["hinge"])


def fallen(now: Now) -> np.ndarray:
    return abs(now["hinge"]) > 0.3


def task(**others) -> Task:
    known = {
        "observe": ["slide", "hinge", "slide.rate", "hinge.rate"],
        "act": {"motor.force": (-20, 20)},
        "reward": reward,
        "end": fallen,
        "episode": 12,
        "start": {"hinge": (-0.2, 0.2), "slide.rate": (-1.0, 1.0)},
        "step": STEP,
    }
    return Task(**(known | others))


@pytest.fixture(scope="module")
def cart() -> Simulator:
    return Simulator(cart_pole(), backend="c")


@pytest.mark.parametrize("others", [{}, {"repeat": 3, "observe": {"hinge": (-0.1, 0.1), "cart.position": (-9, 9)}}])
def test_the_check_of_gymnasium_passes(cart: Simulator, others: dict) -> None:
    from gymnasium.utils.env_checker import check_env

    env = Env(cart, task(**others), render_mode="rgb_array", size=(64, 48))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(symmetric and normalized|infinity|alternative render modes)")
        check_env(env)
    env.close()


def same(one, other) -> None:
    """What two vector environments gave."""
    *arrays, info = one
    *others, told = other
    for array, wanted in zip(arrays, others, strict=True):
        assert (array == wanted).all() and array.dtype == wanted.dtype
    assert info.keys() == told.keys()
    for key in info:
        if key == "final_obs":
            for last, wanted in zip(info[key], told[key], strict=True):
                assert (last is None) == (wanted is None) and (last is None or (last == wanted).all())
        elif isinstance(info[key], dict):
            same((info[key],), (told[key],))
        else:
            assert (info[key] == told[key]).all(), key


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_vector_is_as_many_environments(cart: Simulator, mode: str) -> None:
    """Beside Gymnasium's own vector of single ones: observations, rewards, ends, infos and resets are the same."""
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    modes = {"next_step": "NEXT_STEP", "same_step": "SAME_STEP", "disabled": "DISABLED"}
    single = SyncVectorEnv([lambda: Env(cart, task())] * COUNT, autoreset_mode=AutoresetMode[modes[mode]])
    own, rng = VectorEnv(cart, task(), COUNT, autoreset=mode), np.random.default_rng(0)
    assert own.observation_space == single.observation_space and own.action_space == single.action_space
    assert own.metadata["autoreset_mode"] == single.metadata["autoreset_mode"]
    same(own.reset(seed=7), single.reset(seed=7))
    ends = np.zeros(2, int)
    for _ in range(60):
        actions = rng.uniform(-30, 30, (COUNT, 1)).astype(np.float32)
        found, wanted = own.step(actions), single.step(actions)
        if mode == "same_step":  # of the worlds that begin anew, Gymnasium's infos are those of the start
            assert found[4].get("final_obs") is not None or not (found[2] | found[3]).any()
        same(found, wanted)
        ends += [found[2].sum(), found[3].sum()]
        if mode == "disabled" and (over := found[2] | found[3]).any():
            same(own.reset(options={"reset_mask": over}), single.reset(options={"reset_mask": over}))
    assert (ends > 3).all()  # episodes that fell, and some that were cut off


def test_worlds_move_as_those_of_simulator_reset(cart: Simulator) -> None:
    """An independent course: starts and actions put into World.step; rewards computed from its knots."""
    env = VectorEnv(cart, task(repeat=3, episode=None, end=None), 2)
    first, _ = env.reset(seed=3)
    world, rng = cart.reset(step=STEP), np.random.default_rng(1)
    drawn = env.worlds.batch.coordinates[1], env.worlds.batch.rates[1]
    world.reset(*drawn)
    assert (-0.2 <= drawn[0][1]).all() and drawn[0][1] <= 0.2 and drawn[0][0] == 0.0
    assert (first[1] == np.float32([*world.coordinates, *world.rates])).all()
    for _ in range(10):
        before, force = world.coordinates[1], float(rng.uniform(-25, 25))
        found = env.step(np.array([[0.0], [force]]))
        put = float(np.clip(force, -20, 20))
        for _ in range(3):
            world.step({"motor.force": put})
        assert (found[0][1] == np.float32([*world.coordinates, *world.rates])).all()
        gained = 1.0 - abs(world.coordinates[1]) - 1e-3 * put**2 + abs(before)
        assert found[1][1] == pytest.approx(gained, rel=1e-12)


def test_seeds_decide_and_go_on(cart: Simulator) -> None:
    one, other = VectorEnv(cart, task(), 3), VectorEnv(cart, task(), 3)
    assert (one.reset(seed=5)[0] == other.reset(seed=5)[0]).all()
    again = one.reset()[0]
    assert (again == other.reset()[0]).all() and (again != one.reset(seed=5)[0]).any()
    assert (one.reset(seed=[7, 8, 9])[0][1:] == other.reset(seed=[1, 8, 9])[0][1:]).all()
    assert len(np.unique(again[:, 1])) == 3
    drawn = task(start=lambda rng: {"hinge": 0.1 + 0.01 * rng.random()})
    env = Env(cart, drawn)
    assert 0.1 <= env.reset(seed=1)[0][1] <= 0.11 and env.reset(seed=1)[0][1] == env.reset(seed=1)[0][1]


def test_a_step_that_fails_truncates_and_nothing_is_ever_nan(cart: Simulator) -> None:
    """A force beyond all measure: the world stays where it was, the others go on."""
    env = VectorEnv(cart, task(act={"motor.force": (-1e12, 1e12)}, reward=lambda now: now["slide"], episode=None), 3)
    first, _ = env.reset(seed=2)
    found = env.step(np.array([[0.0], [1e12], [0.0]]))
    assert found[3].tolist() == [False, True, False] and found[4]["failed"].tolist() == [False, True, False]
    assert (found[0][1] == first[1]).all() and (found[0][0] != first[0]).any()
    assert all(np.isfinite(array).all() for array in found[:2])
    after = env.step(np.zeros((3, 1)))
    assert not after[3].any() and not after[4]["failed"].any() and (after[0][1] != first[1]).any() and after[1][1] == 0
    single = Env(cart, task(act={"motor.force": (-1e12, 1e12)}))
    single.reset(seed=2)
    *_, cut, info = single.step(np.array([1e12]))
    assert cut and info == {"failed": True}


def test_servos_are_acted_on_and_episodes_replayed(tmp_path: Path) -> None:
    """The replay that a page shows is the motion that was learned from."""
    aim = task(act={"servo.target": (-0.3, 0.3)}, reward=lambda now: -abs(now["slide"]), repeat=2, end=None)
    env = VectorEnv(servoed(), aim, 2, autoreset="disabled")
    with pytest.raises(ArgumentError, match="nothing to show"):
        env.reset(seed=1)
        env.episode()
    rng, seen = np.random.default_rng(3), []
    for _ in range(10):
        seen.append(env.step(rng.uniform(-0.3, 0.3, (2, 1)))[0][0])
    motion = env.episode()
    assert len(motion) == 21 and motion.status.min() >= 0
    assert np.abs(motion.coordinates("slide")[2::2, 0] - np.array(seen)[:, 0]).max() < 1e-6
    assert np.abs(motion.coordinates("hinge")[2::2, 0] - np.array(seen)[:, 1]).max() < 1e-6
    page = env.write_page(tmp_path / "episode.html")
    assert page.stat().st_size > 10_000


def test_pictures_show_where_bodies_are(cart: Simulator) -> None:
    """The pole's colour moves to the side on which it hangs; nothing is drawn without a mode."""
    env = VectorEnv(cart, task(start={"hinge": (-1.2, -1.2)}), 2, render_mode="rgb_array", size=(160, 120))
    env.reset(seed=0)
    pictures = env.render()
    assert pictures is not None and len(pictures) == 2 and pictures[0].shape == (120, 160, 3)
    assert pictures[0].dtype == np.uint8 and (pictures[0] == pictures[1]).all()
    other = Env(cart, task(start={"hinge": (1.2, 1.2)}), render_mode="rgb_array", size=(160, 120))
    other.reset(seed=0)

    def middle(picture: np.ndarray) -> float:
        """The column around which the pole lies."""
        warm = (picture[:, :, 0] > 180) & (picture[:, :, 2] < 120)
        assert warm.sum() > 20
        return float(np.nonzero(warm)[1].mean())

    assert abs(middle(pictures[0]) - middle(other.render())) > 20
    assert Env(cart, task()).render() is None


@pytest.mark.parametrize(
    ("others", "error", "words"),
    [
        ({"observe": ["hing"]}, MechanismError, "did you mean 'hinge'"),
        ({"observe": []}, ArgumentError, "nothing is observed"),
        ({"observe": "hinge"}, ArgumentError, "give names"),
        ({"observe": {"hinge": (1, 0)}}, ArgumentError, "above the most"),
        ({"observe": lambda now: now["hinge"]}, ArgumentError, "shape"),
        ({"observe": lambda now: now["hing"]}, ArgumentError, "did you mean 'hinge'"),
        ({"act": {}}, ArgumentError, "act"),
        ({"act": {"motor.torque": (0, 1)}}, MechanismError, "motor.force"),
        ({"act": {"motor.force": (0, np.inf)}}, ArgumentError, "finite bounds"),
        ({"act": {"motor.force": 3}}, ArgumentError, "(least, most)"),
        ({"start": {"pole": (0, 1)}}, MechanismError, "nothing is called 'pole'"),
        ({"start": 3}, ArgumentError, "start"),
        ({"episode": 0}, ArgumentError, "episode"),
        ({"repeat": 1.5}, ArgumentError, "repeat"),
        ({"reward": 1.0}, ArgumentError, "functions"),
        ({"reads": ["poles"]}, MechanismError, "poles"),
        ({"step": -1}, MechanismError, "step"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(cart: Simulator, others: dict, error: type, words: str) -> None:
    import re

    with pytest.raises(error, match=re.escape(words)):
        Env(cart, task(**others))


def test_what_a_step_is_given_and_gives_is_looked_at(cart: Simulator) -> None:
    env = VectorEnv(cart, task(), 2)
    with pytest.raises(ArgumentError, match="reset"):
        env.step(np.zeros((2, 1)))
    env.reset()
    for wrong in (np.zeros(2), np.full((2, 1), np.nan), np.zeros((2, 2)), [["a"], ["b"]]):
        with pytest.raises(ArgumentError, match="actions"):
            env.step(wrong)
    for given, words in ((lambda now: 1.0, "shape"), (lambda now: now["hinge"] * np.nan, "reward is not finite")):
        other = VectorEnv(cart, task(reward=given), 2)
        other.reset()
        with pytest.raises(ArgumentError, match=words):
            other.step(np.zeros((2, 1)))
    with pytest.raises(ArgumentError, match="autoreset"):
        VectorEnv(cart, task(), 2, autoreset="later")
    with pytest.raises(ArgumentError, match="num_envs"):
        VectorEnv(cart, task(), 0)
    with pytest.raises(ArgumentError, match="write_page"):
        Env(cart, task(), render_mode="human")
    two = cart_pole(Actuator(name="motor", joint="slide"), Actuator(name="other", joint="hinge"))
    wide = VectorEnv(two, task(act={"motor.force": (-1, 1), "other.force": (-2, 2)}), 2)
    assert wide.single_action_space.shape == (2,) and wide.single_action_space.high.tolist() == [1.0, 2.0]


def test_functions_only_read_and_give_what_they_should(cart: Simulator) -> None:
    """What a reward does to an array, the learner would see; what is no answer is none."""

    def spoils(now: Now) -> np.ndarray:
        angle = now["hinge"]
        angle += 100.0
        return angle

    widths = iter((1, 1, 2, 3))
    for others, words in (
        ({"reward": spoils}, "read-only"),
        ({"end": lambda now: now["hinge"] * 1.0}, r"end gave .*of True and False"),
        ({"observe": lambda now: np.zeros((2, next(widths)))}, r"shape \(2, 1\)"),
        ({"start": {"hinge": (-np.inf, np.inf)}}, "give finite bounds"),
    ):
        with pytest.raises((ArgumentError, ValueError), match=words):
            env = VectorEnv(cart, task(**others), 2)
            env.reset(seed=1)
            env.step(np.zeros((2, 1)))


def test_an_input_that_actions_set_begins_episodes_as_it_was_given(cart) -> None:
    env = VectorEnv(cart, task(), 2, inputs={"motor.force": 1.0}, autoreset="same_step")
    env.reset(seed=1)
    assert (env.worlds.now["motor.force"] == 1.0).all()
    env.step(np.full((2, 1), 0.5))
    assert (env.worlds.now["motor.force"] == 0.5).all()
    env.reset(seed=2)
    assert (env.worlds.now["motor.force"] == 1.0).all()
