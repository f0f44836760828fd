"""What gears and loops leave of a model's rates, in a prime field: printed kernels against dense algebra.

Rows of closing joints are differentiated: the printed gaps, run on dual numbers along a motion of the tree, have G for
slopes by rates, and (d/dt G) q' for second slopes at q'' = 0. With G of all rows, N = [1; -G_d^-1 G_i] is one dense
solution, and answers are those of the tree (model_kernels.py) projected by it. Loops stand open at random points: what
is proved of rows holds there too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from symvi.analysis.choices import Choices
from symvi.exact.dual import derivative
from symvi.exact.linear import solve
from symvi.kernels.spatial import COORDINATE, ENTRY, FREEDOM
from symvi.kernels.tied import TIE, TIES
from symvi.naive import joints
from symvi.program.queries import ANSWERS
from symvi.proofs.check import Check
from symvi.proofs.crun import Compiler, Memory, copy_of, run
from symvi.proofs.model_scene import ModelScene
from symvi.proofs.stages import Stage

if TYPE_CHECKING:
    from symvi.proofs.model_kernels import ModelSubject


def tied_phase(name: str) -> str:
    """The phase that a kernel of tied rates is, which control calls."""
    return f"tied {name}"


class TiedScene:
    """Rows and rates of a model whose rates are tied. start: its records."""

    def __init__(self, of: ModelSubject, scene: ModelScene, start: Memory):
        assert of.queries.tied is not None
        self.of, self.scene, self.start, self.tied = of, scene, start, of.queries.tied
        self.ties, self.zero = self.tied.ties, scene.field.zero
        functions = scene.functions
        self.compiler = Compiler(
            {
                "number": scene.field.number,
                **{name: getattr(functions, name) for name in ("sqrt", "sin", "cos", "angle", "atan2")},
            }
        )
        self.places = {scene.freedom(which): which for which in scene.tree.rates}
        self.rows = self._rows()
        self.reach = self._reach()
        random = scene.field.randoms
        count = len(self.ties.independent)
        self.rates, self.changes, self.forces, self.loads = (random(count) for _ in range(4))
        self.along = random(self.ties.rates)

    # --- rows ---------------------------------------------------------------------------------------------------------
    def gaps(self, coordinates: Mapping[str, list]) -> list:
        """Of all rows, as the printed kernels have them; zero of gears."""
        found = [self.zero] * len(self.ties.rows)
        if not self.tied.gaps:
            return found
        memory = copy_of(self.start)
        for n, x in enumerate(x for held in self.of.queries.held for x in coordinates[held.body]):
            memory["work"][COORDINATE][n]["value"] = [x]
        for phase in ("place", "close"):
            run(self.of.printed.phases[phase], memory, self.compiler.once)
        for row, kind, index, own in self.tied.gaps:
            found[row] = memory["work"][kind][index]["gap"][own]
        return found

    def by_body(self, values: list) -> dict[str, list]:
        """Numbers of all rates of the tree, by body."""
        found = self.scene.tree.nothing()
        for number, (body, k) in self.places.items():
            found[body][k] = values[number]
        return found

    def _rows(self) -> list[list]:
        """G, all of it: (rows, rates of the tree)."""
        found = [[self.zero] * self.ties.rates for _ in self.ties.rows]
        ratios = self.start["parameters"][TIES][0].get("ratio", [])
        for number in range(self.ties.rates):
            unit = self.by_body([self.zero + int(k == number) for k in range(self.ties.rates)])
            path = self.scene.tree.along(unit, self.scene.tree.nothing())
            slopes = derivative(lambda e, path=path: self.gaps(path(e)), self.zero)
            for own, row, slope in zip(found, self.ties.rows, slopes, strict=True):
                known = row.get(number)
                own[number] = slope + (known if isinstance(known, int) else 0)
                if isinstance(known, str):
                    own[number] = own[number] - ratios[int(known)]
        return found

    def _reach(self) -> list[list]:
        """N: (rates of the tree, independent rates)."""
        ties = self.ties
        left = [[row[k] for k in ties.dependent] for row in self.rows]
        solved = solve(left, [[-row[k] for k in ties.independent] for row in self.rows])
        found = [[self.zero + int(k == i) for i in ties.independent] for k in range(ties.rates)]
        for k, row in zip(ties.dependent, solved, strict=True):
            found[k] = list(row)
        return found

    def open(self, choices: Choices) -> Iterator[Check]:
        """How far rows of joints are open, by their plain definitions; choices: which of them are kept."""
        scene, ground = self.scene, ([self.zero] * 3, [self.zero + 1, *[self.zero] * 3])
        places = {"world": ground, **scene.tree.first}
        for (kind, index), joint in scene.closing.items():
            kept = choices.kept.get(scene.program.nodes[kind][index].name)
            ends = places[joint.parent], places[joint.child]
            rows = joints.rows(joint, *ends, scene.functions, {0: 0, 1: 0}, kept is not None)
            expected = rows if kept is None else [rows[k] for k in kept]
            yield Check(
                f"gap of {kind} {index}",
                expected,
                lambda memory, kind=kind, index=index: memory["work"][kind][index]["gap"],
            )

    # --- algebra ------------------------------------------------------------------------------------------------------
    def spread(self, values: list) -> list:
        """N r."""
        return [sum((a * b for a, b in zip(row, values, strict=True)), self.zero) for row in self.reach]

    def gather(self, values: list) -> list:
        """Nᵀ f."""
        count = len(self.ties.independent)
        return [sum((row[i] * f for row, f in zip(self.reach, values, strict=True)), self.zero) for i in range(count)]

    def drift(self) -> list:
        """(d/dt G) q' of all rows."""
        path = self.scene.tree.along(self.by_body(self.spread(self.rates)), self.scene.tree.nothing())

        def slopes(t) -> list:
            return derivative(lambda e: self.gaps(path(t + e)), self.zero)

        return derivative(slopes, self.zero)

    def spread_changes(self) -> list:
        """N r' - G_d^-1 (d/dt G) q'."""
        found = self.spread(self.changes)
        left = [[row[k] for k in self.ties.dependent] for row in self.rows]
        for k, (value,) in zip(self.ties.dependent, solve(left, [[x] for x in self.drift()]), strict=True):
            found[k] = found[k] - value
        return found

    def reduced(self) -> list[list]:
        """Nᵀ M N."""
        matrix, n = self.scene.tree.mass_matrix(), self.ties.rates
        full = [[matrix[self.places[a], self.places[b]] for b in range(n)] for a in range(n)]
        columns = [self.gather([row[b] for row in full]) for b in range(n)]  # Nᵀ M, by columns
        count = len(self.ties.independent)
        return [self.gather([columns[b][i] for b in range(n)]) for i in range(count)]


