"""A format from outside is worth what symvi's own are: loaded, with its report, its refusals and its options."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import MechanismError, Simulator, register_format
from symvi.importers import urdf
from symvi.importers.formats import FORMATS, Format
from symvi.mechanism import Body, Joint, Mechanism
from tests.registry.plumb import PLUMB
from tests.support.quick import compiling_quickly

CHAIN = "plumb\nupper 0.4 1.0\nlower 0.3 0.5\nstart upper 0.5\n"


@pytest.fixture(autouse=True)
def registered():
    register_format(PLUMB)
    yield
    for name in [name for name in FORMATS if FORMATS.serial(name)]:
        FORMATS.forget(name)


def written(folder: Path, text: str = CHAIN, name: str = "chain.plumb") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_its_motion_is_that_of_the_same_chain_in_python(tmp_path: Path) -> None:
    rods = {"upper": (0.4, 1.0), "lower": (0.3, 0.5)}
    bodies, joints, above, end = [], [], "world", 0.0
    for name, (length, mass) in rods.items():
        moment = mass * length**2 / 12
        middle = (0.0, 0.0, -length / 2)
        bodies.append(Body(name=name, mass=mass, inertia=(moment, moment, 1e-6), center_of_mass=middle))
        at = 0.5 if name == "upper" else 0.0
        hinge = {"parent": above, "child": name, "parent_anchor": (0, 0, -end), "axis": (0, 1, 0), "coordinate": at}
        joints.append(Joint(name=f"hinge_{name}", type="revolute", **hinge))
        above, end = name, length
    by_hand = Mechanism(name="chain", bodies=bodies, joints=joints)
    with compiling_quickly():
        found = Simulator(symvi.load(written(tmp_path))).simulate(1.0, 0.01)
        expected = Simulator(by_hand).simulate(1.0, 0.01)
    assert np.ptp(found.position) > 0.3
    assert np.abs(found.coordinates("hinge_lower") - expected.coordinates("hinge_lower")).max() < 1e-12


def test_a_file_of_another_ending_is_known_by_its_content(tmp_path: Path) -> None:
    assert symvi.load(written(tmp_path, name="chain.line")).mechanism.body_names == ("upper", "lower")
    with pytest.raises(MechanismError, match=r"the ending must be one of .toml, .json, .urdf, .xml, .xacro, .*.plumb"):
        symvi.load(written(tmp_path, "upper 1 1\n", "chain.line"))


def test_what_is_wrong_with_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match=r"chain.plumb:2: a link has 3 words, not 2: NAME length mass"):
        symvi.load(written(tmp_path, "plumb\nupper 0.4\n"))
    with pytest.raises(MechanismError, match="base 'floating': a plumb line hangs from the world"):
        symvi.load(written(tmp_path), base="floating")
    with pytest.raises(MechanismError, match="nothing in it moves; give a link a mass"):
        symvi.load(written(tmp_path, "plumb\n\n" + "start upper 0\n"))


def test_one_of_xml_shares_an_ending_and_is_known_by_its_root(tmp_path: Path) -> None:
    """URDF under another root element, beside URDF and MJCF."""

    def read(root, findings, options, folders):
        return urdf.read_urdf(root, findings)

    register_format(Format("machine", read, "give a link a joint", (".xml", ".machine"), tag="machine"))
    text = (
        '<{0} name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></{0}>'
    )
    expected = symvi.load(written(tmp_path, text.format("robot"), "one.urdf")).mechanism
    for name in ("one.xml", "one.machine"):
        assert symvi.load(written(tmp_path, text.format("machine"), name)).mechanism == expected
    with pytest.raises(MechanismError, match="<machin> is no description of a mechanism; did you mean 'machine'"):
        symvi.load(written(tmp_path, text.format("machin"), "one.xml"))


def test_commands_read_it(tmp_path: Path) -> None:
    path, record = written(tmp_path), Path(__file__).with_name("plumb.py")
    text = record.read_text() + "\nimport symvi\nsymvi.register_format(PLUMB)\n"
    (tmp_path / "formats.py").write_text(text)
    command = [sys.executable, "-m", "symvi", "import", str(path), "--register", str(tmp_path / "formats.py"), "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "trep"}, "format 'trep' is registered already"),
        ({"read": None}, "read is None, but must be a function"),
        ({"endings": ("plumb",)}, "endings is .*but must be a tuple of small letters"),
        ({"endings": (".toml",)}, "'.toml', which is that of symvi's own files"),
        ({"endings": (".trep",)}, "ending '.trep' is that of format 'trep'"),
        ({"endings": (".urdf",)}, "ending '.urdf' is that of format 'urdf'"),
        ({"parse": None}, "give tag, the root element of its XML, or parse"),
        ({"parse": None, "tag": "robot"}, "tag 'robot' is that of format 'urdf'"),
    ],
)
def test_a_wrong_record_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    FORMATS.forget("plumb")
    with pytest.raises(symvi.ArgumentError, match=says):
        register_format(replace(PLUMB, **changes))
    with pytest.raises(symvi.ArgumentError, match="register_format was given 3"):
        register_format(3)  # type: ignore[arg-type]
