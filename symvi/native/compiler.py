"""Find a C compiler and learn what it is.

Search order: $SYMVI_CC, $CC (both split like a shell command: "ccache gcc", "zig cc"), cc, gcc, clang, tcc, zig, and
last the package ziglang, the compiler that comes as a wheel. It is the same on Linux, on macOS (whose own cc is clang)
and on Windows: there gcc or clang of MSYS2, LLVM's clang, or zig. Visual C++'s cl and clang-cl take other options and
are refused.

A compiler counts as working when a small library that it has made loads and runs in this very process: that finds
missing C library headers and cross compilers too. What was found out is kept in the cache folder until a file of the
compiler changes.
"""

import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from symvi.cache import build_folder, cache_folder, keep, kept
from symvi.errors import CompilerError
from symvi.extras import install_command
from symvi.native.command import CompilationError, found, run_compiler
from symvi.native.flags import Kind, library_file, math_library, profile_flags, program_file, shared_flags

NO_COMPILER = f"no C compiler found; install gcc or clang, or run: {install_command('zig')}"

# its return value tells which compiler made it; sqrt asks for the C library's headers and for libm
_PROBE = """\
#include <math.h>
#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
double symvi_probe(double x) {
#if defined(__TINYC__)
  return 3 + sqrt(x);
#elif defined(__INTEL_COMPILER)
  return sqrt(x);
#elif defined(__clang__)
  return 2 + sqrt(x);
#elif defined(__GNUC__)
  return 1 + sqrt(x);
#else
  return sqrt(x);
#endif
}
"""
_KINDS: tuple[Kind, ...] = ("cc", "gcc", "clang", "tcc")


@dataclass(frozen=True)
class Compiler:
    """A C compiler that works: the words that call it, the family whose flags it takes, its own word on its version."""

    command: tuple[str, ...]
    kind: Kind
    version: str


def find_compiler() -> Compiler | None:
    """Return the first compiler that works, or None when there is none.

    Raises CompilerError when $SYMVI_CC or $CC names a compiler that does not work.
    """
    for variable in ("SYMVI_CC", "CC"):
        text = os.environ.get(variable, "").strip()
        if text:
            return _given_compiler(variable, text)
    for command in usual_commands():
        try:
            return identify(command)
        except CompilationError:
            continue
    return None


def identify(command: tuple[str, ...]) -> Compiler:
    """Return the compiler behind a command, e.g. ("ccache", "gcc"). Raises CompilationError when it does not work."""
    trace = fingerprint(command)
    record = _known_compilers().get(trace)
    if record is None:
        with build_folder("probe") as folder:
            record = _probe(command, folder)
            # read again, now that no other process can add a compiler
            known = {**_known_compilers(), trace: record}
            keep(cache_folder() / "compilers.json", json.dumps(known, indent=1).encode())
    return Compiler(command, cast(Kind, record["kind"]), record["version"])


def fingerprint(command: tuple[str, ...]) -> str:
    """Return a text that changes with the files a command names: the real path, time of change and size of each."""
    files = [shutil.which(word) or word for word in command]
    if "ziglang" in command:
        files.append(_ziglang_path() or "")
    return "\n".join(_trace(file) for file in files)


def _given_compiler(variable: str, text: str) -> Compiler:
    try:
        # a path with spaces is understood without quotes too
        command = (text,) if Path(text).is_file() else words(text)
        if _is_of_visual_c(command):
            raise CompilationError("Visual C++'s options are not spoken here; take its clang, gcc of MinGW, or zig cc")
        return identify(command)
    except (ValueError, CompilationError) as error:
        raise CompilerError(f"{variable}={text} is not a working C compiler; correct or unset it.\n{error}") from error


def words(text: str, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """Split a command as the system's shell does: on Windows a backslash is part of a path."""
    if windows:
        return tuple(word.strip('"') for word in shlex.split(text, posix=False))
    return tuple(shlex.split(text))


def _is_of_visual_c(command: tuple[str, ...]) -> bool:
    return any(re.fullmatch(r"(.*[/\\])?(clang-)?cl(\.exe)?", word, re.IGNORECASE) for word in command[:1])


def usual_commands() -> Iterator[tuple[str, ...]]:
    """Give the commands of compilers that may be on this machine, in the search order."""
    for name in ("cc", "gcc", "clang", "tcc"):
        if shutil.which(name):
            yield (name,)
    if shutil.which("zig"):
        yield ("zig", "cc")
    if _ziglang_path() is not None:
        yield (sys.executable, "-m", "ziglang", "cc")


def _ziglang_path() -> str | None:
    """Return the path of the compiler inside the package ziglang, or None when that is not installed."""
    package = importlib.util.find_spec("ziglang")
    return (
        None if package is None or package.origin is None else str(Path(package.origin).with_name(program_file("zig")))
    )


def _trace(file: str) -> str:
    real = os.path.realpath(file)
    try:
        status = os.stat(real)
    except OSError:
        return file
    return f"{real} {status.st_mtime_ns} {status.st_size}"


def _known_compilers() -> dict[str, dict[str, str]]:
    """Return kind and version by fingerprint, as found by earlier processes."""
    return json.loads(kept(cache_folder() / "compilers.json") or b"{}")


def _probe(command: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Make a small library, load it, and ask it which compiler made it."""
    from cffi import FFI

    zig = _is_zig(command)
    flags = profile_flags("zig", "reproducible") if zig else shared_flags()
    probe = library_file("probe")
    (folder / "probe.c").write_text(_PROBE, encoding="utf-8", newline="\n")
    run_compiler(command, (*flags, "-o", probe, "probe.c", *math_library()), folder)
    ffi = FFI()
    ffi.cdef("double symvi_probe(double x);")
    try:
        library: Any = ffi.dlopen(str(folder / probe))
        kind = _KINDS[int(library.symvi_probe(4.0)) - 2]
        ffi.dlclose(library)
    except (OSError, AttributeError) as error:
        raise CompilationError(f"{shlex.join(command)} makes libraries that do not load here: {error}") from error
    return {"kind": "zig" if zig else kind, "version": _version(command, zig)}


def _is_zig(command: tuple[str, ...]) -> bool:
    """zig cc says of itself that it is clang, but needs its own flags."""
    return command[-1] == "cc" and any(Path(word).stem in ("zig", "ziglang") for word in command[:-1])


def _version(command: tuple[str, ...], zig: bool) -> str:
    import subprocess

    line = (found(command), *((*command[1:-1], "version") if zig else (*command[1:], "--version")))
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    first = done.stdout.decode("utf-8", errors="replace").strip().partition("\n")[0]
    return f"zig {first}" if zig else first
