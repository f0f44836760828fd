"""From a mechanism to something that runs: derive, compose, print, compile, load; everything kept for the next time.

Three levels of keeping: within a process the built library, on disk the plan with its C text, on disk the compiled
object.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from symvi.cache import cache_folder, keep, kept, subfolder
from symvi.errors import ArgumentError, CompilerError
from symvi.extras import install_command
from symvi.mechanism import Mechanism
from symvi.native import Library, compile_library, find_compiler, load_library
from symvi.native.flags import Profile
from symvi.numbers.composition import Composition, composition_of
from symvi.numbers.control import DEFAULTS
from symvi.numbers.quadrature import Rule, is_rule, rule_of
from symvi.registry import CONTACTS, FORCES, JOINTS, inequalities_of
from symvi.simulate.plan import Plan, plan_of
from symvi.simulate.text_version import text_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from symvi.analysis.choices import Choices
    from symvi.physics.multibody import MultibodySystem
    from symvi.program.formulation import Formulation
    from symvi.program.slopes import Place
    from symvi.simulate.slope_layout import SlopeLayout

# A net of a thousand bodies takes half a minute: what is going on is told to who listens (level INFO).
STAGES = logging.getLogger("symvi.build")
NO_C = (
    "no C compiler found: running in Python, some hundred times slower; "
    f"install gcc or clang, or run: {install_command('zig')}"
)


@dataclass(frozen=True)
class Text:
    """A generated mechanism: its plan, its C files, the declarations that Python needs."""

    plan: Plan
    files: dict[str, str]
    declarations: str
    prefix: str
    layout: str
    real: str
    slopes: SlopeLayout | None = None  # of the tangents of a step, where the text has them

    def to_json(self) -> str:
        return json.dumps(
            {
                "plan": self.plan.to_dict(),
                "files": self.files,
                "declarations": self.declarations,
                "prefix": self.prefix,
                "layout": self.layout,
                "real": self.real,
                "slopes": None if self.slopes is None else asdict(self.slopes),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Text:
        data = json.loads(text)
        slopes, plan = data.pop("slopes"), Plan.from_dict(data.pop("plan"))
        return cls(plan, **data, slopes=None if slopes is None else _layout_from(slopes))


def _layout_from(data: Mapping[str, Any]) -> SlopeLayout:
    from symvi.simulate.slope_layout import SlopeLayout

    return SlopeLayout.from_dict(data)


@dataclass(frozen=True)
class Built:
    """A compiled and loaded mechanism."""

    text: Text
    path: Path
    library: Library


def decided(
    mechanism: Mechanism, loops: str = "drop-redundant", central: bool = False
) -> tuple[MultibodySystem, Choices]:
    """The models of a mechanism, checked, and what the analysis of its loops chose. central: laws act halfway.

    Raises MechanismError, AssemblyError.
    """
    from symvi.analysis.loops import choices_for
    from symvi.analysis.record_checks import check_records
    from symvi.analysis.refusals import beyond_doubles
    from symvi.physics.multibody import MultibodySystem

    STAGES.info("analysing %s, bodies: %d", mechanism.name, len(mechanism.bodies))
    system = MultibodySystem(mechanism, central)
    check_records(system)
    if system.contacts:
        from symvi.analysis.contact_place import check_contact_points

        check_contact_points(system)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            if system.contacts or system.limits:
                from symvi.analysis.held_gaps import check_held_gaps

                check_held_gaps(system)
            return system, choices_for(system, loops)
    except (ArithmeticError, np.linalg.LinAlgError):
        raise beyond_doubles(mechanism) from None


def check_order(mechanism: Mechanism, composition: Composition | None) -> None:
    """Raises ArgumentError where steps of a composition cannot go back in time: what strikes or sticks does not."""
    if composition is None:
        return
    found = [("contact", contact.name) for contact in mechanism.contacts]
    found += [("limit", limit.name) for limit in mechanism.limits]
    found += [("dry friction", force.name) for force in inequalities_of(mechanism.forces)]
    if found:
        kind, name = found[0]
        raise ArgumentError(
            f"order {composition.order} ('{composition.name}'): {kind} '{name}' of mechanism '{mechanism.name}' cannot "
            "be taken back in time, as inner steps are; use order=2, or leave it out"
        )


def composed(
    mechanism: Mechanism,
    loops: str = "drop-redundant",
    coordinates: str = "auto",
    order: int | str = 2,
    known: tuple[MultibodySystem, Choices] | None = None,
    lean: bool = False,
):
    """The program of a mechanism, its loops analysed. Raises MechanismError, AssemblyError.

    coordinates: what is solved for, "maximal", "tree", or "auto": what takes fewer operations. order: of the steps, or
    a composition by name. known: what `decided` said, where that was asked before: loops of many bodies take long.
    lean: steps alone, for little memory (symvi/program/lean.py).
    """
    from symvi.analysis.refusals import beyond_doubles
    from symvi.program.cheapest import program_of

    composition = composition_of(order)
    check_order(mechanism, composition)
    rule = rule_of(order) if is_rule(order) else None
    system, choices = known or decided(mechanism, loops, composition is not None)
    STAGES.info("composing the steps of %s", mechanism.name)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            program = program_of(system, choices, _formulation(system, choices, coordinates, rule), lean)
    except (ArithmeticError, np.linalg.LinAlgError):
        raise beyond_doubles(mechanism) from None
    if composition is None:
        return program
    # how rough parts are is not measured; other branches are looked for in loops alone
    unused = {} if program.notes["loops"] else {"compare": ()}
    phases = {**program.phases, **unused}
    return replace(program, notes={**program.notes, "composition": composition.name}, phases=phases)


def _formulation(
    system: MultibodySystem, choices: Choices, coordinates: str, rule: Rule | None = None
) -> type[Formulation] | None:
    """What was asked for, None for "auto". Raises ArgumentError where a mechanism cannot be solved for it."""
    from symvi.program.maximal import MaximalCoordinates

    if rule is not None:
        return _by_rule(system, choices, coordinates, rule)
    if coordinates == "auto":
        return None
    if coordinates == "maximal":
        return MaximalCoordinates
    from symvi.program.tree import TreeCoordinates
    from symvi.program.tree_refusals import refusal

    if why := refusal(system.mechanism, choices):
        raise ArgumentError(
            f"coordinates='tree' cannot solve mechanism '{system.mechanism.name}': {why}; say 'auto' or 'maximal'"
        )
    return TreeCoordinates


def _by_rule(system: MultibodySystem, choices: Choices, coordinates: str, rule: Rule) -> type[Formulation]:
    """Joint coordinates under a quadrature rule. Raises ArgumentError where it cannot take steps of a mechanism."""
    from symvi.program.rule_coordinates import by_rule, refusal_of_rules, refusal_of_solver

    if coordinates == "maximal":
        raise ArgumentError(f"rule {rule.name!r} is of joint coordinates: say coordinates='tree'")
    if why := refusal_of_rules(system.mechanism, choices):
        raise ArgumentError(
            f"rule {rule.name!r} cannot take steps of mechanism '{system.mechanism.name}': {why}; leave the rule out"
        )
    if why := refusal_of_solver(system.mechanism, rule.solver, choices):
        raise ArgumentError(
            f"solver {rule.solver!r} cannot solve steps of mechanism '{system.mechanism.name}': {why}; "
            "use solver='newton'"
        )
    return by_rule(rule)


def text_of(
    mechanism: Mechanism,
    layout: str = "auto",
    real: str = "double",
    loops: str = "drop-redundant",
    prefix: str | None = None,
    fixed_iterations: int = 0,
    substeps: int = DEFAULTS.substeps,
    coordinates: str = "auto",
    slopes: Sequence[Place] | None = None,
    order: int | str = 2,
) -> Text:
    """The generated text of a mechanism, from disk if it was made before by this version of symvi.

    fixed_iterations, substeps: of the options that the text offers as its defaults. slopes: with derivatives of a step,
    by these parameters too; None for a text without them. order: of the steps, or a composition by name.
    """
    composition = composition_of(order)
    asked = [mechanism.digest, layout, real, loops, prefix, fixed_iterations, substeps, coordinates, text_version()]
    asked += [None if slopes is None else sorted(map(list, slopes))]
    asked += [composition.name] if composition else [order] if is_rule(order) else []
    key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:40]
    place = cache_folder() / "texts" / f"{mechanism.name}-{key}.json"
    lasts = not any(registered(mechanism))  # neither digest says what a record from outside does
    found = kept(place) if lasts else None
    if found is not None:
        return Text.from_json(found.decode("utf-8"))
    from symvi.emit.c import Start, generate
    from symvi.program.precision import in_precision
    from symvi.simulate.run_parameters import check_described
    from symvi.simulate.slope_layout import layout_of
    from symvi.simulate.start import check_beginning, described_inputs, described_start

    check_described(mechanism, real)
    program = composed(mechanism, loops, coordinates, order)
    plan = plan_of(in_precision(program, real))
    check_beginning(mechanism, plan, real)
    start = Start(described_start(mechanism, plan), *described_inputs(mechanism, plan))
    STAGES.info("printing the C of %s", mechanism.name)
    sources = generate(
        program,
        layout=layout,
        real=real,
        prefix=prefix,
        start=start,
        fixed_iterations=fixed_iterations,
        substeps=substeps,
        kept=_templates(),
        slopes=slopes,
    )
    text = Text(
        plan,
        dict(sources.files),
        sources.declarations,
        sources.name,
        sources.layout,
        sources.real,
        None if slopes is None else layout_of(in_precision(program, real), slopes),
    )
    if lasts:
        keep(place, text.to_json().encode("utf-8"))
    return text


def registered(mechanism: Mechanism) -> tuple[int, ...]:
    """Which registrations a mechanism's joints, forces and contacts are of, 0 for symvi's own: see Registry.serial."""
    joints = (JOINTS.serial(joint.type) for joint in mechanism.joints)
    contacts = (CONTACTS.serial(contact.kind) for contact in mechanism.contacts)
    return *joints, *(FORCES.serial(force.kind) for force in mechanism.forces), *contacts


def _templates() -> Path | None:
    """The folder of compiled templates, or None where it cannot be made."""
    try:
        return subfolder("templates")
    except (OSError, CompilerError):
        return None


def built(
    mechanism: Mechanism,
    layout: str,
    real: str,
    profile: Profile,
    loops: str,
    coordinates: str = "auto",
    order: int | str = 2,
) -> Built:
    """A mechanism compiled and loaded, once per process. Raises CompilerError when that fails."""
    return _built(mechanism, layout, real, profile, loops, coordinates, order, registered(mechanism))


@lru_cache(maxsize=64)
def _built(
    mechanism: Mechanism,
    layout: str,
    real: str,
    profile: Profile,
    loops: str,
    coordinates: str,
    order: int | str,
    registrations: tuple[int, ...],
) -> Built:
    text = text_of(mechanism, layout, real, loops, coordinates=coordinates, order=order)
    path = _compiled(mechanism, text, profile)
    return Built(text, path, load_library(path, text.declarations))


def _compiled(mechanism: Mechanism, text: Text, profile: Profile) -> Path:
    size = sum(len(content) for content in text.files.values())
    STAGES.info("compiling %s: %.1f MB of C", mechanism.name, size / 1e6)
    return compile_library(text.files, text.prefix, profile=profile)


def built_with_slopes(
    mechanism: Mechanism,
    layout: str,
    profile: Profile,
    loops: str,
    coordinates: str,
    parameters: tuple[Place, ...] = (),
    order: int | str = 2,
) -> Built:
    """The same in double, with derivatives of a step, by these parameters too."""
    return _built_with_slopes(mechanism, layout, profile, loops, coordinates, parameters, order, registered(mechanism))


@lru_cache(maxsize=64)
def _built_with_slopes(
    mechanism: Mechanism,
    layout: str,
    profile: Profile,
    loops: str,
    coordinates: str,
    parameters: tuple[Place, ...],
    order: int | str,
    registrations: tuple[int, ...],
) -> Built:
    text = text_of(mechanism, layout, "double", loops, coordinates=coordinates, slopes=parameters, order=order)
    path = _compiled(mechanism, text, profile)
    return Built(text, path, load_library(path, text.declarations))


def forget() -> None:
    """Let go of everything that this process has built, so that the next `built` reads the cache again."""
    _built.cache_clear()
    _built_with_slopes.cache_clear()


def has_compiler() -> bool:
    try:
        return find_compiler() is not None
    except CompilerError:
        raise
