"""A mechanism is checked as a whole, is a plain value, and can be put together from others."""

import copy
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from symvi.errors import MechanismError, missing_extra
from symvi.mechanism import (
    Actuator,
    Body,
    Contact,
    Coupling,
    Driver,
    Force,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Potential,
    Rod,
    Servo,
    Sphere,
    State,
    Wrench,
    axis_values,
    constraint_count,
)

HINGE = {"type": "revolute", "child": "arm"}
ARM = {"mass": 1, "inertia": (1, 1, 1)}


SLIDE = Joint(name="slide", type="cylindrical", child="arm")


def pendulum(**more):
    bodies = [Body(name="arm", mass=1, shape=Rod(length=1, position=(0, 0, -0.5)))]
    joints = [Joint(name="hinge", type="revolute", child="arm", axis=(1, 0, 0), coordinate=0.5)]
    forces = [JointDamper(name="friction", joint="hinge", damping=0.1)]
    return Mechanism(**({"name": "pendulum", "bodies": bodies, "joints": joints, "forces": forces} | more))


def problems(**tables):
    """The problems of a mechanism given as tables, with one good arm on one good hinge."""
    tables = {"bodies": {"arm": ARM}, "joints": {"hinge": HINGE}} | tables
    with pytest.raises(MechanismError) as caught:
        Mechanism(**({"name": "m"} | tables))
    return caught.value.problems


def test_a_mechanism_is_a_value():
    first, second = pendulum(), pendulum()
    assert first == second and hash(first) == hash(second) and first.digest == second.digest
    assert first.changed(gravity=(0, 0, 0)) != first
    assert first.changed(gravity=(0, 0, 0)).digest != first.digest
    assert pickle.loads(pickle.dumps(first)) == first == copy.deepcopy(first)
    with pytest.raises(Exception, match="frozen"):
        first.name = "other"
    with pytest.raises(Exception, match="frozen"):
        first.bodies[0].mass = 2


def test_the_digest_is_the_same_on_every_machine():
    """A change of it would throw away every cache: it must be meant."""
    assert pendulum().digest == "6c9bd75d3e62123403667db63975ea2fed39e71313c090256483d7b911fd0c05"


def test_parameters_have_no_order():
    one, other = (
        pendulum(forces=[Potential(name="v", child="arm", expression="a*b*x_b[0]", parameters=parameters)])
        for parameters in ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    )
    assert one == other and one.digest == other.digest and one.forces[0].parameters == {"a": 1.0, "b": 2.0}


def test_arrays_lists_and_numpy_numbers_are_taken_and_negative_zero_is_not_kept():
    body = Body(name="arm", mass=np.float32(2), inertia=np.ones(3), position=np.array([1, -0.0, 2]), velocity=[0, 0, 1])
    assert body == Body(name="arm", mass=2, inertia=(1, 1, 1), position=(1, 0, 2), velocity=(0.0, 0.0, 1.0))
    assert "-0.0" not in repr(body)
    assert all(type(x) is float for x in (body.mass, *body.inertia, *body.position))


def test_look_ups_offer_the_nearest_name():
    mechanism = pendulum()
    assert mechanism.body("arm") is mechanism.bodies[0]
    assert mechanism.joint("hinge") is mechanism.joints[0]
    assert mechanism.force("friction") is mechanism.forces[0]
    with pytest.raises(MechanismError, match="no body 'amr'; did you mean 'arm'"):
        mechanism.body("amr")
    with pytest.raises(MechanismError, match="no driver 'motor'; none is known"):
        mechanism.driver("motor")
    with pytest.raises(MechanismError, match="no coupling"):
        mechanism.coupling("gear")


