"""The exported folder: its self-test passes with every build system, its figures are true, two fit into one program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symvi
from symvi import Body, Contact, Mechanism, Potential, Sphere
from symvi.demos import demo_file
from symvi.emit.templates import environment
from symvi.exporters import Exported, export
from symvi.exporters.bits import SAME_BITS
from symvi.exporters.folder import digest_of
from symvi.exporters.golden import FIELDS
from symvi.exporters.targets import TARGETS
from symvi.exporters.undetermined import undetermined_components
from symvi.simulate.simulator import generate_text
from tests.export.boards import needs_boards
from tests.export.exports import arm, crate, done, loose, need
from tests.support.linkages import bennett
from tests.support.subset import first_of

REPOSITORY = Path(__file__).parents[2]
STRICT = (
    "-pedantic -Wall -Wextra -Werror -Wconversion -Wdouble-promotion -Wfloat-equal -Wfloat-conversion -Wshadow "
    "-Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla"
).split()
FILES = (
    "CMakeLists.txt LICENSE Makefile README.md cmake/{0}Config.cmake.in examples/golden.h examples/main.c golden.csv "
    "include/{0}.h library.json library.properties manifest.json platformio.ini src/{0}.c src/{0}.h "
    "zephyr/CMakeLists.txt zephyr/Kconfig zephyr/module.yml"
)
CASES = {
    f"{name}_{real}": (make, real) for name, make in (("arm", arm), ("crate", crate)) for real in ("double", "float")
}


@pytest.fixture(scope="module", params=CASES)
def exported(request, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    make, real = CASES[request.param]
    folder = tmp_path_factory.mktemp("exports") / request.param
    return export(make(), folder, real=real, prefix=request.param, step=0.005, measure=False)


def prefix_of(exported: Exported) -> str:
    return exported.manifest["prefix"]


@pytest.mark.thorough
def test_every_file_is_there_and_none_else(exported: Exported) -> None:
    assert exported.files == tuple(sorted(FILES.format(prefix_of(exported)).split()))
    assert exported.manifest == json.loads((exported.folder / "manifest.json").read_text())
    digests = exported.manifest["files"]
    assert set(digests) | {"manifest.json"} == set(exported.files)
    assert all(digest_of((exported.folder / name).read_text()) == digest for name, digest in digests.items())


@pytest.mark.thorough
def test_make_test_finds_every_bit_and_prints_the_golden_table(exported: Exported, tmp_path: Path) -> None:
    need("cc", "ar", "make")
    done("make", f"BUILD={tmp_path}", "test", folder=exported.folder)
    printed = done(tmp_path / "self_test")
    table = "".join(line for line in printed.splitlines(keepends=True) if not line.startswith("#"))
    assert table == (exported.folder / "golden.csv").read_text()
    golden = exported.manifest["golden"][exported.manifest["real"]]
    assert printed.splitlines()[-1] == f"# hash {golden['value']}"
    assert f"# iterations {golden['iterations']}" in printed
    assert golden["steps"] == exported.manifest["steps"] == 1000


@pytest.mark.parametrize("compiler", first_of(["gcc", "clang", "tcc"]))
def test_the_self_test_passes_with_every_compiler_without_a_warning(
    exported: Exported, compiler: str, tmp_path: Path
) -> None:
    need(compiler)
    plain, include = ["-std=c99", "-O1", "-ffp-contract=off"], f"-I{exported.folder / 'include'}"
    example = [*plain, *([] if compiler == "tcc" else STRICT), include, exported.folder / "examples" / "main.c"]
    solver = [*plain, include, exported.folder / "src" / f"{prefix_of(exported)}.c"]
    for name, what in (("main.o", example), ("solver.o", solver)):
        done(compiler, *what, "-c", "-o", tmp_path / name)
    done(compiler, tmp_path / "main.o", tmp_path / "solver.o", "-lm", "-o", tmp_path / "test")
    assert "every bit as expected" in done(tmp_path / "test")


@pytest.mark.thorough
def test_the_self_test_sees_one_wrong_bit(exported: Exported, tmp_path: Path) -> None:
    need("cc", "ar", "make")
    folder = tmp_path / "copy"
    shutil.copytree(exported.folder, folder)
    source = folder / "examples" / "golden.h"
    text = source.read_text()
    last = re.search(r"UINT64_C\(0x[0-9a-f]{15}([0-9a-f])\)", text)
    source.write_text(text[: last.start(1)] + ("0" if last[1] != "0" else "1") + text[last.end(1) :])
    ran = subprocess.run(["make", f"BUILD={tmp_path}/b", "test"], cwd=folder, capture_output=True, text=True)
    assert ran.returncode != 0
    assert "NOT the expected hash" in ran.stdout


@pytest.mark.thorough
def test_a_negative_zero_counts_as_zero(tmp_path: Path) -> None:
    """Compilers may leave the sign of a zero to chance; this ball has one in every step."""
    need("cc", "ar", "make")
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=0.1), velocity=(-0.0, 0.0, 0.0))
    exported = export(Mechanism(name="ball", bodies=[ball]), tmp_path / "ball", measure=False)
    assert "every bit as expected" in done("make", f"BUILD={tmp_path}/build", "test", folder=exported.folder)
    assert "-0," not in (exported.folder / "golden.csv").read_text().splitlines()[1]


def test_the_golden_motion_is_the_simulators_own(exported: Exported) -> None:
    """Positions at the last knot are those that simulate() finds, which is driven in another way."""
    manifest = exported.manifest
    mechanism = CASES[prefix_of(exported)][0]()
    motion = symvi.Simulator(mechanism, real=manifest["real"]).simulate(5.0, step=0.005, every=1000)
    head, *_, last = (exported.folder / "golden.csv").read_text().splitlines()
    numbers = dict(zip(head.split(","), map(float, last.split(",")), strict=True))
    found = [[numbers[f"{body}.x{k}"] for k in range(3)] for body in mechanism.body_names]
    centers = motion.position[-1]
    assert numbers["knot"] == 1000
    assert np.abs(np.array(found) - centers).max() < (1e-12 if manifest["real"] == "double" else 1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("make", [arm, crate], ids=["arm", "crate"])
def test_the_text_is_that_of_generate(make, tmp_path: Path) -> None:
    name = make.__name__
    exported = export(make(), tmp_path / "out", fixed_iterations=3, layout="looped", measure=False)
    expected = generate_text(make(), "looped", fixed_iterations=3).files
    assert (exported.folder / "include" / f"{name}.h").read_text() == expected[f"{name}.h"]
    assert (exported.folder / "src" / f"{name}.c").read_text() == expected[f"{name}.c"]


def test_offsets_and_sizes_are_those_of_a_compiler(exported: Exported, tmp_path: Path) -> None:
    need("cc")
    prefix, manifest = prefix_of(exported), exported.manifest
    lines, expected = [], []
    for store, key in (("parameters", "parameters"), ("state", "state"), ("input", "inputs")):
        for field in manifest[key]:
            lines.append(f'printf("%lu %lu\\n", (unsigned long)offsetof({prefix}_{store}, {field["c"]}), '
                         f"(unsigned long)sizeof((({prefix}_{store} *)0)->{field['c']}));")  # fmt: skip
            expected.append([field["offset"], field["count"] * (4 if manifest["real"] == "float" else 8)])
    for field in manifest["inputs"]:
        lines.append(f'printf("%lu 0\\n", (unsigned long)({field["constant"]}*sizeof({prefix}_real)));')
        expected.append([field["offset"], 0])
    for key in ("coordinates", "reactions", "contact points"):
        for row in manifest[key]:
            lines.append(f'printf("%d 0\\n", {row["constant"]});')
            expected.append([row["first" if key == "coordinates" else "row"], 0])
    for name, figure in manifest["memory"].items():
        lines.append(f'printf("%lu 0\\n", (unsigned long)sizeof({prefix}_{name}));')
        expected.append([figure["value"], 0])
    includes = f'#include <stddef.h>\n#include <stdio.h>\n#include "{prefix}.h"\n'
    (tmp_path / "probe.c").write_text(f"{includes}int main(void) {{\n{chr(10).join(lines)}\nreturn 0;\n}}\n")
    done("cc", f"-I{exported.folder / 'include'}", tmp_path / "probe.c", "-o", tmp_path / "probe")
    found = [[int(word) for word in line.split()] for line in done(tmp_path / "probe").splitlines()]
    assert found == expected
    fields = [field for key in ("parameters", "state", "inputs") for field in manifest[key]]
    assert all(field["unit"] and field["meaning"] for field in fields)


def test_values_are_those_of_the_description(tmp_path: Path) -> None:
    manifest = export(arm(), tmp_path / "arm", step=0.002, measure=False).manifest
    values = {field["name"]: field["value"] for key in ("parameters", "inputs", "state") for field in manifest[key]}
    assert values["common.h"] == 0.002
    assert values["upper.mass"] == 1.0
    assert values["hold.stiffness"] == 5.0
    assert (values["hold.target"], values["hold.target_rate"]) == pytest.approx((0.3, 0.1))
    assert manifest["dimensions"]["inputs"] == 4
    assert [entry["value"] for entry in manifest["status"].values()][:3] == [0, 1, 2]


# --- build systems ----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def built(exported: Exported, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export built by CMake elsewhere; to be installed beside, in "root"."""
    need("cmake", "cc", "make")
    folder = tmp_path_factory.mktemp("built")
    done("cmake", "-S", exported.folder, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={folder / 'root'}")
    done("cmake", "--build", folder / "build")
    return folder / "build"


@pytest.mark.thorough
def test_ctest_passes_outside_the_folder_and_leaves_it_as_it_was(exported: Exported, built: Path) -> None:
    assert "100% tests passed" in done("ctest", "--test-dir", built)
    found = sorted(
        path.relative_to(exported.folder).as_posix() for path in exported.folder.rglob("*") if path.is_file()
    )
    assert tuple(found) == exported.files


USER = """\
cmake_minimum_required(VERSION 3.13)
project(firmware C)
{0}
add_executable(firmware main.c)
target_link_libraries(firmware PRIVATE {1})
"""


@pytest.mark.thorough
def test_an_installed_export_is_found(exported: Exported, built: Path, tmp_path: Path) -> None:
    prefix, root = prefix_of(exported), built.with_name("root")
    done("cmake", "--install", built)
    user = tmp_path / "user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(USER.format(f"find_package({prefix} 0.1 REQUIRED)", f"{prefix}::{prefix}"))
    for name in ("main.c", "golden.h"):
        shutil.copy(exported.folder / "examples" / name, user)
    done("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={root}")
    done("cmake", "--build", user / "build")
    assert "every bit as expected" in done(user / "build" / "firmware")
    installed = [path for path in root.rglob("*.cmake")]
    assert installed and not any(
        str(place) in path.read_text() for path in installed for place in (exported.folder, root)
    )


TWO = """\
#include <stdio.h>
#include "arm_a.h"
#include "crate_b.h"

static arm_a_parameters pa; static arm_a_options oa; static arm_a_state za; static arm_a_input ua; static arm_a_work wa;
static crate_b_parameters pb; static crate_b_options ob; static crate_b_state zb; static crate_b_input ub;
static crate_b_work wb;

int main(void)
{
    arm_a_info ia;
    crate_b_info ib;
    if ((arm_a_init(&pa, &oa, &za, &ua, &wa) < 0) || (crate_b_init(&pb, &ob, &zb, &ub, &wb) < 0)) {
        return 1;
    }
    for (int n = 0; n < 100; n++) {
        TARGET = (REAL)0.3;
        if ((arm_a_step(&pa, &oa, &za, &ua, &wa, &ia) < 0) || (crate_b_step(&pb, &ob, &zb, &ub, &wb, &ib) < 0)) {
            return 2;
        }
    }
    printf("%.3f %.3f\\n", (double)za.body[0].x[2], (double)zb.body[0].x[2]);
    return 0;
}
"""


def two(tmp_path: Path, real: str) -> Path:
    """A program that steps two exports side by side, and both folders."""
    first = export(arm(), tmp_path / "a", prefix="arm_a", real=real, measure=False)
    export(crate(), tmp_path / "b", prefix="crate_b", real="float", measure=False)
    driven = next(field for field in first.manifest["inputs"] if field["name"] == "gearbox.target")
    (tmp_path / "main.c").write_text(TWO.replace("TARGET", f"ua.{driven['c']}").replace("REAL", real))
    return tmp_path


@pytest.mark.thorough
def test_two_exports_link_into_one_program(tmp_path: Path) -> None:
    """In different precisions, by CMake; the crate lies on the ground at the end."""
    need("cmake", "cc", "make")
    folder = two(tmp_path, "double")
    added = "add_subdirectory(a)\nadd_subdirectory(b)"
    (folder / "CMakeLists.txt").write_text(USER.format(added, "arm_a::arm_a crate_b::crate_b"))
    done("cmake", "-S", folder, "-B", folder / "build")
    done("cmake", "--build", folder / "build")
    assert done(folder / "build" / "firmware").split()[1] == "0.050"


@pytest.mark.thorough
def test_two_exports_link_into_one_firmware(tmp_path: Path) -> None:
    """For a board, with make and a cross compiler; nothing is left undefined or defined twice."""
    need("arm-none-eabi-gcc", "arm-none-eabi-ar", "make")
    folder = two(tmp_path, "float")
    machine = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
    for name in "ab":
        done("make", "CC=arm-none-eabi-gcc", "AR=arm-none-eabi-ar", "OPTIMISE=-Os", f"MACHINE={' '.join(machine)}",
             folder=folder / name)  # fmt: skip
    board = ["--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted", "-Wl,--gc-sections",
             "-Wl,--defsym=__flash=0x0", "-Wl,--defsym=__flash_size=0x400000", "-Wl,--defsym=__ram=0x20000000",
             "-Wl,--defsym=__ram_size=0x400000", "-Wl,--defsym=__stack_size=0x8000"]  # fmt: skip
    libraries = [folder / "a/build/libarm_a_solver.a", folder / "b/build/libcrate_b_solver.a"]
    done("arm-none-eabi-gcc", "-std=c99", "-Os", *machine, *board, "-Ia/include", "-Ib/include", "main.c", *libraries,
         "-lm", "-o", "firmware.elf", folder=folder)  # fmt: skip
    assert (folder / "firmware.elf").is_file()


def test_small_text_files_say_the_same(exported: Exported) -> None:
    """PlatformIO, Arduino, Zephyr: their tools are not here, so what they read is compared with what they document."""
    prefix, folder = prefix_of(exported), exported.folder
    library = json.loads((folder / "library.json").read_text())
    assert {"name", "version", "build"} <= set(library)
    assert (folder / library["build"]["includeDir"] / library["headers"]).is_file()
    properties = dict(line.split("=", 1) for line in (folder / "library.properties").read_text().splitlines())
    required = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}
    assert required <= set(properties)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,62}", properties["name"])
    assert properties["version"] == library["version"] == symvi.__version__
    assert (folder / "src" / properties["includes"]).is_file()
    module = (folder / "zephyr" / "module.yml").read_text()
    assert module == f'name: "{prefix}"\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n'
    option = re.search(r"^config (\w+)\n\tbool ", (folder / "zephyr" / "Kconfig").read_text(), re.M)[1]
    script = (folder / "zephyr" / "CMakeLists.txt").read_text()
    assert f"if(CONFIG_{option})" in script
    assert (folder / "zephyr" / re.search(r"zephyr_library_sources\((\S+)\)", script)[1]).is_file()
    assert (folder / "zephyr" / re.search(r"zephyr_include_directories\((\S+)\)", script)[1]).is_dir()


