"""Turn C text into a shared library, once: the cache folder remembers every library that was ever built.

The key of a library is everything that decides its bytes: C text, compiler, flags, processor where it matters.
"""

import hashlib
import json
import platform
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from symvi.cache import build_folder, cache_folder, is_sound, publish, subfolder
from symvi.errors import CompilerError
from symvi.native.command import CompilationError, run_compiler
from symvi.native.compiler import NO_COMPILER, Compiler, find_compiler, fingerprint
from symvi.native.flags import Profile, library_file, math_library, profile_flags

# how libraries are built and called; raising it makes symvi build every library anew
ABI_VERSION = 2

_LIBRARY_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SOURCE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*\.[ch]")


def compile_library(
    sources: Mapping[str, str],
    name: str,
    *,
    profile: Profile = "reproducible",
    compiler: Compiler | None = None,
    flags: tuple[str, ...] = (),
    cache: bool = True,
) -> Path:
    """Compile C sources into a shared library and return its path in the cache folder.

    sources   file name -> text, all in one folder: every .c file is compiled, a .h file is there to be included
    name      C identifier, the first part of the library's file name
    profile   "reproducible" (same bits with every compiler) or "fast" (all that this processor has)
    compiler  None: the one that find_compiler finds
    flags     more compiler flags; being last they win: ("-O0",)
    cache     False builds the library even if it is there already

    Two processes that want the same library build it once. A failed or killed build leaves no library behind.

    Raises CompilerError when there is no compiler, and when the compiler fails: with its text, and with the folder in
    which sources and command line are kept. Raises ValueError for a name that is no plain file name or no identifier.
    """
    _check_names(sources, name)
    compiler = compiler or find_compiler()
    if compiler is None:
        raise CompilerError(NO_COMPILER)
    arguments = (*profile_flags(compiler.kind, profile), *flags)
    stem = f"{name}-{_key(sources, compiler, arguments)}"
    library = cache_folder() / "libraries" / library_file(stem)
    if cache and is_sound(library):
        return library
    with build_folder(stem) as folder:
        # another process may have built it while this one waited for its turn
        if not (cache and is_sound(library)):
            try:
                _build(sources, name, compiler, arguments, folder)
            except CompilationError as error:
                kept = _keep(folder, stem)
                raise CompilerError(
                    f"{name}: compilation failed; sources and command line are in {kept}\n{error}"
                ) from error
            subfolder("libraries")
            publish(folder / library_file(name), library)
    return library


def _check_names(sources: Mapping[str, str], name: str) -> None:
    """Nothing but plain names gets into a path or a command line."""
    if not _LIBRARY_NAME.fullmatch(name):
        raise ValueError(f"library name {name!r} is not a C identifier")
    for file in sources:
        if not _SOURCE_NAME.fullmatch(file):
            raise ValueError(f"source {file!r} is not a plain name of a .c or .h file")
    if not any(file.endswith(".c") for file in sources):
        raise ValueError(f"library {name!r} has no .c file among its sources")


def _key(sources: Mapping[str, str], compiler: Compiler, arguments: tuple[str, ...]) -> str:
    parts = [
        ABI_VERSION,
        sorted(sources.items()),
        compiler.kind,
        compiler.version,
        fingerprint(compiler.command),
        arguments,
        platform.system(),
        platform.machine(),
        _processor() if any("native" in flag for flag in arguments) else "",
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@cache
def _processor() -> str:
    """Return what tells processors apart whose instructions differ: model and features, as far as the system says."""
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
    except OSError:  # Windows names the model in its environment, macOS has a program for it
        import subprocess

        program = shutil.which("sysctl") if platform.system() == "Darwin" else None
        asked = [program, "-n", "machdep.cpu.brand_string"]
        said = subprocess.run(asked, capture_output=True, check=False).stdout.decode() if program else ""
        return f"{platform.processor()} {said}"
    lines = (line for line in first.splitlines() if line.startswith(("model name", "flags", "CPU", "Features")))
    return "\n".join(lines)


def _build(sources: Mapping[str, str], name: str, compiler: Compiler, arguments: tuple[str, ...], folder: Path) -> None:
    """Make NAME.so (or what the system calls it) in a folder and see that it loads."""
    for file, text in sources.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    units = sorted(file for file in sources if file.endswith(".c"))
    # file names relative to the folder: the object holds no path, and a space in the path harms nobody
    run_compiler(compiler.command, (*arguments, "-o", library_file(name), *units, *math_library()), folder)
    _check_that_it_loads(folder / library_file(name))


def _keep(folder: Path, stem: str) -> Path:
    """Copy the folder of a failed build to a place that stays; the next failure of the same build replaces it."""
    kept = subfolder("failed") / stem
    shutil.rmtree(kept, ignore_errors=True)
    return shutil.copytree(folder, kept)


def _check_that_it_loads(library: Path) -> None:
    """An object with an undefined symbol, say, must not reach the cache."""
    from _cffi_backend import FFI  # all that a library needs to be opened, and a hundred times quicker to import

    ffi = FFI()
    try:
        ffi.dlclose(ffi.dlopen(str(library)))
    except OSError as error:
        raise CompilationError(f"the compiled library does not load: {error}") from error
