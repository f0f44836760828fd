"""What a function is, as a text: two that may give different numbers have different ones.

A sweep that goes on from its file must measure what it measured before. Of a function that is its code, with the
functions in it, its defaults, what it closes over, and the numbers, texts and functions of its module that it names.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import uuid
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, type(None))


def fingerprint(function: Callable[..., Any]) -> str:
    """Of a function. What cannot be told apart from others has one that is never the same again."""
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(thing: object, seen: set[int]) -> Iterator[str]:
    """Texts that tell a thing. seen: functions that are told already."""
    if isinstance(thing, PLAIN):
        yield f"{type(thing).__name__} {thing!r}"
    elif isinstance(thing, ModuleType | BuiltinFunctionType | type):
        yield f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', thing.__name__)}"
    elif isinstance(thing, CodeType):
        yield f"{thing.co_code.hex()} {thing.co_names!r}"
        for constant in thing.co_consts:
            yield from _parts(constant, seen)
    elif isinstance(thing, FunctionType):
        yield f"{thing.__module__}.{thing.__qualname__}"
        if id(thing) not in seen:  # one that calls itself is told once
            seen.add(id(thing))
            yield from _parts_of_function(thing, seen)
    elif isinstance(thing, functools.partial):
        yield "partial"
        yield from _parts_of_all([thing.func, thing.args, thing.keywords], seen)
    elif isinstance(thing, MethodType):
        yield "method"
        yield from _parts_of_all([thing.__func__, thing.__self__], seen)
    elif isinstance(thing, tuple | list):
        yield f"{type(thing).__name__} {len(thing)}"
        yield from _parts_of_all(thing, seen)
    elif isinstance(thing, set | frozenset):  # whose order is another one in each process
        yield from sorted("\0".join(_parts(each, seen)) for each in thing)
    elif isinstance(thing, dict):
        yield f"dict {len(thing)}"
        yield from _parts_of_all([each for pair in thing.items() for each in pair], seen)
    else:
        yield from _parts_of_object(thing, seen)


def _parts_of_all(things: Any, seen: set[int]) -> Iterator[str]:
    for thing in things:
        yield from _parts(thing, seen)


def _parts_of_function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    yield from _parts(function.__code__, seen)
    yield from _parts_of_all([function.__defaults__, function.__kwdefaults__], seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, seen)
        except ValueError:  # nothing is in it yet
            yield "empty"
    for name in sorted(_named(function.__code__)):
        if name in function.__globals__:
            yield name
            yield from _parts(function.__globals__[name], seen)


def _named(code: CodeType) -> Iterator[str]:
    """What a code and the codes in it name."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant)


def _parts_of_object(thing: object, seen: set[int]) -> Iterator[str]:
    """Of an object: what it is made of, and, where it is called, how."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    yield f"{type(thing).__module__}.{type(thing).__qualname__}"
    call = vars(type(thing)).get("__call__")
    if isinstance(call, FunctionType):
        yield from _parts(call, seen)
    try:
        yield hashlib.sha256(pickle.dumps(thing)).hexdigest()
    except Exception:
        if not hasattr(thing, "__dict__"):
            yield uuid.uuid4().hex
            return
        yield from _parts(vars(thing), seen)
