"""A row is of the numbers that stand in it: none is lost, none is put elsewhere, none is of another sweep."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import ArgumentError, FileError, Simulator, sweep
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.mechanism.changing import with_numbers
from symvi.sweeps import Motion, listed, random
from symvi.sweeps.fingerprints import fingerprint

TIME, STEP = 0.1, 0.01
END = {"end": "last(slide)"}


@pytest.fixture(scope="module")
def pushed(cart: Simulator) -> Simulator:
    push = symvi.Wrench(name="push", body="pole")
    return Simulator(cart.mechanism.changed(forces=[*cart.mechanism.forces, push]), backend="c")


def test_an_entry_stands_beside_what_was_set_in_the_simulator(cart: Simulator) -> None:
    """Gravity aslant, set; its third entry swept. The witness is the simulator's own motion."""
    own = cart._twin()
    own.set_parameter("gravity", (3.0, 0.0, -9.81))
    table = sweep(own, {"gravity[2]": [-9.81]}, measure=END, time=TIME, step=STEP)
    assert table["end"][0] == own.simulate(TIME, STEP).curves["slide"][-1, 0] > 0.01


def test_one_number_is_given_once(pushed: Simulator) -> None:
    """In both orders, whole and by entries, as what is swept and as what is held."""
    for over in (
        {"gravity": [(0, 0, -9)], "gravity[1]": [1.0]},
        {"gravity[1]": [1.0], "gravity": [(0, 0, -9)]},
        {"push.force": [(1, 0, 0)], "push.force[0]": [2.0]},
        {"push.force[0]": [2.0], "push.force": [(1, 0, 0)]},
    ):
        with pytest.raises(ArgumentError, match=r"are the same number; give it once"):
            sweep(pushed, over, measure=END, time=TIME, step=STEP)
    for over, held in (("push.force", "push.force[0]"), ("push.force[0]", "push.force")):
        value = (1.0, 0.0, 0.0)
        with pytest.raises(ArgumentError, match=r"is in part what the sweep changes as push\.force"):
            sweep(
                pushed, {over: [value if over == "push.force" else 1.0]}, measure=END, time=TIME, step=STEP,
                inputs={held: value if held == "push.force" else 1.0},
            )  # fmt: skip
    beside = sweep(pushed, {"push.force[0]": [2.0]}, measure=END, time=TIME, step=STEP, inputs={"push.force[1]": 0.0})
    assert beside["end"][0] > 0


def test_columns_of_vectors_have_names_of_their_own(cart: Simulator) -> None:
    with pytest.raises(ArgumentError, match=r"two columns would be called 'gravity\[0\]'"):
        sweep(cart, {"gravity": [(0, 0, -9)]}, measure={"gravity[0]": "last(hinge)"}, time=TIME, step=STEP)


def test_a_distribution_draws_each_entry(cart: Simulator) -> None:
    stats = pytest.importorskip("scipy.stats")
    table = sweep(cart, random(3, {"gravity": stats.norm(0, 1)}), measure=END, time=TIME, step=STEP)
    drawn = table[["gravity[0]", "gravity[1]", "gravity[2]"]].to_numpy()
    assert len(np.unique(drawn)) == 9 and table["end"].nunique() == 3


def test_an_index_of_odd_digits_is_no_name(cart: Simulator) -> None:
    with pytest.raises(symvi.MechanismError, match="nothing that a sweep could change"):
        sweep(cart, {"gravity[²]": [1.0]}, measure=END, time=TIME, step=STEP)


def test_inertias_leave_the_centre_of_mass_where_it_is(cart: Simulator) -> None:
    """The rod's own inertia changes nothing; one with a product, which needs a build, moves no mass either."""
    inertia = cart.mechanism.body("pole").inertia
    slanted = (*inertia[:4], 1e-4, 0.0)
    over = {"pole.inertia": [inertia, slanted]}
    table = sweep(cart, over, measure={"x": "first(pole.position[0])"} | END, time=TIME, step=STEP)
    plain = sweep(cart, {"pole.mass": [cart.mechanism.body("pole").mass]}, measure=END, time=TIME, step=STEP)
    assert table["end"][0] == plain["end"][0] and table["own_build"].tolist() == [False, True]
    changed = with_numbers(cart.mechanism, {"pole.inertia": slanted})
    assert changed.body("pole").center_of_mass == cart.mechanism.body("pole").center_of_mass
    moved = with_numbers(cart.mechanism, {"pole.inertia": inertia, "pole.shape.position": (0, 0, 0.7)})
    assert moved.body("pole").center_of_mass == (0, 0, 0.7)


