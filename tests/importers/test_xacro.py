"""xacro files: expanded by xacro's own library, which reads the given folders only and runs nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from symvi.errors import MechanismError, MissingExtraError
from symvi.extras import install_command
from symvi.importers import load, xacro
from symvi.importers.meshes import Folders
from symvi.importers.report import Findings

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


# --- what expressions may hold ----------------------------------------------------------------------------------------
EXPRESSIONS = {
    "${2 ** 3 * -sin(pi / 2) + 7 // 2 % 2}": -7.0,
    "${lengths['arm']['upper'] + lengths.arm.fore}": 0.75,
    "${lengths.arm.get('hand', 0.1) + len(lengths.arm.keys())}": 2.1,
    "${sum_of([k * 2 for k in lengths.list if k > 1 and not k == 3])}": 4,
    "${round(max(lengths.list) * radians(lengths.turn_in_degrees), 12)}": 4.712388980385,
    "${1 if 'upper' in lengths.arm else 2}": 1,
    "${lengths.turn}": 1.5707963267948966,
    "${float('_1.5-'.strip('_-').split(',')[0])}": 1.5,
    "${python.sum(float(n) for n in xacro.tokenize('1 2, 3'))}": 6.0,
    "${python.sum(map(lambda a, b=2: a * b, lengths.list[::-1]))}": 12,
    "${int('%d%s' % (1, '2'.replace('2', '3')))}": 13,
    "${int('\\x7b0[0]\\x7d3'.format([1]))}": 13,
    "${'lengths' in python.vars() and 'length' not in python.vars()}": 1,
    "$(eval height * 2)": 4.0,
}


@needs_xacro
def test_expressions_as_robots_have_them(tmp_path: Path) -> None:
    """Each is the mass of a bar; the values are by hand."""
    (tmp_path / "lengths.yaml").write_text(
        "{arm: {upper: 0.5, fore: 0.25}, list: [1, 2, 3], turn: !degrees 90, turn_in_degrees: 90}"
    )
    read = '<xacro:property name="lengths" value="${xacro.load_yaml(\'lengths.yaml\')}"/>'
    read += '<xacro:property name="sum_of" value="${lambda values: python.sum(values)}"/>'
    bars = "".join(f'<bar name="{n}" mass="{text}"/>' for n, text in enumerate(EXPRESSIONS))
    path = written(tmp_path, HEAD + '<xacro:arg name="height" default="2"/>' + read + bars + "</robot>")
    found = xacro.expanded(path, {}, Folders(tmp_path, {}), Findings("bars"))
    masses = re.findall(r'<bar mass="([^"]*)"', found.decode())
    assert [float(mass == "True" or mass) for mass in masses] == [
        pytest.approx(value, abs=1e-12) for value in EXPRESSIONS.values()
    ]


RELATIVES = "().__class__.__mro__[1].__subclasses__()"
MODULES = f"[c for c in {RELATIVES} if c.__name__ == 'catch_warnings'][0]()._module.sys.modules"
REFUSED = {
    "names with underscores": "().__class__",
    "and in a function": f"(lambda: {MODULES}['posix'].system('true'))()",
    "and in a function of a function": f"(lambda m=None: (lambda: {RELATIVES})())()",
    "and in a comprehension": "[x.__class__ for x in [1]]",
    "and as an argument": "(lambda __class__: 1)(2)",
    "a frame": "(x for x in [1]).gi_frame",
    "a frame from within": "[g.gi_frame.f_back for g in [(x for x in [1])]]",
    "a function's inside": "xacro.load_yaml.func_globals",
    "the module of a function": "math.sin.module",
    "a dictionary of everything": "python.vars(python.type)",
    "types of types": "python.type(python.type(1))",
    "a type by its own making": "python.type('X', (), dict())",
    "the relatives of a class": "str.mro()",
    "a call of what is no function of the library": "python.type(xacro.fatal)(1)",
    "attributes in a format": "'\\x7b0.real\\x7d'.format(1)",
    "attributes in a format of the class": "str.format('\\x7b0.real\\x7d', 1)",
    "attributes in a format of a mapping": "'\\x7bx.real\\x7d'.format_map(dict(x=1))",
    "an assignment": "(x := 1)",
    "an assignment to an attribute": "[0 for math.pi in [3]]",
    "an assignment to an entry": "[0 for python.vars()['pi'] in [3]]",
    "a change of the symbols": "python.vars().update(pi=3)",
    "and through the class": "dict.update(python.vars(), pi=3)",
    "what waits": "[x async for x in [1]]",
    "builtins": "open('/etc/hostname')",
    "builtins in a function": "(lambda: open('/etc/hostname'))()",
}
PROGRAM = """
import importlib.util, json, sys, xacro, xacro.substitution_args
spec = importlib.util.spec_from_file_location("own", sys.argv[1])
own = importlib.util.module_from_spec(spec)
spec.loader.exec_module(own)
own.guard(xacro, xacro.substitution_args, lambda name: name)
for text in json.loads(sys.argv[2]):
    for whole in ("${" + text + "}", "$(eval " + text + ")"):
        try:
            if whole[1] == "{":
                print("evaluated", xacro.eval_text(whole, xacro.Table(xacro._global_symbols)))
            else:
                print("evaluated", xacro.substitution_args.resolve_args(whole, {}))
        except Exception as error:
            print("refused", error)
