"""A record from outside that is wrong, changes, or is missing is told as such; nothing old is taken for it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest

import symvi
from symvi import JointType, MechanismError, Simulator, register_force, register_joint
from symvi.analysis.choices import NOTHING_DROPPED
from symvi.mechanism import Body, Joint, Mechanism
from symvi.mechanism.description import Complaint
from symvi.mechanism.forces import Force
from symvi.naive.force_energies import NaiveForce
from symvi.numbers.settings import Described
from symvi.physics.constraint import function_of_bodies
from symvi.physics.joints import Piece
from symvi.physics.joints import rows as row
from symvi.physics.joints.rows import ANCHORS
from symvi.physics.model import Parameter
from symvi.proofs.kernels import subject
from symvi.proofs.proof import prove
from symvi.proofs.zoo import ALONG, along_axes, body
from symvi.registry import FORCES, JOINTS
from tests.registry.line_on_plane import LINE_ON_PLANE
from tests.registry.magnet import MAGNET, Magnet
from tests.support.quick import compiling_quickly

POINT = "own_point"
POLE: dict[str, Any] = {"name": "pull", "parent_anchor": (2.0, 0.0, 0.0), "strength": 1.0}


class Breeze(Force):
    """Without points, between which it could be drawn."""

    label: ClassVar[str] = "force"
    kind: Literal["breeze"] = "breeze"


def none(parent: str, child: str) -> tuple:
    """No examples."""
    return ()


def numbers_of(title: str, value: tuple, numbers: dict) -> dict[str, Any]:
    """A kind of force whose number of this title sets these of the solver."""
    return {"numbers": lambda mechanism, force: [(title, Described(value, lambda values: numbers))]}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    for registry in (JOINTS, FORCES):
        for name in [name for name in registry if registry.serial(name)]:
            registry.forget(name)


def shifted(by: int) -> Callable:
    """A ball and socket whose child stands so far above its place; named like a formula of symvi's own."""

    @function_of_bodies("g = x_b + r_b - x_a - r_a - by", "derived here", ANCHORS, 3)
    def coincidence(x_a, r_a, x_b, r_b):
        return [*(x_b + r_b - x_a - r_a)[:2], (x_b + r_b - x_a - r_a)[2] - by]

    def rows(geometry: Any, in_joint_axes: bool) -> list:
        return [Piece(coincidence, geometry.anchors(), (0, 1, 2), ("x", "y", "z"), "m")]

    return rows


def pendulum(joint_type: str = POINT, height: float = 0.0) -> Mechanism:
    bob = Body(name="bob", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, height))
    return Mechanism(name="bob", bodies=[bob], joints=[Joint(name="pin", type=joint_type, child="bob")])


def closure(mechanism: Mechanism) -> float:
    with compiling_quickly():
        return float(Simulator(mechanism).simulate(0.02, 0.01, project=True).position[-1, 0, 2])


def test_a_record_that_changes_is_not_taken_for_the_old_one() -> None:
    """Neither within a process nor from the cache of another one, whose digests do not see it."""
    for height in (0, 2):
        register_joint(JointType(POINT, "mmm", shifted(height), lambda *_: [], tree=False))
        assert closure(pendulum()) == pytest.approx(height, abs=1e-12)
        JOINTS.forget(POINT)


def test_a_formula_named_like_our_own_does_not_take_its_place() -> None:
    register_joint(JointType(POINT, "mmm", shifted(2), lambda *_: [], tree=False))
    closure(pendulum())
    row.coincidence.__dict__.pop("code", None)  # as in a new process
    assert closure(pendulum("spherical")) == pytest.approx(0.0, abs=1e-12)


def test_symvis_own_are_no_records_from_outside() -> None:
    assert not any(JOINTS.serial(name) for name in JOINTS) and not any(FORCES.serial(name) for name in FORCES)
    assert JOINTS.serial(register_joint(LINE_ON_PLANE).name) != 0