BODY_CASES = [
    ({"mass": 0}, "mass 0 must be positive"),
    ({"mass": -1.5}, "mass -1.5 must be positive"),
    ({"mass": float("nan")}, "mass nan must be finite"),
    ({"mass": float("inf")}, "mass inf must be finite"),
    ({"mass": True}, "mass True must be a number"),
    ({"mass": None}, "mass None must be a number"),
    ({"mass": 10**400}, "too large for a double"),
    ({"mas": 1}, "unknown field 'mas'; did you mean 'mass'"),
    ({"position": (1, 2)}, r"position \(1, 2\) must be 3 numbers, but has 2"),
    ({"position": "here"}, "position 'here' must be 3 numbers"),
    ({"position": (1, 2, float("nan"))}, "must be finite"),
    ({"orientation": (0, 0, 0, 0)}, "length 0"),
    ({"orientation": (1, 1, 0, 0)}, "length 1.4142"),
    ({"orientation": (1, 0, 0)}, "4 numbers"),
    ({"velocity": {"x": 1}}, "must be 3 numbers"),
    ({"color": "red"}, "must be a colour like '#3366cc'"),
    ({"color": "#12345g"}, "must be a colour"),
]


@pytest.mark.parametrize(("change", "reason"), BODY_CASES)
def test_wrong_bodies(change, reason):
    with pytest.raises(MechanismError, match=f"^body 'arm': .*{reason}"):
        Body(**({"name": "arm"} | ARM | change))


def test_a_body_needs_inertia_or_a_shape():
    with pytest.raises(MechanismError, match="inertia is missing; give six entries, or a shape"):
        Body(name="arm", mass=1)
    with pytest.raises(MechanismError, match="mass is missing\n.*inertia is missing"):
        Body(name="arm")
    with pytest.raises(MechanismError, match=r"name is missing \(name of the body\)"):
        Body(mass=1, inertia=(1, 1, 1))


