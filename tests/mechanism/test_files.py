"""Files: one form in TOML and JSON, what is written reads back equal, and what is wrong is reported with its lines."""

import json
import math
import os
import re
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symvi.errors import MechanismError
from symvi.mechanism import (
    Actuator,
    Body,
    Box,
    Capsule,
    Contact,
    Coupling,
    Cylinder,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    PointSpring,
    Potential,
    Rod,
    Servo,
    Sphere,
    Wrench,
)
from symvi.mechanism.lines import key_lines
from symvi.mechanism.values import LARGEST

PENDULUM = """\
[mechanism]
name = "pendulum"
gravity = [0, 0, "-9.81 m/s^2"]

[bodies.rod]
mass = "2 kg"
shape = { kind = "rod", length = "500 mm", position = [0, 0, "-25 cm"] }

[joints.hinge]
type = "revolute"
child = "rod"
axis = [1, 0, 0]
orientation = { axis = [0, 0, 1], angle = "90 deg" }
coordinate = "30 deg"

[forces.spring]
kind = "joint_spring"
joint = "hinge"
stiffness = "5 N m/rad"
"""


def everything():
    """A mechanism with every kind of element and every field away from its default."""
    bodies = [
        Body(name="a", mass=1, shape=Box(size=(1, 2, 3), position=(0.1, 0, 0), orientation=(0.6, 0.8, 0, 0))),
        Body(name="b", mass=0.1, inertia=(1, 2, 2.5, 0.1, 0.2, 0.3), center_of_mass=(1, 2, 3), color="#AABBCC"),
        Body(name="c", mass=1e-7, shape=Rod(length=1), position=(1, 0, 0), orientation=(0, 1, 0, 0)),
        Body(name="d", mass=3e9, shape=Capsule(radius=1, length=2), velocity=(1, 2, 3), angular_velocity=(0, 0, 1)),
        Body(name="e", mass=1, shape=Cylinder(radius=1, length=2)),
        Body(name="f", mass=1, inertia=(0, 0, 0), shape=Sphere(radius=1)),
    ]
    expressions = ("sqrt(x_a[0]**2 + x_b[1]) - L", "R_a[0, 2]")
    joints = [
        Joint(
            name="j1", type="revolute", child="a", parent_anchor=(1, 1, 1), axis=(1, 2, 3), coordinate=0.1, velocity=2
        ),
        Joint(name="j2", type="universal", parent="a", child="b", orientation=(0.8, 0, 0.6, 0), child_axis=(0, 1, 0)),
        Joint(name="j3", type="screw", parent="b", child="c", pitch=0.01, child_anchor=(0, 0, -1)),
        Joint(name="j4", type="distance", parent="c", child="d", length=2.5),
        Joint(name="j5", type="custom", parent="d", child="e", expressions=expressions, parameters={"L": 0.1}),
        Joint(name="j6", type="cylindrical", parent="e", child="f", coordinate=(1, 2), velocity=(3, 4)),
    ]
    forces = [
        JointSpring(name="f1", joint="j6", stiffness=(1, 2), rest=(0.5, 0)),
        JointSpring(name="f2", joint="j1", stiffness=1, law="sinusoidal"),
        PointSpring(name="f3", child="a", child_anchor=(0, 0, 1), parent_anchor=(1, 0, 0), stiffness=1, length=0.3),
        JointDamper(name="f4", joint="j6", damping=(0.1, 0.2)),
        Actuator(name="f5", joint="j6", signal=("t", "sin(t)")),
        Actuator(name="f6", joint="j1"),
        Servo(name="f7", joint="j1", stiffness=10, damping=1, signal="0.5*t"),
        Wrench(name="f8", body="b", point=(1, 0, 0), frame="body", signal=("1", "0", "0", "0", "0", "t")),
        Potential(name="f9", parent="a", child="b", expression="k*x_b[2]", parameters={"k": 3}),
        DryFriction(name="f10", joint="j6", bound=(0.1, 0.2)),
    ]
    contacts = [
        Contact(
            name="c1", child="a", child_anchor=(0, 0, -1), radius=0.1, parent_anchor=(0, 0, 1), normal=(1, 2, 3),
            friction=0.5, cone="linear", directions=6,
        ),
        Contact(name="c2", kind="sphere", parent="b", child="d", parent_radius=0.2, whole_shape=True),
        Contact(name="c3", kind="gap", parent="b", child="c", expression="x_b[0] - d", parameters={"d": 0.3}),
    ]  # fmt: skip
    limits = [Limit(name="l1", joint="j1", lower=-1), Limit(name="l2", joint="j6", coordinate=1, lower=0, upper=2)]
    return Mechanism(
        name="everything",
        description='quotes " and \\ and ünï\nnew line, \t tab, \x7f delete, \x01',
        gravity=(0.1, 0, -1e-300),
        bodies=bodies,
        joints=joints,
        couplings=[Coupling(name="g1", joints=("j1", "j3"), ratio=-2, offset=0.25)],
        drivers=[Driver(name="d1", joint="j6", coordinate=1, signal="2*pi*t")],
        forces=forces,
        contacts=contacts,
        limits=limits,
    )


