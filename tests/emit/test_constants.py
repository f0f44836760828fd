"""Constants of a header: whatever the things are called, it compiles, and every constant means one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symvi.emit.constants import constants_of
from symvi.mechanism import Body, Contact, Joint, Mechanism, PointSpring, Sphere
from symvi.simulate import Simulator
from symvi.simulate.solver_build import text_of
from tests.export.test_static_checks import need, run
from tests.support.linkages import four_bar
from tests.support.strict_c import STRICT


def links(*names: str, joints: tuple[str, str]) -> Mechanism:
    """Two links, hung on each other: a joint to the world, and one between bodies."""
    bodies = [Body(name=name, mass=1.0, shape=Sphere(radius=0.1)) for name in names]
    hung = {"type": "revolute", "axis": (0.0, 1.0, 0.0), "child_anchor": (0.0, 0.0, 0.3)}
    pairs = zip(joints, ("world", names[0]), names, strict=True)
    return Mechanism(
        name="links",
        bodies=bodies,
        joints=[Joint(name=joint, parent=parent, child=child, **hung) for joint, parent, child in pairs],
    )


def spring_and_contact() -> Mechanism:
    """point_spring + foot, and point + spring_foot."""
    return links("base", "link", joints=("pin", "knee")).changed(
        forces=[PointSpring(name="ground_foot", child="link", stiffness=10.0, length=0.1, parent_anchor=(0, 0, 1))],
        contacts=[Contact(name="spring_ground_ground_foot", child="link", radius=0.1, parent_anchor=(0, 0, -1))],
    )


def loop_beside_its_name() -> Mechanism:
    """A joint that closes a loop, and one between bodies that is called after that."""
    mechanism = four_bar()
    first, *others, last = mechanism.joints
    others[0] = others[0].changed(name=f"ground_loop_{last.name}")
    return mechanism.changed(joints=[first, *others, last])


ALIKE = {
    "ground": lambda: links("base", "link", joints=("pin", "ground_pin")),
    "underscores": lambda: links("a_b", "a__b", joints=("pin", "pin_1")),
    "numbered": lambda: links("a_b", "a__b", joints=("a_b_", "a_b_1")),
    "spring": spring_and_contact,
    "loop": loop_beside_its_name,
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ALIKE)
def test_names_that_come_to_the_same_text_compile(name: str, tmp_path: Path) -> None:
    """Every name that a description may have is one that its text may have."""
    text = text_of(ALIKE[name]())
    assert re.search(r"_1 = \d+", text.files[f"{text.prefix}.h"])
    for file, contents in text.files.items():
        (tmp_path / file).write_text(contents, encoding="utf-8")
    assert run(tmp_path, need("gcc"), *STRICT, "-fsyntax-only", f"{text.prefix}.c") == ""
    assert Simulator(ALIKE[name](), backend="c").simulate(0.02).state().names


def test_a_comment_tells_things_of_one_text_apart() -> None:
    header = text_of(ALIKE["underscores"]()).files["links.h"]
    assert "LINKS_BODY_A_B_1 = 0, /* a_b */" in header and "LINKS_BODY_A_B_2 = 1, /* a__b */" in header
    assert "LINKS_BODY_A_B " not in header


def test_a_constant_never_means_another_thing() -> None:
    """One more body does not take over a constant that firmware uses: the text is nobody's then, nor is one in use."""
    alone = constants_of("arm", [("body", "a_b"), ("body", "a_b_1")])
    beside = constants_of("arm", [("body", "a__b"), ("body", "a_b"), ("body", "a_b_1")])
    assert alone["body", "a_b"] == "ARM_BODY_A_B"
    assert "ARM_BODY_A_B" not in beside.values()
    assert beside["body", "a_b_1"] == alone["body", "a_b_1"] == "ARM_BODY_A_B_1"
    assert len(set(beside.values())) == len(beside)


def test_what_a_header_defines_is_nobody_s() -> None:
    """Statuses, counts and macros have the prefix too."""
    things = {("no", "step"), ("bad", "option"), ("ground", "reactions")}
    found = constants_of("arm", sorted(things))
    assert set(found.values()) == {"ARM_NO_STEP_1", "ARM_BAD_OPTION_1", "ARM_GROUND_REACTIONS"}
