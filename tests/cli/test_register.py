"""--register: commands know joint types and forces from outside by the file that registers them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import cli
from symvi.proofs import __main__ as proofs
from symvi.registry import CONTACTS, FORCES, JOINTS, register_file
from symvi.simulate import Trajectory

BESIDE = Path(__file__).parents[1] / "registry"
REGISTERS = """\
print("a word of its own")
import symvi
from line_on_plane import LINE_ON_PLANE
from magnet import MAGNET

symvi.register_joint(LINE_ON_PLANE)
symvi.register_force(MAGNET)
"""
SLED = """\
[mechanism]
name = "sled"
gravity = [0, 0, 0]

[bodies.sled]
mass = 2.0
inertia = [0.1, 0.3, 0.35]
position = [0, 0, 0.2]

[joints.ice]
type = "line_on_plane"
child = "sled"
child_axis = [1, 0, 0]
parameters = {height = "200 mm"}

[forces.pull]
kind = "magnet"
child = "sled"
parent_anchor = [3, 0, 0.2]
strength = 4.0
"""
FILES = ["sled.toml", "--register", "records.py"]


@pytest.fixture
def run(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Callable[..., dict]]:
    """Run a command in a folder with a mechanism and the file of its records, as a process of its own would."""
    (tmp_path / "sled.toml").write_text(SLED)
    (tmp_path / "records.py").write_text(REGISTERS)
    for name in ("line_on_plane.py", "magnet.py"):
        (tmp_path / name).write_text((BESIDE / name).read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*arguments: str, main: Callable[[list[str]], int] = cli.main) -> dict:
        assert not [name for registry in (JOINTS, FORCES, CONTACTS) for name in registry if registry.serial(name)]
        code = main([*arguments, "--json"])
        forget()
        output, error = capfd.readouterr()
        assert code == 0, error
        assert "a word of its own" in error
        return json.loads(output)

    yield run
    forget()


def forget() -> None:
    for registry in (JOINTS, FORCES, CONTACTS):
        for name in [name for name in registry if registry.serial(name)]:
            registry.forget(name)
    for name in ("line_on_plane", "magnet"):
        sys.modules.pop(name, None)


def test_a_motion_is_that_of_its_records(run: Callable[..., dict]) -> None:
    """Strength over distance squared pulls along x alone, and the height stays."""
    run("simulate", *FILES, "--time", "0.01", "--step", "0.001", "--out", "a.npz", "--backend", "python")
    with pytest.raises(symvi.SymviError, match="line_on_plane"):
        Trajectory.load("a.npz")
    register_file(Path("records.py"))
    motion = Trajectory.load("a.npz")
    assert motion.position[-1, 0] == pytest.approx([4.0 / 9 / 2 * 0.01**2 / 2, 0.0, 0.2], rel=1e-4)
    assert np.abs(motion.position[:, 0, 2] - 0.2).max() < 1e-15


@pytest.mark.parametrize(
    ("arguments", "witness"),
    [
        (["info", *FILES], lambda found: "magnet_ground" in found["node types"] and found["rows kept"] == 2),
        (["generate", *FILES, "-o", "c"], lambda found: "line_on_plane" in Path("c/sled.c").read_text()),
        (["export", *FILES, "-o", "firmware", "--no-measure"], lambda found: "sled.c" in str(found["files"])),
        (["import", *FILES], lambda found: (found["joints"], found["forces"]) == (1, 1)),
        (["derive", "line_on_plane", *FILES[1:]], lambda found: "height" in str(found)),
        (["derive", *FILES[1:]], lambda found: "line_on_plane" in found["names"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_other_commands_know_them(run: Callable[..., dict], arguments: list[str], witness: Callable) -> None:
    assert witness(run(*arguments))


def test_claims_may_be_about_them(run: Callable[..., dict]) -> None:
    Path("claims.py").write_text(
        "import symvi.verify as verify\n"
        "from symvi.derive import own\n"
        "from symvi.derive.derivation import derivation\n"
        "FOUND, F = derivation('line_on_plane', axes='joint'), own('line_on_plane', axes='joint', offset=True)\n"
        "NAMES = list(F.variables)\n"
        "exec(f\"def claim({', '.join(NAMES)}): return FOUND.values(dict({', '.join(f'{n}={n}' for n in NAMES)}))\")\n"
        "claim = verify.claim(function=F, wrt=FOUND.wrt)(claim)\n"
    )
    assert run("verify", "claims.py", *FILES[1:])["claims"]


def test_their_kernels_are_proved(run: Callable[..., dict]) -> None:
    found = run(*FILES, main=proofs.main)["total"]
    assert found["kernels"] > 30 and found["wrong"] == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "import symvi\n",
            "records.py registers nothing; call symvi.register_joint, register_force, register_contact "
            "or register_format in it",
        ),
        ("\nimport nothing_like_that\n", "records.py:2: ModuleNotFoundError: No module named 'nothing_like_that'"),
        ("import symvi\nsymvi.register_joint(3)\n", "records.py:2: register_joint was given 3"),
        ("raise SystemExit(0)\n", "records.py:1: SystemExit: 0"),
        ("\n\ndef half(:\n", "records.py:3: invalid syntax"),
        (None, "records.py: No such file or directory"),
    ],
)
def test_a_file_that_registers_nothing_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str | None, says: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "records.py"
    if text is not None:
        path.write_text(text)
    assert cli.main(["info", "sled.toml", "--register", str(path), "--json"]) == 1
    assert says in json.loads(capfd.readouterr().out)["error"]


def test_what_is_beside_the_file_takes_no_package_s_place(run: Callable[..., dict]) -> None:
    """A json.py there, of a user's own, is not the one that symvi imports."""
    Path("json.py").write_text("raise SystemExit('the wrong one')\n")
    for name in [name for name in sys.modules if name.split(".")[0] == "tomllib"]:
        sys.modules.pop(name)
    Path("tomllib.py").write_text("raise SystemExit('the wrong one')\n")
    assert run("info", *FILES)["rows kept"] == 2