def problems(text, form="toml"):
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_toml(text) if form == "toml" else Mechanism.from_json(text)
    return caught.value.problems


def test_a_file_is_read_into_si():
    mechanism = Mechanism.from_toml(PENDULUM)
    assert mechanism.gravity == (0.0, 0.0, -9.81)
    assert mechanism.body("rod").center_of_mass == (0.0, 0.0, -0.25)
    assert mechanism.joint("hinge").coordinate == (math.pi / 6,)
    assert mechanism.joint("hinge").orientation == (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert mechanism.force("spring").stiffness == 5.0


@pytest.mark.parametrize("mechanism", [everything(), Mechanism.from_toml(PENDULUM)], ids=lambda m: m.name)
def test_what_is_written_reads_back_equal_and_writes_the_same_bytes(mechanism):
    for written, read in ((mechanism.to_toml(), Mechanism.from_toml), (mechanism.to_json(), Mechanism.from_json)):
        assert read(written) == mechanism
        assert read(written).digest == mechanism.digest
    assert Mechanism.from_toml(mechanism.to_toml()).to_toml() == mechanism.to_toml()
    assert tomllib.loads(mechanism.to_toml()) == json.loads(mechanism.to_json())


@settings(max_examples=50)
@given(numbers=st.lists(st.floats(-LARGEST, LARGEST), min_size=6, max_size=6), text=st.text())
def test_every_double_and_every_text_survives_a_file(numbers, text):
    body = Body(name="b", mass=1, inertia=(1, 1, 1), position=numbers[:3], velocity=numbers[3:])
    try:
        mechanism = Mechanism(name="m", bodies=[body], description=text)
    except MechanismError:  # half of a surrogate pair
        assert any(0xD800 <= ord(character) <= 0xDFFF for character in text)
        return
    assert Mechanism.from_toml(mechanism.to_toml()) == mechanism == Mechanism.from_json(mechanism.to_json())


def test_all_errors_of_a_file_come_at_once_each_with_its_line():
    text = """\
# line 1
[mechanism]
name = "two words"
gravity = [0, 0, nan]
colour = "red"
[bodies.rod]
mass = "2 mm"
shape = { kind = "rod", length = "500 N" }
[bodies.int]
mass = -1
inertia = [
    1,
    1,
    "5 kg",
]
[joints.hinge]
type = "revolut"
chld = "rod"
coordinate = "30 deg"
[joints.knee]
type = "spherical"
parent = "rdo"
child = "int"
coordinate = [1, 2]
[forces."bad name"]
kind = "joint_sprin"
[forces.push]
kind = "wrench"
body = "hinge"
signal = [
  "0", "0", "0",
  "0", "2*x", "0"]
[body.rod]
"""
    expected = [
        (3, "mechanism 'two words': name"), (4, "mechanism 'two words': gravity"), (5, "unknown field 'colour'"),
        (7, "body 'rod': mass '2 mm' has the unit mm"), (8, "body 'rod': shape.length '500 N'"),
        (9, "body 'int': name 'int' is a reserved word"), (10, "body 'int': mass -1"),
        (14, "body 'int': inertia.2 '5 kg' has the unit kg"), (16, "joint 'hinge': child is missing"),
        (17, "did you mean 'revolute'"), (18, "unknown field 'chld'; did you mean 'child'"),
        (22, "parent 'rdo' is no body; did you mean 'rod'"), (24, "coordinate has 2 values"),
        (25, "name 'bad name'"), (26, "did you mean 'joint_spring'"), (29, "body 'hinge' is no body, but a joint"),
        (32, "signal '2*x', column 3: unknown name 'x'"), (33, "unknown table 'body'; did you mean 'bodies'"),
    ]  # fmt: skip
    found = problems(text)
    assert [int(problem.split(":")[1]) for problem in found] == [line for line, _ in expected]
    for problem, (_, reason) in zip(found, expected, strict=True):
        assert reason in problem


def test_the_same_errors_have_their_lines_in_json():
    text = """{
  "mechanism": {"name": "m"},
  "bodies": {
    "rod": {
      "mass": NaN,
      "inertia": [1, 1,
        "x"]
    },
    "rod two": {"mass": 1, "inertia": [1, 1, 1]}
  },
  "joints": {"hinge": {
      "type": "revolute", "child": "rd"
  }}
}"""
    expected = [(5, "mass nan"), (7, "inertia.2 'x'"), (9, "name 'rod two'"), (12, "child 'rd' is no body")]
    found = problems(text, "json")
    assert [int(problem.split(":")[1]) for problem in found] == [line for line, _ in expected]
    assert all(reason in problem for problem, (_, reason) in zip(found, expected, strict=True))


def test_lines_are_found_in_the_most_twisted_toml():
    text = r'''
top = 1 # [not.a.table]
"quoted key" = "]"
a.b . "c d" = 'x'
multi = """
[no.table]
key = 3
""" # after
literal = \'\'\'
[nor.this]
\'\'\'
date = 1979-05-27T07:32:00Z
list = [ # comment ]
  1, [ "a]", 2 ],
  { x = 1, "y z" = [
     3 ] },
]
[ t . "u v" ]
k = 1.5
[t.list]
quotes = """a""""
last = '#'
[[array]]
one = 1
[[array]]
two = 2
'''.replace("\\'", "'")
    tomllib.loads(text)
    lines = key_lines(text, "toml")
    rows = text.split("\n")
    for path, needle in {
        ("top",): "top", ("quoted key",): '"quoted', ("a", "b", "c d"): "a.b", ("multi",): "multi",
        ("literal",): "literal", ("date",): "date", ("list",): "list", ("list", 0): "  1,", ("list", 1): "  1,",
        ("list", 2, "x"): "  { x", ("list", 2, "y z", 0): "     3", ("t", "u v"): "[ t", ("t", "u v", "k"): "k = 1.5",
        ("t", "list"): "[t.list]", ("t", "list", "quotes"): "quotes", ("t", "list", "last"): "last",
        ("array", "one"): "one", ("array", "two"): "two",
    }.items():  # fmt: skip
        assert rows[lines[path] - 1].startswith(needle), path
    assert ("no", "table") not in lines and ("nor", "this") not in lines and ("key",) not in lines


@pytest.mark.parametrize(
    ("text", "form", "reason"),
    [
        ("[mechanism\nname = 1", "toml", "text:1: is not valid TOML"),
        ("[mechanism]\nname = 'a\n", "toml", "text:2: is not valid TOML"),
        ("[mechanism]\n[mechanism]\n", "toml", "text:2: is not valid TOML: Cannot declare"),
        ("a = " + "[" * 100_000, "toml", "nested too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "toml", "text:1: a key of more than 20 parts"),
        ("\na = " + "1" * 10_000, "toml", "text:2: holds a number of thousands of digits"),
        ("[mechanism]\nbodies = 3", "toml", "text:2: bodies is a table of its own"),
        ("mechanism = 3", "toml", "text:1: mechanism 3 must be a table"),
        ("bodies = 3", "toml", "text:1: bodies 3 must hold one table per name"),
        ("", "toml", "text:1: mechanism: name is missing"),
        (
            "[forces.k]\nkind = 'servo'\njoint = ['a']\nstiffness = '1 N/m'\ndamping = 1",
            "toml",
            "text:3: force 'k': joint",
        ),
        ("{", "json", "text:1: is not valid JSON"),
        ('{"mechanism":\n {"name": "a",\n "name": "b"}}', "json", "text:3: the key 'name' stands twice in one table"),
        ("[" * 100_000, "json", "nested too deeply"),
        ("[1]", "json", r"text:1: must hold tables, but holds \[1\]"),
        ("null", "json", "must hold tables"),
        ("1" * 10_000, "json", "thousands of digits"),
    ],
)
def test_broken_files_are_named_errors(text, form, reason):
    assert any(re.search(reason, problem) for problem in problems(text, form))


def test_a_wrong_unit_hides_no_other_problem_of_its_element():
    text = PENDULUM.replace('"2 kg"', '"2 mm"') + '[bodies.Rod]\nmass = "1 s"\nlength = 1\ninertia = [1, 1, 1]\n'
    assert [problem.split(":")[1] for problem in problems(text)] == ["6", "20", "21", "22"]


def test_an_element_has_one_name():
    text = PENDULUM.replace("[joints.hinge]\n", '[joints.hinge]\nname = "knee"\n')
    assert problems(text) == ("text:10: joint 'hinge': has two names; remove the field name",)


@pytest.mark.parametrize(
    ("orientation", "reason"),
    [
        ('{ axis = [0, 0, 0], angle = "90 deg" }', "an axis that is not zero"),
        ('{ axis = [0, 1], angle = "90 deg" }', "3 numbers"),
        ('{ axis = [0, 0, 1], angle = "90 mm" }', "angle '90 mm' has the unit mm"),
        ("{ axis = [0, 0, 1] }", "a table of axis and angle"),
        ("{ axis = [0, 0, 1], angle = nan }", "finite"),
        ("{ axis = [0, 0, 1], angle = true }", "must be a number"),
    ],
)
def test_wrong_turns(orientation, reason):
    text = PENDULUM.replace('{ axis = [0, 0, 1], angle = "90 deg" }', orientation)
    found = problems(text)
    assert len(found) == 1 and found[0].startswith("text:13: joint 'hinge': orientation") and reason in found[0]


@pytest.mark.parametrize("form", ["toml", "json"])
def test_a_mark_of_byte_order_is_no_part_of_a_text(form):
    mechanism = Mechanism(name="a", bodies=[Body(name="b", mass=1, inertia=(1, 1, 1))])
    text, read = getattr(mechanism, f"to_{form}")(), getattr(Mechanism, f"from_{form}")
    assert read("\ufeff" + text) == mechanism


def test_files_are_read_by_their_ending(tmp_path):
    mechanism = Mechanism.from_toml(PENDULUM)
    (tmp_path / "a b.toml").write_text("\ufeff" + PENDULUM, encoding="utf-8")  # a byte order mark, as editors leave it
    (tmp_path / "p.JSON").write_text(mechanism.to_json())
    assert Mechanism.from_file(tmp_path / "a b.toml") == Mechanism.from_file(str(tmp_path / "p.JSON")) == mechanism
    (tmp_path / "windows.toml").write_bytes(PENDULUM.replace("\n", "\r\n").replace('"2 kg"', "0").encode())
    with pytest.raises(MechanismError, match=r"windows.toml:6: body 'rod': mass 0 must be positive"):
        Mechanism.from_file(tmp_path / "windows.toml")


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "leg.toml").write_text(PENDULUM)
    (tmp_path / "picture.toml").write_bytes(b"[mechanism]\n\x89PNG\r\n\x1a\n")
    (tmp_path / "huge.json").write_bytes(b"{" + b" " * 20_000_000)
    (tmp_path / "folder.toml").mkdir()
    for name, reason in {
        "log.toml": r"log.toml: there is no such file; did you mean 'leg.toml'",
        "no/such/leg.toml": "there is no such file$",
        "picture.toml": r"picture.toml:2: is no UTF-8 text: byte 0x89 at offset 12",
        "huge.json": "larger than 20 MB",
        "folder.toml": "cannot be read: Is a directory",
        "leg.txt": "the ending must be .toml or .json",
        "leg": "the ending must be .toml or .json",
        "a\x00b.toml": "cannot be read",
        "x" * 5000 + ".toml": "cannot be read: File name too long",
        "new\nline\x1b.toml": r"new\\nline\\x1b.toml: there is no such file",
    }.items():
        with pytest.raises(MechanismError, match=reason):
            Mechanism.from_file(tmp_path / name)


@pytest.mark.skipif(os.name != "posix", reason="needs an endless device")
def test_a_file_without_end_is_not_read(tmp_path):
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    with pytest.raises(MechanismError, match="is no file, but a pipe or a device"):
        Mechanism.from_file(tmp_path / "zero.toml")


class TestSchema:
    """The published JSON Schema agrees with what is read."""

    schema = Mechanism.json_schema()

    def accepts(self, value, schema=None):
        """The part of JSON Schema that the schema uses."""
        schema = self.schema if schema is None else schema
        if isinstance(schema, bool):
            return schema
        if "$ref" in schema:
            return self.accepts(value, self.schema["$defs"][schema["$ref"].split("/")[-1]])
        kinds = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
        kinds |= {"boolean": bool}
        if "type" in schema and not isinstance(value, kinds[schema["type"]]):
            return False
        if isinstance(value, bool) and schema.get("type", "boolean") != "boolean":
            return False
        if "anyOf" in schema and not any(self.accepts(value, choice) for choice in schema["anyOf"]):
            return False
        if "oneOf" in schema and sum(self.accepts(value, choice) for choice in schema["oneOf"]) != 1:
            return False
        if value not in schema.get("enum", [value]) or value != schema.get("const", value):
            return False
        if isinstance(value, str):
            return bool(re.search(schema.get("pattern", ""), value))
        if isinstance(value, list):
            return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 99) and all(
                self.accepts(item, schema.get("items", {})) for item in value
            )
        if isinstance(value, dict):
            known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
            names = schema.get("propertyNames", {})
            return set(schema.get("required", [])) <= set(value) and all(
                self.accepts(name, names)
                and (self.accepts(item, known[name]) if name in known else others and self.accepts(item, others))
                for name, item in value.items()
            )
        return True

    def test_it_accepts_what_is_written_and_what_is_read(self):
        assert self.accepts(json.loads(everything().to_json()))
        assert self.accepts(tomllib.loads(PENDULUM))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('name = "pendulum"', ""),
            ("[bodies.rod]", "[body.rod]"),
            ("[bodies.rod]", '[bodies."a rod"]'),
            ('mass = "2 kg"', ""),
            ('mass = "2 kg"', "mass = true"),
            ("mass =", "mas ="),
            ('kind = "rod"', 'kind = "bar"'),
            ('kind = "joint_spring"', 'kind = "spring"'),
            ('kind = "joint_spring"', ""),
            ('type = "revolute"', 'type = "revolut"'),
            ("axis = [1, 0, 0]", "axis = [1, 0]"),
            ('"5 N m/rad"', "{}"),
        ],
    )
    def test_it_refuses_what_reading_refuses(self, old, new):
        assert old in PENDULUM
        text = PENDULUM.replace(old, new, 1)
        assert not self.accepts(tomllib.loads(text))
        assert problems(text)

    def test_short_forms_belong_to_it(self):
        short = PENDULUM.replace("shape = {", "inertia = [1, 1, 1]\nshape = {").replace(
            "stiffness =", "rest = [0]\nstiffness ="
        )
        assert self.accepts(tomllib.loads(short)) and Mechanism.from_toml(short)

    def test_a_kind_with_a_default_may_be_left_out(self):
        """The surface of a contact, but not the kind of a force or a shape."""
        text = PENDULUM + '[contacts.floor]\nchild = "rod"\n'
        assert self.accepts(tomllib.loads(text)) and Mechanism.from_toml(text).contact("floor").kind == "half_space"
        for wrong in ('kind = "wall"', "whole_shape = 1", "directions = 4.0", "normal = [0, 1]"):
            assert not self.accepts(tomllib.loads(text + wrong)) and problems(text + wrong)

    def test_it_states_the_defaults(self):
        joint = self.schema["$defs"]["Joint"]["properties"]
        assert joint["axis"]["default"] == [0.0, 0.0, 1.0] and joint["parent"]["default"] == "world"
        assert "default" not in joint["pitch"]

    def test_it_names_every_field_of_every_element(self):
        definitions = self.schema["$defs"]
        models = (Body, Joint, Coupling, Driver, Contact, Limit, JointSpring, DryFriction, Wrench, Potential, Rod, Box)
        for model in models:
            assert set(definitions[model.__name__]["properties"]) == set(model.model_fields) - {"name"}
