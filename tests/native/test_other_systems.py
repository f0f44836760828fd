"""Windows and macOS: their compilers, names and flags, and a Python that lacks what only POSIX has."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symvi import Mechanism
from symvi.demos import demo_file
from symvi.emit.queries import asked, generate_queries
from symvi.errors import CompilerError
from symvi.native import compiler, find_compiler
from symvi.native.flags import library_file, math_library, profile_flags, program_file, shared_flags
from symvi.simulate.model_library import PREFIX, QUESTIONS
from symvi.simulate.model_ties import queries_of
from symvi.simulate.solver_build import text_of
from tests.support.exported_symbols import of_macos, of_windows

REPOSITORY = Path(__file__).parents[2]
# system -> what zig calls it, how its libraries are called, what reads their exports
SYSTEMS = {
    "Windows": ("x86_64-windows-gnu", "four_bar.dll", of_windows),
    "Darwin": ("aarch64-macos", "four_bar.dylib", of_macos),
    "Darwin on Intel": ("x86_64-macos", "four_bar.dylib", of_macos),
}


def zig(folder: Path, *words: str) -> None:
    """Run a command of zig, which must succeed and say nothing."""
    command = (sys.executable, "-m", "ziglang", *words)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


UCRT = ("memcpy", "memset")  # all that the four-bar linkage calls of Windows' C library, by the compiler's own choice


def link_for_windows(folder: Path, name: str, files: list[str], *flags: str) -> None:
    """With Windows' headers and zig's linker, against a table of the C library's names.

    Left alone, zig would compile the rest of that C library from source first, in a minute and a half.
    """
    (folder / "ucrt.def").write_text("\n".join(["LIBRARY ucrtbase.dll", "EXPORTS", *UCRT]) + "\n")
    for file in files:
        zig(folder, "cc", *flags, "-c", "-o", f"{file}.obj", f"{file}.c")
    zig(folder, "dlltool", "-m", "i386:x86-64", "-d", "ucrt.def", "-l", "ucrt.lib")
    zig(folder, "lld-link", "/dll", "/noentry", f"/out:{name}", *(f"{file}.obj" for file in files), "ucrt.lib")


def library_of(case: str, folder: Path, name: str, files: list[str]) -> set[str]:
    """Build the C files of a folder with the very flags of a system; what the library offers."""
    (target, _, exports), system = SYSTEMS[case], case.split()[0]
    flags = (*profile_flags("zig", "reproducible", system), "-Wall", "-Wextra", "-Werror", "-target", target)
    if system == "Windows":
        link_for_windows(folder, name, files, *(flag for flag in flags if flag != "-shared"))
    else:
        zig(folder, "cc", *flags, "-o", name, *(f"{file}.c" for file in files), *math_library(system))
    return exports((folder / name).read_bytes())


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("case", SYSTEMS)
def test_generated_c_makes_libraries_for_other_systems(case: str, real: str, tmp_path: Path) -> None:
    """With the very flags of that system; such a library offers the header's functions and no others."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs package ziglang")
    (_, name, _), system = SYSTEMS[case], case.split()[0]
    text = text_of(Mechanism.from_file(demo_file("four_bar")), real=real)
    for file, content in text.files.items():
        (tmp_path / file).write_text(content, encoding="utf-8", newline="\n")
    assert library_file("four_bar", system) == name
    found = library_of(case, tmp_path, name, ["four_bar"])
    declared = set(re.findall(r"\bfour_bar_[a-z_]+(?=\(|;$)", text.declarations, re.M))
    functions = {word for word in declared if f"{word}(" in text.declarations}
    assert functions and functions <= found
    assert {word for word in found if not word.startswith(("four_bar_", "_"))} == set()  # linkers add names with _


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("case", SYSTEMS)
def test_what_a_model_is_asked_is_offered_on_other_systems(case: str, tmp_path: Path) -> None:
    """The two files of it in one library: its functions, and those with one pointer that Python calls."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs package ziglang")
    queries = queries_of(Mechanism.from_file(demo_file("four_bar")), {}, "drop-redundant")
    files = {**generate_queries(queries, PREFIX).files, **asked(PREFIX, QUESTIONS).files}
    for file, content in files.items():
        (tmp_path / file).write_text(content, encoding="utf-8", newline="\n")
    name = library_file("m", case.split()[0])
    found = library_of(case, tmp_path, name, [Path(file).stem for file in files if file.endswith(".c")])
    assert {f"m_{kind}{question}" for question in QUESTIONS for kind in ("", "ask_")} <= found


@pytest.mark.parametrize("profile", ["reproducible", "fast"])
@pytest.mark.parametrize("kind", ["gcc", "clang", "zig", "tcc", "cc"])
def test_windows_is_not_told_what_its_compilers_refuse(kind: str, profile: str) -> None:
    """clang for Visual C++'s libraries stops at -fPIC, and looks for a file m.lib where it is told -lm."""
    flags = profile_flags(kind, profile, "Windows")
    assert "-shared" in flags and not {"-fPIC", "-lm"} & {*flags, *shared_flags("Windows"), *math_library("Windows")}
    assert ("-static-libgcc" in flags) == (kind == "gcc")
    for system in ("Linux", "Darwin"):
        flags = profile_flags(kind, profile, system)
        assert kind == "tcc" or "-fPIC" in flags
        assert math_library(system) == ("-lm",)


def test_files_are_called_as_the_system_calls_them() -> None:
    assert [library_file("a", system) for system in ("Linux", "Darwin", "Windows")] == ["a.so", "a.dylib", "a.dll"]
    assert [program_file("a", system) for system in ("Linux", "Darwin", "Windows")] == ["a", "a", "a.exe"]