def tied_stages(of: ModelSubject, scene: ModelScene, start: Memory, choices: Choices) -> Iterator[Stage]:
    """What control does between the kernels of tied rates, stage by stage, and what comes of it."""
    own = TiedScene(of, scene, start)
    ties, tied = own.ties, own.tied

    def put(values: Callable[[Memory], dict[str, list]], memory: Memory) -> None:
        memory["work"][TIES][0] |= values(memory)

    def given(**values: list) -> Callable[[Memory], None]:
        return partial(put, lambda memory: {name: list(value) for name, value in values.items()})

    def take(kind: str, field: str) -> Callable[[Memory], list]:
        return lambda memory: [record[field][0] for record in memory["work"][kind]]

    def copied(into: str, kind: str, field: str) -> Callable[[Memory], None]:
        return partial(put, lambda memory: {into: take(kind, field)(memory)})

    def to_tree(field: str, values: Callable[[Memory], list]) -> Callable[[Memory], None]:
        def prepare(memory: Memory) -> None:
            for record, value in zip(memory["work"][FREEDOM], values(memory), strict=True):
                record[field] = [value]

        return prepare

    def of_ties(field: str) -> Callable[[Memory], list]:
        return lambda memory: list(memory["work"][TIES][0][field])

    def nothing(memory: Memory) -> None:
        """Runs on what is there."""

    def expect(field: str, expected: list) -> tuple[Check, ...]:
        return (Check(f"ties: {field}", expected, of_ties(field)),)

    slopes = [own.rows[row][rate] for row, rate in ties.slopes]
    last = "place"
    if tied.gaps:
        outside = [
            slope
            for known, row in zip(ties.rows, own.rows, strict=True)
            for rate, slope in enumerate(row)
            if rate not in known
        ]
        rest = Check("rest of G", [own.zero] * len(outside), lambda _: outside)
        checks = Check("G", slopes, take(TIE, "value")), rest, *own.open(choices)
        yield Stage("close", ("close",), "place", nothing, checks)
        last = "close"
    prepare = copied("slope", TIE, "value") if tied.gaps else nothing
    yield Stage("reach", (tied_phase("reach"),), last, prepare, ())
    all_rates = expect("all_rates", own.spread(own.rates))
    yield Stage("spread", (tied_phase("spread"),), "reach", given(rate=own.rates), all_rates)
    yield Stage("move at tied rates", ("move",), "spread", to_tree("rate", of_ties("all_rates")), ())
    yield from _driven(own, to_tree, of_ties, given, put, expect)
    along = own.gather(own.along)
    yield Stage("gather", (tied_phase("gather"),), "reach", given(all_forces=own.along), expect("force", along))
    yield Stage("tree's mass matrix", ANSWERS["mass_matrix"], "reach", nothing, ())
    matrix = own.reduced()
    told = [matrix[i][k] for i, k in tied.reduced]
    entries = copied("entry", ENTRY, "value")
    yield Stage("project", (tied_phase("project"),), "tree's mass matrix", entries, expect("reduced", told))
    pushed = [
        load + sum((a * c for a, c in zip(row, own.changes, strict=True)), own.zero)
        for load, row in zip(own.loads, matrix, strict=True)
    ]
    answer = expect("change", own.changes)
    yield Stage("solve", (tied_phase("solve"),), "project", given(force=pushed, load=own.loads), answer)