def test_inertia_may_be_a_symmetric_matrix():
    turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    for matrix in (np.diag([1.0, 2.0, 2.5]), turn @ np.diag([1.0, 2.0, 2.5]) @ turn.T):  # symmetric but for round-off
        ixx, iyy, izz, ixy, ixz, iyz = Body(name="arm", mass=1, inertia=matrix).inertia
        assert np.allclose([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]], matrix, rtol=0, atol=1e-15)
    with pytest.raises(MechanismError, match="inertia .* must be a symmetric matrix"):
        Body(name="arm", mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(MechanismError, match="inertia .* must be 3 numbers, but has 2"):
        Body(name="arm", mass=1, inertia=[[1, 0], [0, 1], [0, 0]])


def test_what_is_left_out_is_zero():
    """Anchors, points, offsets, rests: the default of every number is zero, of every orientation no turn."""
    elements = [
        Body(name="a", **ARM), Joint(name="a", type="fixed", child="b"), Coupling(name="a", joints=("b", "c"), ratio=1),
        Driver(name="a", joint="b"), JointSpring(name="a", joint="b", stiffness=1), Wrench(name="a", body="b"),
        PointSpring(name="a", child="b", stiffness=1, length=1), Sphere(radius=1),
    ]  # fmt: skip
    assert Mechanism(name="m", bodies=elements[:1]).gravity == (0.0, 0.0, -9.81)
    assert elements[1].axis == (0.0, 0.0, 1.0)
    for element in elements:
        for name in set(type(element).model_fields) - set(element.given()) - {"axis"}:
            value = getattr(element, name)
            numbers = value if isinstance(value, tuple) else (value,) if isinstance(value, (int, float)) else ()
            assert not any(numbers[1:] if name == "orientation" else numbers), (element.label, name)


JOINT_CASES = [
    ({"type": "revolut"}, "type 'revolut' is no joint type; did you mean 'revolute'"),
    ({"type": "Revolute"}, "did you mean 'revolute'"),
    ({"type": ["revolute"]}, "is no joint type"),
    ({"axis": (0, 0, 0)}, "axis .* has length zero; give a direction"),
    ({"axis": (0, 0, float("inf"))}, "must be finite"),
    ({"parent": "arm"}, "joins the body 'arm' to itself"),
    ({"child": "world", "parent": "arm"}, "child is the world; make the world the parent"),
    ({"parent": 3}, "parent 3 must be a text"),
    ({"coordinate": (1, 2)}, r"coordinate has 2 values, but a joint of type 'revolute' has 1 \(rotation\)"),
    ({"type": "fixed", "coordinate": 1}, "has none"),
    ({"type": "cylindrical", "velocity": 1}, "velocity has 1 values.*2 .translation, rotation"),
    ({"pitch": 0.1}, "pitch belongs to joints of type 'screw', but the type is 'revolute'"),
    ({"type": "screw"}, "a joint of type 'screw' needs pitch"),
    ({"type": "distance"}, "needs length"),
    ({"type": "distance", "length": 0}, "length 0 must be positive"),
    ({"type": "custom"}, "needs expressions"),
    ({"type": "custom", "expressions": "x_b[0] - r"}, "column 10: unknown name 'r'"),
    ({"type": "custom", "expressions": ["1", "x_b[7]"]}, "3 parts"),
    ({"type": "custom", "expressions": "x_b[0]", "parameters": {"x_a": 1}}, "has a name of the grammar"),
    ({"type": "custom", "expressions": "x_b[0]", "parameters": {"a b": 1}}, "'a b' = 1, which must be 1 to 63"),
    ({"type": "custom", "expressions": "x_b[0]", "parameters": {"r": "1"}}, "'r' = '1', which must be a number"),
    ({"parameters": {"r": 1}}, "parameters belong to joints of type 'custom'"),
    ({"type": "universal", "child_axis": (1, 0, 1)}, "not at right angles"),
    ({"child_axis": (1, 0, 0)}, "child_axis belongs to joints of type 'universal'"),
]


@pytest.mark.parametrize(("change", "reason"), JOINT_CASES)
def test_wrong_joints(change, reason):
    with pytest.raises(MechanismError, match=f"^joint 'hinge': .*{reason}"):
        Joint(**({"name": "hinge"} | HINGE | change))


def test_the_first_coordinate_may_be_written_out():
    assert Driver(name="d", joint="j", coordinate=0) == Driver(name="d", joint="j")


def test_joints_complete_what_follows_from_other_fields():
    assert Joint(name="u", type="universal", child="arm").child_axis == (1.0, 0.0, 0.0)
    assert Joint(name="u", type="revolute", child="arm", axis=(0, 0, -2)).axis == (0.0, 0.0, -1.0)
    almost = (1 + 5e-7, 0, 0, 0)
    assert Joint(name="u", type="revolute", child="arm", orientation=almost).orientation == (1.0, 0.0, 0.0, 0.0)
    own = Joint(name="u", type="custom", child="arm", expressions=("x_b[0]", "r*x_b[1]"), parameters={"r": 2})
    assert constraint_count(own) == 2 and own.parameters["r"] == 2.0 and hash(own) == hash(own.changed())
    counts = {"universal": 4, "revolute": 5, "floating": 0}
    for joint_type, count in counts.items():
        assert constraint_count(Joint(name="u", type=joint_type, child="arm")) == count


TABLE_CASES = [
    ({"joints": {"hinge": HINGE | {"child": "amr"}}}, "joint 'hinge': child 'amr' is no body; did you mean 'arm'"),
    ({"joints": {"hinge": HINGE | {"parent": "wrld"}}}, "parent 'wrld' is no body; did you mean 'world'"),
    ({"joints": {"hinge": HINGE, "knee": HINGE | {"parent": "hinge"}}}, "parent 'hinge' is no body, but a joint"),
    ({"joints": {"arm": HINGE}}, "joint 'arm': its name is that of the body 'arm'"),
    ({"joints": {"Arm": HINGE}}, "joint 'Arm': its name is up to case that of the body 'arm'"),
    ({"bodies": [{"name": "arm", **ARM}, {"name": "arm", **ARM}]}, "body 'arm': its name is that of the body"),
    ({"bodies": {"int": ARM, "arm": ARM}}, "body 'int': name 'int' is a reserved word"),
    ({"bodies": {}, "joints": {}}, "mechanism 'm': has no bodies"),
    ({"bodies": 3, "joints": {}}, "bodies 3 must be a list or a table"),
    ({"bodies": {"arm": 3}}, "body 'arm': 3 must be a body or a table of its fields"),
    ({"joints": [SLIDE.changed(name="hinge"), Body(name="leg", **ARM)]}, "joint 'leg': .* must be a joint or a table"),
    ({"forces": [Force(name="f")]}, "force 'f': .* must be a force or a table"),
    ({"joints": SLIDE}, "joints .* must be a list or a table"),
    ({"name": "a/b"}, "mechanism 'a/b': name 'a/b' must be"),
    ({"gravity": (0, 0, float("nan"))}, "gravity .* must be finite"),
    ({"gravit": (0, 0, 0)}, "unknown field 'gravit'; did you mean 'gravity'"),
    ({"couplings": {"gear": {"joints": ("hinge", "hinge"), "ratio": 1}}}, "couples the joint 'hinge' to itself"),
    ({"couplings": {"gear": {"joints": ("hinge", "hing"), "ratio": 1}}}, "'hing' is no joint; did you mean 'hinge'"),
    ({"drivers": {"motor": {"joint": "hing"}}}, "driver 'motor': joint 'hing' is no joint; did you mean 'hinge'"),
    ({"drivers": {"motor": {"joint": "hinge", "coordinate": 1}}}, "coordinate 1 .* does not exist: it has 1 free axis"),
    ({"drivers": {"motor": {"joint": "hinge", "coordinate": -1}}}, "coordinate -1"),
    ({"drivers": {"motor": {"joint": "hinge", "signal": "2*x"}}}, "signal '2\\*x', column 3: unknown name 'x'"),
    ({"drivers": {"one": {"joint": "hinge"}, "two": {"joint": "hinge"}}}, "driver 'two': .* already driven by 'one'"),
    ({"forces": {"k": {"kind": "spring"}}}, "force 'k': kind 'spring' is unknown; did you mean 'point_spring'"),
    ({"forces": {"k": {}}}, "force 'k': kind is missing"),
    ({"forces": {"k": {"kind": "wrench", "body": "hinge"}}}, "body 'hinge' is no body, but a joint"),
    ({"forces": {"k": {"kind": "joint_damper", "joint": "arm", "damping": 1}}}, "joint 'arm' is no joint, but a body"),
]


@pytest.mark.parametrize(("tables", "reason"), TABLE_CASES)
def test_wrong_mechanisms(tables, reason):
    found = problems(**tables)
    assert len(found) == 1
    assert re.search(reason, found[0])


FORCE_CASES = [
    (JointSpring, {"stiffness": -1}, "stiffness -1.0 must not be negative"),
    (JointSpring, {"stiffness": (1, -1)}, "must not be negative"),
    (JointSpring, {"stiffness": 1}, "both kinds: translation, rotation; give each"),
    (JointSpring, {"stiffness": (1, 2, 3)}, "has 3 values, but the joint has 2 free axes"),
    (JointSpring, {"stiffness": (1, 2), "rest": 1}, "rest 1.0 is one number"),
    (JointSpring, {"stiffness": (1, 2), "law": "sinusoidal"}, "a sinusoidal spring needs one rotation"),
    (JointSpring, {"stiffness": (1, 2), "law": "cubic"}, "law 'cubic'"),
    (JointSpring, {"stiffness": float("nan")}, "finite"),
    (JointDamper, {"damping": (-1, 1)}, "damping .* must not be negative"),
    (JointDamper, {"damping": 1}, "both kinds"),
    (Actuator, {"signal": "t"}, "signal has 1 texts, but joint 'slide' has 2 free axes"),
    (Actuator, {"signal": ("t", "q")}, "signal 'q', column 1: unknown name"),
    (Servo, {"stiffness": 1, "damping": 1}, "has 2 free axes .*; a joint with exactly one is needed"),
    (Servo, {"stiffness": -1, "damping": 1}, "stiffness -1 must not be negative"),
]


@pytest.mark.parametrize(("force", "fields", "reason"), FORCE_CASES)
def test_wrong_forces_on_joints(force, fields, reason):
    with pytest.raises(MechanismError, match=f"force 'f': .*{reason}"):
        Mechanism(
            name="m",
            bodies=[Body(name="arm", **ARM)],
            joints=[SLIDE],
            forces=[force(name="f", joint="slide", **fields)],
        )


@pytest.mark.parametrize("kind", ["joint_spring", "joint_damper", "actuator", "servo"])
@pytest.mark.parametrize("joint_type", ["fixed", "distance"])
def test_a_force_along_a_joint_needs_a_free_axis(kind, joint_type):
    fields = {"joint_spring": {"stiffness": 1}, "joint_damper": {"damping": 1}, "servo": {"stiffness": 1, "damping": 1}}
    joint = {"type": joint_type, "child": "arm"} | ({"length": 1} if joint_type == "distance" else {})
    found = problems(joints={"hinge": joint}, forces={"f": {"kind": kind, "joint": "hinge", **fields.get(kind, {})}})
    assert len(found) == 1 and "no free axis" in found[0]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: PointSpring(name="f", parent="arm", child="arm", stiffness=1, length=1), "to itself"),
        (lambda: PointSpring(name="f", child="arm", stiffness=1, length=-1), "length -1 must not be negative"),
        (lambda: PointSpring(name="f", child="world", parent="arm", stiffness=1, length=1), "child is the world"),
        (lambda: Wrench(name="f", body="arm", signal=["t"]), "signal has 1 texts; a wrench has 6"),
        (lambda: Wrench(name="f", body="arm", frame="joint"), "frame 'joint'"),
        (lambda: Potential(name="f", child="arm", expression="k*x_b[0]"), "unknown name 'k'"),
        (lambda: Potential(name="f", parent="arm", child="arm", expression="x_b[0]"), "to itself"),
        (lambda: Potential(name="f", child="arm", expression=3), "expression 3 must be a text"),
        (lambda: Potential(name="f", child="arm", expression=None), "expression None must be a text"),
        (lambda: Potential(name="f", child="arm", expression="x_b[0]", parameters={"t": 1}), "name of the grammar"),
        (lambda: Driver(name="f", joint="hinge", coordinate=1.5), "coordinate 1.5"),
        (lambda: Coupling(name="f", joints=("a",), ratio=1), "joints"),
    ],
)
def test_wrong_elements(make, reason):
    with pytest.raises(MechanismError, match=f"'f': .*{reason}"):
        make()


