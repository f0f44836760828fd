"""Graphs that the tests share: open chains, closed linkages, and the body graphs of BSMH23 Fig. 9b-d."""

from __future__ import annotations

from itertools import product

from symvi.graph import Constraint, Graph


def chain(links: int, closed_by: Constraint | None = None) -> Graph:
    """A chain of revolutes from the world; joint k carries link k."""
    bodies = [f"link{k}" for k in range(links)]
    joints = [Constraint("joint0", 5, ("link0",), world=True)]
    joints += [Constraint(f"joint{k}", 5, (f"link{k - 1}", f"link{k}")) for k in range(1, links)]
    return Graph.build(bodies, [*joints, closed_by] if closed_by else joints)


def four_bars(segments: int, closing_rows: int = 2) -> Graph:
    """A chain of four-bars, each standing on the coupler of the one before: A, B, C and D, which closes."""
    bodies: list[str] = []
    joints: list[Constraint] = []
    base: tuple[str, ...] = ()
    for k in range(segments):
        crank, coupler, rocker = f"crank{k}", f"coupler{k}", f"rocker{k}"
        bodies += [crank, coupler, rocker]
        joints += [
            Constraint(f"A{k}", 5, (*base, crank), world=not base),
            Constraint(f"B{k}", 5, (crank, coupler)),
            Constraint(f"C{k}", 5, (coupler, rocker)),
            Constraint(f"D{k}", closing_rows, (*base, rocker), world=not base),
        ]
        base = (coupler,)
    return Graph.build(bodies, joints)


def scissor_lift(stages: int) -> Graph:
    """Crossed bars, pinned in the middle and at the tips; neighbouring loops share a pair of bars."""
    bodies = [name for k in range(stages) for name in (f"left{k}", f"right{k}")]
    joints = [Constraint("foot", 5, ("left0",), world=True)]
    for k in range(stages):
        joints.append(Constraint(f"middle{k}", 5, (f"left{k}", f"right{k}")))
        if k + 1 < stages:
            joints.append(Constraint(f"tip_a{k}", 5, (f"left{k}", f"right{k + 1}")))
            joints.append(Constraint(f"tip_b{k}", 2, (f"right{k}", f"left{k + 1}")))
    return Graph.build(bodies, joints)


def parallel_cranks(count: int) -> Graph:
    """Cranks on the world, neighbours joined by couplers: every crank is one more anchor."""
    bodies, joints = ["crank0"], [Constraint("A0", 5, ("crank0",), world=True)]
    for k in range(1, count):
        bodies += [f"coupler{k}", f"crank{k}"]
        joints += [
            Constraint(f"B{k}", 5, (f"crank{k - 1}", f"coupler{k}")),
            Constraint(f"C{k}", 5, (f"coupler{k}", f"crank{k}")),
            Constraint(f"D{k}", 2, (f"crank{k}",), world=True),
        ]
    return Graph.build(bodies, joints)


def ladder(rungs: int) -> Graph:
    """BSMH23 Fig. 9b: edges 1-2, 1-3, 2-4, 3-4, ..."""
    links = [(f"a{k}", f"b{k}") for k in range(rungs)]
    links += [(f"{side}{k}", f"{side}{k + 1}") for k in range(rungs - 1) for side in "ab"]
    return Graph.build([name for k in range(rungs) for name in (f"a{k}", f"b{k}")], links=links)


def lattice(size: int, dimensions: int) -> Graph:
    """BSMH23 Fig. 9c (a net, two dimensions) and 9d (a crystal, three): bodies linked to their nearest neighbours."""
    points = list(product(range(size), repeat=dimensions))
    name = "_".join(["b", *["{}"] * dimensions]).format
    steps = [tuple(int(axis == other) for other in range(dimensions)) for axis in range(dimensions)]
    links = [
        (name(*point), name(*following))
        for point in points
        for step in steps
        if max(following := tuple(a + b for a, b in zip(point, step, strict=True))) < size
    ]
    return Graph.build([name(*point) for point in points], links=links)
