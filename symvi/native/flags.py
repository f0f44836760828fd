"""The flags with which each kind of compiler makes a shared library, on each system.

What a library offers is marked in the generated C: on Windows as a DLL's export, elsewhere as visible.
"""

import platform
from collections.abc import Mapping
from typing import Literal

from symvi.errors import ArgumentError

Kind = Literal["gcc", "clang", "tcc", "zig", "cc"]
Profile = Literal["reproducible", "fast"]

# What of gcc's -O2 makes these kernels quicker; the rest of -O2 only takes a quarter of its time.
_GCC_SPEED = (
    "-O1",
    "-fexpensive-optimizations",
    "-fschedule-insns2",
    "-fpeephole2",
    "-finline-functions",
    "-finline-small-functions",
    "-fstrict-aliasing",
)
# Every + - * / and sqrt is rounded on its own, in the order written: no fused multiply-add, no reordering; square roots
# may be the processor's own. gcc packs neighbouring scalars into vectors at a loss (their sums then wait for the
# packing as well), and 12 fuses operations there even when contraction is off. Given these, the processor's own
# instructions change no bit: they only bring more registers. tcc has no optimiser to restrain, of "cc" nothing is
# known.
_CLANG_BITS = ("-ffp-contract=off", "-fno-math-errno")
SAME_BITS: Mapping[Kind, tuple[str, ...]] = {
    "gcc": (*_CLANG_BITS, "-fno-tree-slp-vectorize"),
    "clang": _CLANG_BITS,
    "zig": (*_CLANG_BITS, "-fno-sanitize=undefined"),
    "tcc": (),
    "cc": (),
}

# Generated kernels compute nothing twice, store nothing in vain, and have their constants put in: to look for it is a
# quarter of gcc's time, and a step takes as many instructions without.
_GCC = (
    *("-fno-tree-fre", "-fno-tree-pre", "-fno-tree-dse", "-fno-dse"),
    *("-fno-tree-ccp", "-fno-tree-bit-ccp", "-fno-tree-pta"),
)
# clang makes vectors of neighbouring links' numbers at a loss, and unrolls loops whose turns are long enough.
_CLANG = ("-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops")

_REPRODUCIBLE: dict[Kind, tuple[str, ...]] = {
    "gcc": (*_GCC_SPEED, *SAME_BITS["gcc"], *_GCC),
    "clang": ("-O2", *SAME_BITS["clang"], *_CLANG),
    "zig": ("-O2", *SAME_BITS["zig"], *_CLANG, "-mcpu=baseline"),
    "cc": ("-O2",),
}
# the last word on contraction counts
_FAST: dict[Kind, tuple[str, ...]] = {
    "gcc": ("-O3", *SAME_BITS["gcc"], "-ffp-contract=fast", *_GCC),
    "clang": ("-O3", *SAME_BITS["clang"], "-ffp-contract=fast", *_CLANG),
    "zig": ("-O3", *SAME_BITS["zig"], "-ffp-contract=fast", *_CLANG, "-mcpu=native"),
    "cc": ("-O3",),
}


def profile_flags(kind: Kind, profile: Profile, system: str | None = None) -> tuple[str, ...]:
    """Return the flags of a profile for a kind of compiler; system as platform.system() says it, default this one.

    "reproducible" gives the same bits on every machine and with every compiler but a plain "cc" (its flags are
    unknown). "fast" fuses products and sums where this processor can; its bits differ from one machine to another.

    Raises ArgumentError for another profile.
    """
    if profile not in ("reproducible", "fast"):
        raise ArgumentError(f"unknown profile {profile!r}; give 'reproducible' or 'fast'")
    if kind == "tcc":  # it has no optimiser to restrain, and ignores what it does not know
        return ("-std=c99", "-shared")
    flags = ("-std=c99", *shared_flags(system), *(_REPRODUCIBLE if profile == "reproducible" else _FAST)[kind])
    if kind == "cc":
        return flags
    if kind != "zig":
        flags = (*flags, _native_processor_flag())
    if not _is_windows(system):
        return (*flags, "-fvisibility=hidden")
    # a DLL of gcc's own would be looked for when the library is loaded
    return (*flags, "-static-libgcc") if kind == "gcc" else flags


def shared_flags(system: str | None = None) -> tuple[str, ...]:
    """Return what makes a shared library of C; Windows moves code as it is, and clang refuses to be told otherwise."""
    return ("-shared",) if _is_windows(system) else ("-fPIC", "-shared")


def math_library(system: str | None = None) -> tuple[str, ...]:
    """Return what links sqrt and its like: on Windows they are in the C library, and may have no other."""
    return () if _is_windows(system) else ("-lm",)


def library_file(name: str, system: str | None = None) -> str:
    """Return what the system calls a shared library."""
    return name + {"Windows": ".dll", "Darwin": ".dylib"}.get(system or platform.system(), ".so")


def program_file(name: str, system: str | None = None) -> str:
    """Return what the system calls a program."""
    return f"{name}.exe" if _is_windows(system) else name


def _is_windows(system: str | None) -> bool:
    return (system or platform.system()) == "Windows"


def _native_processor_flag() -> str:
    """Return the flag for "this very processor": clang knows it under one name on x86 and under another on ARM."""
    return "-march=native" if platform.machine().lower() in ("x86_64", "amd64", "i386", "i686") else "-mcpu=native"