def test_one_number_stands_for_all_axes_of_one_kind():
    assert axis_values(2.0, ("rotation",) * 3) == (2.0, 2.0, 2.0)
    assert axis_values((1.0, 2.0), ("translation", "rotation")) == (1.0, 2.0)
    with pytest.raises(ValueError):
        axis_values(2.0, ("translation", "rotation"))


def test_all_problems_come_at_once():
    """Fields, references of elements that are wrong themselves, kinds: each problem is there, and none twice."""
    found = problems(
        bodies={"arm": {"mass": -1, "inertia": (1, 1, 5)}, "leg": {"mass": 1}},
        joints={"hinge": HINGE | {"type": "hinge"}, "knee": {"type": "revolute", "parent": "ar", "chld": "leg"}},
        forces={"f": {"kind": "wrench", "body": "lag"}},
    )
    starts = [
        "body 'arm': mass", "body 'arm': inertia", "body 'leg': inertia", "joint 'hinge': type", "joint 'knee': child",
        "joint 'knee': unknown field 'chld'", "joint 'knee': parent 'ar'", "force 'f': body 'lag'",
    ]  # fmt: skip
    assert len(found) == len(starts)
    for start in starts:
        assert sum(text.startswith(start) for text in found) == 1


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (
            lambda: Joint(
                name="hip", type="custom", child="arm", axis=(0, 0, 0), expressions=["x_b[9]"], coordinate=1, pitch=2
            ),
            [("axis",), ("pitch",), ("coordinate",), ("expressions", 0)],
        ),
        (
            lambda: Joint(name="hip", type="revolute", child="arm", foo=1, coordinate=(1, 2), pitch=2),
            [("foo",), ("pitch",), ("coordinate",)],
        ),
        (lambda: Joint(name="hip", type="revolut", parent="arm", child="arm"), [("type",), ("child",)]),
        (
            lambda: Wrench(name="hand", body="arm", point=(0, 0), signal=["1", "2 +"]),
            [("point",), ("signal",), ("signal", 1)],
        ),
        (
            lambda: Contact(name="foot", child="arm", parent="arm", radius=-1, directions=5, expression="x_b[0]"),
            [("radius",), ("child",), ("expression",), ("directions",), ("directions",)],
        ),
        # what follows from a wrong field is not known, and what is said of it already is not said again
        (lambda: Body(name="arm", mass=-1, shape={"kind": "sphere", "radius": 1}), [("mass",)]),
        (lambda: Joint(name="hip", type="universal", child="arm", axis=(0, 0, 0), child_axis=(1, 0, 0)), [("axis",)]),
        (lambda: Joint(name="hip", type="revolut", child="arm", coordinate=(1, 2), pitch=2), [("type",)]),
    ],
)
def test_a_wrong_field_hides_nothing_that_can_be_said_without_it(make, found):
    with pytest.raises(MechanismError) as caught:
        make()
    assert list(caught.value.paths) == found


