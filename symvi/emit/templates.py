"""Where the text templates live, and how they are read.

In a wheel the build copies the repository's `templates/` to `symvi/templates`; in a checkout or an editable install
that copy does not exist and the folder is the sibling of the package. One function knows both places.
"""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def templates_folder() -> Path:
    """Return the folder of all templates: the packaged copy if there is one, else the checkout's own.

    Raises FileNotFoundError when neither exists, which means a broken installation.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "templates", package.parent / "templates"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("symvi: its templates are missing; install the package again")


@cache
def environment(subfolder: str) -> Environment:
    """Return the Jinja environment of one back end, e.g. "c"; its templates are read once per process.

    A name that a template uses and the view does not give is an error, never an empty string. Blocks leave no blank
    lines, so that a template looks like the text it makes. Nothing is escaped: a template that makes HTML escapes
    where it prints, with the filter `e`.
    """
    return Environment(
        loader=FileSystemLoader(templates_folder() / subfolder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
