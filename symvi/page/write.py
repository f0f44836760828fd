"""Writing the page: one view of the trajectory as JSON, laid out by the template in `templates/page`.

Nothing a user named is trusted: the data stands in the page as JSON without any `<`, `>` or `&`, the script puts it on
the screen as text only, and the page's own security policy lets no other script run and nothing be fetched.
"""

from __future__ import annotations

import errno
import json
import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from numbers import Integral, Real
from pathlib import Path

import numpy as np

from symvi.emit.template_files import templates_folder
from symvi.emit.templates import environment
from symvi.errors import ArgumentError, MissingFileError, SymviError, told_as_files
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path
from symvi.mechanism.names import shown
from symvi.mechanism.values import items_of, vector
from symvi.page.charts import chosen_charts, is_recorded, own_curves
from symvi.page.contact_arrows import contact_view
from symvi.page.facts import list_facts
from symvi.page.framing import choose_framing, choose_marks
from symvi.page.hard_steps import hard_steps
from symvi.page.keyframes import Keyframes, choose_keyframes, encode
from symvi.page.looks import NO_LOOKS, Looks
from symvi.page.parts import point
from symvi.page.scene import Mark, build_scene

__all__ = ["SCRIPTS", "page_text", "write_page"]

# In reading order: each uses only what stands before it.
SCRIPTS = (
    "algebra.js", "solids.js", "motion.js", "meshes.js", "scene.js", "camera.js", "webgl.js", "painter.js",
    "overlay.js", "curves.js", "controls.js", "replay.js",
)  # fmt: skip

MOST_FPS = 1e6


def write_page(
    trajectory,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    max_frames: int = 2001,
    fps: float | None = None,
    traces: Sequence[tuple[str, Sequence[float]]] | None = None,
    facts: Mapping[str, object] | None = None,
    looks: Looks = NO_LOOKS,
    curves: Sequence[str] = (),
) -> Path:
    """Write a page that replays a trajectory in three dimensions, and return its path.

    trajectory: a value with mechanism, time (N,) [s], position (N, n, 3) [m], orientation (N, n, 4), energy,
        kinetic_energy, potential_energy (N,) [J], closure (N,) [m or rad] and iterations (N,); what makes it
        doubtful is told, if it has `alarms`.
    title: of the page; the name of the mechanism if left out.
    max_frames, fps: at most so many pictures, and so many per second of the motion (None: as many as max_frames).
    traces: (body name, point in its frame [m]) whose paths are drawn, and up to which a body without shape is drawn;
        left out, those of the free ends. Further ones come and go with a click.
    facts: further rows of the table, such as {"freedoms": 1}.
    looks: how bodies look in the file that the mechanism came from (`looks_of`).
    curves: names as in `Trajectory.curves`, such as ["pin", "motor.power"], of further curves: a chart for each unit.
    Raises SymviError for an unknown body, or if no placement is finite; ArgumentError for an argument that is none;
    FileError if the file cannot be written. The same trajectory gives the same bytes.
    """
    path = checked_path(path)
    text = page_text(
        trajectory, title=title, max_frames=max_frames, fps=fps, traces=traces, facts=facts, looks=looks, curves=curves
    )
    return _write_whole(path, text)