def test_a_flood_of_problems_is_cut_when_shown():
    error = MechanismError([f"problem {i}" for i in range(1000)])
    assert str(error).count("\n") == 50 and str(error).endswith("950 more problems")
    assert len(error.problems) == 1000
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_mechanisms_merge_with_prefixes_and_every_reference_follows():
    gears = pendulum(
        bodies=[Body(name=name, mass=1, inertia=(1, 1, 1)) for name in ("arm", "leg")],
        joints=[Joint(name=f"to_{name}", type="revolute", child=name) for name in ("arm", "leg")],
        couplings=[Coupling(name="gear", joints=("to_arm", "to_leg"), ratio=2)],
        drivers=[Driver(name="motor", joint="to_arm")],
        forces=[
            Wrench(name="push", body="leg"),
            PointSpring(name="band", parent="arm", child="leg", stiffness=1, length=1),
            JointSpring(name="coil", joint="to_leg", stiffness=1),
        ],
    )
    both = Mechanism.merge("both", gears, gears, prefixes=("left", "right"))
    assert both.body_names == ("left_arm", "left_leg", "right_arm", "right_leg")
    assert both.joint("right_to_leg").child == "right_leg" and both.joint("right_to_leg").parent == "world"
    assert both.coupling("left_gear").joints == ("left_to_arm", "left_to_leg")
    assert both.driver("right_motor").joint == "right_to_arm"
    assert both.force("right_push").body == "right_leg"
    assert (both.force("left_band").parent, both.force("left_band").child) == ("left_arm", "left_leg")
    assert both.force("left_coil").joint == "left_to_leg"


