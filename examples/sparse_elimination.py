"""Eliminating along the graph beats a dense solve of ladders and nets by orders of magnitude, and of crystals too.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 9b-d. Bodies of six unknowns are coupled to their neighbours in a
ladder (2 N nodes), a net (N x N) and a crystal (N x N x N); the blocks are random. The order of elimination and its
fill-in come from symvi's own planner, blocks are eliminated by a plain C loop (_block_ldu.c), and LAPACK solves the
whole matrix beside it. CPU time of one core, the smaller of repeated runs. The difference of the two solutions says
that both are right.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from time import thread_time

import _one_core
import numpy as np
from _report import OTHER, OURS, Report

from symvi.graph import EliminationOrder, Graph, cost, plan
from symvi.native import compile_library, load_library

SIZES = {"ladder": (1, 2, 5, 10, 20, 50, 100, 151), "net": (1, 2, 3, 5, 8, 12, 18), "crystal": (1, 2, 3, 4, 5, 6)}
DECLARATION = "void block_ldu_solve(int nodes, const int *order, const int *start, const int *near, const int *below, "
DECLARATION += "const int *right, const int *changed, double *blocks, double *x);"


def shape_of(kind: str, size: int) -> tuple[int, ...]:
    return {"ladder": (size, 2), "net": (size, size), "crystal": (size, size, size)}[kind]


def lattice(shape: tuple[int, ...]) -> Graph:
    """Bodies on the points of a lattice, linked to their nearest neighbours."""
    name = {point: "b" + "_".join(map(str, point)) for point in product(*map(range, shape))}
    links = []
    for point, axis in product(name, range(len(shape))):
        near = tuple(x + (k == axis) for k, x in enumerate(point))
        if near in name:
            links.append((name[point], name[near]))
    return Graph.build(list(name.values()), links=links)


def random_matrix(graph: Graph) -> np.ndarray:
    """Random blocks where the graph has nodes and edges, (n, 6, n, 6); the diagonal ones need no pivoting."""
    generator, count = np.random.default_rng(1), len(graph.nodes)
    matrix = np.zeros((count, 6, count, 6))
    for i, j in [*((k, k) for k in range(count)), *graph.edges, *((j, i) for i, j in graph.edges)]:
        matrix[i, :, j] = generator.normal(size=(6, 6)) + (12 * np.eye(6) if i == j else 0)
    return matrix


class Elimination:
    """One pattern: which blocks are kept, and which of them the elimination of each node reads and changes."""

    def __init__(self, graph: Graph, order: EliminationOrder, library):
        pairs = [(i, j) for i, near in enumerate(order.later) for j in near]
        pairs = [*((k, k) for k in range(len(graph.nodes))), *pairs, *((j, i) for i, j in pairs)]
        place = {pair: k for k, pair in enumerate(pairs)}
        self.rows, self.columns = np.array(pairs).T
        self.library, self.nodes = library, len(graph.nodes)
        near = [order.later[node] for node in order.order]
        several = list(zip(order.order, near, strict=True))
        lists = (
            order.order,
            np.cumsum([0, *map(len, near)]),
            [j for some in near for j in some],
            [place[j, node] for node, some in several for j in some],
            [place[node, j] for node, some in several for j in some],
            [place[i, j] for some in near for i in some for j in some],
        )
        self.lists = [library.ffi.new("int[]", [int(x) for x in numbers]) for numbers in lists]

    def seconds(self, matrix: np.ndarray, solution: np.ndarray) -> float:
        """Solve in place for a right-hand side (n, 6); CPU time [s]."""
        blocks = np.ascontiguousarray(matrix.transpose(0, 2, 1, 3)[self.rows, self.columns])
        numbers = [self.library.ffi.cast("double *", array.ctypes.data) for array in (blocks, solution)]
        before = thread_time()
        self.library.lib.block_ldu_solve(self.nodes, *self.lists, *numbers)
        return thread_time() - before


def measure(kind: str, size: int, library, repeats: int) -> tuple:
    """(graph, nodes, fill-in, sparse and dense seconds, their multiplications' ratio, relative difference)."""
    graph = lattice(shape_of(kind, size))
    order, matrix = plan(graph), random_matrix(graph)
    elimination, unknowns = Elimination(graph, order, library), 6 * len(graph.nodes)
    sparse, dense = [], []
    for _ in range(repeats):
        solution = np.ones((len(graph.nodes), 6))
        sparse.append(elimination.seconds(matrix, solution))
        before = thread_time()
        truth = np.linalg.solve(matrix.reshape(unknowns, unknowns), np.ones(unknowns))
        dense.append(thread_time() - before)
    saved = sum(r * r + 3 * r + 1 for r in range(unknowns)) / cost(graph, order)
    difference = np.abs(solution.ravel() - truth).max() / np.abs(truth).max()
    return kind, len(graph.nodes), len(order.fill), min(sparse), min(dense), saved, difference


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    source = Path(__file__).with_name("_block_ldu.c").read_text(encoding="utf-8")
    library = load_library(compile_library({"block_ldu.c": source}, "block_ldu", profile="fast"), DECLARATION)
    sizes = {kind: several[:5] for kind, several in SIZES.items()} if report.quick else SIZES
    rows = [measure(kind, size, library, 5) for kind, several in sizes.items() for size in several]
    report.table(("graph", "nodes", "fill-in", "sparse s", "dense s", "mult. saved", "difference"), rows)
    report.at_most("largest relative difference from the dense solution", max(row[6] for row in rows), 1e-12)
    for kind, least in (("ladder", 100), ("net", 20), ("crystal", 2)):
        least = 1 if report.quick else least
        _, nodes, _, sparse, dense, *_ = [row for row in rows if row[0] == kind][-1]
        report.between(f"{kind}, {nodes} nodes: time, dense / sparse", dense / sparse, least, np.inf)
    if report.plot:
        draw(report, rows)
    return report.end()


def draw(report: Report, rows) -> None:
    figure, axes = report.figure(1, 3, width=11, sharey=True)
    for axis, kind in zip(axes, SIZES, strict=True):
        some = [row for row in rows if row[0] == kind]
        nodes = [row[1] for row in some]
        axis.loglog(nodes, [row[4] * 1e6 for row in some], "s-", color=OTHER, markersize=3, label="dense, LAPACK")
        axis.loglog(nodes, [row[3] * 1e6 for row in some], "o-", color=OURS, markersize=3, label="along the graph")
        axis.set(title=f"{kind}: one solve [us]", xlabel="nodes of six unknowns")
    axes[0].legend(loc="upper left")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