def test_a_zero_that_comes_is_of_the_description(cart: Simulator) -> None:
    """A point spring of length 0 has a formula of its own; its row has the bits of that, and not of a limit of it."""
    spring = symvi.PointSpring(
        name="spring", child="pole", child_anchor=(0, 0, 1), stiffness=50, length=0.1, damping=0.1
    )
    held = cart.mechanism.changed(forces=[*cart.mechanism.forces, spring])
    table = sweep(held, {"spring.length": [0.1, 0.0]}, measure=END, time=TIME, step=STEP)
    for k, length in enumerate((0.1, 0.0)):
        world = Simulator(with_numbers(held, {"spring.length": length}), backend="c").reset(step=STEP)
        for _ in range(10):
            world.step()
        assert table["end"][k] == world.coordinates[0]


def test_a_start_that_a_loop_does_not_have_is_an_error() -> None:
    """The nearest start that closes has the crank elsewhere, 4.3 rad for 1.5 rad; rows that fit are taken."""
    four_bar = Mechanism.from_file(demo_file("four_bar"))
    simulator = Simulator(four_bar, backend="c")
    motion = simulator.simulate(0.3, 0.01)
    later = {j.name: float(motion.coordinates(j.name)[-1, 0]) for j in four_bar.joints}
    names = ("crank_bearing", "crank_pin", "rocker_bearing")
    over = listed({f"{name}.coordinate": [later[name], 1.5 if name == "crank_bearing" else 0.5] for name in names})
    table = sweep(simulator, over, measure={name: f"first({name})" for name in names}, time=TIME, step=STEP)
    assert table["error"][0] == "" and "crank_bearing.coordinate 1.5: no start fits it" in table["error"][1]
    for name in names:
        assert abs(table[name][0] - later[name]) < 1e-6
    spun = sweep(
        simulator, {"rocker_bearing.velocity": [0.5]}, measure={"r": "first(crank_bearing)"}, time=TIME, step=STEP
    )
    assert "rocker_bearing.velocity 0.5: no start fits it" in spun["error"][0]


def test_functions_only_read(cart: Simulator) -> None:
    """What one function does to a motion, the next one would measure."""
    measure = {"bad": lambda motion: motion["hinge"].fill(0.0) or 0.0, "good": lambda motion: motion["hinge"].max()}
    table = sweep(cart, {"pole.mass": [0.1]}, measure=measure, time=TIME, step=STEP)
    assert "read-only" in table["error"][0]


# --- its file ---------------------------------------------------------------------------------------------------------
class Above:
    """How long a hinge is above an angle."""

    def __init__(self, angle: float):
        self.angle = angle

    def __call__(self, motion: Motion) -> float:
        return float((motion["hinge"] > self.angle).sum())


def above(angle: float) -> Callable[[Motion], float]:
    return lambda motion: float((motion["hinge"] > angle).sum())


def summed(factor: float) -> Callable[[Motion], float]:
    def of_inner(motion: Motion, factor: float = factor) -> float:
        return sum(x * factor for x in motion["hinge"])

    return of_inner


def twice(motion: Motion) -> float:
    return sum(2.0 * x for x in motion["hinge"])


def thrice(motion: Motion) -> float:
    return sum(3.0 * x for x in motion["hinge"])


thrice.__name__, thrice.__qualname__ = twice.__name__, twice.__qualname__


def of_global(motion: Motion) -> float:
    return LEVEL * float(motion["hinge"][-1])


LEVEL = 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (above(0.1), above(0.2)),
        (Above(0.1), Above(0.2)),
        (functools.partial(np.quantile, q=0.1), functools.partial(np.quantile, q=0.2)),
        (summed(1.0), summed(2.0)),
        (twice, thrice),
        (Above(0.1).__call__, Above(0.2).__call__),
        (above(np.array([0.1])), above(np.array([0.2]))),
    ],
    ids=["closure", "object", "partial", "default", "inner code", "method", "array"],
)
def test_two_functions_are_two(one: Callable, other: Callable) -> None:
    assert fingerprint(one) == fingerprint(one) != fingerprint(other) == fingerprint(other)


def test_a_function_is_what_its_module_says(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(of_global)
    monkeypatch.setitem(globals(), "LEVEL", 2.0)
    assert fingerprint(of_global) != before


def test_a_sweep_with_another_threshold_is_another(
    cart: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["symvi.sweeps.sweep"], "PACK", 2)
    over, out = {"pole.mass": [0.1, 0.2, 0.3, 0.4]}, tmp_path / "above.csv"

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    def run(angle: float, progress: Callable | None = None) -> object:
        return sweep(cart, over, measure={"n": above(angle)}, time=TIME, step=STEP, out=out, progress=progress)

    with pytest.raises(KeyboardInterrupt):
        run(0.1, stop)
    with pytest.raises(FileError, match=r"it is of another sweep \(measure differs\)"):
        run(0.2)
    journal = out.with_name("above.csv.part")
    whole = journal.read_bytes()
    journal.write_bytes(whole + b"[1, [0.1\n")
    with pytest.raises(FileError, match=r"above\.csv\.part: line 4 is no row of a sweep"):
        run(0.1)
    journal.write_bytes(whole)
    assert len(run(0.1)) == 4  # pyright: ignore[reportArgumentType]