def test_symvis_own_types_are_those_of_symvi_whatever_is_registered_first() -> None:
    """In a new process, where nothing but symvi is imported yet."""
    program = (
        "import symvi\n"
        "symvi.register_joint(symvi.JointType('own', 'm', list, list, tree=False, needs=['length']))\n"
        "from symvi.mechanism import JOINT_TYPES\n"
        "print(*JOINT_TYPES)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "revolute" in told and "own" not in told


def ice() -> Joint:
    return Joint(name="ice", type="line_on_plane", child="bob", child_axis=(1, 0, 0), parameters={"height": 0.0})


def pieces(change: Callable[[list], Any]) -> dict[str, Any]:
    return {"rows": lambda geometry, in_joint_axes: change(LINE_ON_PLANE.rows(geometry, in_joint_axes))}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"units": ""}, r"units \['m', 'rad'\], but the record's units say \[\]"),
        ({"units": "m"}, "the record's units say"),
        ({"units": "rm"}, "the record's units say"),
        ({"coordinates": ("translation",)}, "2 rows and 1 coordinates are not 6"),
        ({"tree": True}, "2 rows and 0 coordinates are not 6.*tree=False"),
        (pieces(lambda found: None), "rows returned None"),
        (pieces(lambda found: [replace(found[0], rows=(1,)), found[1]]), "row 1 of formula 'height_over_plane'"),
        (pieces(lambda found: [replace(found[0], names=()), found[1]]), "1 rows, but 0 names"),
        (pieces(lambda found: [replace(found[0], inputs={}), found[1]]), "has no input 'n'"),
    ],
)
def test_rows_that_are_not_those_of_the_record_are_refused(changes: dict, says: str) -> None:
    """With no units the joint would be none at all, and the body would fall through.

    It is told when the record is registered, by its example; without one, when a mechanism is built.
    """
    with pytest.raises(symvi.ArgumentError, match=f"joint type 'line_on_plane': .*{says}"):
        register_joint(replace(LINE_ON_PLANE, **changes))
    register_joint(replace(LINE_ON_PLANE, **changes, example={}))
    with pytest.raises(MechanismError, match=f"joint 'ice': joint type 'line_on_plane'.*{says}"):
        Simulator(pendulum("fixed").changed(joints=[ice()]))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": 3}, "small letters"),
        ({"rows": None}, "rows is None"),
        ({"units": "mx"}, "'mx'"),
        ({"units": None}, "units None"),
        ({"coordinates": ("rotations",)}, "'rotations'"),
        ({"coordinates": ("rotation", "translation")}, "translations first"),
        ({"needs": ("radius",)}, "'radius'.*pitch"),
        ({"numbers": {"height": "m"}}, "meaning, unit"),
        ({"marker": "box"}, r"marker is 'box', but must be \(solid, proportions\)"),
        ({"marker": ("cone", (1.0, 1.0, 1.0))}, "marker has the solid 'cone', but there are box, cylinder, sphere"),
        ({"marker": ("box", (1.0, 1.0))}, r"marker has the proportions \(1.0, 1.0\).*three numbers above zero"),
        ({"marker": ("box", (1.0, 1.0, -1.0))}, "three numbers above zero"),
        ({"marker": ("box", (1.0, 1.0, float("inf")))}, "three numbers above zero"),
        ({"marker": ("box", "abc")}, "three numbers above zero"),
    ],
)
def test_a_wrong_record_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=says):
        register_joint(replace(LINE_ON_PLANE, **changes))
    assert "line_on_plane" not in JOINTS


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": None}, "model is None.*nothing would act"),
        ({"name": "magnetic"}, "whose kind is 'magnetic'"),
        ({"description": lambda: 3}, "description must return a class"),
        ({"numbers": None}, "numbers is None"),
        ({"span": "spring"}, r"span is 'spring', but must be \(look, radius\)"),
        ({"span": ("rope", 0.02)}, "span has the look 'rope', but there are spring, strut"),
        ({"span": ("spring", 0.0)}, "span has the radius 0.0, but.*a number above zero"),
        ({"span": ("spring", float("nan"))}, "a number above zero"),
        ({"description": lambda: Breeze, "name": "breeze", "examples": none}, "span.*Breeze has no 'parent'"),
    ],
)
def test_a_wrong_kind_of_force_is_refused_when_it_is_registered(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=says):
        register_force(replace(MAGNET, **changes))
    assert not any(FORCES.serial(name) for name in FORCES)


def test_a_sphere_and_no_marker_are_drawn() -> None:
    for marker in (("sphere", ()), None):
        register_joint(replace(LINE_ON_PLANE, marker=marker))
        JOINTS.forget(LINE_ON_PLANE.name)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (["height is odd"], "'height is odd', but each must be a Complaint"),
        ("odd", "'o', but each must be a Complaint"),
        (None, "complaints returned None"),
        ([Complaint("height", "is odd")], "each must be a Complaint.*path.*text"),  # type: ignore[arg-type]
    ],
)
def test_complaints_that_are_none_are_told(found: Any, says: str) -> None:
    """When the record is registered, by its example; without one, when a description is read."""
    wrong = replace(LINE_ON_PLANE, complaints=lambda joint: found)
    with pytest.raises(symvi.ArgumentError, match=f"joint type 'line_on_plane'.*{says}"):
        register_joint(wrong)
    assert "line_on_plane" not in JOINTS
    register_joint(replace(wrong, example={}))
    with pytest.raises(MechanismError, match=f"joint type 'line_on_plane'.*{says}"):
        ice()


