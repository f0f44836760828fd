"""Native code: find a C compiler, compile generated C into a cached shared library, load it."""

from symvi.native.build import compile_library
from symvi.native.compiler import Compiler, find_compiler
from symvi.native.library import Library, load_library

__all__ = ["Compiler", "Library", "compile_library", "find_compiler", "load_library"]
