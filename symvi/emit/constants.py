"""Constants that name things in a header: one gate that tells all of them apart, whatever a user called the things.

A constant is the prefix, what the thing is, and its name, in capitals: ARM_BODY_HAND. Different things may come to the
same text so: a joint `pin` to the world (revolute_ground) and a joint `ground_pin` between bodies (revolute), or bodies
`a_b` and `a__b`. Then none of them has that text, lest it mean another thing once a description gets one more: they are
numbered, and a comment tells which is which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import count

from symvi.numbers.control import SolverStatus

Thing = tuple[str, str]  # what it is, and its name

# what else the header and the source define under the prefix
OWN = ("ABI", "API", "COORDINATES", "DIGEST", "H", "POINTS", "REACTIONS", "SIZES", "SQRT", "VERSION")


def constants_of(prefix: str, things: Iterable[Thing]) -> Mapping[Thing, str]:
    """Thing -> its constant, all of them different, and different from what else has the prefix."""
    wanted = {thing: plain_constant(prefix, thing) for thing in things}
    own = {f"{prefix}_{name}".upper() for name in (*OWN, *(status.name for status in SolverStatus))}
    uses = Counter(wanted.values())
    taken = own | set(uses)
    found = {}
    for thing, text in wanted.items():
        found[thing] = text if uses[text] == 1 and text not in own else _numbered(text, taken)
        taken.add(found[thing])
    return found


def plain_constant(prefix: str, thing: Thing) -> str:
    """What names a thing where nothing else comes to the same text."""
    what, name = thing
    return "_".join((prefix, what, re.sub(r"[^A-Za-z0-9]+", "_", name))).upper()


def _numbered(text: str, taken: set[str]) -> str:
    return next(other for k in count(1) if (other := f"{text}_{k}") not in taken)
