"""The analysis of loops leaves NumPy's threads as they were, whoever else asks for one at the same time."""

from __future__ import annotations

import pytest

from symvi.analysis import one_thread as module
from symvi.analysis.loops import analyse
from symvi.analysis.one_thread import Threads, one_thread
from symvi.demos import demo_file
from symvi.mechanism import Mechanism


class Library:
    """Counts threads as NumPy's library does, and keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[int] = [4]

    def threads(self) -> Threads:
        return Threads(lambda: self.told[-1], self.told.append)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    found = Library()
    monkeypatch.setattr(module, "threads", found.threads)
    return found


def test_the_last_one_puts_back_what_the_first_one_found(library: Library) -> None:
    with one_thread():
        with one_thread():
            assert library.told == [4, 1]
        assert library.told == [4, 1]
    assert library.told == [4, 1, 4]


def test_an_error_puts_it_back_too(library: Library) -> None:
    with pytest.raises(ValueError, match="within"), one_thread():
        raise ValueError("within")
    assert library.told == [4, 1, 4]


def test_loops_are_looked_at_in_one_thread(library: Library) -> None:
    analyse(Mechanism.from_file(demo_file("four_bar")))
    assert library.told == [4, 1, 4]


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "threads", lambda: None)
    with one_thread():
        pass


def test_numpys_own_library_is_told() -> None:
    """Where NumPy brings its OpenBLAS; with another library nothing is known, and nothing done."""
    found = module.threads()
    if found is None:
        return
    before = found.get()
    with one_thread():
        assert found.get() == 1
    assert found.get() == before
