"""The C text that runs many worlds of one mechanism: a loop around the solver's own text, which stays as it is."""

from __future__ import annotations

from pathlib import Path

from symvi import __version__
from symvi.emit.c import Sources, declarations_of
from symvi.emit.templates import environment


def generate_batch(prefix: str, real: str, coordinates: int, kept: Path | None = None) -> Sources:
    """A header and a source beside those of a solver. No mathematics: which world is stepped, and what is read of it.

    prefix, real: of the solver's text. coordinates: how many a knot has. kept: a folder for compiled templates.
    """
    view = {"prefix": prefix, "PREFIX": prefix.upper(), "version": __version__, "coordinates": coordinates}
    env, name = environment("batch", kept), f"{prefix}_batch"
    header, source = (env.get_template(f"batch.{end}.jinja").render(view) for end in "hc")
    declarations = f"typedef {real} {prefix}_real;\n" + declarations_of(header)
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations, "", real)