# --- what only some mechanisms have -----------------------------------------------------------------------------------
def options_in(folder: Path) -> dict[str, list[set[str]]]:
    """Build file -> the options that each of its lines or lists gives the compiler, of those that keep bits."""
    known, found = {flag for flags in SAME_BITS.values() for flag in flags}, {}
    for name in ("Makefile", "CMakeLists.txt", "platformio.ini", "library.json", "zephyr/CMakeLists.txt"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        given = [set(re.findall(r"-f[\w=-]+", line)) & known for line in lines]
        found[name] = [flags for flags in given if flags]
    return found


def test_every_build_file_names_all_options_that_bits_need(exported: Exported, tmp_path: Path) -> None:
    gcc, clang = (set(SAME_BITS[kind]) for kind in ("gcc", "clang"))
    wanted = dict.fromkeys(("Makefile", "platformio.ini", "library.json", "zephyr/CMakeLists.txt"), [gcc])
    wanted["CMakeLists.txt"] = [gcc, clang]
    assert options_in(exported.folder) == wanted
    for name in wanted:
        for flag in gcc:
            shutil.copytree(exported.folder, tmp_path / "damaged", dirs_exist_ok=True)
            damaged = tmp_path / "damaged" / name
            damaged.write_text(damaged.read_text(encoding="utf-8").replace(flag, "", 1), encoding="utf-8")
            assert options_in(tmp_path / "damaged") != wanted, (name, flag)


def test_the_options_that_bits_need_stand_in_one_table() -> None:
    """What compiles C for the user, for boards, for a hash, takes them from there: a second list would miss one."""
    named = [
        path.relative_to(REPOSITORY).as_posix()
        for room in ("symvi", "templates", "examples")
        for path in sorted((REPOSITORY / room).rglob("*"))
        if path.suffix in {".py", ".jinja", ".txt"} and path.name != "README.md.jinja"
        if re.search(r"-ffp-contract=off|-fno-math-errno|-fno-tree-slp-vectorize", path.read_text(encoding="utf-8"))
    ]
    assert named == ["symvi/native/flags.py"]


@pytest.mark.thorough
def test_reactions_that_loops_leave_open_are_told(tmp_path: Path) -> None:
    """Those numbers alone in which the simulator's reactions, of least norm, differ from those of the text."""
    mechanism = Mechanism.from_file(demo_file("slider_crank"))
    exported = export(mechanism, tmp_path / "out", measure=False)
    told = {row["name"]: row["undetermined"] for row in exported.manifest["reactions"]}
    motion = symvi.Simulator(mechanism).simulate(1.0, 0.01)
    apart = {name: np.abs(motion.reactions[name] - motion.kept_reactions[name]).max(axis=0) for name in told}
    assert told == {name: np.flatnonzero(size > 1e-6).tolist() for name, size in apart.items()}
    assert {name for name, numbers in told.items() if numbers} == set(motion.undetermined) != set()
    readme = (exported.folder / "README.md").read_text()
    header = (
        (exported.folder / "include" / "slider_crank.h").read_text().split("Loops have more rows than they need")[1]
    )
    for name, numbers in told.items():
        assert f"| `SLIDER_CRANK_REACTION_{name.upper()}` | {', '.join(map(str, numbers))} |" in readme
        assert name in header.partition("*/")[0]


@pytest.mark.thorough
def test_reactions_in_axes_that_are_turned() -> None:
    """Of a skew loop of four hinges: the axes are those of each joint."""
    mechanism = bennett()
    simulator = symvi.Simulator(mechanism)
    motion = simulator.simulate(0.2, 0.01)
    apart = {
        name: np.flatnonzero(np.abs(motion.reactions[name] - motion.kept_reactions[name]).max(axis=0) > 1e-6)
        for name in simulator.plan.reactions
    }
    placements = list(zip(motion.before_position, motion.before_orientation, strict=True))[1::5]
    told = undetermined_components(mechanism, simulator.plan, placements)
    assert set(told) == set(motion.undetermined) & set(apart) != set()
    assert {name: tuple(numbers.tolist()) for name, numbers in apart.items() if len(numbers)} == told


def test_of_a_tree_every_reaction_is_determined(exported: Exported) -> None:
    assert not any(row["undetermined"] for row in exported.manifest["reactions"])
    assert "Not every force" not in (exported.folder / "README.md").read_text()
    assert "Loops have more rows" not in (exported.folder / "include" / f"{prefix_of(exported)}.h").read_text()


@pytest.mark.thorough
def test_parameters_are_called_as_set_calls_them(tmp_path: Path) -> None:
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=0.1))
    well = Potential(name="well", child="ball", expression="k*x_b[2]**2/2", parameters={"k": 5.0})
    egg = Contact(name="egg", kind="gap", child="ball", expression="x_b[2] + d", parameters={"d": 3.0})
    mechanism = Mechanism(name="ball", bodies=[ball], forces=[well], contacts=[egg])
    names = {field["name"] for field in export(mechanism, tmp_path / "out", measure=False).manifest["parameters"]}
    known = set(symvi.Simulator(mechanism).parameter_names)
    assert {"well.k", "egg.d"} <= names & known


