"""Every printed kernel of the zoo equals its naive definition, exactly; and what a proof says when one does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import symvi.demos
from symvi.exact.degree import Degree
from symvi.mechanism import JOINT_TYPES, coordinate_kinds
from symvi.mechanism.forces import FORCES
from symvi.proofs.__main__ import main
from symvi.proofs.complex_step import LAWS, STEPS, errors, force_errors
from symvi.proofs.crun import copy_of
from symvi.proofs.kernels import Bench, Subject
from symvi.proofs.layout_equality import differences_between_layouts
from symvi.proofs.mutation import CAUGHT, EQUIVALENT, INSIDE, MISSED, score_of
from symvi.proofs.proof import POINTS, Tally, Verdict, prove
from symvi.proofs.stages import Stage
from symvi.proofs.unseen import Place, stored
from symvi.registry import CONTACTS
from tests.proofs.figures import MUTANTS, PROVED
from tests.proofs.subjects import MAXIMAL, NAMES, TREES, ZOO, of_zoo

LAYOUTS_OF = ("along_universal", "body_forces", "net", "touching_bodies", "askew_screw (tree)", "four_bar (tree)",
              "walking (tree)")  # fmt: skip
ENERGIES_OF = ("body_forces", "along_prismatic", "along_revolute", "along_planar", "along_spherical", "along_universal",
               "along_screw", "along_cylindrical", "along_floating")  # fmt: skip
# but for those whose kernels the zoo has: a four-bar, and the walker, which has a Strandbeest's and those of contacts
DEMOS = sorted(p for p in Path(symvi.demos.__file__).parent.glob("*.toml") if p.stem not in ("walker", "four_bar"))
# decimal logarithm of the probability that a wrong number of a mechanism passes: stops of planar joints, -84
IMPROBABLE = -80
VERDICTS = (CAUGHT, EQUIVALENT, INSIDE, MISSED)
PER_KERNEL = 1  # errors planted in every kernel of every mechanism: some 7400 in all
RELATIVE = 1e-12  # entries are sums of some ten products; the worst of the zoo is 1e-13


def test_the_zoo_has_every_joint_and_every_force() -> None:
    joints = {joint.type for mechanism, _ in ZOO.values() for joint in mechanism.joints}
    forces = {force.kind for mechanism, _ in ZOO.values() for force in mechanism.forces}
    assert joints == set(JOINT_TYPES) and forces == set(FORCES)
    for joint_type in JOINT_TYPES:  # the world as a parent, and a body
        parents = {j.parent == "world" for m, _ in ZOO.values() for j in m.joints if j.type == joint_type}
        assert parents == {True, False}, joint_type


def test_the_zoo_has_every_contact_and_every_limit() -> None:
    """Every surface and friction law with the world and between bodies, every cone with two numbers of sides."""
    contacts = [contact for mechanism, _ in ZOO.values() for contact in mechanism.contacts]
    met = {(c.kind, c.cone if c.friction else "none", c.parent == "world") for c in contacts}
    cones = {"none", "second_order", "linear"}
    kinds = {kind for kind, _, _ in met}
    assert kinds == set(CONTACTS) and {cone for _, cone, _ in met} == cones
    assert {(cone, world) for _, cone, world in met} == {(cone, world) for cone in cones for world in (True, False)}
    assert {kind for kind, cone, _ in met if cone == "linear"} == kinds  # three ways to find a tangent plane
    assert {c.directions for c in contacts if c.cone == "linear"} == {4, 6}
    joints = {joint.name: joint for mechanism, _ in ZOO.values() for joint in mechanism.joints if mechanism.limits}
    limits = [limit for mechanism, _ in ZOO.values() for limit in mechanism.limits]
    assert {(limit.lower is None, limit.upper is None) for limit in limits} == {
        (False, False), (True, False), (False, True),
    }  # fmt: skip
    assert {coordinate_kinds(joints[limit.joint].type)[limit.coordinate] for limit in limits} == {
        "translation", "rotation",
    }  # fmt: skip


@pytest.fixture(scope="module", params=NAMES)
def of(request: pytest.FixtureRequest) -> Subject:
    """A mechanism of the zoo; all tests of one come together."""
    return of_zoo(request.param)


@pytest.fixture(scope="module")
def bench(of: Subject) -> Bench:
    """At a point that is none of the proof's."""
    return Bench(of, seed=3, guarded=True)


@pytest.fixture(scope="module")
def first(of: Subject) -> list[Verdict]:
    """What is proved at the first point, where the guards of loops are zero."""
    return prove(of, POINTS[:1], doubted=False)


def test_kernels_equal_the_naive_definitions(of: Subject, first: list[Verdict]) -> None:
    """In the first prime field, at a random point."""
    assert {v.phase: v.failures for v in first if not v.proved} == {}
    proved = {kernel for verdict in first for kernel in verdict.kernels}
    assert proved == set(of.printed.kernels)
    assert all(verdict.outputs > 0 for verdict in first)


