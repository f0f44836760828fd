"""Templates that Jinja has compiled are kept for the next process, and never stand in for one that has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi.emit import templates


@pytest.fixture
def changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of templates with one in it, and what it says when a new process reads it."""
    monkeypatch.setattr(templates, "templates_folder", lambda: tmp_path)
    (tmp_path / "c").mkdir()
    kept = tmp_path / "kept"
    kept.mkdir()

    def says(text: str) -> str:
        (tmp_path / "c" / "word.jinja").write_text(text, encoding="utf-8")
        templates.environment.cache_clear()
        return templates.environment("c", kept).get_template("word.jinja").render()

    yield says, kept
    templates.environment.cache_clear()


def test_a_compiled_template_is_kept_and_a_changed_one_is_compiled_anew(changing) -> None:
    says, kept = changing
    assert says("before") == "before"
    assert len(list(kept.iterdir())) == 1
    assert says("before") == "before"
    assert says("after") == "after"


def test_a_folder_that_cannot_be_written_costs_no_more_than_time(changing) -> None:
    says, kept = changing
    kept.rmdir()
    kept.write_text("not a folder")
    assert says("word") == "word"


def test_the_kept_template_is_what_is_read(changing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled once: the second process does not compile."""
    says, _ = changing
    says("word")
    monkeypatch.setattr("jinja2.environment.Environment.compile", None)
    assert says("word") == "word"
