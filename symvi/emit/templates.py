"""How the text templates are read: by Jinja, which keeps what it has compiled."""

from functools import cache
from pathlib import Path

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from symvi.cache import keep, kept
from symvi.emit.template_files import templates_folder


class _Kept(BytecodeCache):
    """Templates that Jinja has compiled, kept in a folder of the cache; one that cannot be used only costs time."""

    def __init__(self, folder: Path):
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        found = kept(self._place(bucket))
        if found is not None:
            bucket.bytecode_from_string(found)  # of another Python or another text, it is not used

    def dump_bytecode(self, bucket: Bucket) -> None:
        keep(self._place(bucket), bucket.bytecode_to_string())

    def _place(self, bucket: Bucket) -> Path:
        return self.folder / f"{bucket.key}.cache"


@cache
def environment(subfolder: str, folder: Path | None = None) -> Environment:
    """Return the Jinja environment of one back end, e.g. "c"; its templates are read once per process.

    Those of another one are included by their folder's name: "batch/world.c.jinja".

    folder: one of the user's own in which compiled templates are kept for the next process (Jinja takes a tenth of a
    second for those of C, and looks whether a template has changed); it must be there.

    A name that a template uses and the view does not give is an error, never an empty string. Blocks leave no blank
    lines, so that a template looks like the text it makes. Nothing is escaped: a template that makes HTML escapes
    where it prints, with the filter `e`.
    """
    return Environment(
        loader=FileSystemLoader([templates_folder() / subfolder, templates_folder()]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        bytecode_cache=_Kept(folder) if folder else None,
    )
