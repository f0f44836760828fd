"""What a build is at is told while it goes on: to Python's logging, and to a terminal by the commands."""

import io
import logging

import pytest
from rich.console import Console

from symvi.cli.console import building
from symvi.mechanism import Body, Joint, Mechanism, Rod
from symvi.simulate import Simulator
from symvi.simulate.solver_build import forget

WORDS = ("analysing", "composing", "printing", "compiling")


def pendulum(length: float) -> Mechanism:
    rod = Body(name="rod", mass=1.0, shape=Rod(length=length, radius=0.02, position=(0.0, 0.0, -length / 2)))
    return Mechanism(
        name="told", bodies=[rod], joints=[Joint(name="pin", type="revolute", child="rod", axis=(0, 1, 0))]
    )


def test_a_build_tells_its_stages_and_a_kept_one_only_what_it_does(caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("SYMVI_CACHE", str(tmp_path))
    forget()
    with caplog.at_level(logging.INFO, "symvi.build"):
        Simulator(pendulum(1.0), backend="c")
        assert [record.getMessage().split()[0] for record in caplog.records] == list(WORDS)
        assert "analysing told, bodies: 1" in caplog.text
        caplog.clear()
        Simulator(pendulum(1.0), backend="c")
        assert not caplog.records


def test_without_a_listener_nothing_is_told(caplog):
    Simulator(pendulum(1.25), backend="c")
    assert not caplog.records


@pytest.mark.parametrize("fails", [False, True])
def test_a_terminal_shows_the_stage_and_the_logger_is_as_it_was(fails):
    seen, logger = io.StringIO(), logging.getLogger("symvi.build")
    before = logger.level, list(logger.handlers)
    with pytest.raises(ValueError) if fails else io.StringIO():
        with building(Console(file=seen, force_terminal=True, width=60), "building"):
            logger.info("compiling %s", "told")
            if fails:
                raise ValueError
    assert "compiling told" in seen.getvalue()
    assert (logger.level, logger.handlers) == before
