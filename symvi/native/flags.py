"""The flags with which each kind of compiler makes a shared library."""

import platform
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
# gcc packs neighbouring scalars into vectors at a loss (their sums then wait for the packing as well), and 12 fuses
# operations there even when contraction is off. Generated kernels compute nothing twice and store nothing in vain: to
# look for it is a fifth of gcc's time.
_GCC = ("-fno-math-errno", "-fno-tree-slp-vectorize", "-fno-tree-fre", "-fno-tree-pre", "-fno-tree-dse", "-fno-dse")

# clang makes vectors of neighbouring links' numbers at a loss, and unrolls loops whose turns are long enough.
_CLANG = ("-fno-math-errno", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops")

# Every + - * / and sqrt is rounded on its own, in the order written: no fused multiply-add, no reordering. Given that,
# the processor's own instructions change no bit: they only bring more registers.
_REPRODUCIBLE: dict[Kind, tuple[str, ...]] = {
    "gcc": (*_GCC_SPEED, "-ffp-contract=off", *_GCC),
    "clang": ("-O2", "-ffp-contract=off", *_CLANG),
    "zig": ("-O2", "-ffp-contract=off", *_CLANG, "-fno-sanitize=undefined", "-mcpu=baseline"),
    "cc": ("-O2",),
}
_FAST: dict[Kind, tuple[str, ...]] = {
    "gcc": ("-O3", "-ffp-contract=fast", *_GCC),
    "clang": ("-O3", "-ffp-contract=fast", *_CLANG),
    "zig": ("-O3", "-ffp-contract=fast", *_CLANG, "-fno-sanitize=undefined", "-mcpu=native"),
    "cc": ("-O3",),
}


def profile_flags(kind: Kind, profile: Profile) -> tuple[str, ...]:
    """Return the flags of a profile for a kind of compiler.

    "reproducible" gives the same bits on every machine and with every compiler but a plain "cc" (its flags are
    unknown). "fast" fuses products and sums where this processor can; its bits differ from one machine to another.

    Raises ArgumentError for another profile.
    """
    if profile not in ("reproducible", "fast"):
        raise ArgumentError(f"unknown profile {profile!r}; give 'reproducible' or 'fast'")
    if kind == "tcc":  # it has no optimiser to restrain, and ignores what it does not know
        return ("-std=c99", "-shared")
    flags = ("-std=c99", "-fPIC", "-shared", *(_REPRODUCIBLE if profile == "reproducible" else _FAST)[kind])
    if kind == "cc":
        return flags
    if kind != "zig":
        flags = (*flags, _native_processor_flag())
    return (*flags, "-fvisibility=hidden")


def _native_processor_flag() -> str:
    """Return the flag for "this very processor": clang knows it under one name on x86 and under another on ARM."""
    return "-march=native" if platform.machine().lower() in ("x86_64", "amd64", "i386", "i686") else "-mcpu=native"
