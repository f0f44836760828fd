"""xacro files: expanded by xacro's own library, which reads the given folders only and runs nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symvi.errors import MechanismError, MissingExtraError
from symvi.extras import install_command
from symvi.importers import load, xacro

HEAD = '<?xml version="1.0"?>\n<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="bars">\n'
MACRO = """\
<xacro:macro name="bar" params="name mass">
  <link name="${name}"><inertial><mass value="${mass}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</xacro:macro>
"""
BODY = """\
<xacro:arg name="height" default="2"/>
<xacro:bar name="base" mass="1"/><xacro:bar name="arm" mass="${1.5 * 2}"/>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 $(arg height)"/></joint>
</robot>
"""

needs_xacro = pytest.mark.skipif(xacro.find_spec("xacro") is None, reason="needs the extra xacro")


def written(folder: Path, text: str) -> Path:
    path = folder / "bars.urdf.xacro"
    path.write_text(text)
    return path


@needs_xacro
def test_macros_arguments_and_expressions(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + MACRO + BODY)
    found = load(path)
    assert found.mechanism.body("arm").mass == 3.0
    assert found.mechanism.joint("hinge").parent_anchor == (0.0, 0.0, 2.0)
    higher = load(path, arguments={"height": "5"})
    assert higher.mechanism.joint("hinge").parent_anchor == (0.0, 0.0, 5.0)


@needs_xacro
def test_arguments_that_nothing_asks_for_are_slips_or_listed(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + MACRO + BODY)
    for slip in ("heihgt", "heights"):
        with pytest.raises(MechanismError, match=f"unknown argument '{slip}'; did you mean 'height'?"):
            load(path, arguments={slip: "5"})
    found = load(path, arguments={"height": "5", "colour": "red"})
    assert found.mechanism.joint("hinge").parent_anchor == (0.0, 0.0, 5.0)
    (notice,) = found.report.of("ignored")
    assert notice.what == "unknown argument 'colour'"


@needs_xacro
def test_files_of_given_packages_are_included(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "bar.xacro").write_text(HEAD + MACRO + "</robot>")
    own = tmp_path / "own"
    own.mkdir()
    path = written(own, HEAD + '<xacro:include filename="$(find bars)/bar.xacro"/>' + BODY)
    assert load(path, packages={"bars": package}).mechanism.body("arm").mass == 3.0
    with pytest.raises(MechanismError, match="give the folder of this package"):
        load(path)


WALK = "python.vars(python.type)['__subclasses__']"
HOSTILE = {
    "a file elsewhere": "${xacro.load_yaml('/etc/hostname')}",
    "names with underscores": "${().__class__}",
    "a dictionary of everything": f"${{{WALK}(python.type)}}",
    "all memory": "${python.len(python.list(python.range(10**12)))}",
    "all time": "${python.max(python.range(10**12))}",
    "the environment": "$(env PATH)",
}


@needs_xacro
@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_expressions_end_in_an_error(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xacro, "PROCESSOR", 3)
    text = HEAD + MACRO + f'<xacro:bar name="{HOSTILE[kind]}" mass="1"/>' + BODY
    with pytest.raises(MechanismError, match=r"bars.urdf.xacro:"):
        load(written(tmp_path, text))


@needs_xacro
def test_includes_stay_in_the_given_folders(tmp_path: Path) -> None:
    (tmp_path / "secret.xacro").write_text(HEAD + MACRO + "</robot>")
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(MechanismError, match="it may not open"):
        load(written(own, HEAD + '<xacro:include filename="../secret.xacro"/>' + BODY))


@needs_xacro
@pytest.mark.parametrize(
    "action",
    [
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "open('owned', 'w')",
        "open('/etc/hostname')",
        "import os; os.listdir('/')",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
        "import ctypes",
        "import _posixsubprocess",
    ],
)
def test_the_fence_of_the_process(action: str, tmp_path: Path) -> None:
    """Even code that gets out of xacro's own bounds is inside this one; here it stands for such code."""
    import subprocess
    import sys

    folder = str(xacro.PROGRAM.parent)
    code = (
        f"import sys; sys.path.insert(0, {folder!r}); import xacro_process; xacro_process.fence([{str(tmp_path)!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code + action], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0 and "it may not" in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xacro, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=re.escape(install_command("xacro"))):
        load(written(tmp_path, HEAD + MACRO + BODY))


def test_a_process_that_used_up_its_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)")
    (tmp_path / "robot.xacro").write_text("<robot/>")
    monkeypatch.setattr(xacro, "PROGRAM", tmp_path / "late.py")
    with pytest.raises(MechanismError, match="xacro cannot expand it: it computes for too long"):
        load(tmp_path / "robot.xacro")
