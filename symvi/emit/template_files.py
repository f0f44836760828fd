"""Where the text templates live.

In a wheel the build copies the repository's `templates/` to `symvi/templates`; in a checkout or an editable install
that copy does not exist and the folder is the sibling of the package. One function knows both places.
"""

import re
from functools import cache
from pathlib import Path


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
def function_names(subfolder: str) -> frozenset[str]:
    """The names of the functions that the templates of C define: no local variable has one of them."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((templates_folder() / subfolder).glob("*.jinja")))
    return frozenset(name for text in texts for name in re.findall(r"^static .*?(\w+)\(", text, re.M))