"""


@needs_xacro
def test_hostile_expressions_are_refused() -> None:
    """The library itself evaluates most of them."""
    import json
    import subprocess
    import sys

    command = [sys.executable, "-c", PROGRAM, str(xacro.PROGRAM), json.dumps(list(REFUSED.values()))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = [line for line in done.stdout.splitlines() if line.startswith(("evaluated", "refused"))]
    assert len(said) == 2 * len(REFUSED) and all(line.startswith("refused") for line in said), done.stdout


HOSTILE = {
    "a file elsewhere": "${xacro.load_yaml('/etc/hostname')}",
    "the modules of Python": f"${{(lambda: {MODULES})()}}",
    "all memory": "${python.len(python.list(python.range(10**12)))}",
    "all time": "${python.max(python.range(10**12))}",
    "the environment": "$(env PATH)",
}


@pytest.mark.thorough
@needs_xacro
@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_expressions_end_in_an_error(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xacro, "PROCESSOR", 3)
    text = HEAD + MACRO + f'<xacro:bar name="{HOSTILE[kind]}" mass="1"/>' + BODY
    with pytest.raises(MechanismError, match=r"bars.urdf.xacro:"):
        load(written(tmp_path, text))


# --- what its process may do ------------------------------------------------------------------------------------------
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
        "import os; os.kill(os.getpid(), 0)",
        "import os; os.mkdir('owned')",
        "import os; open(os.open('owned', os.O_CREAT))",
        "open(0)",
        "import sys; sys._getframe()",
        "(lambda: 0).__code__",
        "import encodings.cp500, encodings.own",
        *(
            pytest.param(action, marks=pytest.mark.skipif(os.name != "posix", reason="needs POSIX"))
            for action in (
                "import posix; posix.mkfifo('owned')",
                "import posix; posix.fork()",
                "import posix; posix.pipe()",
                "import _imp, types; _imp.create_dynamic(types.SimpleNamespace(name='encodings.x', origin='x.so'))",
            )
        ),
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


@needs_xacro
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX")
def test_the_bounds_of_the_process_stay() -> None:
    """No process, no file and no more time: the last bounds too, which only the system's own user may raise."""
    import json
    import resource
    import subprocess
    import sys

    names = ("NPROC", "FSIZE", "CORE", "CPU")
    code = (
        f"import sys, json; sys.path.insert(0, {str(xacro.PROGRAM.parent)!r}); import xacro_process as own, resource\n"
    )
    code += "own.bound(7)\n"
    code += f"print(json.dumps([resource.getrlimit(getattr(resource, 'RLIMIT_' + n)) for n in {names}]))\n"
    code += "assert not hasattr(resource, 'setrlimit')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[0, 0], [0, 0], [0, 0], [7, 8]]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 0


# --- what is no file of macros ----------------------------------------------------------------------------------------
@needs_xacro
def test_what_is_no_file_or_too_large_is_told(tmp_path: Path) -> None:
    path = tmp_path / "robot.xacro"
    with pytest.raises(MechanismError, match=r"robot.xacro: there is no such file"):
        load(path)
    path.mkdir()
    with pytest.raises(MechanismError, match=r"robot.xacro: cannot be read"):
        load(path)
    path.rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)
        with pytest.raises(MechanismError, match=r"robot.xacro: is no file, but a pipe"):
            load(path)
        path.unlink()
    with path.open("wb") as file:
        file.truncate(21_000_000)
    with pytest.raises(MechanismError, match=r"robot.xacro: is larger than 20 MB"):
        load(path)


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
