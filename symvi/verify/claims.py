"""Files of claims: a user's Python file, run as the user's own code, whose functions say what they are derivatives of.

    @verify.claim(function=position, wrt="q", variables={"q": verify.quaternion(), ...})
    def jacobian(q, ...): ...

or, without a decorator, by names: `position` and `position_derivative_wrt_q` (`position_second_derivative_wrt_q`; by
several side by side `position_derivative_wrt_q_v`), with a dictionary VARIABLES in the same file. Functions and claims
may be SymPy expressions as well. A claim that cannot be asked keeps none of the others from being judged.
"""

from __future__ import annotations

import re
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from symvi.mechanism.names import did_you_mean
from symvi.verify.asking.effort import EFFORT
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError
from symvi.verify.reading.matching import bare
from symvi.verify.saying.report import Report

BY_NAME = re.compile(r"(?P<function>\w+?)_(?P<second>second_)?derivative_wrt_(?P<wrt>\w+)")


Claimed = TypeVar("Claimed")


@dataclass(frozen=True)
class Claim:
    """One question of a file: the arguments of `derivative`, and the name that reports have.

    refused: why it cannot be asked, "" where it can.
    """

    name: str
    function: object = None
    claimed: object = None
    wrt: str | Sequence[str] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    order: int = 1
    weights: str | None = None
    where: Mapping[str, tuple] = field(default_factory=dict)
    layout: str = "rows"
    refused: str = ""

    @property
    def names(self) -> set[str]:
        """Of all variables, those that symvi's own functions know too."""
        own = (getattr(given, "variables", {}) for given in (self.function, self.claimed))
        return {str(name) for known in (self.variables, *own) for name in known}

    def report(
        self,
        seed: int = 0,
        where: Mapping[str, tuple] | None = None,
        effort: float = EFFORT,
        progress: Callable[[str], None] | None = None,
    ) -> Report:
        """The answer. where: more bounds, of this claim's variables or of others. Raises VerificationError."""
        from symvi.verify.verdict import derivative

        if self.refused:
            raise VerificationError(self.refused)
        asked = (self.function, self.claimed, self.wrt, self.variables, self.order, self.weights)
        bounds = {**self.where, **{name: given for name, given in (where or {}).items() if name in self.names}}
        cost = {"effort": effort, "progress": progress}
        return derivative(*asked, seed=seed, where=bounds, layout=self.layout, **cost)


def claim(
    function: object,
    wrt: str | Sequence[str] | None = None,
    variables: Mapping[str, Variable] | None = None,
    order: int = 1,
    weights: str | None = None,
    where: Mapping[str, tuple] | None = None,
    layout: str = "rows",
) -> Callable[[Claimed], Claimed]:
    """Decorator: the decorated function is claimed to be the derivative of `function`; the arguments of `derivative`.

    function: as for `derivative`; one of symvi's own knows which variables it is usually differentiated by.
    """

    def mark(claimed: Any) -> Any:
        asked = {"order": order, "weights": weights, "where": where or {}, "layout": layout}
        claimed.symvi_claims = [*getattr(claimed, "symvi_claims", ()), (function, wrt, variables or {}, asked)]
        return claimed

    return mark


def claims_of_file(path: Path) -> list[Claim]:
    """The claims of a Python file, in the order in which they stand there. Runs the file. Raises VerificationError."""
    names = _run(path)
    variables = names.get("VARIABLES", {})
    if not isinstance(variables, Mapping):
        raise VerificationError(f"{path.name}: VARIABLES is a {type(variables).__name__}; make it a dictionary")
    found = [*_decorated(names, variables), *_named(names, variables, path)]
    if not found:
        raise VerificationError(
            f"{path.name} claims nothing: decorate a function with @verify.claim(function=..., wrt=..., "
            "variables=...), or name it f_derivative_wrt_q beside a function f and a dictionary VARIABLES"
        )
    return found


def _run(path: Path) -> dict[str, object]:
    if path.is_dir():
        raise VerificationError(f"{path} is a folder; give a Python file of claims")
    if path.is_file() and b"\0" in path.read_bytes():
        raise VerificationError(f"{path.name} is no text; give a Python file of claims")
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        return runpy.run_path(str(path), run_name="__symvi_verify__")
    except FileNotFoundError as error:
        raise VerificationError(f"{path}: {error.strerror}") from error
    except SystemExit as error:
        raise VerificationError(f"{_line(error, path)}: ends the program (SystemExit)") from error
    except SyntaxError as error:
        place = path.name if error.lineno is None else f"{path.name}:{error.lineno}"
        raise VerificationError(f"{place}: {error.msg}") from error
    except VerificationError as error:
        raise VerificationError(f"{_line(error, path)}: {error}") from error
    except Exception as error:
        raise VerificationError(f"{_line(error, path)}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)


def _line(error: BaseException, path: Path) -> str:
    own = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == path.name]
    return f"{path.name}:{own[-1].lineno}" if own else path.name


def _decorated(names: Mapping[str, object], variables: Mapping) -> Iterator[Claim]:
    for name, value in names.items():
        for function, wrt, own_variables, asked in getattr(value, "symvi_claims", ()):
            usual = () if (known := getattr(function, "definition", None)) is None else known.wrt
            yield Claim(name, function, value, wrt or usual, {**variables, **own_variables}, **asked)


def _named(names: Mapping[str, object], variables: Mapping, path: Path) -> Iterator[Claim]:
    for name, value in names.items():
        match = BY_NAME.fullmatch(name)
        if match is None or getattr(value, "symvi_claims", None):
            continue
        if match["function"] not in names:
            yield Claim(name, refused=f"{path.name}: {name} is there, and no function {match['function']}")
            continue
        alike = [variable for variable in variables if bare(variable) == bare(match["wrt"])]
        ways = [alike] if len(alike) == 1 else _split(match["wrt"].split("_"), variables)
        if len(ways) != 1:
            why = _unknown(match["wrt"], names, variables) if not ways else _several(match, ways)
            yield Claim(name, refused=f"{path.name}: {name}: {why}")
            continue
        yield Claim(name, names[match["function"]], value, tuple(ways[0]), variables, 2 if match["second"] else 1)


def _split(parts: list[str], variables: Mapping) -> list[list[str]]:
    """All ways to read q_a_p as variables one after the other: q_a and p, say."""
    if not parts:
        return [[]]
    found = []
    for end in range(1, len(parts) + 1):
        first = [variable for variable in variables if bare(variable) == bare("_".join(parts[:end]))]
        found += [[one, *rest] for one in first for rest in _split(parts[end:], variables) if one not in rest]
    return found


def _several(match: re.Match, ways: list[list[str]]) -> str:
    read = " or ".join(" and ".join(way) for way in ways)
    return (
        f"'{match['wrt']}' may mean {read}; say which above a function of another name: "
        f"@verify.claim(function={match['function']}, wrt={tuple(ways[0])!r})"
    )


def _unknown(name: str, names: Mapping[str, object], variables: Mapping) -> str:
    """Why a variable is not known, and what would make it known."""
    if "VARIABLES" in names:
        return f"VARIABLES has no '{name}'; {did_you_mean(name, variables)}"
    stated = [each for each, value in names.items() if _states_variables(value)]
    remedy = f"write VARIABLES = {{'{name}': verify.vector(3), ...}}"
    if stated:
        remedy = f"is '{stated[0]}' meant? Call it VARIABLES"
    return f"no dictionary VARIABLES says what '{name}' and every other argument is; {remedy}"


def _states_variables(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(one, Variable) for one in value.values())