@pytest.mark.thorough
def test_a_wrong_kernel_would_pass_with_next_to_no_probability(
    of: Subject, first: list[Verdict], record_property
) -> None:
    """In two prime fields, at random points, with the guards of loops at zero and not: here in the larger one."""
    assert len({point.prime for point in POINTS}) == 2 and [point.guarded for point in POINTS] == [False, True]
    verdicts = prove(of, POINTS[1:])
    tally = Tally()
    tally.add(len(of.printed.kernels), verdicts)
    tally.numbers += sum(verdict.outputs for verdict in first if verdict.phase != "parameters")
    record_property(PROVED, vars(tally))
    assert {v.phase: v.failures for v in verdicts if not v.proved} == {}
    assert tally.log10_doubt < IMPROBABLE
    proved = {kernel for verdict in verdicts for kernel in verdict.kernels}
    assert proved == set(of.printed.kernels)
    assert all(verdict.outputs > 0 for verdict in verdicts)


@pytest.mark.thorough
@pytest.mark.parametrize("name", MAXIMAL)
def test_blocks_are_derivatives_in_floats_too(name: str) -> None:
    """Complex steps at two time steps: an entry scaled by h cannot hide in both. Joint coordinates form no block."""
    of = of_zoo(name)
    for h in STEPS:
        for law in LAWS if of.program.notes["inequalities"] else LAWS[:1]:
            place, worst = max(errors(of, h, law=law), key=lambda error: error[1])
            assert worst < RELATIVE, (h, law, place)


@pytest.mark.parametrize("name", ENERGIES_OF)
def test_forces_are_slopes_of_energies_in_floats_too(name: str) -> None:
    for h in STEPS:
        place, worst = max(force_errors(of_zoo(name), h), key=lambda error: error[1])
        assert 0 < worst < RELATIVE, (h, place)


@pytest.mark.thorough
@pytest.mark.parametrize("name", LAYOUTS_OF)
def test_all_layouts_mean_the_same(name: str) -> None:
    assert list(differences_between_layouts(of_zoo(name).program)) == []


@pytest.mark.thorough
def test_every_number_that_can_be_seen_is_compared(of: Subject, bench: Bench) -> None:
    """Change one number after another that a kernel stored: each is found to be wrong, unless only kernels see it.

    Where a phase runs in several stages, in one of them.
    """
    silent, heard = set(), set()
    memories = {stage.name: copy_of(bench.left[stage.name]) for stage in bench.stages}

    def is_heard(stage: Stage, place: Place) -> bool:
        memory = memories[stage.name]
        values = memory[place.store][place.kind][place.node][place.field]
        kept, values[place.entry] = values[place.entry], values[place.entry] + 1
        found = next(bench.failures(stage, memory), None) is not None
        values[place.entry] = kept
        return found

    for stage in bench.stages:
        places: dict[Place, set[str]] = {}
        for phase in stage.phases:
            for place in {place for call in of.printed.phases.get(phase, ()) for place in stored(call)}:
                places.setdefault(place, set()).add(phase)
        for place, phases in places.items():
            if place not in bench.unseen:
                found = heard if is_heard(stage, place) else silent
                found |= {(phase, place) for phase in phases}
    # what is the same in every step is stored before it, and compared where others of its kind are made
    later = {place for phase, place in silent - heard if phase == "setup"}
    heard |= {("setup", place) for place in later if any(is_heard(stage, place) for stage in bench.stages)}
    assert silent - heard == set()


@pytest.mark.thorough
def test_no_row_is_proved_only_where_it_is_zero(of: Subject, bench: Bench) -> None:
    """A factor 2 cannot be seen in a zero: joints stand open, but for those that have a law of closed joints only."""
    if of.coordinates == "maximal" and not of.mechanism.name.startswith("swinging"):
        checks = [check for stage in bench.stages for check in stage.checks]
        zeros = [check.place for check in checks if check.place.endswith((": g", ": f")) and 0 in check.expected]
        assert zeros == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", TREES)
def test_what_a_tree_does_not_hold_is_open(name: str) -> None:
    """Rows beside a tree are not zero at a random point of it, nor its own where bodies are taken off their joints.

    Of these, lengths stand open where bodies are beside their joints, rotations where they are turned.
    """
    bench = Bench(of_zoo(name), seed=3)
    found: dict[str, list] = {}
    for stage in bench.stages:
        for check in stage.checks:
            if check.place.endswith((": g", ": f")) and not check.place.startswith("body "):
                found.setdefault(check.place, []).extend(value != 0 for value in check.expected)
    assert all(map(any, found.values()))
    beside = [check for stage in bench.stages if stage.name in ("prepare", "evaluate") for check in stage.checks]
    rows = [check for check in beside if check.place.endswith((": g", ": f")) and not check.place.startswith("body ")]
    assert not any(0 in check.expected for check in rows)


