"""Calls on contacts that are looked at only where bodies are near: loops over lists that the step finds (near.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symvi.emit.layouts import HOLDER
from symvi.kernels.common import COMMON, LINK
from symvi.program.program import Call, NearNotes, Program

if TYPE_CHECKING:
    from symvi.kernels.kernel import Kernel

ALL = ("approach", "reset", "gather", "start_momenta", "start_momenta_of_chord")  # phases that run on far ones too
OTHERWISE = {"react": "idle", "finish": "start_momenta"}  # what runs on far ones in place of a phase
OF_THREE = {("body", 0): "body_of[i]", ("body", 1): "body_of[j]", ("body", 2): "body_of[k]", (LINK, 0): "pair"}
EDGES = ("ij", "ik", "jk")
NAMES = ("factor", "scale", "update", "update_above", "update_below", "resolve", "resolve_onto", "gather", "solve",
         "clear", "fetch", "fetch_back")  # fmt: skip


class NearText:
    """The loops of one program."""

    def __init__(self, program: Program, notes: NearNotes):
        self.program, self.notes = program, notes
        self.kinds = notes["kinds"]
        self.columns, self.ends = self._ends()

    def _ends(self) -> tuple[dict[str, list[str]], dict[str, list[list[int]]]]:
        """Of every type of contacts, labels of the records that its kernels run on, and their numbers by contact."""
        found: dict[str, dict[int, dict[str, int]]] = {kind: {} for kind in self.kinds}
        for calls in self.program.phases.values():
            for call in filter(self.is_own, calls):
                ends = found[self._kind(call)].setdefault(call.nodes[self._own(call)].index, {})
                for port, node in zip(call.kernel.ports, call.nodes, strict=True):
                    if port.kind in ("body", LINK):
                        ends[port.label] = node.index
        columns = {kind: sorted(rows[0]) for kind, rows in found.items()}
        return columns, {
            kind: [[rows[n][label] for label in columns[kind]] for n in range(len(rows))]
            for kind, rows in found.items()
        }

    def _own(self, call: Call) -> int:
        return next(
            k for k, port in enumerate(call.kernel.ports) if port.kind in self.kinds or port.kind in self._reach
        )

    @property
    def _reach(self) -> dict[str, str]:
        return {reach: kind for kind, reach in self.kinds.items()}

    def _kind(self, call: Call) -> str:
        kind = call.kernel.ports[self._own(call)].kind
        return self._reach.get(kind, kind)

    def is_own(self, call: Call) -> bool:
        """Whether a call is one on a contact that is found near."""
        return any(port.kind in self.kinds or port.kind in self._reach for port in call.kernel.ports)

    def is_pair(self, call: Call) -> bool:
        """Whether a call is one on the blocks between two bodies that may touch."""
        return len(call.nodes) == 1 and call.nodes[0].kind == LINK and call.nodes[0].index < len(self.notes["pairs"])

    def split(self, calls: Sequence[Call]) -> tuple[list[Call], list[Call]]:
        """(calls that the text has one by one, or in loops of its own; those that follow the lists)."""
        near = [call for call in calls if self.is_own(call) or self.is_pair(call)]
        listed = set(map(id, near))
        return [call for call in calls if id(call) not in listed], near

    def lines(self, phase: str, calls: Sequence[Call]) -> list[str]:
        """The loops of a phase, over contacts type by type."""
        lines: list[str] = []
        if phase == "prepare":
            lines.append("find_near(p, z, w);")
        for kernel in {call.kernel.name: call.kernel for call in calls}.values():
            call = next(call for call in calls if call.kernel is kernel)
            lines += self._pairs(kernel) if self.is_pair(call) else self._loop(phase, self._kind(call), kernel)
        for kind in self.kinds if phase in OTHERWISE else ():
            other = next(
                c.kernel for c in self.program.phases[OTHERWISE[phase]] if self.is_own(c) and self._kind(c) == kind
            )
            lines += self._far(kind, [self._call(kind, other)])
        for kind in self.kinds if phase == "spread" else ():
            held = f"w->near.{kind}_held[n] = w->near.{kind}_on[n];"
            lines += [f"for (unsigned int n = 0u; n < {self.count(kind)}u; n++) {{", f"    {held}", "}"]
        if phase in ("eliminate", "resolve", "substitute") and self.notes["bodies"]:
            lines.append(f"{phase}_near(w);")
        return lines

    def count(self, kind: str) -> int:
        return len(self.program.nodes[kind])

    def _pairs(self, kernel: Kernel) -> list[str]:
        return [
            "for (unsigned int m = 0u; m < w->near.pair_count; m++) {",
            f"    {kernel.name}(&w->{LINK}[w->near.pair_list[m]]);",
            "}",
        ]

    def _loop(self, phase: str, kind: str, kernel: Kernel) -> list[str]:
        own = self._call(kind, kernel)
        if phase in ALL:
            return [f"for (unsigned int n = 0u; n < {self.count(kind)}u; n++) {{", f"    {own}", "}"]
        if phase == "push":  # of those that were near in the step
            own = f"if (w->near.{kind}_held[n] != 0u) {{ {own} }}"
        return [
            f"for (unsigned int m = 0u; m < w->near.{kind}_count; m++) {{",
            f"    const unsigned int n = w->near.{kind}_list[m];",
            f"    {own}",
            "}",
        ]

    def _far(self, kind: str, body: Sequence[str]) -> list[str]:
        return [
            f"for (unsigned int n = 0u; n < {self.count(kind)}u; n++) {{",
            f"    if (w->near.{kind}_on[n] == 0u) {{",
            *(f"        {line}" for line in body),
            "    }",
            "}",
        ]

    def _call(self, kind: str, kernel: Kernel) -> str:
        """A kernel on contact n."""
        places = []
        for port, store, _ in kernel.used_stores():
            own = port.kind == kind or port.kind in self._reach
            column = "" if own or port.kind == COMMON else f"ends_of_{kind}[n][{self.columns[kind].index(port.label)}]"
            places.append(f"&{HOLDER[store]}->{port.kind}[{'n' if own else column or 0}]")
        return f"{kernel.name}({', '.join(places)});"

    # --- what the template is given -----------------------------------------------------------------------------------
    def view(self) -> dict:
        """Tables and calls for near.c.jinja and the struct in mechanism.h.jinja."""
        kinds = []
        for kind, reach in self.kinds.items():
            approach, arrived = (self._of(phase, kind) for phase in ("approach", "arrived"))
            linked = LINK in self.columns[kind]
            kinds.append({
                "kind": kind, "reach": reach, "count": self.count(kind), "ends": self.ends[kind],
                "columns": len(self.columns[kind]), "approach": approach, "arrived": arrived,
                "link": self.columns[kind].index(LINK) if linked else -1,
            })  # fmt: skip
        calls = zip(NAMES, self.program.phases["touching"], strict=True) if self.notes["bodies"] else ()
        return {
            "kinds": kinds,
            "bodies": self.notes["bodies"],
            "pairs": self.notes["pairs"],
            "edges": self.notes["edges"],
            "run": {name: self._of_three(call) for name, call in calls},
            "total": sum(kind["count"] for kind in kinds),
        }

    def _of(self, phase: str, kind: str) -> str:
        kernel = next(c.kernel for c in self.program.phases[phase] if self._kind(c) == kind)
        return self._call(kind, kernel)

    @staticmethod
    def _of_three(call: Call) -> str:
        """A kernel of the elimination on bodies i, j, k, the edges between them, and a pair of bodies."""
        places = []
        nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
        for port, _, _ in call.kernel.used_stores():
            node = nodes[port.label]
            place = OF_THREE.get((node.kind, node.index)) or EDGES[node.index]
            places.append(f"&w->{node.kind}[{place}]")
        return f"{call.kernel.name}({', '.join(places)});"
