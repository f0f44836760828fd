"""One bit pattern from the same export everywhere: the hash of 1000 steps that the shipped example prints.

The simulator has found the expected hash on this machine; the example is the export's own, compiled as a user would.
"""

from __future__ import annotations

import re
import shutil
import sys
from functools import cache

import pytest

from symvi.demos import demo_file
from symvi.errors import CompilerError
from symvi.exporters import export
from symvi.exporters.measure import BOARDS
from symvi.exporters.measure.golden import golden_on_board, golden_on_host
from symvi.exporters.measure.subject import files_of
from symvi.mechanism import Mechanism
from symvi.native.compiler import identify
from tests.export.boards import needs_boards
from tests.support.contact_scenes import ball, box, on_ground
from tests.support.crooked_chains import crooked_chain
from tests.support.subset import first_of

MECHANISMS = {
    "arm": lambda: crooked_chain(6, "revolute"),
    "four_bar": lambda: Mechanism.from_file(demo_file("four_bar")),
    "contacts": lambda: on_ground(
        box(position=(0, 0, 0.6), orientation=(0.7, 0.1, 0.7, -0.1), velocity=(1, 0, 0), angular_velocity=(2, 3, 1)),
        ball(position=(2, 0, 0.5), velocity=(1, 2, 0)),
    ),
}
HOST = {
    "double": [("gcc", "-O0"), ("gcc", "-O2"), ("clang",), ("zig",), ("tcc",)],
    "float": [("gcc", "-O2"), ("clang",), ("tcc",)],
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory):
    """Files of an export by name, and the hash that came with it."""

    @cache
    def of(name: str, real: str) -> tuple[dict[str, str], str]:
        folder = tmp_path_factory.mktemp(name) / "export"
        export(MECHANISMS[name](), folder, real=real, prefix=name, measure=False)
        files = files_of(folder, name)
        shipped = re.search(r"_GOLDEN_HASH UINT64_C\((0x[0-9a-f]{16})\)", files["golden.h"]).group(1)
        return files, shipped

    return of


@pytest.mark.parametrize("name", first_of(MECHANISMS))
@pytest.mark.parametrize(
    "real, tool",
    first_of([(real, tool) for real, tools in HOST.items() for tool in tools], kept=2),
    ids=lambda value: "".join(value),
)
def test_every_compiler_gives_the_golden_hash(name: str, real: str, tool: tuple[str, ...], exported) -> None:
    files, shipped = exported(name, real)
    assert golden_on_host(files, name, _compiler(tool[0]), tool[1:]) == shipped


@pytest.mark.thorough
@needs_boards
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("real, board", [("double", "cortex-m7"), ("float", "cortex-m4f"), ("float", "cortex-m7")])
def test_emulated_boards_give_the_golden_hash(name: str, real: str, board: str, exported) -> None:
    files, shipped = exported(name, real)
    assert golden_on_board(files, name, BOARDS[board])[0] == shipped


@pytest.mark.thorough
@needs_boards
def test_the_hash_notices_fused_operations(exported) -> None:
    """A board that contracts products and sums, which the shipped flags forbid."""
    files, shipped = exported("arm", "float")
    found, how = golden_on_board(files, "arm", BOARDS["cortex-m4f"], ("-ffp-contract=fast",))
    assert found != shipped
    assert how.endswith("-ffp-contract=fast")


def test_precisions_have_hashes_of_their_own(exported) -> None:
    assert exported("arm", "double")[1] != exported("arm", "float")[1]


def _compiler(name: str):
    try:
        if name == "zig":
            pytest.importorskip("ziglang", reason="needs the package ziglang")
            return identify((sys.executable, "-m", "ziglang", "cc"))
        if shutil.which(name) is None:
            pytest.skip(f"needs the package {name}")
        return identify((name,))
    except CompilerError as error:
        pytest.skip(str(error))
