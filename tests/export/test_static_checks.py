"""What serious users of C check before they let a text into their firmware, on every mechanism that stands for exports.

No warning under strict flags in both precisions, headers that C++ takes, frames on the stack that are bounded,
sanitisers silent over 1000 steps, objects that do not depend on the folder, MISRA C:2012 by cppcheck, clang-tidy, and
a proof by Frama-C's Eva that no statement fails on any numbers.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from symvi.mechanism import Actuator, Body, Box, DryFriction, Joint, JointDamper, Limit, Mechanism
from symvi.proofs.zoo import zoo
from tests.support.contact_scenes import corners
from tests.support.exported import EXPORTED
from tests.support.strict_c import STRICT, written, written_lean

pytestmark = pytest.mark.thorough  # other programs read the text, for minutes

REALS = ("double", "float")
LARGEST_FRAME = 4096  # bytes of stack in one function, on x86-64 with gcc -O2
# MISRA C:2012 with a reason each; both are advisory
JUSTIFIED = {
    "15.5": "a function returns where its sentence ends: refusals at the top, a status as soon as it is known",
    "2.4": "cppcheck takes an enum without a tag for one whose tag is unused; constants that name places need none",
}
# but for: several numbers in a row are what mechanics takes; indices such as 3u*n are small
TIDY = (
    "-*,clang-analyzer-*,bugprone-*,cert-*,misc-*,performance-*,"
    "-bugprone-easily-swappable-parameters,-bugprone-implicit-widening-of-multiplication-result"
)


def need(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"needs the package {program}")
    return program


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout + done.stderr


SANITIZED = [f"{name}-float-{coordinates}" for name in EXPORTED for coordinates in ("maximal", "tree")]
SANITIZED += ["box-double-maximal", "four_bar-double-maximal", "four_bar-double-tree"]


FORMULATIONS = ("maximal", "tree")


@pytest.fixture(
    scope="module",
    params=[f"{name}-{real}-{coordinates}" for name in EXPORTED for real in REALS for coordinates in FORMULATIONS],
)
def export(request, tmp_path_factory) -> tuple[Path, str]:
    """A folder with an export and callers of it, and its prefix."""
    name, real, coordinates = request.param.split("-")
    folder = tmp_path_factory.mktemp(f"{name}_{real}_{coordinates}")
    return folder, written(folder, EXPORTED[name](), real, coordinates=coordinates)


def real_of(folder: Path) -> str:
    return "double" if "double" in folder.name else "float"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_strict_flags_find_nothing(export: tuple[Path, str], compiler: str) -> None:
    folder, prefix = export
    # frames, and what gcc finds while it optimises, of doubles, whose frames are larger; tests/emit has floats
    frames = [f"-Wstack-usage={LARGEST_FRAME}"] if (compiler, real_of(folder)) == ("gcc", "double") else []
    for file in (f"{prefix}.c", "caller.c"):
        run(folder, need(compiler), *STRICT, *frames, "-O2", "-fsyntax-only" if not frames else "-c", file)


# a rate called u, as the inputs are; no contact whose gap closes; a joint without freedoms
NARROW = {"damped_prismatic": "tree", "rubbing": "maximal", "askew_fixed": "tree"}


@pytest.mark.parametrize("name", NARROW)
def test_strict_flags_find_nothing_in_kernels_written_in_place(tmp_path: Path, name: str) -> None:
    mechanism = next(m for m, _ in zoo() if m.name == name)
    prefix = written(tmp_path, mechanism, "float", "inline", NARROW[name])
    run(tmp_path, need("gcc"), *STRICT, "-O2", "-fsyntax-only", f"{prefix}.c")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_strict_flags_find_nothing_in_the_other_layouts(checked: Path, compiler: str) -> None:
    source = next(path.name for path in checked.glob("*.c") if path.name != "caller.c")
    run(checked, need(compiler), *STRICT, "-O2", "-fsyntax-only", source)


def test_the_header_is_one_of_cpp_too(export: tuple[Path, str]) -> None:
    folder, prefix = export
    (folder / "user.cpp").write_text(f'#include "{prefix}.h"\nint user() {{ return {prefix}_check(0, "", 0) < 0; }}\n')
    flags = "-std=c++98 -pedantic -Wall -Wextra -Werror -Wconversion -Wshadow -Wold-style-cast -fsyntax-only".split()
    run(folder, need("g++"), *flags, "user.cpp")


@pytest.mark.parametrize("export", SANITIZED, indirect=True)
def test_sanitizers_find_nothing_over_1000_steps(export: tuple[Path, str]) -> None:
    """In floats, whose conversions may overflow too; in doubles, the same text, with a loop and with contacts."""
    folder, prefix = export
    flags = ["-std=c99", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]  # all that is written runs
    run(folder, need("gcc"), *flags, "caller.c", f"{prefix}.c", "-lm", "-o", "sanitized")
    run(folder, "./sanitized")


def test_objects_are_the_same_from_another_folder_and_another_generation(tmp_path: Path) -> None:
    objects = []
    for place in ("here", "there/deeper"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        prefix = written(folder, EXPORTED["four_bar"](), "double")
        run(folder, need("gcc"), "-std=c99", "-O2", "-c", f"{prefix}.c")
        objects.append((folder / f"{prefix}.o").read_bytes())
    assert objects[0] == objects[1]


def ram() -> Mechanism:
    """A hammer with a motor against the friction of its rail, an end stop and a brake."""
    return hammer().changed(
        name="ram",
        forces=[
            Actuator(name="motor", joint="rail"),
            JointDamper(name="brake", joint="rail", damping=0.5),
            DryFriction(name="rub", joint="rail", bound=1.0),
        ],
        limits=[Limit(name="stop", joint="rail", upper=0.2)],
    )


# a loop, without inequalities; a tree with all kinds of them: between them all templates, and both layouts
CHECKED = {
    "four_bar": (EXPORTED["four_bar"], "auto", "maximal"),
    "four_bar_tree": (EXPORTED["four_bar"], "auto", "tree"),
    "ram": (ram, "looped", "maximal"),
    "ram_tree": (ram, "inline", "tree"),
    "four_bar_lean": (EXPORTED["four_bar"], "unrolled", "tree"),
    "arm_lean": (EXPORTED["six_axis_arm"], "looped", "maximal"),
}


@pytest.fixture(scope="module", params=CHECKED)
def checked(request, tmp_path_factory) -> Path:
    """An export as the tools read it that know C but no precision."""
    make, layout, coordinates = CHECKED[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    write = written_lean if request.param.endswith("_lean") else written
    write(folder, make(), "float", layout, coordinates)
    return folder


@pytest.mark.slow
def test_misra_rules_are_kept(checked: Path) -> None:
    command = [need("cppcheck"), "--addon=misra", "--std=c99", "--enable=all", "--suppress=missingIncludeSystem", "-q"]
    command += ["--max-configs=1", "--suppress=toomanyconfigs"]  # nothing defined: others are C++'s and newer C's
    sources = [path.name for path in checked.glob("*.c")]  # with the caller, without which entry points have no use
    found = run(checked, *command, "--template={file}:{line}: {id} {message}", *sources)
    hits = [
        line
        for line in found.splitlines()
        if re.match(r"(?!caller)\w+\.[ch]:\d+: ", line)
        and not re.search(rf"misra-c2012-({'|'.join(map(re.escape, JUSTIFIED))}) ", line + " ")
    ]
    assert hits == []


@pytest.mark.slow
def test_clang_tidy_finds_nothing(checked: Path) -> None:
    source = next(path.name for path in checked.glob("*.c") if path.name != "caller.c")
    found = run(checked, need("clang-tidy"), "--quiet", f"--checks={TIDY}", source, "--", "-std=c99")
    assert [line for line in found.splitlines() if "warning:" in line] == []


def carts() -> Mechanism:
    """A tree without an angle: a cart on a rail, and one across on the first."""
    bodies = [Body(name=name, mass=1.0, shape=Box(size=(0.2, 0.1, 0.1))) for name in ("cart", "cross")]
    rail = Joint(name="rail", type="prismatic", parent="world", child="cart", axis=(1, 0, 0))
    across = Joint(name="across", type="prismatic", parent="cart", child="cross", axis=(0, 1, 0))
    return Mechanism(name="carts", bodies=bodies, joints=[rail, across])


def hammer() -> Mechanism:
    """A block that falls along a rail onto one corner, with friction."""
    body = Body(name="block", mass=1.0, shape=Box(size=(0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.25))
    slope = Joint(name="rail", type="prismatic", parent="world", child="block", axis=(0.6, 0, 0.8),
                  child_anchor=(0.0, 0.0, -0.25))  # fmt: skip
    corner = corners("corner", "block", half=0.2, friction=0.5)[:1]
    return Mechanism(name="hammer", bodies=[body], joints=[slope], contacts=corner)


@pytest.mark.parametrize("coordinates", FORMULATIONS)
@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "six_axis_arm"])
def test_lean_texts_keep_the_same_rules(tmp_path: Path, name: str, coordinates: str) -> None:
    """No warning in either precision, and sanitisers silent over 1000 steps."""
    for real in REALS:
        folder = tmp_path / real
        folder.mkdir()
        prefix = written_lean(folder, EXPORTED[name](), real, coordinates=coordinates)
        for file in (f"{prefix}.c", "caller.c"):
            run(folder, need("gcc"), *STRICT, f"-Wstack-usage={LARGEST_FRAME}", "-O2", "-c", file)
            run(folder, need("clang"), *STRICT, "-O2", "-fsyntax-only", file)
        flags = ["-std=c99", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        run(folder, need("gcc"), *flags, "caller.c", f"{prefix}.c", "-lm", "-o", "sanitized")
        run(folder, "./sanitized")


# angles are whole turns and a rest: what becomes whole is a number below 1e9, which Eva does not learn of comparisons
WHOLE_TURNS = "non-finite float value. assert \\is_finite(turns);"


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", FORMULATIONS)
@pytest.mark.parametrize(
    ("mechanism", "alarms"), [(EXPORTED["pendulum"], 2), (carts, 0), (hammer, 0)], ids=["pendulum", "carts", "hammer"]
)
def test_no_statement_can_fail_on_any_numbers(
    tmp_path: Path, mechanism: Callable[[], Mechanism], alarms: int, coordinates: str
) -> None:
    """Frama-C's Eva: trees and a mechanism with a contact; every entry point, in any order, on any numbers.

    Every statement is reached (of joint coordinates 99 %: open trees have nothing to project, slides never turn). None
    divides integers by zero, overflows, goes beyond an array, or reads what was never written. Numbers that are not
    finite are a status, not an error: their alarms are off, but where a number becomes a whole one.
    """
    check_on_any_numbers(tmp_path, written(tmp_path, mechanism(), "float", coordinates=coordinates), alarms,
                         1.0 if coordinates == "maximal" else 0.99)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [EXPORTED["double_pendulum"], carts], ids=["double_pendulum", "carts"])
def test_no_statement_of_a_lean_text_can_fail_on_any_numbers(
    tmp_path: Path, mechanism: Callable[[], Mechanism]
) -> None:
    check_on_any_numbers(tmp_path, written_lean(tmp_path, mechanism(), "float"), 0, 0.99)


def check_on_any_numbers(tmp_path: Path, prefix: str, alarms: int, least: float) -> None:
    """Run Eva on a text and its proof. least: share of the functions and statements that it must reach."""
    command = [need("frama-c"), *"-eva -lib-entry -main prove -eva-precision 0 -machdep x86_64".split()]
    command += ["-eva-auto-loop-unroll", "6", "-warn-special-float", "none", f"-cpp-extra-args=-I{tmp_path}"]
    found = run(tmp_path, *command, str(tmp_path / f"{prefix}.c"), str(tmp_path / "proof" / "proof.c"))
    told = [" ".join(alarm.split()) for alarm in re.findall(r"\[eva:alarm\][^[]*", found)]
    assert len(told) == alarms and all(alarm.endswith(WHOLE_TURNS) for alarm in told), told
    summary = found[found.index("ANALYSIS SUMMARY") :]
    for counted in (r"(\d+) functions analyzed \(out of (\d+)\)", r"(\d+) statements reached \(out of (\d+)\)"):
        reached, all_of_them = re.search(counted, summary).groups()
        assert int(reached) >= least * int(all_of_them)