@pytest.mark.parametrize(
    "text, words",
    [
        (r"C:\mingw64\bin\gcc.exe -m64", (r"C:\mingw64\bin\gcc.exe", "-m64")),
        (r'"C:\Program Files\zig\zig.exe" cc', (r"C:\Program Files\zig\zig.exe", "cc")),
        ("zig cc", ("zig", "cc")),
    ],
)
def test_a_backslash_is_part_of_a_path_on_windows(text: str, words: tuple[str, ...]) -> None:
    assert compiler.words(text, windows=True) == words


@pytest.mark.parametrize("text", ["cl", "cl.exe /nologo", "clang-cl", "/opt/msvc/bin/cl"])
def test_visual_c_is_refused_with_what_would_do(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", text)
    with pytest.raises(CompilerError, match="zig cc") as caught:
        find_compiler()
    assert f"CC={text}" in str(caught.value)


def test_zig_on_the_path_is_found_before_the_package(script, monkeypatch, tmp_path: Path) -> None:
    """A zig that was installed as itself: its compiler is a command of it."""
    monkeypatch.setitem(sys.modules, "ziglang", None)
    script(
        '[ "$1" = version ] && { echo 0.99.0; exit; }; shift\n'
        'for word; do case "$word" in -mcpu=*|*-vectorize) ;; *) set -- "$@" "$word";; esac; shift; done; real "$@"',
        name="zig",
    )
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    assert find_compiler() == compiler.Compiler(("zig", "cc"), "zig", "zig 0.99.0")
    monkeypatch.setenv("CC", "zig cc")
    assert find_compiler().command == ("zig", "cc")


# Takes away what Python has on POSIX alone (the documentation of os, signal and the modules says "Availability: Unix"),
# after the libraries that have a Windows of their own were imported; then imports all of symvi and uses it.
WITHOUT_POSIX = """\
import importlib, json, os, pkgutil, signal, sys
import asyncio, ctypes, filelock, jinja2, multiprocessing, numpy, platformdirs, pydantic, rich, subprocess, sympy
import matplotlib.pyplot, platform, random, shutil, tempfile, typer, uuid, viser, xacro

if WITHOUT:
    for name in (
        "geteuid getuid getegid getgid seteuid setuid getpgid getpgrp setsid killpg fork forkpty chown lchown fchown "
        "fchmod mkfifo mknod nice sched_getaffinity sched_setaffinity getloadavg sysconf uname statvfs wait3 "
        "O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_SYNC RTLD_NOW RTLD_LAZY RTLD_GLOBAL RTLD_LOCAL RTLD_NODELETE "
        "WNOHANG EX_OK openpty getgrouplist memfd_create sendfile posix_fadvise"
    ).split():
        if hasattr(os, name):
            delattr(os, name)
    for name in "SIGALRM SIGKILL SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGXCPU SIGPIPE setitimer alarm pthread_kill".split():
        if hasattr(signal, name):
            delattr(signal, name)
    for name in "fcntl resource pwd grp termios tty pty readline syslog".split():
        sys.modules[name] = None
import symvi
for module in pkgutil.walk_packages(symvi.__path__, "symvi."):
    if not module.name.endswith("__main__") and module.name != "symvi.importers.xacro_process":
        importlib.import_module(module.name)
from symvi.demos import demo_file
mechanism = symvi.Mechanism.from_file(demo_file("slider_crank"))
motions = [symvi.Simulator(mechanism, backend=backend).simulate(0.1, 0.01) for backend in ("c", "python")]
simulator = symvi.Simulator(mechanism)
world = simulator.reset(step=0.01)
told = [world.save(), world.step(), *map(float, [*world.coordinates, *world.rates, world.energy])][2:]
told += world.copy().state.position.ravel().tolist()
model, state = simulator.model, world.state
q, rates = model.coordinates(state)
told += [*model.mass_matrix(q).ravel(), *model.bias(q, rates), *model.jacobian(model.bodies[-1], q).ravel()]
long = simulator.simulate(1.1, 0.001)
told += [float(long.position.sum()), float(long.energy.sum())]  # the second takes its steps once more
led = simulator.simulate(0.1, 0.01, controller=lambda t, z: {})
told += [float(led.energy[-1]), len(simulator.batch(3).input_names)]
out = sys.argv[1]
symvi.export(mechanism, os.path.join(out, "export"), measure=False)
symvi.export(mechanism, os.path.join(out, "export"), measure=False)  # in the place of the first
code = []
for words in (
    ["info", str(demo_file("pendulum"))],
    ["simulate", str(demo_file("pendulum")), "--time=0.1", "--step=0.01", "--csv", os.path.join(out, "motion.csv")],
):
    try:
        from symvi.cli import main
        sys.argv = ["symvi", *words]
        code.append(main() or 0)
    except SystemExit as end:
        code.append(end.code or 0)
print(json.dumps([[motion.state_hash() for motion in motions], code, sorted(os.listdir(out)), told]))
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_symvi_runs_where_python_has_nothing_of_posix(tmp_path: Path) -> None:
    """Build, simulate, worlds, models, batches, export and command line give what they give here, bit for bit."""
    results = []
    for without in (True, False):
        out = tmp_path / str(without)
        out.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", f"WITHOUT = {without}\n{WITHOUT_POSIX}", str(out)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SYMVI_CACHE": str(out / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        results.append((json.loads(done.stdout.splitlines()[-1]), done.stderr))
    assert results[0] == results[1]
    hashes, codes, files, told = results[0][0]
    assert len(told) > 20 and all(map(math.isfinite, told))
    assert hashes[0] == hashes[1] and not any(codes)
    assert files == ["cache", "export", "motion.csv"]
