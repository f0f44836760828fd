"""The options of an import, checked once for every format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal

from symvi.errors import MechanismError
from symvi.importers.hulls import FEWEST, MOST
from symvi.mechanism.names import checked_name, shown
from symvi.mechanism.starting import Given
from symvi.mechanism.values import items_of, not_negative, number, numbers, vector

__all__ = ["Options"]


@dataclass(frozen=True)
class Options:
    """The keywords of `load`, see there. Raises MechanismError for values that mean nothing."""

    base: Literal["fixed", "floating"] = "fixed"
    contacts: Literal["collision"] | bool | Collection[str] = False
    contact_points: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    contact_corners: int = 32
    friction: float = 0.8
    packages: Mapping[str, str | PathLike[str]] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    gravity: Sequence[float] | None = None
    prefix: str = ""
    repair: bool = False
    start: str | Mapping[str, Given] = field(default_factory=dict)
    hold: Sequence[float] | None = None

    def __post_init__(self) -> None:
        self._refuse_other_kinds()
        if not _is_text(self.base) or self.base not in ("fixed", "floating"):
            raise MechanismError(f"base {shown(self.base)} must be 'fixed' or 'floating'")
        if self.contacts is True:  # as the option --contacts of the command line
            object.__setattr__(self, "contacts", "collision")
        if not _is_choice_of_links(self.contacts):
            raise MechanismError(f"contacts {shown(self.contacts)} must be 'collision', or a list of links")
        corners = self.contact_corners
        if isinstance(corners, bool) or not isinstance(corners, int) or not FEWEST <= corners <= MOST:
            raise MechanismError(f"contact_corners {shown(corners)} must be a whole number from {FEWEST} to {MOST}")
        try:
            not_negative(number(self.friction))
        except ValueError as error:
            raise MechanismError(f"friction {shown(self.friction)} {error}") from None
        try:
            if self.gravity is not None:
                vector(self.gravity)
        except ValueError as error:
            raise MechanismError(f"gravity {shown(self.gravity)} {error}") from None
        try:
            checked_name(self.prefix or "name")
        except ValueError as error:
            raise MechanismError(f"prefix {shown(self.prefix)} {error}") from None
        try:
            if self.hold is not None:
                for gain in numbers(self.hold, 2):
                    not_negative(gain)
        except ValueError as error:
            raise MechanismError(f"hold {shown(self.hold)} (stiffness, damping) {error}") from None
        for name, folder in self.packages.items():
            if not Path(folder).is_dir():
                raise MechanismError(f"package {shown(name)}: {shown(str(folder))} is no folder")

    def _refuse_other_kinds(self) -> None:
        """Raise MechanismError where an option is another kind of value than it must be."""
        for name, fits, words in (
            ("contact_points", _is_table(self.contact_points, _is_points), "link -> list of points (x, y, z)"),
            ("packages", _is_table(self.packages, _is_path), "name of a package -> folder"),
            ("arguments", _is_table(self.arguments, _is_text), "name -> text"),
            ("prefix", _is_text(self.prefix), "a text"),
            ("start", _is_text(self.start) or _is_table(self.start, lambda _: True), "joint -> value, or a text"),
            ("repair", isinstance(self.repair, bool), "True or False"),
        ):
            if not fits:
                raise MechanismError(f"{name} {shown(getattr(self, name))} must be {words}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_path(value: object) -> bool:
    return isinstance(value, str | PathLike)


def _is_points(value: object) -> bool:
    return _is_list(value) and all(_is_list(point) for point in value)  # type: ignore[attr-defined]


def _is_list(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def _is_table(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) and fits(item) for name, item in value.items())


def _is_choice_of_links(contacts: object) -> bool:
    if contacts is False or isinstance(contacts, str):
        return contacts is False or contacts == "collision"
    links = items_of(contacts) if isinstance(contacts, Collection) else None
    return links is not None and all(isinstance(link, str) for link in links)
