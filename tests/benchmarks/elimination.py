"""Elimination along the graph, and a dense solve: ladders, nets and crystals of bodies.

The systems of the example sparse_elimination, after Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 9b-d.
Saved: multiplications of the dense solve over those of the sparse one. The two solutions agree to round-off.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from _benchmark import Report, run
from _measure import pin

from symvi.native import compile_library, load_library

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUICKER = {"ladder": 100, "net": 20, "crystal": 2}  # dense over sparse time that the largest of each kind must reach


def measure(report: Report) -> None:
    sys.path.insert(0, str(EXAMPLES))
    example = importlib.import_module("sparse_elimination")
    pin()
    source = (EXAMPLES / "_block_ldu.c").read_text(encoding="utf-8")
    library = load_library(compile_library({"block_ldu.c": source}, "block_ldu", profile="fast"), example.DECLARATION)
    rows = []
    for kind, sizes in example.SIZES.items():
        for size in sizes[:2] if report.quick else sizes:
            _, nodes, fill, sparse, dense, saved, difference = example.measure(kind, size, library, 5)
            rows.append((kind, nodes, fill, 1e6 * sparse, 1e6 * dense, dense / sparse, saved, difference))
    head = ("graph", "nodes", "fill-in", "sparse us", "dense us", "dense / sparse", "saved", "difference")
    report.table("one solve, six unknowns a node", head, rows)
    report.at_most("largest relative difference of the solutions", max(row[-1] for row in rows), 1e-12, timed=False)
    for kind, least in QUICKER.items():
        nodes, ratio = [(row[1], row[5]) for row in rows if row[0] == kind][-1]
        report.at_most(f"{kind} of {nodes} nodes: time, sparse / dense", 1 / ratio, 1 / least)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