def test_complaints_of_a_force_that_are_none_are_told() -> None:
    class Loud(Magnet):
        kind: Literal["loud"] = "loud"

        def complaints(self) -> Iterator:
            return iter(["too loud"])

    described: dict[str, Any] = {"name": "loud", "description": lambda: Loud}
    with pytest.raises(symvi.ArgumentError, match="kind of force 'loud'.*'too loud', but each must be a Complaint"):
        register_force(replace(MAGNET, **described, examples=lambda parent, child: [Loud(child=child, **POLE)]))
    register_force(replace(MAGNET, **described, examples=none))
    with pytest.raises(MechanismError, match="Loud.*'too loud', but each must be a Complaint"):
        Loud(child="bob", **POLE)


def of_model(**changes: Any) -> dict[str, Any]:
    """A magnet whose model has other fields; a function makes one of the old value."""

    def model(*given: Any) -> Any:
        found = MAGNET.model(*given)  # type: ignore[misc]
        return replace(
            found, **{key: new(getattr(found, key)) if callable(new) else new for key, new in changes.items()}
        )

    return {"model": model}


def group(**changes: Any) -> dict[str, Any]:
    return of_model(groups=lambda groups: (replace(groups[0], **changes),))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": lambda *given: None}, "model returned None, but must return a ForceModel"),
        (of_model(energy="strenght"), "model: energy names 'strenght', but its parameters are .*strength"),
        (of_model(energy="anchor_a"), "model: energy names 'anchor_a', which has 3 numbers instead of 1"),
        (of_model(energy=None), "model: neither energy nor force"),
        (of_model(rows=2, row_names=("e", "e"), row_units=("J", "J")), "model: no group gives row 1 of its 2 rows"),
        (of_model(rows=0, row_names=(), row_units=()), "model: a group gives row 0, but its rows are none"),
        (of_model(row_names=()), "model: 1 rows, but 0 row_names"),
        (of_model(row_units=("J", "J")), "model: 1 rows, but 2 row_units"),
        (of_model(groups=()), "model: no group gives row 0 of its 1 rows"),
        (of_model(bodies={"a": None}), "model: input 'x_b' is of body 'b', but its bodies are a"),
        (of_model(bodies={"a": None, "b": "bobb"}), "model: body b is 'bobb', which is no body of the mechanism"),
        (of_model(parameters={}), "model: input 'r_a' takes 'anchor_a', but it has no parameters"),
        (of_model(parameters=lambda all: {**all, "anchor_a": 3.0}), "model: parameter 'anchor_a' is 3.0, but must be"),
        (
            of_model(parameters=lambda all: {**all, "strength": Parameter((None,), "", "")}),  # type: ignore[arg-type]
            r"model: parameter 'strength' has the values \(None,\), but must have numbers",
        ),
        (
            of_model(parameters=lambda all: {**all, "anchor_a": Parameter((1.0,), "")}),
            "model: input 'r_a' takes 'anchor_a', which has 1 numbers instead of 3",
        ),
        (group(rows=(1,)), "model: a group has row 1 of formula 'closeness', whose rows are 0 to 0"),
        (group(into=(0, 0)), "model: a group of formula 'closeness' has 1 rows, but 2 places in into"),
        (group(inputs={}), "model: a group of formula 'closeness' has no input 'x_a'"),
        (group(factor="twice"), "model: factor names 'twice'"),
        ({"expressions": lambda force: None}, "expressions returned None, but must return a tuple of texts"),
        ({"numbers": lambda *given: None}, "numbers returned None, but must give pairs"),
        ({"numbers": lambda *given: [None]}, "numbers gave None, but must give pairs"),
        (numbers_of("pull.strength", (1.0,), {"pull.strenght": (1.0,)}), "numbers: pull.strength sets 'pull.strenght'"),
        (numbers_of("pull.strength", (1.0,), {"pull.strength": (1.0, 2.0)}), "sets 2 numbers of 'pull.strength'.* 1"),
        (numbers_of("pull.strength", (1.0,), {"bob.mass": (1.0,)}), "'bob.mass', but must set its own: 'pull"),
    ],
)
def test_a_model_that_cannot_be_used_is_told(changes: dict, says: str) -> None:
    """When the kind is registered, by its examples; without them, when a mechanism is built."""
    with pytest.raises(symvi.ArgumentError, match=f"force 'pull': kind of force 'magnet': .*{says}"):
        register_force(replace(MAGNET, **changes, examples=lambda parent, child: [Magnet(child=child, **POLE)]))
    assert "magnet" not in FORCES
    register_force(replace(MAGNET, **changes, examples=none))
    pulled = pendulum("floating").changed(forces=[Magnet(child="bob", **POLE)])
    with pytest.raises(MechanismError, match=f"force 'pull': kind of force 'magnet': .*{says}"):
        Simulator(pulled)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"units": lambda joint: None}, "units returned None, but must return a letter m or r for each row"),
        ({"units": lambda joint: "kg"}, "units returned 'kg', but must return a letter"),
        ({"needs": None}, "needs is None, but must be a tuple of names"),
        ({"coordinates": None}, "coordinates is None, but must be a tuple of names"),
        ({"numbers": None}, "numbers is None, but must be a table"),
        ({"numbers": {"height": 3}}, r"numbers has 3 for 'height', but must have \(meaning, unit\)"),
        ({"example": 3}, "example is 3, but must be a table"),
        ({"defaults": lambda joint: None}, "defaults returned None, but must return a table of values for pitch"),
        ({"defaults": lambda joint: {"lenght": 1.0}}, "defaults returned .'lenght': 1.0., but must return"),
        ({"held": (1, 1)}, r"held is \(1, 1\), but must be a symvi.registry.Rows"),
        ({"words": "a line on a plane"}, "words is 'a line on a plane', but must be a symvi.registry.Words"),
        ({"has_pin": True, "needs": ()}, "has_pin is for joints with a child_axis: needs must have 'child_axis'"),
        ({"is_threaded": True}, "is_threaded is for joints with a pitch: needs must have 'pitch'"),
    ],
)
def test_a_joint_s_field_of_another_type_is_told(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=f"joint type 'line_on_plane': .*{says}"):
        register_joint(replace(LINE_ON_PLANE, **changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"examples": 3}, "examples is 3, but must be a function"),
        ({"examples": lambda parent, child: None}, "examples returned None, but must return descriptions"),
        ({"definitions": 3}, "definitions is 3, but must be a function"),
        ({"told": 3}, "told is 3, but must be a table"),
        ({"naive": 3}, "naive is 3, but must be a function, or None without proofs"),
    ],
)
def test_a_force_s_field_of_another_type_is_told(changes: dict, says: str) -> None:
    with pytest.raises(symvi.ArgumentError, match=f"kind of force 'magnet': .*{says}"):
        register_force(replace(MAGNET, **changes))