def test_the_readme_tells_of_drivers_and_of_moved_anchors(exported: Exported) -> None:
    readme = " ".join((exported.folder / "README.md").read_text().split())
    driven = next((field["c"] for field in exported.manifest["inputs"] if field["name"] == "gearbox.target"), None)
    assert (f"set the target of every driver, u.{driven}, to where its joint is now" in readme) == (driven is not None)
    moved = f"makes up for it all at once, as fast as that takes, and ends with `{prefix_of(exported).upper()}_OK`"
    assert (moved in readme) == (driven is not None)  # the crate has no joints, and its points follow from its shape
    belonging = "belong: anchors, axes and lengths of joints, bounds of limits. `"
    assert (belonging in readme) == (driven is not None)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make, left", [(arm, ["limits and dry friction", "angles"]), (crate, ["contacts"]), (loose, [])],
    ids=["arm", "crate", "loose"],
)  # fmt: skip
def test_what_the_time_of_a_step_depends_on(make, left: list[str], tmp_path: Path) -> None:
    """Only of a mechanism without contacts, limits and angles to follow is it said that it is always the same."""
    found = export(make(), tmp_path / "free", measure=False).manifest["time of a step depends on"]
    assert found == ["iterations", "parts of a step that fails", *left]
    whole = export(make(), tmp_path / "whole", substeps=1, measure=False).manifest["time of a step depends on"]
    assert whole == ["iterations", *left]
    fixed = export(make(), tmp_path / "fixed", fixed_iterations=4, measure=False)
    assert fixed.manifest["time of a step depends on"] == left
    readme = (fixed.folder / "README.md").read_text()
    assert ("and the same number of instructions." in readme) == (not left)
    assert (f"what {', '.join(left)} take depends on the numbers" in readme) == bool(left)