def page_text(
    trajectory,
    *,
    title: str | None = None,
    max_frames: int = 2001,
    fps: float | None = None,
    traces: Sequence[tuple[str, Sequence[float]]] | None = None,
    facts: Mapping[str, object] | None = None,
    looks: Looks = NO_LOOKS,
    curves: Sequence[str] = (),
) -> str:
    """The text of a page, see `write_page`."""
    _check_arguments(trajectory, title, max_frames, fps, traces, facts, looks)
    mechanism = trajectory.mechanism
    marks = _marks(mechanism, traces or ())
    try:
        frames = choose_keyframes(trajectory, max_frames, fps)
    except ValueError as error:
        raise SymviError(f"mechanism {mechanism.name!r}: {error}") from None
    data = _page_data(trajectory, frames, marks, traces is None, looks)
    data["charts"] = chosen_charts(trajectory, frames, curves)
    data["facts"] = list_facts(trajectory, frames, facts)
    data["title"] = title or mechanism.name
    script = "\n".join((templates_folder() / "page" / name).read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'"use strict";\n{script}'
    return (
        environment("page")
        .get_template("replay.html.jinja")
        .render(
            title=data["title"],
            styles=(templates_folder() / "page" / "replay.css").read_text(encoding="utf-8"),
            script=script,
            script_digest=b64encode(sha256(script.encode()).digest()).decode("ascii"),
            own=[name for name in ("energy", "closure") if is_recorded(trajectory, name)],
            data=_embedded(data),
        )
    )


def _check_arguments(trajectory, title, max_frames, fps, traces, facts, looks) -> None:
    """Raises ArgumentError for an argument of `write_page` that is none."""
    is_number = isinstance(fps, Real) and not isinstance(fps, bool) and not fps <= 0 and fps <= MOST_FPS
    for name, value, fits, words in (
        ("trajectory", trajectory, isinstance(getattr(trajectory, "mechanism", None), Mechanism), "a Trajectory"),
        ("title", title, title is None or isinstance(title, str), "a text, or None"),
        ("max_frames", max_frames, isinstance(max_frames, Integral), "a whole number"),
        ("fps", fps, fps is None or is_number, f"a number of pictures per second up to {MOST_FPS:g}, or None"),
        ("traces", traces, traces is None or _are_traces(traces), "a list of (body name, point), or None"),
        ("facts", facts, facts is None or isinstance(facts, Mapping), "a mapping from names to values, or None"),
        ("looks", looks, isinstance(looks, Looks), "what looks_of returns"),
    ):
        if not fits:
            raise ArgumentError(f"{name} {shown(value)}: must be {words}")


def _are_traces(traces: object) -> bool:
    pairs = [items_of(pair) for pair in items_of(traces) or ()]
    return items_of(traces) is not None and all(
        pair is not None and len(pair) == 2 and isinstance(pair[0], str) and _is_point(pair[1]) for pair in pairs
    )


def _is_point(value: object) -> bool:
    try:
        return bool(vector(value))
    except ValueError:
        return False


def _marks(mechanism, traces) -> tuple[Mark, ...]:
    index = {body.name: number for number, body in enumerate(mechanism.bodies)}
    for name, _ in traces:
        if name not in index:
            raise SymviError(f"trace: there is no body {name!r}; the bodies are {', '.join(index)}")
    return tuple((index[name], point(place)) for name, place in traces)


def _page_data(trajectory, frames: Keyframes, marks: tuple[Mark, ...], choose: bool, looks: Looks) -> dict[str, object]:
    """All that the script reads, in JSON's own types."""
    mechanism = trajectory.mechanism
    scene = build_scene(mechanism, marks, looks)
    framing = choose_framing(mechanism, scene, frames)
    contacts = contact_view(trajectory, frames, float(np.linalg.norm(framing.high - framing.low)))
    return {
        "description": mechanism.description,
        "bodies": [
            {"name": body.name, "color": body.color, "center": body.center_of_mass, "points": points}
            for body, points in zip(mechanism.bodies, scene.points, strict=True)
        ],
        "parts": [asdict(part) for part in scene.parts],
        "meshes": [
            {
                "vertices": encode((mesh.vertices + 0.5) * 65535 + 0.5, "u2"),
                "triangles": encode(mesh.triangles, "u4" if len(mesh.vertices) > 65536 else "u2"),
                "wide": len(mesh.vertices) > 65536,
                "size": mesh.size,
            }
            for mesh in looks.meshes
        ],
        "spans": [asdict(span) for span in scene.spans],
        "length": scene.length,
        "frames": {
            "time": encode(np.asarray(trajectory.time)[frames.steps], "f8"),
            "position": encode(frames.position, "f4"),
            "orientation": encode(frames.orientation, "f4"),
            "center": encode(framing.center, "f4"),
            "blended": frames.blended,
        },
        "view": {
            "low": framing.low.tolist(),
            "high": framing.high.tolist(),
            "up": framing.up.tolist(),
            "toward": framing.toward.tolist(),
            "ground": framing.ground,
            "follow": framing.follow,
        },
        "contacts": contacts
        and {
            "names": contacts.names,
            "scale": contacts.scale,
            "longest": contacts.longest,
            "point": encode(contacts.point, "f4"),
            "arrow": encode(contacts.arrow, "f4"),
        },
        "traces": choose_marks(scene, frames) if choose else marks,
        "warnings": _warnings(trajectory),
        "hard": hard_steps(trajectory),
        "curves": own_curves(trajectory, frames),
    }


def _warnings(trajectory) -> list[dict[str, object]]:
    """What is wrong with a motion, and when."""
    return [{"time": alarm.time, "text": alarm.sentence} for alarm in getattr(trajectory, "alarms", ())]


def _embedded(data: object) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or open a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _write_whole(path: Path, text: str) -> Path:
    """Write the file at once, so that a killed process leaves no half of it."""
    if not path.parent.is_dir():
        raise MissingFileError(errno.ENOENT, "no such folder", str(path.parent))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with told_as_files(path):
        try:
            draft.write_text(text, encoding="utf-8", newline="\n")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    return path