def test_a_merged_mechanism_says_what_its_parts_are():
    left, right = (pendulum(description=text) for text in ("a leg", "an arm"))
    assert Mechanism.merge("both", left, right, left, prefixes=["l", "r", "m"]).description == "a leg\nan arm"
    assert Mechanism.merge("both", pendulum(), prefixes=["l"]).description == ""


def test_mechanisms_that_do_not_go_together_are_not_merged():
    with pytest.raises(MechanismError, match="body 'arm': its name is that of the body 'arm'"):
        Mechanism.merge("both", pendulum(), pendulum())
    with pytest.raises(MechanismError, match="gravity .* differs"):
        Mechanism.merge("both", pendulum(), pendulum(gravity=(0, 0, -1)), prefixes=("a", "b"))
    with pytest.raises(MechanismError, match="1 prefixes for 2"):
        Mechanism.merge("both", pendulum(), pendulum(), prefixes=("a",))
    with pytest.raises(MechanismError, match="nothing to merge"):
        Mechanism.merge("both")
    with pytest.raises(MechanismError, match="must be 1 to 63"):
        Mechanism.merge("both", pendulum(), prefixes=("x" * 60,))
    assert Mechanism.merge("same", pendulum()).bodies == pendulum().bodies


def test_a_state_checks_its_arrays_and_cannot_be_written_to():
    zeros, upright = np.zeros((2, 3)), np.array([[1.0, 0, 0, 0]] * 2)
    state = State(0.0, zeros, upright, zeros, zeros, ("a", "b"))
    assert state.index("b") == 1
    with pytest.raises(ValueError):
        state.position[0, 0] = 1.0
    zeros[0, 0] = 5.0
    assert state.position[0, 0] == 0.0
    with pytest.raises(MechanismError, match="no body 'c'"):
        state.index("c")
    with pytest.raises(MechanismError, match="position has the shape"):
        State(0.0, zeros[:1], zeros, zeros, zeros, ("a", "b"))
    with pytest.raises(MechanismError, match="velocity of body 'b' is not finite"):
        State(0.0, zeros, upright, np.array([[0, 0, 0], [0, np.nan, 0]]), zeros, ("a", "b"))