def test_two_prefixes_that_go_on_are_told_of(exported: Exported) -> None:
    assert "Let no prefix go on where another ends" in (exported.folder / "README.md").read_text()


# --- compilers that would break it ------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flag", ["-ffinite-math-only", "-ffast-math", "-Ofast"])
def test_it_does_not_compile_where_numbers_must_be_finite(
    exported: Exported, compiler: str, flag: str, tmp_path: Path
) -> None:
    """A step would end with OK whose numbers are none; the self-test, which has none of those, would not see it."""
    need(compiler)
    source = [f"-I{exported.folder / 'include'}", exported.folder / "src" / f"{prefix_of(exported)}.c"]
    command = [compiler, "-std=c99", "-fsyntax-only", flag, *source]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode != 0 and "needs NaN and infinity" in ran.stderr
    done(compiler, *command[1:], "-fno-finite-math-only")


def test_a_macro_that_takes_its_names_is_told_of(exported: Exported, tmp_path: Path) -> None:
    """As esp_err.h does with ESP_OK, where the header comes after it."""
    need("cc")
    prefix = prefix_of(exported)
    (tmp_path / "user.c").write_text(f'#define {prefix.upper()}_OK 0\n#include "{prefix}.h"\nint none;\n')
    command = ["cc", f"-I{exported.folder / 'include'}", "-fsyntax-only", tmp_path / "user.c"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode != 0 and f"{prefix.upper()}_OK is a macro of another header" in ran.stderr


@pytest.mark.thorough
def test_the_loop_of_the_readme_compiles_and_runs(exported: Exported, tmp_path: Path) -> None:
    need("cc")
    text = (exported.folder / "README.md").read_text()
    loop = re.search(r"```c\n(.*?)```", text, re.S)[1]
    (tmp_path / "main.c").write_text(loop + "\nint main(void) { return (start() < 0) || (every_step() < 0); }\n")
    source = exported.folder / "src" / f"{prefix_of(exported)}.c"
    flags = ["-std=c99", f"-I{exported.folder / 'include'}"]
    done("cc", *flags, "-Wall", "-Wextra", "-Werror", "-c", tmp_path / "main.c", "-o", tmp_path / "main.o")
    done("cc", *flags, tmp_path / "main.o", source, "-lm", "-o", tmp_path / "loop")
    done(tmp_path / "loop")


@pytest.mark.thorough
@needs_boards
def test_figures_are_measured_and_boards_come_to_the_same_bits(tmp_path: Path) -> None:
    """With fixed iterations every step takes nearly the same instructions; how nearly, the README tells."""
    manifest = export(arm(), tmp_path / "arm", real="float", step=0.005, fixed_iterations=3).manifest
    assert list(manifest["boards"]) == ["cortex-m4f", "cortex-m7"]
    for figures in manifest["boards"].values():
        assert figures["golden"]["value"] == manifest["golden"]["float"]["value"]
        assert {name: figures[name]["value"] for name in manifest["memory"]} == {
            name: figure["value"] for name, figure in manifest["memory"].items()
        }
        assert figures["instructions per step"]["value"]["above"] < 10
        assert figures["instructions per step"]["value"]["b"] > 1000
        quickest, worst = (figures[f"instructions of the {which} step"]["value"] for which in ("quickest", "worst"))
        assert quickest <= worst < 1.1 * quickest
        apart = f"lie {100 * (worst / quickest - 1):.2g} % apart, {quickest} to {worst} instructions"
        assert apart in (tmp_path / "arm" / "README.md").read_text()
        assert 5_000 < figures["text"]["value"] < 100_000
        assert all(
            figure["how"].startswith("arm-none-eabi-gcc") or "sizeof" in figure["how"] for figure in figures.values()
        )
    readme = (tmp_path / "arm" / "README.md").read_text()
    assert (
        "| instructions per step | " in readme
        and "exactly 3 iterations" in readme
        and " x iterations, at most " in readme
    )
    assert "but not exactly the same time: what limits and dry friction, angles take depends on the numbers" in readme


# --- the same bytes ---------------------------------------------------------------------------------------------------
def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.thorough
def test_two_exports_have_the_same_bytes_and_no_paths(tmp_path: Path) -> None:
    """In two processes, with another order of hashes, from another folder, without what the first has kept."""
    (tmp_path / "arm.json").write_text(arm().to_json())
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        environment_of = {
            **os.environ,
            "PYTHONHASHSEED": str(len(name) + ord(name[0])),
            "SYMVI_CACHE": str(tmp_path / name / "cache"),
            "PYTHONPATH": str(Path(symvi.__file__).parents[1]),
        }
        command = [sys.executable, "-m", "symvi.cli", "export", "../arm.json", "-o", "out", "--no-measure"]
        done(*command, folder=tmp_path / name, env=environment_of)
    first, second = (contents(tmp_path / name / "out") for name in ("one", "two"))
    assert first == second
    assert not [name for name, text in first.items() if str(tmp_path).encode() in text]


def test_every_target_and_every_template_is_used(exported: Exported) -> None:
    from symvi.exporters import c

    known = {name for name in environment("export").list_templates() if "/" not in name}  # not those of other rooms
    assert known == {*c.FILES.values(), "README.md.jinja"}
    assert list(TARGETS) == ["c"]
    assert dict(FIELDS) == {"x": 3, "q": 4, "v": 3, "w": 3}
