"""What auto solves for has the fewest operations, and is composed alone where that is known beforehand."""

from __future__ import annotations

import pytest

from symvi.analysis.choices import NOTHING_DROPPED
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.physics.multibody import MultibodySystem
from symvi.program import cheapest
from symvi.program.compose import Composer
from symvi.program.maximal import MaximalCoordinates
from symvi.program.program import work_of
from symvi.program.tree import TreeCoordinates
from symvi.proofs.zoo import zoo
from symvi.simulate.solver_build import decided
from tests.support.subset import only
from tests.tree.chains import trees

FEW = 1.05  # what is known beforehand is so within a few in a hundred
KNOWN = {  # name -> what is known beforehand, None where both are counted
    "pendulum": TreeCoordinates,
    "four_bar": TreeCoordinates,
    "strandbeest": TreeCoordinates,
    "governor": None,
    "hinges": TreeCoordinates,
    "balls": TreeCoordinates,
    "free root": TreeCoordinates,
    "held turns": None,
    "touching_flat": MaximalCoordinates,
    "touching_spheres": None,
    "body_forces": None,
    "touching_net": None,
    "walking": TreeCoordinates,
    "stopped_spherical": TreeCoordinates,
    "stopped_planar": MaximalCoordinates,  # joint coordinates refuse it
}


def case(name: str):
    """A mechanism of the demos, of the zoo or of chains, with the rows that it keeps."""
    if name in trees():
        return MultibodySystem(trees()[name]), NOTHING_DROPPED
    of_zoo = {mechanism.name: (mechanism, choices) for mechanism, choices in zoo()}
    if name in of_zoo:
        return MultibodySystem(of_zoo[name][0]), of_zoo[name][1]
    return decided(Mechanism.from_file(demo_file(name)))


@pytest.mark.parametrize("name", only(("pendulum", "touching_flat", "held turns"), KNOWN))
def test_what_is_chosen_takes_the_fewest_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system, choices = case(name)
    made = []

    class Counted(Composer):
        def __init__(self, *args) -> None:
            made.append(args[2])
            super().__init__(*args)

    monkeypatch.setattr(cheapest, "Composer", Counted)
    chosen = work_of(cheapest.program_of(system, choices, None))
    assert set(made) == ({KNOWN[name]} if KNOWN[name] else {MaximalCoordinates, TreeCoordinates})
    assert len(made) == len(set(made))
    if name != "stopped_planar":
        least = min(
            work_of(Composer(system, choices, kind).program()) for kind in (MaximalCoordinates, TreeCoordinates)
        )
        assert chosen <= FEW * least
