"""The options that keep the bits of exported C: every build file of a folder prints them from here, and where symvi
itself compiles an export (for its hash on this machine, for its sizes on boards) it takes them from here too.

They are those with which symvi compiles what it runs.
"""

from __future__ import annotations

from symvi.native.flags import SAME_BITS

__all__ = ["ON_HOST", "SAME_BITS", "SECTIONS"]

SECTIONS = ("-ffunction-sections", "-fdata-sections")  # what is not called need not be linked
# kind of compiler -> how a program for this machine is made of exported C, to be quick and with the bits of any other
ON_HOST = {
    kind: ("-std=c99", *(() if kind == "tcc" else ("-O2",)), *flags, *(("-mcpu=baseline",) if kind == "zig" else ()))
    for kind, flags in SAME_BITS.items()
}