@pytest.mark.thorough
def test_planted_errors_are_caught(of: Subject, bench: Bench, record_property) -> None:
    """In every kernel, some: which ones, differs from mechanism to mechanism where kernels are the same."""
    result = score_of(bench, of.printed.kernels.values(), PER_KERNEL)
    plain = result.plain()
    record_property(MUTANTS, {name: plain[name] for name in ("planted", "kernels", *VERDICTS)})
    assert result.missed == []
    assert result.of(CAUGHT) > result.planted / 2


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.stem)
def test_kernels_of_the_demos_are_proved(path: Path, capsys: pytest.CaptureFixture) -> None:
    """In joint coordinates too, but for the governor: its definitions take more roots than random points have."""
    coordinates = "maximal" if path.stem == "governor" else "both"
    assert main(["--coordinates", coordinates, str(path)]) == 0, capsys.readouterr().out


def test_the_command_prints_what_was_proved(capsys: pytest.CaptureFixture) -> None:
    assert main(["--json", "along_fixed"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["total"]["mechanisms"] == 2 and told["total"]["wrong"] == 0
    assert told["total"]["log10_doubt"] < IMPROBABLE and told["primes"] == ["2^61 - 1", "2^521 - 1"]
    for name in ("along_fixed", "along_fixed (tree)"):
        assert all(phase["proved"] for phase in told["mechanisms"][name]["phases"])


@pytest.mark.parametrize(
    ("name", "words"),
    [("along_fixt", "did you mean 'along_fixed'?"), ("nowhere/rod.toml", "nowhere/rod.toml: there is no such file")],
)
def test_a_name_that_means_nothing_is_refused(name: str, words: str, capsys: pytest.CaptureFixture) -> None:
    assert main([name]) == 2
    assert words in capsys.readouterr().err


def test_joint_coordinates_are_asked_for_by_name(capsys: pytest.CaptureFixture) -> None:
    assert main(["--coordinates", "tree", "--json", "along_fixed"]) == 0
    assert list(json.loads(capsys.readouterr().out)["mechanisms"]) == ["along_fixed (tree)"]
    assert main(["--coordinates", "tree", "along_floating"]) == 2
    assert "'along_floating' has no joint coordinates: 'spring_j1' acts on joint 'j1'" in capsys.readouterr().err


# --- how likely an error passes ---------------------------------------------------------------------------------------
def test_degrees_of_a_text() -> None:
    """(a + b/c)/(a b - 1) = (a c + b)/(c (a b - 1)): no more than counted, whatever cancels."""
    a, b, c = (Degree(1, 0) for _ in range(3))
    found = (a + b / c) / (a * b - 1)
    assert (found.above, found.below) == (2, 3)
    same = 1 - a * (b - a)
    assert (same.above, same.below) == (2, 0)


# --- seen to fail -----------------------------------------------------------------------------------------------------
def test_a_wrong_definition_is_named_entry_by_entry() -> None:
    bench = Bench(of_zoo("along_revolute"))
    stages = [stage for stage in bench.stages if stage.name in ("evaluate", "linearize")]
    memory = bench.after(stages[-1], bench.left[stages[-1].after])

    def failures() -> list[str]:
        return [text for stage in stages for text in bench.failures(stage, memory)]

    assert failures() == []
    memory["work"]["body"][1]["f"][4] += 1
    memory["work"]["revolute_elastic"][0]["G2"][0] *= 2
    named = failures()
    assert named[0] == "body second: f, entry 4"
    assert len(named) > 1 and all(text.startswith("block (j2, ") for text in named[1:])


def test_a_wrong_number_of_a_joint_is_named() -> None:
    """An axis of a hinge turned, where a tree is solved: what follows from it differs, and says where."""
    bench = Bench(of_zoo("askew_revolute (tree)"))
    stage = next(stage for stage in bench.stages if stage.name == "solve")
    memory = copy_of(bench.left[stage.after])
    axis = memory["work"]["revolute_driven_0"][0]["axes2"]
    axis[0] = -axis[0]
    assert "revolute_ground j1: s, entry 0" in list(bench.failures(stage, bench.after(stage, memory)))


@pytest.mark.thorough
def test_a_wrong_parameter_is_named() -> None:
    right = of_zoo("askew_revolute")
    parameters = {key: dict(values) for key, values in right.program.parameters.items()}
    axis = list(parameters["revolute", 0]["frame_b"])
    parameters["revolute", 0]["frame_b"] = tuple(-x for x in axis)
    parameters["joint_spring", 0]["stiffness"] = (2.0 * (1 + 1e-13),)
    wrong = replace(right, program=replace(right.program, parameters=parameters))
    failures = next(v for v in prove(wrong) if v.phase == "parameters").failures
    assert any("revolute j2: frame_a" in text for text in failures)
    assert any("stiffness, entry 0" in text for text in failures)
