"""What can still be checked of an element some of whose fields are wrong: everything that needs none of these fields.

A check is a function without arguments that gives its complaints. It reads the fields of an element; where the element
stands for its valid part only, reading a wrong field ends that check, and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from inspect import getattr_static
from types import FunctionType, MethodType
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

__all__ = ["ValidPart", "WrongFieldError", "each"]

T = TypeVar("T")


class WrongFieldError(Exception):
    """A check asked for a field that has a complaint of its own."""


def each(*checks: Callable[[], Iterable[T]]) -> Iterator[T]:
    """What all checks find; one that asks for a wrong field ends there."""
    for check in checks:
        try:
            yield from check()
        except WrongFieldError:
            continue


class ValidPart:
    """Stands for an element built of `given`, whose fields `wrong` nobody may read."""

    def __init__(self, model: type[BaseModel], given: Mapping[str, Any], wrong: Collection[str]):
        validators = _validators(model)
        valid = {name: given[name] for name in validators if name in given and name not in wrong}
        values = {name: validators[name].validate_python(value) for name, value in valid.items()}
        self._element, self._wrong = model.model_construct(**values), frozenset(wrong)

    def without(self, names: Iterable[str]) -> None:
        """Take more fields as wrong."""
        self._wrong |= frozenset(names)

    def left_out(self) -> list[str]:
        """The fields that have no value."""
        return [name for name in type(self._element).model_fields if self._element.__dict__.get(name) is None]

    def fill(self, values: Mapping[str, Any]) -> None:
        """Give values to fields that have none."""
        vars(self._element).update({name: values[name] for name in self.left_out() if name in values})

    def __getattr__(self, name: str) -> Any:
        if name in self._wrong:
            raise WrongFieldError(name)
        found = getattr_static(type(self._element), name, None)
        if isinstance(found, property) and found.fget is not None:
            return found.fget(self)
        return MethodType(found, self) if isinstance(found, FunctionType) else getattr(self._element, name)


@cache
def _validators(model: type[BaseModel]) -> dict[str, TypeAdapter]:
    """A validator for each field alone."""
    config = ConfigDict(arbitrary_types_allowed=True)
    fields = model.model_fields.items()
    forms: dict[str, Any] = {
        name: Annotated[(i.annotation, *i.metadata)] if i.metadata else i.annotation for name, i in fields
    }
    return {name: TypeAdapter(form, config=config) for name, form in forms.items()}
