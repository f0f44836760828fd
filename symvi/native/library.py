"""Load a compiled library and give Python its functions and structs (cffi in ABI mode: no Python headers needed).

Parsing declarations takes cffi about 0.1 ms a line, so the parsed form, a small Python module that cffi writes, is kept
in the cache folder. Calls release the interpreter's lock.
"""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _cffi_backend

from symvi.errors import CompilerError
from symvi.native.cache import build_folder, cache_folder, publish, subfolder


@dataclass(frozen=True)
class Library:
    """A loaded library: `lib` holds its functions and constants, `ffi` makes and reads its structs and arrays."""

    path: Path
    ffi: Any
    lib: Any


def load_library(path: Path, declarations: str) -> Library:
    """Load a shared library; declarations are the C prototypes, structs and integer constants to be used.

    Raises CompilerError when the file cannot be loaded, or lacks a function that is declared.
    """
    ffi = _parsed(declarations)
    try:
        # never unloaded: a function taken out of `lib` does not keep it alive, and calling it would crash
        lib = ffi.dlopen(str(path), os.RTLD_NOW | os.RTLD_NODELETE)
    except OSError as error:
        raise CompilerError(f"library {path} cannot be loaded: {error}; delete it to have it built again") from error
    try:
        for name in dir(lib):
            getattr(lib, name)
    except ffi.error as error:
        raise CompilerError(f"library {path} and its declarations do not agree: {error}") from error
    return Library(path, ffi, lib)


def _parsed(declarations: str) -> Any:
    """Return a cffi.FFI that knows the declarations, from the cache folder if they were parsed before."""
    key = hashlib.sha256(f"{_cffi_backend.__version__}\n{declarations}".encode()).hexdigest()[:32]
    module = cache_folder() / "declarations" / f"{key}.py"
    try:
        text = module.read_text(encoding="utf-8")
    except OSError:
        text = _parse(declarations)
        _keep(text, key, module)
    namespace: dict[str, Any] = {}
    exec(compile(text, str(module), "exec"), namespace)
    return namespace["ffi"]


def _parse(declarations: str) -> str:
    """Return the Python module into which cffi turns the declarations."""
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(declarations)
    ffi.set_source("declarations", None)
    with tempfile.TemporaryDirectory() as folder:
        return Path(ffi.compile(tmpdir=folder, verbose=False)).read_text(encoding="utf-8")


def _keep(text: str, key: str, module: Path) -> None:
    try:
        with build_folder(key) as folder:
            (folder / module.name).write_text(text, encoding="utf-8")
            subfolder("declarations")
            publish(folder / module.name, module)
    except CompilerError:
        pass  # a cache that cannot be written costs the next process a few milliseconds, no more
