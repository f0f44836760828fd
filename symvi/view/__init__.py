"""The viewer: a mechanism live in the browser, through viser (extra `view`). Needs nothing of it until it is opened."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from symvi.errors import missing_extra

if TYPE_CHECKING:
    from symvi.view.viewer import Viewer

__all__ = ["open_viewer"]


def open_viewer(*arguments: Any, **options: Any) -> Viewer:
    """A `Viewer`, see there, with its server running. Raises MissingExtraError where viser is not installed."""
    if find_spec("viser") is None:
        raise missing_extra("view", "viser")
    from symvi.view.viewer import Viewer

    return Viewer(*arguments, **options)
