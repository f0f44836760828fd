"""A joint from outside is worth what symvi's own are: read from TOML, simulated, proved, drawn, exported, derived."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import symvi
import symvi.verify as verify
from symvi import Simulator, register_joint
from symvi.analysis.choices import NOTHING_DROPPED
from symvi.derive import own
from symvi.derive.derivation import derivation
from symvi.mechanism import Joint, Mechanism, start_state
from symvi.page.scene import build_scene
from symvi.proofs.kernels import Bench, subject
from symvi.proofs.mutation import score_of
from symvi.proofs.proof import prove
from symvi.proofs.zoo import ALONG, along_axes, askew
from symvi.registry import JOINTS
from tests.registry.line_on_plane import LINE_ON_PLANE
from tests.support.quick import compiling_quickly

SLED = """
[mechanism]
name = "sled"
gravity = [0, 0, -9.81]

[bodies.sled]
mass = 2.0
inertia = [0.1, 0.3, 0.35]
position = [0, 0, 0.2]
velocity = [1.0, 0, 0]
angular_velocity = [2.0, 0.0, 3.0]

[joints.ice]
type = "line_on_plane"
child = "sled"
axis = [0, 0, 1]
child_axis = [1, 0, 0]
parameters = {height = "200 mm"}
"""


@pytest.fixture(autouse=True)
def registered():
    register_joint(LINE_ON_PLANE)
    yield
    JOINTS.forget(LINE_ON_PLANE.name)


@pytest.fixture
def sled(tmp_path) -> Mechanism:
    path = tmp_path / "sled.toml"
    path.write_text(SLED)
    return symvi.load(path).mechanism


def test_it_is_read_from_a_file_and_stands_in_the_schema(sled: Mechanism) -> None:
    assert sled.joint("ice").parameters["height"] == 0.2
    assert "line_on_plane" in Mechanism.json_schema()["$defs"]["Joint"]["properties"]["type"]["enum"]


def test_what_a_description_lacks_is_named() -> None:
    with pytest.raises(symvi.MechanismError, match="needs height among its parameters.*height of the plane"):
        Joint(name="ice", type="line_on_plane", child="sled", child_axis=(1, 0, 0))
    with pytest.raises(symvi.MechanismError, match="has no parameter 'hight'"):
        Joint(name="ice", type="line_on_plane", child="sled", child_axis=(1, 0, 0), parameters={"hight": 1.0})
    with pytest.raises(symvi.MechanismError, match="needs child_axis"):
        Joint(name="ice", type="line_on_plane", child="sled", parameters={"height": 1.0})


def test_a_name_that_is_taken_or_no_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'line_on_plane' is registered already"):
        register_joint(LINE_ON_PLANE)
    with pytest.raises(ValueError, match="small letters"):
        JOINTS.register(type("Record", (), {"name": "line-on-plane"})())


def test_its_motion_is_that_of_the_same_rows_as_expressions(sled: Mechanism) -> None:
    """Rows of the user's own, derived in another way; the line stays in the plane, energy at its start."""
    rows = ["x_b[2] - height", "R_b[2, 0]"]
    other = Joint(name="ice", type="custom", child="sled", expressions=rows, parameters={"height": 0.2})
    with compiling_quickly():
        found = Simulator(sled).simulate(1.0, 0.01)
        expected = Simulator(sled.changed(joints=[other])).simulate(1.0, 0.01)
    assert np.abs(found.position - expected.position).max() < 1e-12
    assert np.abs(found.orientation - expected.orientation).max() < 1e-12
    assert np.abs(found.position[:, 0, 2] - 0.2).max() < 1e-14
    assert np.ptp(found.kinetic_energy + found.potential_energy) < 1e-3 * abs(found.kinetic_energy[0])


def test_its_height_is_a_parameter(sled: Mechanism) -> None:
    with compiling_quickly():
        simulator = Simulator(sled)
    simulator.set_parameter("ice.height", 0.3)
    start = start_state(sled.changed(bodies=[sled.body("sled").changed(position=(0.0, 0.0, 0.3))], joints=[]))
    assert simulator.simulate(0.1, 0.01, start=start).position[-1, 0, 2] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("mechanism", [along_axes, askew], ids=["along", "askew"])
def test_its_kernels_are_proved_and_their_mutants_found(mechanism) -> None:
    described = along_axes("line_on_plane", ALONG[0]) if mechanism is along_axes else askew("line_on_plane")
    of = subject(described, NOTHING_DROPPED)
    assert all(verdict.proved for verdict in prove(of))
    score = score_of(Bench(of), of.printed.kernels.values(), 1)
    assert not score.missed, score.missed


def test_it_is_drawn_with_its_own_marker(sled: Mechanism) -> None:
    (marker,) = [part for part in build_scene(sled).parts if part.name == "ice"]
    assert marker.solid == "box" and marker.size[0] == pytest.approx(30 * marker.size[2])


def test_it_is_exported_and_its_self_test_passes(sled: Mechanism, tmp_path) -> None:
    folder = tmp_path / "sled"
    symvi.export(sled, folder)
    subprocess.run(["make", "-C", str(folder), "test"], check=True, capture_output=True)


def test_what_is_derived_of_it_is_its_derivative() -> None:
    found = derivation("line_on_plane", axes="joint")
    function = own("line_on_plane", axes="joint", offset=True)
    names = list(function.variables)
    scope: dict = {"found": found}
    exec(f"def claim({', '.join(names)}): return found.values(dict({', '.join(f'{n}={n}' for n in names)}))", scope)
    report = verify.derivative(function, scope["claim"], wrt=found.wrt)
    assert report.right, str(report)
