"""The scripts of a linearised step: what runs, what moves at first, and what is wanted, in any formulation.

step    from the state of a knot to that of the next, at solved velocities: residual, increments, the second knot
knot    rates of joints of the momenta that are carried to a knot, and velocities of bodies there
place   rows and coordinates of joints at a knot
start   momenta of velocities
chord   placements and momenta at a knot of those at the knot before, and of the velocities in between
lift    of a tree, placements and momenta of coordinates and rates
follow  where there are others, placements that close the rows which targets of the knot before open
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.numbers.quadrature import rule_of
from symvi.program.program import Program
from symvi.program.slopes import Action, Place, Script, Slopes, derive, places_of

# of a state, what only begins iterations or tells branches, and moves no motion
BEGINNINGS = ("u", "u_old", "u_older", "last_impulse", "friction_before", "across", "pin")
OF_WEIGHTS = ("theta_before", "spring_theta_before")  # what steps by a rule do not read
AT_REST = ("prepare", "rest", "evaluate", "release", "linearize", "eliminate", "substitute", "take_velocity", "measure")
ROUNDS = 6
ROWS = "g"  # rows at the first knot
INCREMENT = "s"  # of unknowns of a node
RESIDUALS = ("f", "rest")  # of bodies, zero at the solution


def slopes_of(program: Program, parameters: Collection[Place] = ()) -> dict[str, Slopes]:
    """All scripts of a program by name, with kernels of tangents. parameters: those that may move."""
    scripts: tuple[Script, ...] = (
        _step(program, frozenset(parameters)),
        _knot(program, frozenset(parameters)),
        place_of(program, frozenset(parameters)),
        _start(program),
        _chord(program, frozenset(parameters)),
    )
    if not ("rule" in program.notes or "composition" in program.notes):
        scripts += (_lift(program) if is_tree(program) else _follow(program),)
    taken: dict = {}
    found = {script.name: derive(program, script, taken) for script in scripts}
    return {name: each for name, each in found.items() if name != "follow" or each.kernels()}


def is_tree(program: Program) -> bool:
    """Whether coordinates of joints place all bodies, each of them free, and nothing drives them."""
    notes, rows = program.notes, 0
    for kind, nodes in program.nodes.items():
        rows += sum(f.size for f in program.records.of(kind, "work") if f.name == "y") * len(nodes)
    freedoms = sum(len(note["kinds"]) for note in notes["motion"])
    whole = freedoms == 6 * len(program.nodes[BODY]) - rows and bool(freedoms)
    return whole and notes["placing_settles"] and not (notes["loops"] or notes["watched"] or notes["driven_motion"])


def carried(program: Program) -> frozenset[Place]:
    """Numbers of a state that decide the motion from there: placements, momenta, and memory."""
    return _bodies(program, ("x", "q", "p", "l")) | memory(program)


def memory(program: Program) -> frozenset[Place]:
    """What a state keeps beside placements and momenta: targets of the knot before, weights of dampers."""
    found: set[Place] = set()
    forgotten = (*BEGINNINGS, *(OF_WEIGHTS if "rule" in program.notes else ()))
    for kind in program.nodes:
        if kind not in (BODY, COMMON):
            names = [f.name for f in program.records.of(kind, "state") if f.name not in forgotten]
            angles = {note["field"] for note in program.notes["angles"] if note["kind"] == kind}
            found |= places_of(program, "state", kind, [name for name in names if name not in angles])
    return frozenset(found)


def inputs(program: Program) -> frozenset[Place]:
    """All numbers that drive a step."""
    return frozenset().union(
        *(
            places_of(program, "input", kind, [f.name for f in program.records.of(kind, "input")])
            for kind in program.nodes
        )
    )


def _bodies(program: Program, names: Collection[str], store: str = "state") -> frozenset[Place]:
    return places_of(program, store, BODY, names)


def _setup(parameters: frozenset[Place]) -> tuple[Action, ...]:
    return (Action("setup"),) if parameters else ()


def _step(program: Program, parameters: frozenset[Place]) -> Script:
    goals = carried(program)
    actions = _rule_actions(program, parameters) if "rule" in program.notes else _actions(program, parameters)
    return Script("step", actions, goals | inputs(program) | parameters, goals)


def _rule_actions(program: Program, parameters: frozenset[Place]) -> tuple[Action, ...]:
    """Of a step by a quadrature rule: O(n) for a column of A or B, O(n²) for all of them (Fan18 Algorithm 3)."""
    rule = rule_of(program.notes.get("rule"))
    assert rule is not None and rule.solver == "newton"  # others have no exact slopes
    driven = ("drive_rule",) * (len(rule.points) if program.phases["drive_rule"] else 0)
    actions = (*_setup(parameters), *map(Action, ("prepare", "prepare_rule", *driven, "evaluate_rule")))
    solved = Action("eliminate_rule", solves=True), Action("substitute_rule", solves=True), Action("advance_rule")
    # slopes of rows at inner nodes are not in the matrix: tangents are solved for as often as they are not exact
    rounds = ROUNDS if program.notes["loops"] and rule.degree > 1 else 1
    for _ in range(rounds):
        actions += *solved, Action("evaluate_rule")
    return (*actions, *map(Action, ("land_rule", "shorten_step", "finish", "hand_on_rule")))


def _actions(program: Program, parameters: frozenset[Place]) -> tuple[Action, ...]:
    contacts = bool(program.notes["inequalities"])
    actions = [*_setup(parameters), Action("prepare"), Action("shorten_step"), Action("evaluate")]
    actions += [Action("apply_impulse"), Action("bind", runs=False), Action("exact", moves=False)] if contacts else []
    actions += [Action("linearize", moves=False)]
    actions += [Action("right_hand_side_exact")] if contacts else []
    actions += [Action("eliminate", solves=True), Action("substitute", solves=True)]
    actions += [Action("respond")] if contacts else []
    actions += [Action("advance"), Action("evaluate")]
    if contacts and program.notes["coordinates"] == "tree":  # what is left open then, the next step makes up for
        actions.append(Action("apply_impulse"))
    return (*actions, Action("arrive"), Action("finish"))


def _knot(program: Program, parameters: frozenset[Place]) -> Script:
    actions = (*_setup(parameters), *map(Action, AT_REST))
    goals = _motion(program, ("coordinate", "rate")) | _bodies(program, ("v", "w"), "work")
    return Script("knot", actions, carried(program) | parameters, goals)


def place_of(program: Program, parameters: frozenset[Place]) -> Script:
    """Rows and coordinates at a knot, by placements, memory and parameters."""
    actions = (*_setup(parameters), *map(Action, ("prepare", "watch", "inspect", "measure")))
    goals = _motion(program, ("coordinate",))
    goals |= frozenset().union(*(places_of(program, "work", kind, (ROWS,)) for kind in program.nodes))
    return Script("place", actions, _bodies(program, ("x", "q")) | memory(program) | parameters, goals)


def _start(program: Program) -> Script:
    return Script(
        "start",
        (Action("prepare", moves=False), Action("start_momenta")),
        _bodies(program, ("v", "w")),
        _bodies(program, ("p", "l")),
    )


def _chord(program: Program, parameters: frozenset[Place]) -> Script:
    """The end of a step, at given velocities: its residual is that of a solution, zero, and no increment is open."""
    actions = (*_setup(parameters), *map(Action, ("prepare", "advance", "evaluate", "arrive", "finish")))
    goals = _bodies(program, ("x", "q", "p", "l"))
    seeds = _bodies(program, ("x", "q")) | memory(program) | inputs(program) | parameters | unknowns(program)
    return Script("chord", actions, seeds, goals, _bodies(program, RESIDUALS, "work"))


def unknowns(program: Program) -> frozenset[Place]:
    """Increments of the velocities that a step is solved for: of bodies, or of joints that move them."""
    kinds: list[str] = [BODY]
    if program.notes["coordinates"] == "tree":
        kinds = [kind for kind in program.nodes if any(f.name == "u" for f in program.records.of(kind, "work"))]
    return frozenset().union(*(places_of(program, "work", kind, (INCREMENT,)) for kind in kinds))


def increments(program: Program) -> dict[tuple[str, str], int]:
    """Fields of work records that "advance" adds to a solution, and their sizes."""
    return {
        (kind, f.name): f.size
        for kind in program.nodes
        for f in program.records.of(kind, "work")
        if f.name == INCREMENT or f.name.startswith("d_")
    }


def _lift(program: Program) -> Script:
    actions = tuple(map(Action, ("couple", "place", "prepare", "start_momenta")))
    goals = _bodies(program, ("x", "q", "p", "l"))
    return Script("lift", actions, _motion(program, ("coordinate", "rate")), goals)


def _follow(program: Program) -> Script:
    """A step of Gauss and Newton onto the joints, at rest: no increment is open there. It aims at what the inputs ask,
    which are the targets of the knot. Of loops it leaves the share that guards of pivots hold back, for another one."""
    actions = [*map(Action, ("prepare", "rest", "evaluate", "release")), Action("linearize", moves=False)]
    actions += [Action("eliminate", solves=True), Action("substitute", solves=True)]
    actions += map(Action, ("take_velocity", "displace"))
    kept = {(place.kind, place.field, place.entry) for place in memory(program)}
    aims = frozenset(place for place in inputs(program) if (place.kind, place.field, place.entry) in kept)
    placements = _bodies(program, ("x", "q"))
    script = Script("follow", tuple(actions), aims, placements)
    again = bool(program.notes["loops"] and derive(program, script).kernels())
    return replace(script, seeds=aims | placements) if again else script


def _motion(program: Program, names: Collection[str]) -> frozenset[Place]:
    return frozenset().union(*(places_of(program, "motion", kind, names) for kind in program.nodes))
