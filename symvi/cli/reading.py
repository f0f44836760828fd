"""The command `manual`: where the pages of the manual lie, or the text of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from symvi.cli.console import command
from symvi.errors import SymviError

FOLDER = Path(__file__).parents[1] / "manual"


@command
def manual(
    console: Console,
    page: Annotated[str | None, typer.Argument(help="A page, such as loops; a list of all if left out.")] = None,
) -> Mapping[str, Any]:
    """Print a page of the manual, or where its pages lie."""
    from symvi.mechanism.names import did_you_mean, shown

    pages = {path.stem: path for path in sorted(FOLDER.glob("*.md"))}
    if page is not None and page not in pages:
        raise SymviError(f"the manual has no page {shown(page)}; {did_you_mean(page, pages)}")
    text = "\n".join([str(FOLDER), *pages]) if page is None else pages[page].read_text(encoding="utf-8")
    console.print(text.rstrip("\n"), markup=False, highlight=False, soft_wrap=True)
    return {"pages": pages} if page is None else {"page": pages[page], "text": text}
