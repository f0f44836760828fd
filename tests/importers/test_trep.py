"""trep's S-expressions: every word of Table II of JM09, Listing 1 as printed, places and energies against a witness."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from symvi import cli
from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.mechanism import Mechanism
from symvi.mechanism.inertia import to_matrix
from symvi.mechanism.placement import start_placements
from symvi.mechanism.rotation import rotation_matrix
from symvi.mechanism.start_motion import start_state
from symvi.simulate.simulator import Simulator
from tests.importers import trep_peer
from tests.importers.trep_texts import FOUR_BAR, LISTING_1, mended, random_system

PENDULUM = '(rx "q" (tz -1 (name "bob") (mass 1)))'


def read(text: str, folder: Path, name: str = "system.trep", **options: object) -> Imported:
    path = folder / name
    path.write_text(text)
    return load(path, **options)


# --- Listing 1 --------------------------------------------------------------------------------------------------------
def test_listing_1_as_printed_names_the_bracket_that_is_missing(tmp_path: Path) -> None:
    """Line 14 of the printed listing ends its second arm with five brackets of six."""
    with pytest.raises(MechanismError, match=r"system.trep:1: .*a \) for line 8 is missing in line 14; repair adds it"):
        read(LISTING_1, tmp_path)
    found = read(LISTING_1, tmp_path, repair=True)
    (notice,) = found.report.of("repaired")
    assert notice.source.line == 14 and notice.what == "missing )"
    assert found.mechanism == read(mended(), tmp_path).mechanism


def test_listing_1_is_seven_bars_and_two_loops(tmp_path: Path) -> None:
    found = read(mended(), tmp_path)
    mechanism = found.mechanism
    assert set(mechanism.body_names) == set("JHKMACE")
    assert {joint.type for joint in mechanism.joints} == {"revolute", "cylindrical_free"}
    assert mechanism.gravity == (0.0, 0.0, -9.81)
    ends = {(joint.parent, joint.child) for joint in mechanism.joints[-2:]}
    assert ends == {("H", "E"), ("M", "H")}
    for body, depth in zip("JHKMACE", (0.5, 1, 1, 0.5, 1, 0.375, 0.5), strict=True):
        assert mechanism.body(body).center_of_mass == (0.0, 0.0, -depth) and not any(mechanism.body(body).inertia)
    assert found.links["O2"].body == "H" and found.links["O2"].pose.position == (0.0, 0.0, -2.0)
    assert found.joints["K"] == ("K_joint", 0) and set(found.joints) == {*"JHKMACE", "G_G2", "O_O2"}
    assert not found.report.of("ignored", "approximated", "dropped", "repaired")


# --- places and energies ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(8))
def test_frames_are_where_the_products_of_matrices_are(seed: int, tmp_path: Path) -> None:
    text = random_system(seed)
    random = np.random.default_rng(seed)
    q = {f"q{k}": float(x) for k, x in enumerate(random.normal(size=8))}
    found = read(text, tmp_path, start=q)
    placed = start_placements(found.mechanism)
    expected = {name: pose for name, pose, _ in trep_peer.frames(text, q) if name}
    assert set(expected) == set(found.links)
    for name, pose in expected.items():
        body, inner = placed[found.links[name].body], found.links[name].pose
        assert np.allclose(body.point(inner.position), pose[:3, 3], rtol=0, atol=1e-12)
        turned = np.array(rotation_matrix(body.orientation)) @ np.array(rotation_matrix(inner.orientation))
        assert np.allclose(turned, pose[:3, :3], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_energies_are_those_of_the_masses_in_their_frames(seed: int, tmp_path: Path) -> None:
    """With the joints exact, the same energies at every state are the same mechanics."""
    text = random_system(seed)
    random = np.random.default_rng(seed)
    q, rates = ({f"q{k}": float(x) for k, x in enumerate(random.normal(size=8))} for _ in range(2))
    found = read(text, tmp_path, start=q).mechanism
    moving = found.changed(joints=[joint.changed(velocity=rates[joint.name]) for joint in found.joints])
    state, placed = start_state(moving), start_placements(moving)
    kinetic = potential = 0.0
    for body, v, w in zip(moving.bodies, state.velocity, state.angular_velocity, strict=True):
        v, w = np.array(v), np.array(w)
        kinetic += 0.5 * body.mass * v @ v + 0.5 * w @ np.array(to_matrix(body.inertia)) @ w
        potential -= body.mass * np.dot(moving.gravity, placed[body.name].point(body.center_of_mass))
    expected = trep_peer.energies(text, q, rates)
    assert kinetic == pytest.approx(expected[0], rel=1e-7)  # the witness takes differences of matrices
    assert potential == pytest.approx(expected[1], abs=1e-10)


# --- words ------------------------------------------------------------------------------------------------------------
def test_case_pairs_and_quotes_do_not_matter(tmp_path: Path) -> None:
    forms = [
        '(system (gravity 0 0 -9.81) (tx 0.1 (ty 0.2 (rx "q" (name "a") (tz -1 (mass 2 1 1 1))))))',
        '(SYSTEM ; the same\n (GRAVITY 0 0 -9.81) (TX 0.1 TY 0.2 RX (D "q") (NAME "a") (TZ -1. (MASS "2" 1 1 1e0))))',
        '(Mechanical-System (tx .1 ty 2e-1 rx "q" (tz -1 (mass 2 1 1 1)) (name "a")) (gravity 0 0 -9.81))',
    ]
    first, *others = (read(text, tmp_path).mechanism for text in forms)
    assert all(other == first for other in others)
    assert first.body("a").mass == 2.0 and first.joint("q").parent_anchor == (0.1, 0.2, 0.0)


def test_without_gravity_nothing_has_weight(tmp_path: Path) -> None:
    found = read(f"(system {PENDULUM})", tmp_path)
    assert found.mechanism.gravity == (0.0, 0.0, 0.0)
    assert any(notice.what == "no gravity" for notice in found.report.of("taken"))
    assert read(f"(system {PENDULUM})", tmp_path, gravity=(0, 0, -1.62)).mechanism.gravity == (0.0, 0.0, -1.62)


CHAIN = '(tx "x" ty "y" tz "z" rz "a" ry "b" rx "c" (name "torso") (mass 1 .1 .2 .25) {})'


def test_variables_without_mass_between_them_become_the_joint_that_moves_alike(tmp_path: Path) -> None:
    """A free body, as trep writes it: three slides are one joint, two hinges another; coordinates keep their names."""
    found = read(f"(system (gravity 0 0 -9.81) {CHAIN.format('')})", tmp_path, start={"x": 0.3, "b": 0.2})
    assert [joint.type for joint in found.mechanism.joints] == ["fixed_orientation", "universal", "revolute"]
    slides, turns, own = (joint.name for joint in found.mechanism.joints)
    assert [found.joints[name] for name in "xyzabc"] == [
        (slides, 0), (slides, 1), (slides, 2), (turns, 0), (turns, 1), (own, 0),
    ]  # fmt: skip
    assert sum(body.mass for body in found.mechanism.bodies) == pytest.approx(1.0, rel=1e-5)
    run = Simulator(found.mechanism).simulate(0.2, 0.01)
    assert run.position[-1, -1, 2] == pytest.approx(-9.81 * 0.2**2 / 2, abs=1e-6)


def test_names_within_the_links_between_are_found_again_where_they_are_left(tmp_path: Path) -> None:
    text = '(system (rz "a" (name "yaw") (ry "b" (rx "c" (name "arm") (tz -1 (name "tip") (mass 1))))))'
    links = read(text, tmp_path).links
    assert set(links) == {"arm", "tip"}  # "yaw" went into the universal joint, the frame of "b" has no name


# --- point constraints ------------------------------------------------------------------------------------------------
TWO = '(system (gravity 0 0 -9.81) {} (tx 1 {} (tz -1 (name "tip") (mass 1 .1 .1 .1))) {})'
HOLDS = '(point-constraint "tip" "{}" {})'


@pytest.mark.parametrize(
    "directions, kind, axis",
    [
        (["(1 0 0)", "(0 0 1)"], "cylindrical_free", (0, 1, 0)),
        (["1 0 0", "0.5 0 0.5", "0 0 -2"], "cylindrical_free", (0, 1, 0)),
        (["(0 1 0)"], "planar_free", (0, 1, 0)),
        (["(1 0 0)", "(0 1 0)", "(1 1 1)"], "spherical", None),
    ],
)
def test_constraints_between_two_frames_are_the_joint_that_they_hold(
    directions: list[str], kind: str, axis: tuple | None, tmp_path: Path
) -> None:
    """The world never turns; every direction stays in it."""
    held = " ".join(HOLDS.format("peg", direction) for direction in directions)
    found = read(TWO.format('(tz -1 (name "peg"))', 'ry "q"', held), tmp_path)
    joint = found.mechanism.joints[-1]
    assert (joint.type, joint.parent, joint.child) == (kind, "world", "q_body")
    assert joint.parent_anchor == (0, 0, -1) and joint.child_anchor == (0, 0, -1)
    assert axis is None or np.allclose(np.abs(joint.axis), axis, rtol=0, atol=1e-15)


def test_where_the_line_turns_with_both_bodies_it_is_held_in_the_world(tmp_path: Path) -> None:
    """Two ball pendulums whose bobs keep the same x, and nothing else: their planes turn with neither."""
    ball = '(rx "a" ry "b" (tz -1.2 (name "bob") (mass 1 .1 .1 .2)))'
    text = TWO.format(ball, 'rx "c" ry "d"', HOLDS.format("bob", "1 0 0") + HOLDS.format("bob", "0 0.6 0.8"))
    found = read(text, tmp_path, start={"b": -0.5, "d": 0.4, "a": 0.1, "c": 0.1})
    mechanism = found.mechanism
    joint = mechanism.joint("tip_bob")
    assert joint.type == "custom" and len(joint.expressions) == 2
    assert Mechanism.from_toml(mechanism.to_toml()) == mechanism
    run = Simulator(mechanism).simulate(1.0, 0.01, project=True)

    def bob(name: str) -> np.ndarray:
        at = found.links[name]
        row = mechanism.body_names.index(at.body)
        turned = [np.array(rotation_matrix(tuple(q))) @ at.pose.position for q in run.orientation[:, row]]
        return run.position[:, row] + turned

    apart = bob("tip") - bob("bob")
    assert np.abs(apart @ (1, 0, 0)).max() < 1e-12 and np.abs(apart @ (0, 0.6, 0.8)).max() < 1e-12
    assert np.ptp(apart @ (0, 0.8, -0.6)) > 1e-3 and np.ptp(run.energy) < 1e-3 * np.ptp(run.kinetic_energy)


def test_a_line_that_stays_in_a_turned_body_has_its_axis_there(tmp_path: Path) -> None:
    """Two hinges about one oblique axis; the frames of the constraint are turned against their bodies."""
    end = '(tz -1 (rx 0.7 (name "{}") (mass 1)))'
    axis = np.array((-np.sin(0.5), np.cos(0.5), 0.0))
    bars = f'(rz 0.5 (ry "p" {end.format("bob")}) (tx 1 ry "q" {end.format("tip")}))'
    held = '(point-constraint "bob" "tip" ({} {} 0)) (point-constraint "bob" "tip" (0 0 1))'
    found = read(f"(system {bars} {held.format(axis[1], -axis[0])})", tmp_path).mechanism
    joint = found.joint("bob_tip")
    assert (joint.type, joint.parent, joint.child) == ("cylindrical_free", "p_body", "q_body")
    assert joint.orientation == (1.0, 0.0, 0.0, 0.0)
    assert np.allclose(np.abs(joint.axis), (0, 1, 0), rtol=0, atol=1e-15)


def test_a_hinge_on_a_hinge_keeps_no_direction(tmp_path: Path) -> None:
    """Neither that of the first nor of the second."""
    ball = '(rx "a" ry "b" (tz -1 (name "bob") (mass 1 .1 .1 .2)))'
    for held in (("1 0 0", "0 0 1"), ("0 1 0", "0 0 1")):
        constraints = "".join(HOLDS.format("bob", direction) for direction in held)
        text = TWO.format(ball, 'rx "c" ry "d"', constraints)
        assert read(text, tmp_path).mechanism.joints[-1].type == "custom"


def test_a_single_direction_in_the_plane_of_motion_is_held_in_the_world(tmp_path: Path) -> None:
    text = TWO.format('(ry "p" (tz -1 (name "bob") (mass 1)))', 'ry "q"', HOLDS.format("bob", "0 0 1"))
    assert read(text, tmp_path).mechanism.joints[-1].type == "custom"


def test_a_constraint_within_one_body_has_nothing_to_do_or_cannot_hold(tmp_path: Path) -> None:
    text = '(system (rx "q" (tz -1 (name "a") (mass 1)) (tz {} (name "b"))) (point-constraint "a" "b" (0 0 1)))'
    assert len(read(text.format(-1), tmp_path).mechanism.joints) == 1
    with pytest.raises(MechanismError, match="both are on one body, 1 m apart"):
        read(text.format(-2), tmp_path)


# --- files and commands -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["bars.trep", "bars.sexp", "bars.lisp", "bars.txt", "bars", "bars.system"])
def test_endings_and_first_characters(name: str, tmp_path: Path) -> None:
    """What begins with a bracket is one, whatever its ending; comments and a byte order mark may stand before it."""
    text = "\ufeff; a four-bar\n" + FOUR_BAR
    assert read(text, tmp_path, name).mechanism.name == "bars"


def test_every_command_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, output = tmp_path / "bars.trep", tmp_path / "bars.toml"
    path.write_text(FOUR_BAR)
    assert cli.main(["import", str(path), "-o", str(output), "--strict", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["bodies"] == 3 and told["report"]["counts"]["taken"] == 2
    assert Mechanism.from_file(output) == load(path).mechanism
    assert cli.main(["info", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["freedoms"] == 1
    assert cli.main(["simulate", str(path), "--time", "0.1", "--step", "0.01", "--json"]) == 0
    assert cli.main(["generate", str(path), "-o", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "bars.c").is_file()


def test_a_base_that_floats_is_no_word_of_trep(tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match="frames say themselves how they hang on the world"):
        read(f"(system {PENDULUM})", tmp_path, base="floating")


def test_masses_that_stand_still_are_told(tmp_path: Path) -> None:
    """With a name or without: nothing moves them, and their weight rests on the world."""
    pendulum = '(rx "q" (tz -1 (mass 1)))'
    found = read(f'(system (tz -1\n(mass 5))\n(tx 2 (name "peg") (mass 3)) {pendulum})', tmp_path)
    lines = [notice.source.line for notice in found.report.of("merged") if "mass has no effect" in notice.why]
    assert lines == [2, 3]
    assert read(f"(system (tz -1 {pendulum}) (tx 1))", tmp_path).report.of("merged") == ()
