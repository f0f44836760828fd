"""`python -m symvi.house`: the rooms of symvi, drawn from its imports: lines, arrows between rooms, circles of files.

A room is a package or a file at the top of symvi; packages in it are counted with it. Every import counts, also those
inside functions; what only type checkers read does not.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parent

# Each room may import from the rows above its own, and never from its own row.
ROWS: tuple[tuple[str, ...], ...] = (
    ("extras", "house"),
    ("errors",),
    ("registry", "cache"),
    ("mechanism", "scalar"),
    ("graph", "physics"),
    ("numbers",),
    ("analysis", "kernels"),
    ("program",),
    ("emit",),
    ("native",),
    ("simulate",),
    ("proofs", "importers", "exporters", "plots", "demos"),
    ("verify", "page"),
    ("joints", "forces", "view"),
    ("environment",),
    ("cli",),
    ("__main__",),
)


@dataclass(frozen=True)
class House:
    """What the imports of a package say.

    lines: of every room. arrows: (room, other) -> how many imports. circles: groups of files that import each other,
    by their dotted names.
    """

    lines: Mapping[str, int]
    arrows: Mapping[tuple[str, str], int]
    circles: tuple[tuple[str, ...], ...]

    def backwards(self, rows: Iterable[Iterable[str]] = ROWS) -> list[tuple[str, str]]:
        """The arrows that do not lead to a row above. Raises KeyError for a room that no row has."""
        row_of = {room: number for number, row in enumerate(rows) for room in row}
        return [(room, other) for room, other in self.arrows if row_of[other] >= row_of[room]]


def house(package: Path = PACKAGE) -> House:
    """Read the imports of a package."""
    texts = {module_of(path, package): path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    root = package.name
    imports = {name: set(_imports(name, text, texts)) - {name} for name, text in texts.items()}
    lines: dict[str, int] = {}
    arrows: dict[tuple[str, str], int] = {}
    for name, text in texts.items():
        if name != root:
            lines[room_of(name)] = lines.get(room_of(name), 0) + len(text.splitlines())
            for other in imports[name] - {root}:
                if room_of(other) != room_of(name):
                    pair = room_of(name), room_of(other)
                    arrows[pair] = arrows.get(pair, 0) + 1
    inner = {name: {other for other in found if other != root} for name, found in imports.items() if name != root}
    return House(lines, arrows, tuple(_circles(inner)))


def module_of(path: Path, package: Path = PACKAGE) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of a dotted name: symvi.graph.elimination -> graph."""
    return module.split(".")[1]


def _imports(name: str, text: str, known: Mapping[str, str]) -> Iterator[str]:
    """The modules of the package that a file imports."""
    root = name.split(".")[0]
    for node in _read_by_python(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == root:
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if inside in known else node.module


def _read_by_python(node: ast.AST) -> Iterator[ast.AST]:
    """All parts of a tree but those under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            for other in child.orelse:
                yield other
                yield from _read_by_python(other)
        else:
            yield child
            yield from _read_by_python(child)


def _circles(imports: Mapping[str, set[str]]) -> Iterator[tuple[str, ...]]:
    """The strongly connected groups of more than one file (Tarjan), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for start in imports:
        if start in index:
            continue
        work = [(start, iter(sorted(imports[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            name, others = work[-1]
            for other in others:
                if other not in imports:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(imports[other]))))
                    break
                if other in stack:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    group = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    if len(group) > 1:
                        yield tuple(sorted(group))


def drawing(of: House, rows: Iterable[Iterable[str]] = ROWS) -> Iterator[str]:
    """The rooms from the lowest on: lines, their share, and the rooms that each imports."""
    total, backwards = sum(of.lines.values()), set(of.backwards(rows))
    for row in rows:
        for room in row:
            down = [other for (one, other) in of.arrows if one == room]
            marks = sorted(f"{other} (BACK)" if (room, other) in backwards else other for other in down)
            share = 100 * of.lines.get(room, 0) / total
            yield f"{room:12} {of.lines.get(room, 0):6} lines {share:5.1f} %   <- {', '.join(marks) or 'nothing'}"
        yield ""
    yield f"{total} lines; arrows back: {len(backwards)}; circles between files: {len(of.circles)}"
    for circle in of.circles:
        yield "  circle: " + ", ".join(circle)


def main() -> int:
    """Draw the house; 1 if an arrow leads back or files import each other in a circle."""
    found = house()
    print("\n".join(drawing(found)))
    return int(bool(found.backwards() or found.circles))


if __name__ == "__main__":
    sys.exit(main())
