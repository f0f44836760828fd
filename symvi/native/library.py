"""Load a compiled library and give Python its functions and structs (cffi in ABI mode: no Python headers needed).

Declarations become a small Python module (native/cffi_tables.py; cffi writes it of what that does not read), which is
kept in the cache folder, compiled as Python keeps modules. Calls release the interpreter's lock.
"""

import hashlib
import marshal
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _cffi_backend

from symvi.cache import cache_folder, keep, kept
from symvi.errors import CompilerError

# A library is never unloaded: a function taken out of it does not keep it alive, and calling it would crash. Where the
# system (Windows) has no word for that, the list below keeps it.
_FLAGS = sum(getattr(os, name, 0) for name in ("RTLD_NOW", "RTLD_NODELETE"))
_LOADED: list[Any] = []


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
        lib = ffi.dlopen(str(path), _FLAGS)
    except OSError as error:
        raise CompilerError(f"library {path} cannot be loaded: {error}; delete it to have it built again") from error
    try:
        for name in dir(lib):
            getattr(lib, name)
    except ffi.error as error:
        raise CompilerError(f"library {path} and its declarations do not agree: {error}") from error
    _LOADED.append(lib)
    return Library(path, ffi, lib)


def _parsed(declarations: str) -> Any:
    """Return a cffi.FFI that knows the declarations, from the cache folder if they were parsed before."""
    made_by = f"{_cffi_backend.__version__} {sys.implementation.cache_tag} {sys.hexversion:x}"
    key = hashlib.sha256(f"{made_by}\n{declarations}".encode()).hexdigest()[:32]
    place = cache_folder() / "declarations" / f"{key}.module"
    found = kept(place)
    if found is None:
        from symvi.native.cffi_tables import module_of

        found = marshal.dumps(compile(module_of(declarations) or _parse(declarations), place.name, "exec"))
        keep(place, found)
    namespace: dict[str, Any] = {}
    exec(marshal.loads(found), namespace)
    return namespace["ffi"]


def _parse(declarations: str) -> str:
    """Return the Python module into which cffi turns the declarations."""
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(declarations)
    ffi.set_source("declarations", None)
    with tempfile.TemporaryDirectory() as folder:
        return Path(ffi.compile(tmpdir=folder, verbose=False)).read_text(encoding="utf-8")
