"""A joint from outside that leaves coordinates carries bodies in joint coordinates as symvi's own do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symvi
from symvi import Simulator, register_joint
from symvi.analysis.choices import NOTHING_DROPPED
from symvi.mechanism import Actuator, Body, Joint, JointDamper, Mechanism
from symvi.page.scene import build_scene
from symvi.physics.joints import Piece, translations
from symvi.proofs.kernels import Bench, subject
from symvi.proofs.mutation import score_of
from symvi.proofs.proof import prove
from symvi.proofs.zoo import ALONG, along_axes, askew
from symvi.registry import JOINTS
from tests.registry.hinge import HINGE
from tests.support.quick import compiling_quickly


@pytest.fixture(autouse=True)
def registered():
    register_joint(HINGE)
    yield
    for name in [name for name in JOINTS if JOINTS.serial(name)]:
        JOINTS.forget(name)


def arm(joint_type: str, **own: Any) -> Mechanism:
    """Three links on skew axes, let go with a torque and a damper."""
    joints = [
        Joint(
            name=f"j{k}",
            type=joint_type,
            parent=f"link{k - 1}" if k else "world",
            child=f"link{k}",
            parent_anchor=(0, 0, -0.2 if k else 0),
            child_anchor=(0, 0, 0.2),
            axis=axis,
            coordinate=0.4,
            **own,
        )
        for k, axis in enumerate(((0, 1, 0), (0.6, 0.8, 0), (0, 0.6, 0.8)))
    ]
    bodies = [Body(name=f"link{k}", mass=1.0, inertia=(0.02, 0.03, 0.01)) for k in range(3)]
    forces = [Actuator(name="motor", joint="j1", signal="0.3*sin(5*t)"), JointDamper(name="d", joint="j2", damping=0.1)]
    return Mechanism(name="arm", bodies=bodies, joints=joints, forces=forces)


REACH = {"parameters": {"reach": 0.2}}


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_its_motion_is_that_of_a_revolute_joint(coordinates: str) -> None:
    """Other rows of the same joint: the same motion, to round-off."""
    with compiling_quickly():
        found = Simulator(arm("hinge", **REACH), coordinates=coordinates).simulate(1.0, 0.01)
        expected = Simulator(arm("revolute"), coordinates=coordinates).simulate(1.0, 0.01)
    assert np.ptp(found.position) > 0.3
    assert np.abs(found.position - expected.position).max() < 1e-11
    assert np.abs(found.coordinates("j1") - expected.coordinates("j1")).max() < 1e-11
    assert found.closure.max() < 1e-12


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_its_kernels_are_proved_and_their_mutants_found(coordinates: str) -> None:
    for described in (along_axes("hinge", ALONG[0]), askew("hinge")):
        if coordinates == "tree":
            described = described.changed(drivers=[], couplings=[])
        of = subject(described, NOTHING_DROPPED, coordinates=coordinates)
        assert all(verdict.proved for verdict in prove(of))
    named = [kernel for name, kernel in of.printed.kernels.items() if "hinge" in name]
    score = score_of(Bench(of), named, 1)
    assert not score.missed, score.missed


def test_it_is_drawn_with_its_marker_and_its_span() -> None:
    scene = build_scene(arm("hinge", **REACH))
    assert {part.name for part in scene.parts if part.solid == "cylinder"} >= {"j0", "j1", "j2"}
    assert [span.name for span in scene.spans] == ["j0", "j1", "j2"]


def shifted(geometry: Any, in_joint_axes: bool) -> list:
    """The pin's rows, and a ball that stands `reach` off along the axis."""
    from symvi.physics.model import Data
    from tests.registry.line_on_plane import height_over_plane

    found = HINGE.rows(geometry, in_joint_axes)
    inputs = {"n": geometry.a("axis3"), **geometry.anchors(), "height": Data(geometry.number("reach"))}
    across = [piece for piece in translations(geometry, 2)]
    return [*across, Piece(height_over_plane, inputs, (0,), ("along the axis",), "m"), *found[-2:]]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rows": shifted}, "at the coordinates .* its row 'along the axis' is -0.2 m; .*tree=False"),
        (
            {"coordinates": ("rotation", "rotation"), "units": "mmmm", "rows": lambda g, j: HINGE.rows(g, j)[:4]},
            "coordinates have two rotations.*set has_pin",
        ),
        ({"around": ("child", "world")}, "around is .*'world'.*but must be a tuple of 'parent' and 'child'"),
        ({"span": ("rope", 0.01)}, "span has the look 'rope'"),
    ],
)
def test_coordinates_that_do_not_place_its_child_are_refused(changes: dict, says: str) -> None:
    """Joint coordinates would move the child somewhere else than its rows, and say nothing."""
    JOINTS.forget("hinge")
    with pytest.raises(symvi.ArgumentError, match=f"joint type 'hinge': {says}"):
        register_joint(replace(HINGE, **changes))