class Pulsing(Magnet):
    """Whose strength would follow a signal."""

    kind: Literal["pulsing"] = "pulsing"  # type: ignore[assignment]
    signal: str | None = None


@pytest.mark.parametrize(
    ("signals", "says"),
    [
        (None, "signals gave None, but each must be"),
        ([3], "signals gave 3, but each must be"),
        ([("pull.strenght", "sin(t)", False)], "signals gave the input 'pull.strenght', which is none"),
    ],
)
def test_a_signal_of_no_input_is_told(signals: Any, says: str) -> None:
    """It would drive nothing, in silence."""
    register_force(
        replace(MAGNET, name="pulsing", description=lambda: Pulsing, examples=none, signals=lambda force: signals)
    )
    pulled = pendulum("floating").changed(forces=[Pulsing(child="bob", signal="sin(t)", **POLE)])
    with compiling_quickly(), pytest.raises(MechanismError, match=f"force 'pull': kind of force 'pulsing': {says}"):
        Simulator(pulled)


def test_a_float_in_a_formula_is_told_with_its_record() -> None:
    def rows(geometry: Any, in_joint_axes: bool) -> list:
        return [Piece(half_way, geometry.anchors(), (0,), ("x",), "m")]

    with pytest.raises(symvi.ArgumentError, match="joint type 'own_point'.*'half_way'.*0.5.*sympy.Rational"):
        register_joint(JointType(POINT, "m", rows, lambda *_: [], tree=False))
    with pytest.raises(symvi.ArgumentError, match="kind of force 'magnet'.*'half_way'.*0.5.*sympy.Rational"):
        register_force(replace(MAGNET, **group(formula=half_way)))
    with pytest.raises(symvi.SymviError, match="sympy.Rational"):
        _ = half_way.code


