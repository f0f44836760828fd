"""Which parameter of a user's code is which variable: by its name, or by its name written in another way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from symvi.verify.errors import VerificationError


def matched(parameters: Iterable[str], variables: Iterable[str], given: Mapping[str, str], said: str) -> dict[str, str]:
    """Parameter -> variable, for those that are one: as `given`, of the same name, or x_a for xa and XA.

    Raises VerificationError for what is given and does not exist, and for two parameters that are one variable.
    """
    parameters, variables = list(parameters), list(variables)
    for parameter, variable in given.items():
        if parameter not in parameters or variable not in variables:
            what = f"parameter '{parameter}'" if parameter not in parameters else f"variable '{variable}'"
            raise VerificationError(f"{said}: names={{'{parameter}': '{variable}'}}: there is no {what}")
    alike: dict[str, list[str]] = {}
    for variable in variables:
        alike.setdefault(bare(variable), []).append(variable)
    found = {}
    for parameter in parameters:
        same = alike.get(bare(parameter), [])
        if parameter in given:
            found[parameter] = given[parameter]
        elif parameter in variables:
            found[parameter] = parameter
        elif len(same) == 1:
            found[parameter] = same[0]
    for variable in set(found.values()):
        of = [parameter for parameter, name in found.items() if name == variable]
        if len(of) > 1:
            raise VerificationError(f"{said}: the parameters {', '.join(sorted(of))} are one variable, {variable}")
    return found


def bare(name: str) -> str:
    """A name without what programmers add or leave out: case, underscores, dots."""
    return re.sub(r"[_.\[\]]", "", name).lower()
