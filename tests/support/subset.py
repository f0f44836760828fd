"""Which tests run without `--all`: those that are not marked `thorough`. CONTRIBUTING.md has the rule."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

# test -> whether it is thorough: all that were collected, those too that were left out
EVERY_TEST = pytest.StashKey[dict[str, bool]]()


def is_thorough(item: pytest.Item) -> bool:
    return item.get_closest_marker("thorough") is not None


def first_of(cases: Iterable, *, kept: int = 1) -> list:
    """The cases of a parametrized test, all but the first ones thorough."""
    return _marked(cases, lambda number, case: number < kept)


def only(wanted: Iterable, cases: Iterable) -> list:
    """The cases of a parametrized test, thorough but for those that are named."""
    wanted = set(wanted)
    marked = _marked(cases, lambda number, case: case in wanted)
    assert len(wanted) == sum(not case.marks for case in marked), "a case is named that is none"
    return marked


def _marked(cases: Iterable, is_kept) -> list:
    def parameters(case) -> tuple:
        return case if isinstance(case, tuple) else (case,)

    return [
        pytest.param(*parameters(case), marks=() if is_kept(number, case) else pytest.mark.thorough)
        for number, case in enumerate(cases)
    ]
