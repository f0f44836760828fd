"""What the C templates are given: names, sizes, comments, numbers that steer the solver, and the calls of phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symvi import __version__
from symvi.emit import sines
from symvi.emit.c_printer import CPrinter, broken, wrapped
from symvi.emit.layouts import HOLDER, LAYOUTS, phase_lines
from symvi.emit.number_tables import NumberTables
from symvi.emit.parameter_text import ParameterText
from symvi.emit.python import HALF_TURN, SERIES, TURN
from symvi.emit.slopes_view import slopes_view
from symvi.kernels.account import SUMS
from symvi.kernels.angles import carried_once
from symvi.numbers import path
from symvi.numbers.composition import composition_of
from symvi.numbers.control import (
    APART,
    BENT,
    BESIDE,
    CHORD,
    CLOSED,
    COMPLEMENTARITY,
    CURVED,
    DEFAULTS,
    DOMAIN,
    FAINT,
    FALL,
    FAR_TURN,
    FAST,
    GUARD,
    IDLE,
    KEPT,
    LEFT,
    LOST,
    MENDED,
    MOST_COUNTED,
    MOST_HALVINGS,
    MOST_ITERATIONS,
    MOST_PARTS,
    MOST_ROUNDS,
    MOST_TRIED,
    OF_COMPOSITIONS,
    OF_SLOPES,
    PARTS,
    PROJECTIONS,
    ROUGH,
    ROUND_OFF,
    SAFETY,
    SENTENCES,
    SHARP,
    SINGULAR_VIOLATION,
    SLIGHT,
    SLOW,
    SMOOTHER,
    SPLAYED,
    STILL,
    TOLERANCE,
    UNEVEN,
    UNIT,
    WEAK,
    Beginning,
    SolverOptions,
    SolverStatus,
    swerved,
)
from symvi.numbers.quadrature import rule_of
from symvi.program.fusion import in_one_way
from symvi.program.precision import COARSER
from symvi.program.program import Program
from symvi.program.slopes import Slopes
from symvi.registry import contact_types

OF_TANGENTS = {"bind": "bounds of friction, as normal impulses and coefficients move them"}
MEANINGS = {
    "setup": "what parameters decide alone",
    "prepare": "what is fixed during a step",
    "watch": "rows that were dropped as redundant",
    "inspect": "how far joints are open that coordinates hold",
    "measure_bend": "how evenly rates have bent",
    "begin": "where Newton's method starts",
    "rest": "no motion",
    "evaluate": "residual, and gradients of the rows",
    "release": "bodies move free of contacts",
    "warm": "contacts start on the central path",
    "apply_impulse": "impulses of contacts, and what their slacks miss",
    "spread": "what of the step acts at the knot that it begins at: forces of contacts over its time, impulses of laws",
    "push": "that part of it that acts before this knot",
    "differ": "what the momenta of the knot, and of both steps around it, differ by",
    "soften": "contacts yield a little, so that masses count beside their stiffness",
    "uncouple": "friction follows no change of what presses it",
    "answer": "what contacts do against that",
    "merit": "sum of squares of the residual",
    "linearize": "bodies' blocks of the Newton matrix",
    "scale": "what contacts do with a change of velocity",
    "exact": "what contacts do with a change of velocity, linearised as they stand",
    "keep": "keep the residual",
    "recall": "the residual as it was kept",
    "predict": "where contacts are sent if nothing is to be left of complementarity",
    "right_hand_side": "where contacts are sent by the present centring",
    "right_hand_side_exact": "where contacts are sent by the present centring, linearised as they stand",
    "resolve": "forward substitution of another right-hand side, leaves first",
    "respond": "increments of contacts from those of bodies",
    "eliminate": "factors of the Newton matrix and forward substitution, leaves first",
    "substitute": "backward substitution, root first",
    "take_velocity": "take the solved velocities",
    "advance": "take the increment",
    "follow": "backward substitution, root first, and the increment is taken on the way",
    "shorten_step": "take less of the increment",
    "react": "forces and torques of the joints",
    "compare": "how far velocities are from where their last change led",
    "do_work": "work of the impulses of rows at the first knot, by the velocities after and before it",
    "depart": "twice the kinetic energy of what velocities have beside those that joints allow at the second knot",
    "reset": "no part of a step yet",
    "gather": "impulses of a part of a step to those before, and means of forces",
    "arrive": "rates of inputs at the second knot",
    "finish": "write the second knot into the state",
    "displace": "move the placement",
    "start_momenta": "momenta from velocities at the knot",
    "energy": "energies and momenta of the knot",
    "start_momenta_of_chord": "momenta from velocities over the step before",
    "start_momenta_of_turn": "momenta from velocities at the knot, of which bodies have the rates of turn",
    "couple": "coordinates that gears drive",
    "place": "bodies from the coordinates of joints, one beside the other",
    "measure": "coordinates of joints, and their rates",
    "account": "what laws and drivers give in a step; what dampers, stops and contacts take",
    "reread": "a knot by the velocities of both steps around it",
    "ahead": "late work of forces at the knot that was reached",
    "scatter": "how far a knot's energy may lie from that of its step",
    "choose_rule": "axes of free turns, until these come near a singularity",
    "prepare_rule": "momenta and forces along the coordinates at the first knot",
    "drive_rule": "forces of actuators at the next point of the rule",
    "begin_rule": "where iterations start, at the nodes of the rule",
    "advance_rule": "take the increment, at the nodes of the rule",
    "shorten_rule": "take less of the increment, at the nodes of the rule",
    "evaluate_rule": "motions at the points of the rule, and what the discrete Euler-Lagrange equations lack",
    "merit_rule": "sum of squares of that",
    "eliminate_rule": "factors of their slopes and forward substitution, leaves first",
    "substitute_rule": "backward substitution, root first",
    "weigh_rule": "twice the kinetic energy of the step",
    "leave_rule": "what rates at the first knot lead off the closed motions by",
    "land_rule": "rates over the whole step",
    "reach_rule": "what rates at the second knot lead off the closed motions by",
    "stray_rule": "the energy of that",
    "arrive_of_some": "rates of inputs at the second knot, of lanes whose step ends",
    "finish_of_some": "write the second knot into the state of lanes whose step ends",
    "linearize_of_some": "bodies' blocks of the Newton matrix, of lanes that make new factors",
    "eliminate_of_some": "new factors of some lanes, and forward substitution of all, leaves first",
    "hand_on_rule": "momenta along the coordinates at the second knot",
}
NEAR_WORK = ("eliminate", "resolve", "substitute", "finish")  # phases that ask which contacts are near
LOOPED = 100  # of one type that take energy: from here on they are read in a loop
OF_LOOPS = (SolverStatus.LOOP_STALLED, SolverStatus.JUMP)  # how only steps of mechanisms with loops end
WRITES = {
    **dict.fromkeys(
        ("arrive", "finish", "displace", "start_momenta", "start_momenta_of_chord", "start_momenta_of_turn"),
        ("work", "state"),
    ),
    **dict.fromkeys(("arrive_of_some", "finish_of_some"), ("work", "state")),
    "place": ("state",),
    "couple": ("motion",),
    "measure": ("motion",),
    "account": ("account",),
    "choose_rule": ("work", "state"),
    "hand_on_rule": ("work", "state"),
    "ahead": ("account",),
}


def view_of(
    program: Program,
    layout: str,
    real: str,
    prefix: str,
    options: SolverOptions = DEFAULTS,
    printing: type[CPrinter] = CPrinter,
    slopes: Mapping[str, Slopes] | None = None,
    independent: Sequence[str] = (),
) -> dict:
    """All names that the templates of C use, but for the start. Arguments as for `generate`; printing: of kernels."""
    printer, composition = printing(program, prefix, real), composition_of(program.notes.get("composition", 2))
    rule = rule_of(program.notes.get("rule"))
    program = _following(program, layout)
    left_out = [() if program.notes["loops"] else OF_LOOPS, () if composition else OF_COMPOSITIONS]
    left_out += [() if slopes is not None and "lift" not in slopes else OF_SLOPES]
    can_end = set(SolverStatus).difference(*left_out)
    phases = {phase: phase_lines(layout, printer, phase, program.phases.get(phase, ())) for phase in MEANINGS}
    for text in phases.values():
        text["lines"] = [part for line in text["lines"] for part in broken(line)]
    used = {call.kernel.name for calls in program.phases.values() for call in calls}
    view = {
        "prefix": prefix,
        "PREFIX": prefix.upper(),
        "real": real,
        "version": __version__,
        "digest": program.digest,
        "name": program.name,
        "layout": layout,
        "layout_text": LAYOUTS[layout].text,
        "aggregates": list(printer.aggregates()),
        "motion_structs": list(printer.structs(("motion",))),
        "motion_aggregate": next(iter(printer.aggregates(("motion",)))),
        "motions": list(printer.groups.motions()),
        "account_structs": list(printer.structs(("account",))),
        "account_aggregate": next(iter(printer.aggregates(("account",)))),
        "account_groups": [group for group in printer.groups.fields("account") if group["kind"] != "common"],
        "sums": SUMS,
        "works": program.notes["works"],
        "late": [note for note in program.notes["works"] if note["late"]],
        "losses": _losses(program),
        "loss_count": sum(len(note["ways"]) for note in program.notes["losses"]),
        "coordinates": list(printer.constants.coordinates()),
        "coordinate_count": sum(motion["count"] * motion["size"] for motion in printer.groups.motions()),
        "carried_motion": program.notes["carried_motion"],
        "driven_motion": program.notes["driven_motion"],
        "projections": PROJECTIONS,
        "placing_settles": program.notes["placing_settles"],
        "kernels": [] if layout == "inline" else [printer.kernel(k) for k in program.kernels() if k.name in used],
        "phases": phases,
        "statuses": [(s.name, int(s), SENTENCES[s]) for s in SolverStatus if s in can_end | {*OF_LOOPS}],
        "bodies": program.nodes["body"],
        "constraints": list(printer.groups.constraints()),
        "names": list(printer.constants.names()),
        "input_places": list(printer.constants.input_places()),
        "state_fields": list(printer.groups.fields("state")),
        "input_fields": list(printer.groups.fields("input")),
        "undetermined": _undetermined(program, printer),
        "reaction_names": [_named(printer, "reaction", node.name) for node in printer.groups.reactions()],
        "defaults": list(NumberTables(printer).defaults()),
        "options": options,
        "literal": printer.literal,
        "domain": printer.literal(Fraction(str(DOMAIN))),
        "most_iterations": MOST_ITERATIONS,
        "most_tried": MOST_TRIED,
        "most_halved": MOST_HALVINGS,
        "most_parts": MOST_PARTS,
        "parts": PARTS,
        "most_counted": MOST_COUNTED,
        "most_halvings": MOST_PARTS.bit_length() - 1,
        "rough": printer.literal(ROUGH),
        "smoother": printer.literal(SMOOTHER),
        "faint": printer.literal(FAINT),
        "kept": printer.literal(KEPT),
        "mended": [status.name for status in MENDED if status in can_end],
        "far_turn": printer.literal(FAR_TURN),
        "fast": printer.literal(FAST),
        "fastest": {each.name.lower(): printer.literal(each.fastest) for each in Beginning},
        "fall": printer.literal(Fraction(str(FALL))),
        "chords": program.notes["chords"],
        "bends": program.notes["bends"],
        "lean": program.notes.get("lean", False),
        "open_entries": open_entries(program),
        "chord": printer.literal(Fraction(str(CHORD))),
        "curved": printer.literal(Fraction(str(CURVED))),
        "safety": printer.literal(Fraction(str(SAFETY))),
        "left": printer.literal(LEFT),
        "still": printer.literal(STILL),
        "slow": printer.literal(SLOW),
        "singular_violation": printer.literal(SINGULAR_VIOLATION),
        "round_off": printer.literal(ROUND_OFF[real]),
        "guard": printer.literal(GUARD if real == "double" else COARSER * GUARD),
        "weak": printer.literal(WEAK),
        "bent": printer.literal(BENT),
        "lost": printer.literal(LOST),
        "splayed": printer.literal(SPLAYED),
        "closed": printer.literal(CLOSED[real]),
        "unit": printer.literal(Fraction(str(UNIT))),
        "idle": printer.literal(Fraction(str(IDLE))),
        "apart": printer.literal(APART),
        "sharp": printer.literal(SHARP),
        "swerved": printer.literal(swerved(rule.degree)) if rule else "",
        "slight": printer.literal(SLIGHT),
        "uneven": printer.literal(UNEVEN),
        "beside": [tuple(map(printer.literal, pair)) for pair in BESIDE],
        "loops": bool(program.notes["loops"]),
        "led": program.notes["coordinates"] == "tree",
        "order": wrapped("elimination order: " + ", ".join(program.notes["order"])),
        "angles": any("angle" in k.operation_count() or "atan2" in k.operation_count() for k in program.kernels()),
        "sines": [name for name in ("sin", "cos") if any(name in k.operation_count() for k in program.kernels())],
        "greatest": any("max" in k.operation_count() for k in program.kernels()),
        "uses_c_library": program.notes.get("uses_c_library", False),
        "sources": _sources(program),
        "kinds": printer.kinds,
        "rows": sum(len(program.nodes[kind]) * rows for kind, rows in printer.groups.row_counts.items()),
        "row_groups": list(printer.groups.row_groups()),
        "solved_groups": list(printer.groups.solved_groups()),
        "solved_count": sum(group["count"] * group["size"] for group in printer.groups.solved_groups()),
        "solved_rows": sum(group["count"] * group["rows"] for group in printer.groups.row_groups() if group["solved"]),
        "wrench_groups": list(printer.groups.wrench_groups()),
        "law_groups": list(printer.groups.law_groups()),
        "lag_groups": list(printer.groups.lag_groups()),
        "composition": composition,
        "rule": rule,
        "inner": _inner_rows(program),
        "rule_groups": list(printer.groups.rule_groups()),
        "shares": [printer.literal(share) for share in composition.shares] if composition else [],
        "times": [printer.literal(time) for time in composition.times] if composition else [],
        "reactions": list(printer.groups.reactions()),
        "drivers": list(printer.groups.drivers()),
        "servos": list(printer.groups.servos()),
        "foreseen": foreseen(program),
        "aims": list(printer.groups.aims()),
        "watched": bool(phases["watch"]["lines"]),
        "carried": carried_once(program.notes["angles"]),
        "tolerance": printer.literal(TOLERANCE[real]),
        "phase_meaning": MEANINGS,
        "phase_arguments": {phase: _phase_arguments(program, printer, phase) for phase in MEANINGS},
        "arguments_pzuw": printer.signature("pzuw"),
        "arguments_state": printer.signature("pZuw"),
        "call": lambda phase: _phase_call(program, printer, phase),
        "nearest": any("angle" in k.operation_count() for k in program.kernels()),
    }
    view["nearby"] = None if printer.near is None else printer.near.view()
    view["slopes"] = None
    if slopes is not None:
        view["slopes"] = slopes_view(printer, layout, slopes, MEANINGS | OF_TANGENTS, independent)
        view["greatest"] = True
    for part in (_inequalities(program, printer, real), _angle_numbers(printer), ParameterText(printer).view()):
        if twice := view.keys() & part.keys():
            raise ValueError(f"two values for {', '.join(sorted(twice))} in a template")
        view |= part
    return view


def _inner_rows(program: Program) -> int:
    """How many rows of inputs a step may have of its own times, 0 where it has one.

    Of a composition one for every inner step; of a rule one for the knot, and one for every point.
    """
    composition, rule = composition_of(program.notes.get("composition", 2)), rule_of(program.notes.get("rule"))
    if rule is not None:
        return 1 + len(rule.points) if program.phases["drive_rule"] else 0
    return len(composition.shares) if composition else 0


def foreseen(program: Program) -> str:
    """Of what half of the impulse in the step from a knot acts before it; empty where no such step is solved."""
    laws = any(f.name == "excess" for kind in program.nodes for f in program.records.of(kind, "work"))
    found = ["contacts, limits and dry friction"] if program.notes["inequalities"] else []
    return ", and ".join([*found, *(["laws of damped coordinates"] if laws else [])])


def starts_near_end(program: Program) -> bool:
    """Whether steps in which contacts press, stick or are open start near the end of the central path.

    Not where joints close loops: pairs there are so stiff that pivots of loops' rows sink to their guard, and rows
    close by a few percent an iteration.
    """
    kinds = contact_types()
    return not program.notes["loops"] and any(node["type"] in kinds for node in program.notes["inequalities"])


def _losses(program: Program) -> list[dict]:
    """What takes energy, statement by statement or in loops: node type, number and place in a frame of the first.

    count: 1, or how many nodes that follow each other are a loop: more than anybody reads one by one.
    """
    runs: list[dict] = []
    place = 0
    for note in program.notes["losses"]:
        kind, index, ways = note["kind"], note["index"], len(note["ways"])
        last = runs[-1] if runs else {}
        if last.get("kind") == kind and last["index"] + last["count"] == index:
            last["count"] += 1
        else:
            runs.append({"kind": kind, "index": index, "place": place, "ways": ways, "count": 1})
        place += ways
    return [part for run in runs for part in ([run] if run["count"] >= LOOPED else _one_by_one(run))]


def _one_by_one(run: dict) -> list[dict]:
    return [
        {**run, "index": run["index"] + n, "place": run["place"] + n * run["ways"], "count": 1}
        for n in range(run["count"])
    ]


def _named(printer: CPrinter, what: str, name: str) -> tuple[str, str]:
    """The constant of a thing, and a remark on it."""
    return printer.constants.constant(what, name), printer.constants.remark(what, name)


def _following(program: Program, layout: str) -> Program:
    """In joint coordinates: with the sweep that takes an increment beside the one that solves for it, as "follow".

    Each waits for its own last link. Only loops over many links gain by that: processors look over those of a few.
    """
    notes = program.notes
    if layout != "looped" or not notes["chords"] or "rule" in notes or "lean" in notes:
        return program
    ways = in_one_way(program.phases["substitute"], program.phases["advance"])
    return replace(program, phases={**program.phases, "follow": tuple(ways)})


def open_entries(program: Program) -> list[int]:
    """Which entries of what is open at a body are not always zero: in joint coordinates, those that a sweep stores."""
    if not program.notes["chords"]:
        return list(range(6))
    places = {
        place.index
        for phase in ("evaluate", "push")
        for call in program.phases.get(phase, ())
        for place in call.kernel.writes
        if (call.kernel.kind(place.port), place.store, place.field) == ("body", "work", "rest")
    }
    return sorted(places)


def _undetermined(program: Program, printer: CPrinter) -> list[str]:
    """Which reactions no motion determines, as lines of a comment."""
    names = [node.name for node in printer.groups.reactions() if node.name in program.notes.get("undetermined", ())]
    text = (
        "Loops have more rows than they need, so that no motion determines all that some joints bear; here dropped "
        "rows bear nothing: "
    )
    return wrapped(text + ", ".join(names)) if names else []


def _inequalities(program: Program, printer: CPrinter, real: str) -> dict:
    """Contacts, limits and dry friction by node type, and the numbers that steer their solver."""
    nodes, types = printer.groups.inequalities(), contact_types()
    reach = program.notes["near"]["kinds"] if "near" in program.notes else {}
    groups = {}
    for node in nodes:
        near = {"near": node["kind"] in reach, "reach": reach.get(node["kind"], "")}
        group = groups.setdefault(node["kind"], {**node, **near, "count": 0, "closes": node["type"] in types})
        group["count"] += 1
    contacts = printer.groups.points()
    return {
        "inequalities": list(groups.values()),
        "near_end": starts_near_end(program),
        "contacts": contacts,
        "point_names": [_named(printer, "point", node["name"]) for node in contacts],
        "stops": sum(node["rows"] for node in nodes if node["type"] not in types),
        "cones": any(group["cone"] for group in groups.values()),
        "degree": sum(node["pairs"] + node["cone"] for node in nodes),
        "far_degree": sum(node["pairs"] + node["cone"] for node in nodes if node["kind"] not in reach),
        "far_total": sum(node["type"] in types and node["kind"] not in reach for node in nodes),
        "most_rounds": MOST_ROUNDS,
        "attempts": path.ATTEMPTS,
        "papers_attempt": path.PAPERS,
        "by_chord": int(Beginning.CHORD),
        "by_turn": int(Beginning.TURN),
        "inner_halvings": path.INNER_HALVINGS,
        "complementarity": printer.literal(COMPLEMENTARITY[real]),
        **{name.lower(): printer.literal(getattr(path, name)) for name in path.FACTORS},
        "clear": printer.literal(path.CLEAR[real]),
        "beside_boundary": printer.literal(path.BESIDE_BOUNDARY[real]),
        "turned": printer.literal(path.TURNED),
        "joined": printer.literal(path.JOINED[real]),
        "refined": printer.literal(path.REFINED[real]),
        "stiffest": printer.literal(path.STIFFEST[real]),
        "holding": printer.literal(path.HOLDING[real]),
    }


def _stores_of(program: Program, phase: str) -> list[str]:
    used = {store for call in program.phases.get(phase, ()) for _, store, _ in call.kernel.used_stores()}
    if phase in NEAR_WORK and "near" in program.notes:
        used |= {"work"}
    return [store for store in HOLDER if store in used]


def _phase_arguments(program: Program, printer: CPrinter, phase: str) -> str:
    written = WRITES.get(phase, ("work",))
    return ", ".join(
        f"{'' if store in written else 'const '}{printer.prefix}_{store} *{HOLDER[store]}"
        for store in _stores_of(program, phase)
    )


def _phase_call(program: Program, printer: CPrinter, phase: str) -> str:
    if phase not in program.phases:
        raise ValueError(f"a template calls the phase '{phase}', which the program does not have")
    stores = _stores_of(program, phase)
    return (
        f"run_{phase}({', '.join(HOLDER[store] for store in stores)});" if stores else f"/* {phase}: nothing to do */"
    )


def _angle_numbers(printer: CPrinter) -> dict:
    return {
        "series": [printer.literal(term) for term in SERIES],
        "quarter": printer.literal(sines.QUARTER),
        "quarter_parts": [printer.literal(part) for part in sines.PARTS[printer.real]],
        "sine_series": [printer.literal(term) for term in sines.SINE],
        "cosine_series": [printer.literal(term) for term in sines.COSINE],
        "half_turn": printer.literal(HALF_TURN),
        "turn": printer.literal(TURN),
    }


def _sources(program: Program) -> list[str]:
    seen: dict[str, None] = {}
    for kernel in program.kernels():
        for formula in kernel.formulas:
            seen.setdefault(f"{formula.equation}    [{formula.source}]")
    return [line for text in seen for line in wrapped(text)]
