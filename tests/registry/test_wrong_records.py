"""A record from outside that is wrong, changes, or is missing is told as such; nothing old is taken for it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import symvi
from symvi import JointType, MechanismError, Simulator, register_force, register_joint
from symvi.mechanism import Body, Joint, Mechanism
from symvi.physics.constraint import function_of_bodies
from symvi.physics.joints import Piece
from symvi.physics.joints import rows as row
from symvi.physics.joints.rows import ANCHORS
from symvi.registry import FORCES, JOINTS
from tests.registry.line_on_plane import LINE_ON_PLANE
from tests.registry.magnet import MAGNET
from tests.support.quick import compiling_quickly

POINT = "own_point"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    for name in [name for name in JOINTS if JOINTS.serial(name)]:
        JOINTS.forget(name)


def shifted(by: int) -> Callable:
    """A ball and socket whose child stands so far above its place; named like a formula of symvi's own."""

    @function_of_bodies("g = x_b + r_b - x_a - r_a - by", "derived here", ANCHORS, 3)
    def coincidence(x_a, r_a, x_b, r_b):
        return [*(x_b + r_b - x_a - r_a)[:2], (x_b + r_b - x_a - r_a)[2] - by]

    def rows(geometry: Any, in_joint_axes: bool) -> list:
        return [Piece(coincidence, geometry.anchors(), (0, 1, 2), ("x", "y", "z"), "m")]

    return rows


def pendulum(joint_type: str = POINT, height: float = 0.0) -> Mechanism:
    bob = Body(name="bob", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, height))
    return Mechanism(name="bob", bodies=[bob], joints=[Joint(name="pin", type=joint_type, child="bob")])


def closure(mechanism: Mechanism) -> float:
    with compiling_quickly():
        return float(Simulator(mechanism).simulate(0.02, 0.01, project=True).position[-1, 0, 2])


def test_a_record_that_changes_is_not_taken_for_the_old_one() -> None:
    """Neither within a process nor from the cache of another one, whose digests do not see it."""
    for height in (0, 2):
        register_joint(JointType(POINT, "mmm", shifted(height), lambda *_: [], tree=False))
        assert closure(pendulum()) == pytest.approx(height, abs=1e-12)
        JOINTS.forget(POINT)


def test_a_formula_named_like_our_own_does_not_take_its_place() -> None:
    register_joint(JointType(POINT, "mmm", shifted(2), lambda *_: [], tree=False))
    closure(pendulum())
    row.coincidence.__dict__.pop("code", None)  # as in a new process
    assert closure(pendulum("spherical")) == pytest.approx(0.0, abs=1e-12)


def test_symvis_own_are_no_records_from_outside() -> None:
    assert not any(JOINTS.serial(name) for name in JOINTS) and not any(FORCES.serial(name) for name in FORCES)
    assert JOINTS.serial(register_joint(LINE_ON_PLANE).name) != 0


def pieces(change: Callable[[list], Any]) -> dict[str, Any]:
    return {"rows": lambda geometry, in_joint_axes: change(LINE_ON_PLANE.rows(geometry, in_joint_axes))}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"units": ""}, r"units \['m', 'rad'\], but the record's units say \[\]"),
        ({"units": "m"}, "the record's units say"),
        ({"units": "rm"}, "the record's units say"),
        ({"coordinates": ("translation",)}, "2 rows and 1 coordinates are not 6"),
        (pieces(lambda found: None), "rows returned None"),
        (pieces(lambda found: [replace(found[0], rows=(1,)), found[1]]), "row 1 of formula 'height_over_plane'"),
        (pieces(lambda found: [replace(found[0], names=()), found[1]]), "1 rows, but 0 names"),
        (pieces(lambda found: [replace(found[0], inputs={}), found[1]]), "has no input 'n'"),
    ],
)
def test_rows_that_are_not_those_of_the_record_are_refused(changes: dict, says: str) -> None:
    """With no units the joint would be none at all, and the body would fall through."""
    register_joint(replace(LINE_ON_PLANE, **changes))
    joint = Joint(name="ice", type="line_on_plane", child="bob", child_axis=(1, 0, 0), parameters={"height": 0.0})
    with pytest.raises(MechanismError, match=f"joint 'ice': joint type 'line_on_plane'.*{says}"):
        Simulator(pendulum("fixed").changed(joints=[joint]))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": 3}, "small letters"),
        ({"rows": None}, "rows is None"),
        ({"units": "mx"}, "'mx'"),
        ({"units": None}, "units None"),
        ({"coordinates": ("rotations",)}, "'rotations'"),
        ({"coordinates": ("rotation", "translation")}, "translations first"),
        ({"needs": ("radius",)}, "'radius'.*pitch"),
        ({"numbers": {"height": "m"}}, "meaning, unit"),
    ],
)
def test_a_wrong_record_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=says):
        register_joint(replace(LINE_ON_PLANE, **changes))
    assert "line_on_plane" not in JOINTS


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": None}, "model is None.*nothing would act"),
        ({"name": "magnetic"}, "whose kind is 'magnetic'"),
        ({"description": lambda: 3}, "description must return a class"),
        ({"numbers": None}, "numbers is None"),
    ],
)
def test_a_wrong_kind_of_force_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=says):
        register_force(replace(MAGNET, **changes))
    assert not any(FORCES.serial(name) for name in FORCES)


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(symvi.ArgumentError, match="JointType"):
        register_joint(MAGNET)  # type: ignore[arg-type]
    with pytest.raises(symvi.ArgumentError, match="ForceKind"):
        register_force(LINE_ON_PLANE)  # type: ignore[arg-type]


def test_a_process_that_lacks_the_record_says_so() -> None:
    register_joint(replace(LINE_ON_PLANE, numbers={}, needs=(), name=POINT))
    pickled = pickle.dumps(pendulum())
    JOINTS.forget(POINT)
    with pytest.raises(MechanismError, match=f"'{POINT}' is not registered in this process"):
        Simulator(pickle.loads(pickled))
    with pytest.raises(MechanismError, match="magnet"):
        Mechanism.from_toml('mechanism = {name = "m"}\n[forces.pull]\nkind = "magnet"')
