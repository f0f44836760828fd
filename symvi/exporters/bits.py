"""The options that keep the bits of exported C, in one table: every build file of a folder prints them from here.

Products and sums stay apart (no fused operations), square roots may be the processor's own, and gcc packs no
neighbouring scalars into vectors, as gcc 12 fuses operations there even when contraction is off.
"""

from __future__ import annotations

CLANG = ("-ffp-contract=off", "-fno-math-errno")
SAME_BITS = {"gcc": (*CLANG, "-fno-tree-slp-vectorize"), "clang": CLANG}
SECTIONS = ("-ffunction-sections", "-fdata-sections")  # what is not called need not be linked
