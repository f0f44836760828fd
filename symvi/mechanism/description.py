"""The base of every described thing: a frozen pydantic model whose errors are sentences.

A wrong value becomes "body 'arm': mass -1.0 must be positive": the element, the field, what was found, what would do.
All problems of an element are collected before anything is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.partial import ValidPart, WrongFieldError, each

__all__ = ["Complaint", "Complaints", "Description"]

MOST_COMPLAINTS = 200  # of one element; a table of a million wrong keys is wrong enough after these


class Complaint(NamedTuple):
    """One problem: the keys that lead to it, and the sentence."""

    path: tuple[str | int, ...]
    text: str


def complaints_of(whose: str, found: object) -> Iterator[Complaint]:
    """What a function `complaints` found. Raises MechanismError where that are no complaints."""
    form = "Complaint(path, text) of symvi.mechanism.description, a tuple and a sentence"
    if not isinstance(found, Iterable):
        raise MechanismError(f"{whose}: complaints returned {found!r}, but must give a {form}, for each problem")
    for item in found:
        if not (isinstance(item, Complaint) and isinstance(item.path, tuple) and isinstance(item.text, str)):
            raise MechanismError(f"{whose}: complaints gave {item!r}, but each must be a {form}")
        yield item


class Complaints(ValueError):
    """Several problems of one model, on their way through pydantic's validation."""

    def __init__(self, items: Iterable[Complaint]):
        self.items = tuple(items)
        super().__init__("; ".join(item.text for item in self.items))


class Description(BaseModel):
    """A frozen, validated piece of a description; unknown fields are refused.

    Raises MechanismError with every problem when it is built from wrong values.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)
    label: ClassVar[str] = "description"

    def __init__(self, /, **values: Any):
        try:
            super().__init__(**values)
        except ValidationError as error:
            found = list(islice(_complaints(error, type(self)), MOST_COMPLAINTS))
            wrong = {str(complaint.path[0]) for complaint in found if complaint.path}
            if wrong and not _between_fields(error):
                found += islice(_of_valid_part(type(self), values, wrong), MOST_COMPLAINTS)
            title = f"{self.label} {shown(values['name'])}" if "name" in values else self.label
            raise MechanismError(
                [f"{title}: {complaint.text}" for complaint in found], [complaint.path for complaint in found]
            ) from None

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """pydantic's other way to make one, with the errors of this one."""
        return _in_words(cls, super().model_validate, obj, options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        return _in_words(cls, super().model_validate_json, json_data, options)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; what is updated is validated."""
        return self.changed(**update) if update else super().model_copy(deep=deep)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except (ValidationError, ValueError):  # pydantic's, of a field and of what is none
            raise self._frozen(name) from None

    def __delattr__(self, name: str) -> None:
        try:
            super().__delattr__(name)
        except (ValidationError, ValueError):
            raise self._frozen(name) from None

    def _frozen(self, name: str) -> ArgumentError:
        title = f"{self.label} {shown(vars(self)['name'])}" if "name" in type(self).model_fields else self.label
        return ArgumentError(f"{title} is frozen; make another one: .changed({name}=...)")

    def complaints(self) -> Iterator[Complaint]:
        """What is wrong between the fields, each of which is valid by itself.

        Independent checks go through `each`, so that those are made which need no wrong field.
        """
        return iter(())

    def defaults(self) -> dict[str, Any]:
        """The values of fields that follow from other fields where they were left out."""
        return {}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for name, value in self.defaults().items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)  # the model is frozen from here on
        found = list(complaints_of(type(self).__name__, self.complaints()))
        if found:
            raise Complaints(found)
        return self

    @classmethod
    def own_default(cls, name: str) -> Any:
        """The value of a field that is left out, as far as it does not follow from others."""
        return _own_defaults(cls)[name]

    def changed(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated like a new one."""
        return type(self)(**{**self.given(), **changes})

    def given(self) -> dict[str, Any]:
        """The fields that neither have their default nor follow from others: what a file needs to say."""
        without = _own_defaults(type(self)) | self.defaults()
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in values.items() if name not in without or value != without[name]}


def _in_words(model: type[Description], make: Callable[..., Any], given: object, options: Mapping[str, Any]) -> Any:
    """What a function of pydantic makes of what was given. Raises MechanismError in place of its ValidationError."""
    try:
        return make(given, **options)
    except ValidationError as error:
        raise MechanismError(f"{model.label}: {shown(given)}: {error.errors(include_url=False)[0]['msg']}") from None


@cache
def _own_defaults(model: type[Description]) -> dict[str, Any]:
    """The defaults of the fields that may be left out; asking pydantic each time takes most of the time of reading."""
    fields = model.model_fields.items()
    return {name: item.get_default(call_default_factory=True) for name, item in fields if not item.is_required()}


def _between_fields(error: ValidationError) -> bool:
    """Whether all fields were valid, so that what is wrong between them is known already."""
    return any(not item["loc"] for item in error.errors(include_url=False))


def _of_valid_part(model: type[Description], values: Mapping[str, Any], wrong: Collection[str]) -> Iterator[Complaint]:
    """What is wrong between the valid fields of an element that has wrong ones."""
    part: Any = ValidPart(model, values, wrong)
    try:
        part.fill(model.defaults(part))
    except WrongFieldError:
        part.without(part.left_out())  # nobody knows what they would be
    found = each(lambda: complaints_of(model.__name__, model.complaints(part)))
    yield from (item for item in found if not item.path or item.path[0] not in wrong)


def _complaints(error: ValidationError, model: type[Description]) -> Iterator[Complaint]:
    for item in error.errors(include_url=False):
        path, found = tuple(item["loc"]), item["input"]
        cause = item.get("ctx", {}).get("error")
        where = ".".join(str(part) for part in path)
        if isinstance(cause, Complaints):
            yield from (Complaint(path + complaint.path, complaint.text) for complaint in cause.items)
        elif item["type"] == "extra_forbidden":
            remedy = did_you_mean(str(path[-1]), model.model_fields)
            yield Complaint(path, f"unknown field {shown(path[-1])}; {remedy}")
        elif item["type"] == "missing":
            meaning = model.model_fields[str(path[0])].description
            yield Complaint(path, f"{where} is missing" + (f" ({meaning})" if meaning != where else ""))
        elif cause is not None:
            yield Complaint(path, f"{where} {shown(found)} {cause}")
        else:
            yield Complaint(path, f"{where} {shown(found)} is refused: {item['msg']}")
