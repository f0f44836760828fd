"""The target "c": a folder with the generated C, build files for the usual systems, a self-test, and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symvi import __version__
from symvi.emit.c_printer import CPrinter
from symvi.emit.number_tables import held_literal
from symvi.emit.templates import environment
from symvi.errors import SymviError
from symvi.exporters.bits import SAME_BITS, SECTIONS
from symvi.exporters.budget import check_budget
from symvi.exporters.constancy import uneven
from symvi.exporters.folder import MANIFEST, digest_of, manifest_text, sealed
from symvi.exporters.golden import FIELDS, SHOWN_KNOTS, STEPS, Golden, golden, signals
from symvi.exporters.manifest import manifest_of
from symvi.exporters.request import Request
from symvi.exporters.text import ExportedText, exported_text, program_of
from symvi.mechanism import Mechanism
from symvi.simulate.solver_build import has_compiler

__all__ = ["write"]

LEFT_OUT = "left out on request; export without --no-measure"
NO_FLOAT = "no C compiler, which float needs: install gcc or clang, or symvi's extra zig"
# file of the folder -> its template; {} is the prefix
FILES = {
    "src/{}.h": "forward.h.jinja",
    "examples/main.c": "main.c.jinja",
    "examples/golden.h": "golden.h.jinja",
    "CMakeLists.txt": "CMakeLists.txt.jinja",
    "cmake/{}Config.cmake.in": "Config.cmake.in.jinja",
    "Makefile": "Makefile.jinja",
    "library.json": "library.json.jinja",
    "platformio.ini": "platformio.ini.jinja",
    "library.properties": "library.properties.jinja",
    "zephyr/module.yml": "module.yml.jinja",
    "zephyr/CMakeLists.txt": "zephyr.txt.jinja",
    "zephyr/Kconfig": "Kconfig.jinja",
    "LICENSE": "LICENSE.jinja",
}


def write(request: Request, folder: Path) -> dict[str, Any]:
    """Write the folder and return its manifest (symvi/exporters/targets.py)."""
    program = program_of(request)
    text = exported_text(program, request, request.layout, request.real)
    goldens = _goldens(request)
    found = manifest_of(request, text, goldens)
    view = _view(request, text, goldens[request.real])
    files = (
        _sources(text)
        | _model(request)
        | {
            name.format(request.prefix): environment("export").get_template(template).render(view)
            for name, template in FILES.items()
        }
    )
    golden = goldens[request.real]
    if isinstance(golden, Golden):
        files["golden.csv"] = golden.table(request, request.real)
    _write(folder, files | {MANIFEST: manifest_text(found)})
    check_budget(request, program, text)
    found["boards"] = _boards(request, folder)
    files["README.md"] = environment("export").get_template("README.md.jinja").render({**view, "manifest": found})
    found["files"] = {name: digest_of(files[name]) for name in sorted(files)}
    found = sealed(found)
    _write(folder, {"README.md": files["README.md"], MANIFEST: manifest_text(found)})
    return found


def _sources(text: ExportedText) -> dict[str, str]:
    name, files = text.sources.name, text.sources.files
    return {f"include/{name}.h": files[f"{name}.h"], f"src/{name}.c": files[f"{name}.c"]}


def _model(request: Request) -> dict[str, str]:
    """What a model is asked, if that is wanted."""
    if not request.model:
        return {}
    from symvi.emit.queries import generate_queries
    from symvi.simulate.model_ties import queries_of

    found = generate_queries(queries_of(request.mechanism, {}, request.loops), request.prefix, request.real)
    return {f"{'include' if name.endswith('.h') else 'src'}/{name}": text for name, text in found.files.items()}


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, contents in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents, encoding="utf-8", newline="\n")


def _goldens(request: Request) -> dict[str, Golden | str]:
    """The golden motion in both precisions, or why there is none; that of the export itself must not fail."""
    found: dict[str, Golden | str] = {}
    for real in ("double", "float"):
        if real == "float" and not has_compiler():
            found[real] = NO_FLOAT
            continue
        try:
            found[real] = golden(request, real)
        except SymviError as error:
            if real == request.real:
                raise
            found[real] = str(error)
    return found


def _boards(request: Request, folder: Path) -> dict[str, Any]:
    from symvi.exporters.measure import measure
    from symvi.exporters.measure.boards import boards_for

    if not request.measure:
        return {board.name: {"all figures": {"not measured": LEFT_OUT}} for board in boards_for(request.real)}
    return measure(folder)


def _view(request: Request, text: ExportedText, expected: Golden | str) -> dict[str, Any]:
    """What the templates are given."""
    plan, real = text.plan, text.sources.real
    varying = signals(request, plan)
    known = isinstance(expected, Golden)
    steps = expected.steps if known else STEPS
    return {
        "prefix": request.prefix,
        "model": request.model,
        "PREFIX": request.prefix.upper(),
        "name": request.mechanism.name,
        "version": __version__,
        "real": real,
        "layout": text.sources.layout,
        "digest": request.mechanism.digest,
        "bodies": request.mechanism.body_names,
        "first_body": CPrinter(text.program, request.prefix, real).constants.constant(
            "body", request.mechanism.body_names[0]
        ),
        "fields": FIELDS,
        "step": request.step,
        "steps": steps,
        "knots": SHOWN_KNOTS,
        "hash": expected.hash if known else None,
        "iterations": expected.iterations if known else None,
        "failure": expected.failure if known else "",
        "warnings": expected.warnings if known else {},
        "why_no_hash": None if known else expected,
        "inputs": [_place(text, name) for name in varying],
        "rows": [[held_literal(value, real) for value in row] for row in zip(*varying.values(), strict=True)][:steps],
        "suffix": "f" if real == "float" else "",
        "digits": {"double": 17, "float": 9}[real],
        "uses_c_library": bool(plan.notes.get("uses_c_library")),
        "points": len(plan.contacts),
        "joints": len(plan.reactions),
        "placing": _placing(request.mechanism),
        "coordinates": bool(plan.notes["motion"]) and not request.lean,
        "lean": request.lean,
        "driven": [_place(text, f"{name}.target") for name in plan.drivers],
        "uneven": uneven(text),
        "same_bits": SAME_BITS,
        "sections": SECTIONS,
    }


def _placing(mechanism: Mechanism) -> list[str]:
    """Which parameters say where bodies belong; the points of a whole shape follow from it."""
    found = {
        "anchors, axes and lengths of joints": mechanism.joints,
        "ratios and offsets of couplings": mechanism.couplings,
        "anchors and radii of contacts": [contact for contact in mechanism.contacts if not contact.whole_shape],
        "bounds of limits": mechanism.limits,
    }
    return [what for what, elements in found.items() if elements]


def _place(text: ExportedText, name: str) -> str:
    """Where an input lies in its struct, in C: servo[0].target."""
    offset = text.plan.inputs.index(name)
    for place, (first, count) in text.plan.fields["input"].items():
        if first <= offset < first + count:
            kind, index, field = place.split("/")
            return f"{kind}[{index}].{field}" + (f"[{offset - first}]" if count > 1 else "")
    raise AssertionError(name)
