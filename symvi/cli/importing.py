"""What every command shares that takes a mechanism's file: the options of an import, and the command `import`.

symvi's own files and those of other programs are read alike; where one was imported, a line says how that went.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from symvi.cli.console import Register, command
from symvi.cli.console import register as run_files
from symvi.errors import SymviError

if TYPE_CHECKING:
    from symvi.importers import Imported, Report
    from symvi.mechanism.starting import Given
    from symvi.page.looks import Looks

File = Annotated[Path, typer.Argument(help="A mechanism: TOML, JSON, URDF, xacro, MJCF, trep.", metavar="FILE")]
Base = Annotated[Literal["fixed", "floating"], typer.Option(help="Import: the root link stands still, or is free.")]
Contacts = Annotated[
    bool,
    typer.Option("--contacts", help="Import: the ground, below z = 0, holds off all collision shapes, meshes too."),
]
ContactsOf = Annotated[
    list[str] | None,
    typer.Option(help="Import: the ground holds off the collision shapes of this link.", metavar="LINK"),
]
Points = Annotated[
    list[str] | None,
    typer.Option(
        "--contact-points", help="Import: the ground holds off a point, or sphere, of a link.", metavar="LINK:x,y,z[,r]"
    ),
]
Corners = Annotated[
    int,
    typer.Option(
        "--contact-corners",
        help="Import: of a collision mesh, the most corners of its convex hull that are held off.",
        metavar="N",
    ),
]
Friction = Annotated[float, typer.Option(help="Import: friction of these contacts.")]
Package = Annotated[
    list[str] | None, typer.Option(help="Import: the folder of package://NAME in the file.", metavar="NAME=FOLDER")
]
Argument = Annotated[list[str] | None, typer.Option("--arg", help="Import: of a xacro file.", metavar="NAME=VALUE")]
Start = Annotated[
    list[str] | None,
    typer.Option(
        help="Where a joint starts, in m and rad or as 60 deg; or the name of an import's keyframe.",
        metavar="JOINT=VALUE[,VALUE...]|KEY",
    ),
]
Hold = Annotated[
    str | None,
    typer.Option(help="Import: hold every joint where it starts, by a servo.", metavar="STIFFNESS,DAMPING"),
]
Repair = Annotated[bool, typer.Option("--repair", help="Import: mend what would be refused.")]
Strict = Annotated[bool, typer.Option("--strict", help="Import: refuse to approximate, drop or ignore anything.")]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "base": (Base, "fixed"),
    "contacts": (Contacts, False),
    "contacts_of": (ContactsOf, None),
    "contact_points": (Points, None),
    "contact_corners": (Corners, 32),
    "friction": (Friction, 0.8),
    "package": (Package, None),
    "arg": (Argument, None),
    "start": (Start, None),
    "hold": (Hold, None),
    "repair": (Repair, False),
    "strict": (Strict, False),
}


def takes_mechanism(function: Callable[..., Any], trajectories: bool = False) -> Callable[..., Any]:
    """Give a command's function, `function(console, imported, ...)`, FILE, --register and the options of an import.

    trajectories: whether FILE may be a saved trajectory too, whose mechanism it then is.
    """

    @functools.wraps(function)
    def run(console: Console, *, file: Path, **options: Any) -> Any:
        from symvi.importers.contact_account import contacts_made

        run_files(options.pop("register"))
        own = {name: options.pop(name) for name in OPTIONS}
        _check_once(own["start"] or (), options.get("set_") or ())
        is_saved = trajectories and file.suffix.lower() == ".npz"
        imported = _of_trajectory(file) if is_saved else _imported(file, own, options.get("input_") or ())
        if imported.report.notices:
            lines = [imported.report.summary(), contacts_made(imported.report)]
            console.print("\n".join(filter(None, lines)), highlight=False, markup=False, soft_wrap=True)
        return function(console, imported, **options)

    function.__annotations__.pop("imported", None)  # its class is known to type checkers only: importing it takes long
    console, _, *others = inspect.signature(function, eval_str=True).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    file = inspect.Parameter("file", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=File)
    added = [
        inspect.Parameter(name, keyword, default=default, annotation=kind)
        for name, (kind, default) in {"register": (Register, None), **OPTIONS}.items()
    ]
    described: Any = run
    described.__signature__ = inspect.Signature([console, file, *others, *added])
    run.__annotations__ = {item.name: item.annotation for item in [console, file, *others, *added]}
    return run


def _of_trajectory(file: Path) -> "Imported":
    from symvi.importers import Imported, Report
    from symvi.simulate import Trajectory

    trajectory = Trajectory.load(file)
    return Imported(trajectory.mechanism, Report(str(file), ()), trajectory=trajectory)


def imported_looks(console: Console, imported: "Imported") -> "Looks":
    """How the bodies of an imported file look; says what of it is not shown."""
    from symvi.page.looks import looks_of

    looks = looks_of(imported.shown, imported.mechanism)
    for notice in looks.notices:
        console.print(notice, highlight=False, markup=False, soft_wrap=True)
    return looks


def _imported(file: Path, options: Mapping[str, Any], inputs: Sequence[str] = (), **others: Any) -> "Imported":
    """inputs: what the command has under --input; a keyframe's there are those of a start of the same name."""
    from symvi.importers import load

    links = options["contacts_of"]
    if options["contacts"] and links:
        raise SymviError("--contacts is of all links: leave it out, or leave --contacts-of out")
    start = _start(options["start"] or [])
    imported = load(
        file,
        base=options["base"],
        contacts="collision" if options["contacts"] else tuple(links or ()) or False,
        contact_points=_points(options["contact_points"] or []),
        contact_corners=options["contact_corners"],
        friction=options["friction"],
        packages=_pairs(options["package"] or [], "--package NAME=FOLDER"),
        arguments=_pairs(options["arg"] or [], "--arg NAME=VALUE"),
        start=start,
        hold=None if options["hold"] is None else _numbers(options["hold"], "--hold STIFFNESS,DAMPING"),
        repair=options["repair"],
        **others,
    )
    if start in inputs:
        imported = replace(imported, report=_with_inputs(imported.report, str(start)))
    if options["strict"]:
        imported.report.strict()
    return imported


