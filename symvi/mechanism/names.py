"""The one gate that every name given by a user passes.

A name that passes is safe as a C, C++ and Python identifier, as part of a file name and in a page,
so that no later stage escapes, shortens or checks names again.
"""

from __future__ import annotations

import keyword
import re
import reprlib
from collections.abc import Collection, Iterable
from difflib import get_close_matches

__all__ = ["WORLD", "checked_name", "did_you_mean", "listed", "shown"]

WORLD = "world"
MOST_LISTED = 6  # names in one line that says how many there are

_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")

_C_WORDS = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char
char8_t char16_t char32_t class co_await co_return co_yield compl complex concept const const_cast consteval constexpr
constinit continue decltype default defined delete do double dynamic_cast else enum errno explicit export extern false
float for friend goto if imaginary inline int long main mutable namespace new noexcept noreturn not not_eq nullptr
operator or or_eq private protected public reflexpr register reinterpret_cast requires restrict return short signed
sizeof static static_assert static_cast struct switch synchronized template this thread_local throw true try typedef
typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq NULL NAN
INFINITY
"""
_RESERVED = frozenset(word.lower() for word in (*_C_WORDS.split(), *keyword.kwlist, *keyword.softkwlist))


def shown(value: object) -> str:
    """A value as an error shows it: short, one line, plain ASCII, whatever a user put there."""
    if isinstance(value, str):
        text = repr(value[:40] + "..." if len(value) > 43 else value)
    else:
        try:
            text = _SHORT.repr(value)
        except ValueError:  # Python refuses to print integers of many thousand digits
            text = "an integer of very many digits"
        except Exception:  # a value whose own repr fails is still only a wrong value
            text = f"a value of type {type(value).__name__}"
    return text.encode("ascii", "backslashreplace").decode()[:120]


_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 60
_SHORT.maxtuple = _SHORT.maxlist = 12


def listed(names: Collection[str], what: str) -> str:
    """A count and the first names, for one line: "13 bodies: trunk, hip, ..."."""
    first = ", ".join(list(names)[:MOST_LISTED])
    return f"{len(names)} {what}" + (f": {first}" if first else "") + (", ..." if len(names) > MOST_LISTED else "")


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """The remedy for an unknown word: the nearest known one, or the known ones (at most twelve)."""
    known = list(dict.fromkeys(candidates))
    near = get_close_matches(word[:80], known, n=1)
    if not near:  # the same word in another case is the nearest of all, and difflib does not see it
        near = [name for name in known if name.lower() == word.lower()]
    if near:
        return f"did you mean '{near[0]}'?"
    if not known:
        return "none is known"
    return "known: " + ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")


def checked_name(value: object) -> str:
    """The name, if it passes the gate.

    Raises ValueError with a text that continues "name 'x' ...": letters, digits and underscores, a letter first,
    at most 63 characters, no keyword of C, C++ or Python, and not "world", in any case.
    """
    if not isinstance(value, str):
        raise ValueError("must be a text")
    if not _PATTERN.fullmatch(value):
        raise ValueError("must be 1 to 63 letters a-z, A-Z, digits or underscores, with a letter first")
    if value.lower() == WORLD:
        raise ValueError("is the fixed frame itself; choose another name")
    if value.lower() in _RESERVED:
        raise ValueError("is a reserved word of C, C++ or Python; choose another name")
    return value
