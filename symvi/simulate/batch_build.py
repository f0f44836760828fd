"""The library that steps the worlds of a batch: side by side in lanes of vectors where that can be, else in turn."""

from __future__ import annotations

import hashlib
import json
import platform
from functools import lru_cache
from typing import TYPE_CHECKING

from symvi.cache import cache_folder, keep, kept
from symvi.emit.batch import generate_batch, generate_lanes, has_lanes
from symvi.emit.c import Sources
from symvi.errors import ArgumentError
from symvi.native import Library, compile_library, find_compiler, load_library
from symvi.simulate.knots import coordinate_places
from symvi.simulate.solver_build import _templates, composed, registered
from symvi.simulate.text_version import text_version

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

VECTORS = ("gcc", "clang", "zig")  # compilers that have them
# Vectors are wanted as they are written; what makes a scalar loop quicker is of little use beside them.
FLAGS: dict[str, tuple[str, ...]] = {"gcc": ("-O2", "-Wno-psabi")}
if platform.machine().lower() in ("x86_64", "amd64"):  # clang halves the widest ones where it is not told
    FLAGS["clang"] = ("-mprefer-vector-width=512",)


NO_LANES = "worlds with so many contacts that far ones are left out are stepped one after the other"


def batch_library(own: Simulator, varied: bool, lanes: int | None) -> Library:
    """The library for the batches of a simulator, compiled and loaded.

    varied: whether every world has parameters of its own. lanes: how many worlds a vector has; True for as many as fit
    this processor's registers, False for none, None for True where the mechanism and the compiler allow it. Raises
    ArgumentError where they are wanted and cannot be, CompilerError.
    """
    assert own.text is not None
    text, sources, flags = own.text, None, ()
    if lanes is not False:
        why, kind = _refusal()
        sources = None if why else lane_sources(own)
        if sources is None and lanes is not None:
            raise ArgumentError(f"lanes of mechanism '{own.mechanism.name}': {why or NO_LANES}; leave lanes out")
        if sources is not None:
            width = () if lanes is None or lanes is True else (f"-DLANES={lanes}",)
            flags = FLAGS.get(kind, ()) + (("-DVARIED",) if varied else ()) + width
    found = generate_batch(text.prefix, text.real, coordinate_count(own), _templates()) if sources is None else sources
    header = {name: content for name, content in text.files.items() if name.endswith(".h")}
    path = compile_library({**header, **found.files}, found.name, profile=own.profile, flags=flags)
    return load_library(path, found.declarations)


def _refusal() -> tuple[str, str]:
    """Why the compiler has no vectors, empty where it has; and of which kind it is."""
    compiler = find_compiler()
    kind = "" if compiler is None else compiler.kind
    if kind in VECTORS:
        return "", kind
    return f"they need the vectors of gcc or clang, and the compiler is {kind or 'missing'}", kind


def coordinate_count(own: Simulator) -> int:
    """How many coordinates its joints have."""
    return sum(place.stop - place.start for place in coordinate_places(own.plan).values())


def lane_sources(own: Simulator) -> Sources | None:
    """The text of its lanes, from disk if it was made before; None where the mechanism has none."""
    assert own.text is not None
    text = own.text
    return _lane_sources(
        own.mechanism, own.loops, own.coordinates, text.layout, text.real, text.prefix, coordinate_count(own),
        registered(own.mechanism),
    )  # fmt: skip


@lru_cache(maxsize=64)
def _lane_sources(mechanism, loops, coordinates, layout, real, prefix, moved, registrations) -> Sources | None:
    asked = [mechanism.digest, loops, coordinates, layout, real, prefix, moved, text_version()]
    key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:40]
    place = cache_folder() / "texts" / f"{mechanism.name}-lanes-{key}.json"
    lasts = not any(registrations)  # neither digest says what a record from outside does
    found = kept(place) if lasts else None
    if found is not None:
        data = json.loads(found)
        return Sources(**data) if data else None
    program = composed(mechanism, loops, coordinates)
    sources = generate_lanes(program, layout, real, prefix, moved, _templates()) if has_lanes(program) else None
    if lasts:
        data = {} if sources is None else {**vars(sources), "files": dict(sources.files)}
        keep(place, json.dumps(data).encode())
    return sources