def _with_inputs(report: "Report", key: str) -> "Report":
    """The report where the inputs of a start are taken as well."""
    from symvi.importers.report import Findings
    from symvi.importers.starts import INPUTS

    why = f"given to the simulation: --input {key}"
    taken = (replace(item, kind="taken", why=why) if item.what == INPUTS else item for item in report.notices)
    return Findings(report.file, list(taken)).report()


def _start(texts: list[str]) -> "str | dict[str, Given]":
    """The coordinates of joints, or the name of a start in the file."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    form = "--start JOINT=VALUE"
    return {joint: _quantities(value, form, f"{joint}={value}") for joint, value in _pairs(texts, form).items()}


def _check_once(starts: Sequence[str], settings: Sequence[str]) -> None:
    """Raises SymviError for a joint that `--start` and `--set` give a coordinate."""
    started = {text.partition("=")[0].strip(): text for text in starts if "=" in text}
    for text in settings:
        owner, _, field = text.partition("=")[0].strip().rpartition(".")
        if field == "coordinate" and owner in started:
            raise SymviError(f"--start {started[owner]!r}, --set {text!r}: give joint '{owner}' one start only")


def set_starts(imported: "Imported", texts: list[str]) -> "tuple[Imported, list[str]]":
    """The import that starts as texts of `--set` say, pin.coordinate=60 deg or pin.velocity=1; and the other texts."""
    from symvi.mechanism.starting import starting_at

    mechanism, others = imported.mechanism, []
    bodies, joints = set(mechanism.body_names), [joint.name for joint in mechanism.joints]
    fields: dict[str, dict[str, Given]] = {"coordinate": {}, "velocity": {}}
    for text in texts:
        name, sign, value = text.partition("=")
        owner, _, field = name.strip().rpartition(".")
        if not sign or field not in fields or owner in bodies or (field == "velocity" and owner not in joints):
            others.append(text)
            continue
        if owner in fields[field]:
            raise SymviError(f"--set {text!r}: it has a value already; give it one only")
        fields[field][owner] = _quantities(value, f"--set {owner}.{field}=VALUE", text)
    mechanism = starting_at(mechanism, fields["coordinate"], fields["velocity"])
    return (imported if len(others) == len(texts) else replace(imported, mechanism=mechanism)), others


def _pairs(texts: list[str], form: str) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign):
            option, _, what = form.partition(" ")
            raise SymviError(f"{option} {text!r}: write {what}")
        if name in pairs:
            raise SymviError(f"{form.partition(' ')[0]} {text!r}: it has a value already; give it one only")
        pairs[name] = value
    return pairs


def _points(texts: list[str]) -> dict[str, list[tuple[float, ...]]]:
    """Link -> its points, of LINK:x,y,z or LINK:x,y,z,radius."""
    points: dict[str, list[tuple[float, ...]]] = {}
    for text in texts:
        link, _, place = text.rpartition(":")
        form = "--contact-points LINK:x,y,z[,radius]"
        values = _numbers(place, form, text)
        if not link or len(values) not in (3, 4):
            raise SymviError(f"--contact-points {text!r}: write {form.split()[1]}, in metres")
        points.setdefault(link, []).append(values)
    return points


def import_file(
    console: Console,
    file: File,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write symvi's own description, .toml or .json.")
    ] = None,
    register: Register = None,
    prefix: Annotated[str, typer.Option(help="Before the names of all elements: left, or left_, gives left_arm.")] = "",
    gravity: Annotated[str | None, typer.Option(help="Instead of the file's.", metavar="x,y,z")] = None,
    base: Base = "fixed",
    contacts: Contacts = False,
    contacts_of: ContactsOf = None,
    contact_points: Points = None,
    contact_corners: Corners = 32,
    friction: Friction = 0.8,
    package: Package = None,
    arg: Argument = None,
    start: Start = None,
    hold: Hold = None,
    repair: Repair = False,
    strict: Strict = False,
) -> Mapping[str, Any]:
    """Import a mechanism (URDF, xacro, MJCF, trep), say what became of each part, and write it in symvi's own form."""
    options = {key: value for key, value in locals().items() if key in OPTIONS}
    run_files(register)
    if output is not None and output.suffix.lower() not in (".toml", ".json"):
        raise SymviError(f"--output {output}: let its name end in .toml or .json")
    if output is not None and not output.parent.is_dir():
        raise SymviError(f"--output {output}: there is no folder {output.parent}; make it first")
    fall = None if gravity is None else _numbers(gravity, "--gravity x,y,z")
    imported = _imported(file, options, prefix=prefix, gravity=fall)
    mechanism = imported.mechanism
    console.print(str(imported.report), highlight=False, markup=False, soft_wrap=True)
    counts = {name: len(getattr(mechanism, name)) for name in ("bodies", "joints", "forces", "contacts", "limits")}
    found = ", ".join(f"{count} {name}" for name, count in counts.items())
    console.print(f"{mechanism.name}: {found}", highlight=False, markup=False, soft_wrap=True)
    result = {"mechanism": mechanism.name, **counts, "report": imported.report.plain()}
    if output is not None:
        text = mechanism.to_json() if output.suffix.lower() == ".json" else mechanism.to_toml()
        output.write_text(text, encoding="utf-8", newline="\n")
        console.print(f"{output}: {len(text.splitlines())} lines", highlight=False, markup=False, soft_wrap=True)
        result["output"] = output
    return result


def _numbers(text: str, form: str, whole: str = "") -> tuple[float, ...]:
    """The numbers of an option. form: the option and how it is written. whole: all that it was given, if more."""
    from symvi.mechanism.units import decimal

    try:
        return tuple(decimal(part) for part in text.split(","))
    except ValueError:
        option, _, what = form.partition(" ")
        raise SymviError(f"{option} {(whole or text)!r}: write {what}") from None


def _quantities(text: str, form: str, whole: str) -> "Given":
    """The numbers of an option, or texts with units, which fit the joint or not. form, whole: as of `_numbers`."""
    from symvi.mechanism.units import quantity

    found: list[float | str] = []
    for part in text.split(","):
        try:
            found += _numbers(part, form, whole)
        except SymviError as error:
            try:
                quantity(part, ["any"])
            except ValueError as reason:
                raise (SymviError(f"{error}; {part.strip()!r} {reason}") if part.strip() else error) from None
            found.append(part)
    return found[0] if len(found) == 1 else found


import_file.__name__ = "import"  # a word of Python cannot be the name of a function
command(import_file)