@function_of_bodies("g = (x_b - x_a)/2", "derived here", ANCHORS, 1)
def half_way(x_a, r_a, x_b, r_b):
    return [0.5 * (x_b - x_a)[0]]


@function_of_bodies("g = x_b - x_a", "derived here", ANCHORS, 2)
def too_few(x_a, r_a, x_b, r_b):
    return [(x_b - x_a)[0]]


def test_a_formula_with_other_rows_than_it_says_is_told() -> None:
    with pytest.raises(symvi.ArgumentError, match="kind of force 'magnet'.*'too_few'.*1 entries, expected 2"):
        register_force(replace(MAGNET, **group(formula=too_few)))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"naive": lambda *given: []}, "naive returned 0 rows, but its units say 2"),
        ({"naive": lambda *given: None}, "naive returned None, but must return a list"),
    ],
)
def test_a_naive_definition_with_other_rows_is_told_by_proofs(changes: dict, says: str) -> None:
    register_joint(replace(LINE_ON_PLANE, **changes))
    with pytest.raises(MechanismError, match=f"joint type 'line_on_plane': {says}"):
        prove(subject(along_axes("line_on_plane", ALONG[0]), NOTHING_DROPPED))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"naive": lambda *given: None}, "naive returned None, but must return a NaiveForce"),
        ({"naive": None}, "naive is None: without a plain definition nothing can be proved"),
        ({"record": lambda *given: {}}, "record has no 'anchor_a'"),
        (
            {"record": lambda *given: None},
            "record returned None, but must return a table of names and lists",
        ),
        ({"record": lambda *given: {"strength": 2.0}}, "record returned .'strength': 2.0., but must return a table"),
        ({"naive": lambda *given: NaiveForce(("first", "second"))}, "naive returned neither an energy nor a power"),
        (
            {"naive": lambda *given: NaiveForce(("frist", "second"), energy=lambda a, b: a[0][0])},
            "naive is between bodies of which 'frist' is none of the mechanism",
        ),
    ],
)
def test_a_naive_force_that_is_none_is_told_by_proofs(changes: dict, says: str) -> None:
    register_force(replace(MAGNET, **changes))
    magnets = list(MAGNET.examples("first", "second"))
    with pytest.raises(MechanismError, match=f"kind of force 'magnet': {says}"):
        prove(subject(Mechanism(name="magnets", bodies=[body("first"), body("second")], forces=magnets)))


def test_a_record_of_other_numbers_is_no_proof() -> None:
    register_force(replace(MAGNET, record=lambda *given: {**MAGNET.record(*given), "strength": [2, 2]}))
    magnet = Magnet(name="pair", parent="first", child="second", child_anchor=(1, 0, 2), strength=2)
    of = subject(Mechanism(name="magnets", bodies=[body("first"), body("second")], forces=[magnet]))
    said = [failure for verdict in prove(of) for failure in verdict.failures]
    assert any("magnet pair: strength has 1 numbers, and its record says 2" in str(failure) for failure in said)


def test_an_example_that_is_refused_is_told() -> None:
    with pytest.raises(symvi.ArgumentError, match="joint type 'line_on_plane': its example is refused: .*'hight'"):
        register_joint(replace(LINE_ON_PLANE, example={"parameters": {"height": 0.2, "hight": 1.0}}))
    with pytest.raises(symvi.ArgumentError, match="kind of force 'magnet': its example is refused: .*strength"):
        register_force(replace(MAGNET, examples=lambda parent, child: [Magnet(child=child, **POLE | {"strength": -1})]))


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(symvi.ArgumentError, match="JointType"):
        register_joint(MAGNET)  # type: ignore[arg-type]
    with pytest.raises(symvi.ArgumentError, match="ForceKind"):
        register_force(LINE_ON_PLANE)  # type: ignore[arg-type]


def test_a_process_that_lacks_the_record_says_so() -> None:
    register_joint(JointType(POINT, "mmm", shifted(0), lambda *_: [], tree=False))
    pickled = pickle.dumps(pendulum())
    JOINTS.forget(POINT)
    with pytest.raises(MechanismError, match=f"'{POINT}' is not registered in this process"):
        Simulator(pickle.loads(pickled))
    with pytest.raises(MechanismError, match="magnet"):
        Mechanism.from_toml('mechanism = {name = "m"}\n[forces.pull]\nkind = "magnet"')
