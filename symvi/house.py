"""`python -m symvi.house [--dot]`: the rooms of symvi, drawn from its imports: lines, arrows, circles of files.

A room is a package or a file at the top of symvi; packages in it are counted with it. Every import counts, also those
inside functions, and the modules that a file names in full to import them by `import_module`; what only type checkers
read does not. The public names in symvi/__init__.py are a room as well, `__init__`: its version is for all, who imports
another name from there imports from the highest row.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parent

# Each room may import from the rows above its own, and never from its own row.
ROWS: tuple[tuple[str, ...], ...] = (
    ("extras", "house"),
    ("errors",),
    ("registry", "cache"),
    ("mechanism", "scalar", "exact"),
    ("graph", "physics", "naive"),
    ("numbers",),
    ("analysis", "kernels"),
    ("program",),
    ("emit",),
    ("native",),
    ("simulate",),
    ("proofs", "verify", "importers", "exporters", "plots", "demos", "control", "sweeps"),
    ("page", "derive"),
    ("joints", "forces", "contacts", "view", "learn"),
    ("environment",),
    ("cli",),
    ("__init__", "__main__"),
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
    imports = {name: set(_imports(name, text, texts)) - {name} for name, text in texts.items()}
    lines: dict[str, int] = {}
    arrows: dict[tuple[str, str], int] = {}
    for name, text in texts.items():
        lines[room_of(name)] = lines.get(room_of(name), 0) + len(text.splitlines())
        for other in imports[name]:
            if room_of(other) != room_of(name):
                pair = room_of(name), room_of(other)
                arrows[pair] = arrows.get(pair, 0) + 1
    return House(lines, arrows, tuple(_circles(imports)))


def module_of(path: Path, package: Path = PACKAGE) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of a dotted name: symvi.graph.elimination -> graph, symvi -> __init__."""
    return [*module.split("."), "__init__"][1]


def _imports(name: str, text: str, known: Mapping[str, str]) -> Iterator[str]:
    """The modules of the package that a file imports."""
    root = name.split(".")[0]
    by_name = "import_module" in text
    for node in _read_by_python(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{name}: line {node.lineno} imports from dots; write the module's whole name")
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                if inside in known:
                    yield inside
                elif node.module and node.module in known and inside != f"{root}.__version__":
                    yield node.module
        elif by_name and isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
            yield node.value


def _read_by_python(node: ast.AST) -> Iterator[ast.AST]:
    """All parts of a tree but those under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
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


def graph(of: House, rows: Iterable[Iterable[str]] = ROWS) -> Iterator[str]:
    """The same for Graphviz, in its language DOT: lower rooms at the bottom, arrows back in red."""
    backwards = set(of.backwards(rows))
    yield "digraph house {"
    yield "  node [shape=box]"
    for row in rows:
        names = [f'"{room}"' for room in row]
        yield from (f'  "{room}" [label="{room}\\n{of.lines.get(room, 0)} lines"]' for room in row)
        yield f"  {{ rank=same; {'; '.join(names)} }}"
    for (room, other), count in sorted(of.arrows.items()):
        yield f'  "{room}" -> "{other}" [label={count}{", color=red" * ((room, other) in backwards)}]'
    yield "}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the house; 1 if an arrow leads back or files import each other in a circle."""
    parser = argparse.ArgumentParser(prog="python -m symvi.house", description="Draw the rooms of symvi.")
    parser.add_argument("--dot", action="store_true", help="as a graph for Graphviz (dot -Tsvg)")
    found = house()
    print("\n".join((graph if parser.parse_args(arguments).dot else drawing)(found)))
    return int(bool(found.backwards() or found.circles))


if __name__ == "__main__":
    sys.exit(main())