@pytest.mark.parametrize("length", [0.0, 0.9, 2.0])
def test_a_state_takes_no_quaternion_that_is_no_rotation(length):
    nothing, orientation = np.zeros((2, 3)), np.array([[1.0, 0, 0, 0], [0, 0, 0, length]])
    with pytest.raises(MechanismError, match=f"orientation of body 'b' has length {length:g}"):
        State(0.0, nothing, orientation, nothing, nothing, ("a", "b"))


def test_a_state_removes_the_drift_of_quaternions():
    """What single precision adds is removed; a length that is one but for round-off keeps its bits."""
    nothing, near = np.zeros((2, 3)), np.array([[0.6 + 1e-5, 0.8, 0, 0], [1 + 1e-15, 0, 0, 0]])
    found = State(0.0, nothing, near, nothing, nothing, ("a", "b")).orientation
    assert abs(np.linalg.norm(found[0]) - 1) < 1e-15 and (found[1] == near[1]).all()


def test_a_state_carries_whole_turns():
    nothing, upright = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    state = State(0.0, nothing, upright, nothing, nothing, ("a",), {"pin": [40.0]})
    assert state.angles == {"pin": (40.0,)}
    for wrong, reason in (("x", "must be numbers"), (None, "must be numbers"), ([np.nan], "is not finite")):
        with pytest.raises(MechanismError, match=f"'pin' {reason}|of joint 'pin' {reason}"):
            State(0.0, nothing, upright, nothing, nothing, ("a",), {"pin": wrong})


def test_a_missing_extra_is_named():
    assert "needs the package matplotlib; install it with: " in str(missing_extra("plot", "matplotlib"))


def test_a_description_needs_neither_arrays_nor_algebra():
    """The command line answers --help and refuses bad files without waiting for NumPy or SymPy."""
    code = "import sys, symvi.mechanism; sys.exit(any(name in sys.modules for name in ('numpy', 'sympy', 'scipy')))"
    subprocess.run([sys.executable, "-c", code], check=True)