def _driven(own: TiedScene, to_tree, of_ties, given, put, expect) -> Iterator[Stage]:
    """Accelerations of tied rates, and forces along them."""
    tied, tree = own.tied, own.scene.tree
    last = "move at tied rates"
    if tied.gaps:
        zeros = to_tree("acceleration", lambda memory: [own.zero] * own.ties.rates)
        expected = own.drift()
        checks = tuple(
            Check(
                f"drift of row {row}",
                [expected[row]],
                lambda memory, kind=kind, index=index, k=k: [memory["work"][kind][index]["drift"][k]],
            )
            for row, kind, index, k in tied.gaps
        )
        yield Stage("drift", ("accelerate", "drift"), last, zeros, checks)
        last = "drift"

    def drifts(memory: Memory) -> dict[str, list]:
        found = [own.zero] * len(own.ties.rows)
        for row, kind, index, k in tied.gaps:
            found[row] = memory["work"][kind][index]["drift"][k]
        return {"drift": found, "change": list(own.changes)}

    changes = own.spread_changes()
    yield Stage("changes", (tied_phase("spread_changes"),), last, partial(put, drifts), expect("all_changes", changes))
    rates = own.by_body(own.spread(own.rates))
    forces = tree.forces(rates, own.by_body(changes))
    along = tuple(
        Check(f"force along {which}", [forces[which[0]][which[1]]],
              lambda memory, n=number: list(memory["work"][FREEDOM][n]["force"]))
        for number, which in own.places.items()
    )  # fmt: skip
    driven = to_tree("acceleration", of_ties("all_changes"))
    yield Stage("forces of the tree", ANSWERS["inverse_dynamics"], "changes", driven, along)
