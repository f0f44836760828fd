"""Files that are wrong, hostile or both: a named error or a notice, in bounded time, and nothing else run or read."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symvi.errors import MechanismError, SymviError
from symvi.importers import Imported, load
from tests.importers.urdf_texts import inertial, joint, link, random_robot, robot


def read(text: str | bytes, folder: Path, **options: object) -> Imported:
    path = folder / "robot.urdf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(path, **options)


def refused(text: str | bytes, folder: Path, **options: object) -> str:
    with pytest.raises(MechanismError) as caught:
        read(text, folder, **options)
    return str(caught.value)


ARM = [link("base"), link("arm"), joint("hinge", "continuous", "base", "arm")]
LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
ENTITIES = {
    "bomb": f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l9;"/>',
    "outside": '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><robot name="&f;"/>',
    "parameter": '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]><robot/>',
    "definition elsewhere": '<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>',
}


@pytest.mark.parametrize("kind", ENTITIES)
def test_entities_are_refused_whole(kind: str, tmp_path: Path) -> None:
    assert "robot.urdf:1: has a document type" in refused(ENTITIES[kind], tmp_path)


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "is not valid XML: no element found"),
        (os.urandom(5000), "is not valid XML"),
        (b"\x00" * 1000, "is not valid XML"),
        (b"<robot><link></robot>", "robot.urdf:1: is not valid XML: mismatched tag"),
        (b"<robot>\n<link\n", "is not valid XML"),
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', "is not valid XML: unknown encoding"),
        (b'<?xml version="1.0" encoding="utf-16"?><robot/>', "is not valid XML"),
        (b"<robot>\xff\xfe</robot>", "is not valid XML"),
        (b"<svg/>", "<svg> is no description of a mechanism"),
        (b"<robot name='r'/>", "the robot has no link"),
        (b"<robot>" + b"<a>" * 500 + b"</a>" * 500 + b"</robot>", "nested deeper than 200"),
    ],
)
def test_rubbish_is_named(content: bytes, words: str, tmp_path: Path) -> None:
    assert words in refused(content, tmp_path)


def test_files_of_a_hundred_megabytes_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    with open(path, "wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(MechanismError, match="larger than 20 MB"):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 25_000_000  # bytes at once
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
def test_more_elements_than_any_robot_has(tmp_path: Path) -> None:
    assert "more than 500000 elements" in refused(b"<robot>" + b"<a/>" * 500_001 + b"</robot>", tmp_path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match="there is no such file"):
        load(tmp_path / "robot.urdf")
    (tmp_path / "folder.urdf").mkdir()
    with pytest.raises(MechanismError, match="cannot be read"):
        load(tmp_path / "folder.urdf")


@pytest.mark.parametrize(
    "word", ["abc", "nan", "inf", "-inf", "1e999", "1,5", "0x10", "1_0", "", "1 2", "--1", "\u0663", "\uff11", "1e150"]
)
def test_numbers_that_are_none(word: str, tmp_path: Path) -> None:
    """Peers read mass="abc" as 0."""
    text = robot(link("base"), link("arm", inertial().replace('mass value="1.0"', f'mass value="{word}"')), ARM[2])
    told = refused(text, tmp_path)
    assert "robot.urdf:4: <mass> value=" in told and "must be a number" in told


WRONG = {
    "a second link of the name": ([*ARM, link("arm")], "robot.urdf:6: link 'arm': its name is taken in line 4"),
    "a second joint of the name": (
        [*ARM, link("leg"), joint("hinge", "continuous", "arm", "leg")],
        "robot.urdf:7: joint 'hinge': its name is taken in line 5",
    ),
    "no name": ([*ARM, "<link/>"], "<link> needs the attribute name"),
    "an unknown type": ([*ARM[:2], joint("h", "revolut", "base", "arm")], "did you mean 'revolute'?"),
    "an unknown link": ([*ARM[:2], joint("h", "continuous", "base", "arn")], "'arn' is no link; did you mean 'arm'?"),
    "no parent": ([*ARM[:2], '<joint name="h" type="fixed"><child link="arm"/></joint>'], "has no <parent link=.../>"),
    "two parents in one": (
        [*ARM[:2], joint("h", "continuous", "base", "arm", '<parent link="arm"/>')],
        "has two <parent>",
    ),
    "itself": ([*ARM, joint("h", "continuous", "arm", "arm")], "joins the link 'arm' to itself"),
    "two roots": ([*ARM, link("lost")], "2 links are nobody's child: 'base', 'lost'"),
    "a circle": ([*ARM, joint("back", "continuous", "arm", "base")], "there is no root: 'base' -> 'arm' -> 'base'"),
    "an island in a circle": (
        [*ARM, link("x"), link("y"), joint("a", "continuous", "x", "y"), joint("b", "continuous", "y", "x")],
        "joints lead round in a circle",
    ),
    "fixed in a circle": (
        [*ARM, link("x"), link("y"), joint("a", "fixed", "x", "y"), joint("b", "fixed", "y", "x")],
        "fixed joints lead round in a circle",
    ),
    "no direction": ([*ARM[:2], joint("h", "continuous", "base", "arm", '<axis xyz="0 0 0"/>')], "length zero"),
    "next to no direction": (
        [*ARM[:2], joint("h", "continuous", "base", "arm", '<axis xyz="1e-320 0 0"/>')],
        "is shorter than 1e-100; give a direction",
    ),
    "a negative mass": ([link("base"), link("arm", inertial(-1.0)), ARM[2]], "mass -1 must not be negative"),
    "negative damping": (
        [*ARM[:2], joint("h", "continuous", "base", "arm", '<dynamics damping="-1"/>')],
        "damping -1 must not be negative",
    ),
    "an impossible inertia": ([link("base"), link("arm", inertial(1, (1, 1, 5))), ARM[2]], "no body has this inertia"),
    "limits the wrong way round": (
        [*ARM[:2], joint("h", "revolute", "base", "arm", '<limit lower="1" upper="-1"/>')],
        "lower 1 above upper -1",
    ),
    "a mimic of nobody": (
        [*ARM[:2], joint("h", "continuous", "base", "arm", '<mimic joint="hing"/>')],
        "mimics 'hing', which is no joint",
    ),
    "a mimic of itself": ([*ARM[:2], joint("h", "continuous", "base", "arm", '<mimic joint="h"/>')], "mimics itself"),
    "letters the wrong way round": (
        [*ARM[:2], joint("h", "continuous", "base", "arm").replace("xyz=", "xzy=")],
        "unknown attribute 'xzy' of <origin>; did you mean 'xyz'?",
    ),
    "letters the wrong way round in a loop": (
        [*ARM, '<loop_joint name="l" type="fixed"><link1 link="arm" xzy="1 0 0"/><link2 link="base"/></loop_joint>'],
        "unknown attribute 'xzy' of <link1>; did you mean 'xyz'?",
    ),
    "one of three letters": (
        [*ARM[:2], joint("h", "continuous", "base", "arm", '<axis xyy="0 0 1"/>')],
        "unknown attribute 'xyy' of <axis>; did you mean 'xyz'?",
    ),
    "a number too many": (
        [*ARM[:2], joint("h", "continuous", "base", "arm").replace('<child link="arm"/>', '<child link1="arm"/>')],
        "unknown attribute 'link1' of <child>; did you mean 'link'?",
    ),
    "an axis that is no number": (
        [*ARM[:2], joint("h", "fixed", "base", "arm", '<axis xyz="nan 0 1"/>')],
        "robot.urdf:5: <axis> xyz='nan 0 1' must be 3 numbers, and finite",
    ),
    "an axis of a free joint that is no number": (
        [*ARM[:2], joint("h", "floating", "base", "arm", '<axis xyz="a b c"/>')],
        "<axis> xyz='a b c' must be 3 numbers",
    ),
    "a slip in a tag": ([link("base"), link("arm", inertial().replace("inertial", "inertail")), ARM[2]], "'inertial'?"),
    "a slip in an attribute": (
        [*ARM[:2], joint("h", "revolute", "base", "arm", '<limit lowr="-1" upper="1"/>')],
        "unknown attribute 'lowr' of <limit>; did you mean 'lower'?",
    ),
    "a slip in a tag of the robot": ([*ARM, "<jiont/>"], "unknown tag <jiont> in <robot>; did you mean 'joint'?"),
    "no mass between joints": (
        [*ARM[:1], link("arm", ""), link("hand"), ARM[2], joint("h2", "continuous", "arm", "hand")],
        "link 'arm': has no mass, but moves between joints ('hinge', 'h2')",
    ),
    "a point on its own axis": (
        [link("base"), link("arm", inertial(1.0, (0, 0, 0))), ARM[2]],
        "no inertia about (1, 0, 0), and no joint holds that rotation",
    ),
    "nothing that moves": ([link("base")], "nothing in it moves; give a link a joint"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_robots_are_refused_with_file_line_and_remedy(kind: str, tmp_path: Path) -> None:
    parts, words = WRONG[kind]
    told = refused(robot(*parts), tmp_path)
    assert words in told
    assert all(f"{tmp_path}/robot.urdf" in line for line in told.splitlines())


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    parts = [link("base", inertial(-1.0)), link("arm", inertial(-2.0)), joint("h", "hing", "base", "arm")]
    assert len(refused(robot(*parts), tmp_path).splitlines()) == 3


def test_words_that_nobody_knows_are_listed(tmp_path: Path) -> None:
    found = read(robot(*ARM, "<warp_drive speed='9'/>", "<drake:loop/>".replace(":", "_")), tmp_path)
    assert [notice.what for notice in found.report.of("ignored")] == [
        "unknown tag <warp_drive> in <robot>",
        "unknown tag <drake_loop> in <robot>",
    ]
    with pytest.raises(MechanismError, match="strict allows none"):
        load(tmp_path / "robot.urdf", strict=True)


INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
MASS, BALL = '<mass value="1"/>', '<geometry><sphere radius="1"/></geometry>'
SHAPE_PARTS = {"origin": "<origin/>", "geometry": BALL, "material": '<material name="m"/>'}
ENDS = '<parent link="base"/><child link="arm"/>'
# the way to what may stand in it once -> that, written whole, and what must stand beside it
ONCE = {
    "link/inertial": {"origin": "<origin/>", "mass": MASS, "inertia": INERTIA},
    "link/visual": SHAPE_PARTS,
    "link/collision": SHAPE_PARTS,
    "joint": {
        "origin": '<origin xyz="1 0 0"/>',
        "parent": '<parent link="base"/>',
        "child": '<child link="arm"/>',
        "axis": '<axis xyz="0 1 0"/>',
        "limit": '<limit lower="-1" upper="1"/>',
        "dynamics": '<dynamics damping="1"/>',
        "mimic": '<mimic joint="hinge"/>',
        "safety_controller": '<safety_controller k_velocity="1"/>',
        "calibration": '<calibration rising="0"/>',
    },
}
ONCE |= {
    kind: {tag: f"<{tag}/>" for tag in ("axis", "parent_origin", "child_origin", "parent_axis", "child_axis")}
    for kind in ("loop_joint", "constraint")
}


def with_two(way: str, tag: str) -> str:
    """A robot whose element at the end of the way has two children of a tag, line by line."""
    twice = "\n".join([ONCE[way][tag]] * 2)
    outer, _, inner = way.partition("/")
    rest = "".join(text for other, text in ONCE[way].items() if other != tag and outer in ("link", "joint"))
    inside = f"{rest}\n{twice}"
    if outer == "link":
        return robot(link("base"), link("arm", f"<{inner}>{inside}</{inner}>"), ARM[2])
    second = f'<{outer} name="second" type="revolute">{inside}{"" if outer == "joint" else ENDS}</{outer}>'
    return robot(*ARM, second)


@pytest.mark.parametrize("way, tag", [(way, tag) for way, tags in ONCE.items() for tag in tags])
def test_what_may_stand_once_is_refused_the_second_time(way: str, tag: str, tmp_path: Path) -> None:
    """Peers take the first or the last of them, and say nothing."""
    text = with_two(way, tag)
    whole = ONCE[way][tag]
    line = max(number for number, words in enumerate(text.splitlines(), 1) if words.startswith(whole))
    told = refused(text, tmp_path)
    element = {"link": "link 'arm'"}.get(way.partition("/")[0], f"{way} 'second'")
    inner = f"<{way.partition('/')[2]}> " if "/" in way else ""
    assert f"robot.urdf:{line}: {element}: {inner}has two <{tag}>, the first in line {line - 1}" in told


def test_one_geometry_has_one_shape(tmp_path: Path) -> None:
    two = '<collision><geometry><sphere radius="1"/><box size="1 1 1"/></geometry></collision>'
    told = refused(robot(link("base"), link("arm", inertial() + two), ARM[2]), tmp_path)
    assert "robot.urdf:4: link 'arm': <geometry> has two shapes, <sphere> and <box>" in told


def test_a_tag_of_nobody_hides_no_shape(tmp_path: Path) -> None:
    odd = '<collision><geometry><warp_field/><sphere radius="1"/></geometry></collision>'
    found = read(robot(link("base"), link("arm", inertial() + odd), ARM[2]), tmp_path, contacts="collision")
    assert len(found.mechanism.contacts) == 1 and len(found.report.of("ignored")) == 1


def test_text_between_the_tags_is_listed(tmp_path: Path) -> None:
    """URDF has all of its values in attributes, so that such a text is one that somebody wanted to be read."""
    parts = [link("base"), link("arm", inertial().replace("<mass", "2.5 kg <mass")), ARM[2], "a line of nobody"]
    (*found,) = read(robot(*parts), tmp_path).report.of("ignored")
    assert [(notice.what, notice.source.line) for notice in found] == [
        ("text 'a line of nobody' in <robot>", 2),
        ("text '2.5 kg' in <inertial>", 4),
    ]


NAMES = ['x"; system("touch owned"); //', "../../../etc/passwd", "int", "a" * 5000, "%s%n", "</script>"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_code_or_paths_become_names(name: str, tmp_path: Path) -> None:
    from xml.sax.saxutils import quoteattr

    arm = link("arm").replace('"arm"', quoteattr(name))
    hinge = ARM[2].replace('link="arm"', f"link={quoteattr(name)}").replace('"hinge"', quoteattr(name + "!"))
    mechanism = read(robot(link("base"), arm, hinge), tmp_path).mechanism
    for found in (*mechanism.body_names, *(item.name for item in mechanism.joints)):
        assert found.isascii() and found.isidentifier() and len(found) < 64


# --- meshes -----------------------------------------------------------------------------------------------------------
MESHES = {
    "meshes/here.stl": "",
    "meshes/gone.stl": "there is no such file",
    "../secret.stl": "lies outside the folders given",
    "/etc/passwd": "lies outside the folders given",
    "file:///etc/passwd": "lies outside the folders given",
    "link.stl": "lies outside the folders given",
    "package://robots/here.stl": "",
    "package://robots/../secret.stl": "lies outside the folders given",
    "package://other/here.stl": "package 'other' has no folder here",
    "http://127.0.0.1:1/here.stl": "neither a file nor in a package",
    "x" * 5000: "no name that a file can have",
}


@pytest.mark.parametrize("mesh", MESHES)
def test_meshes_are_looked_for_in_the_given_folders_only(mesh: str, tmp_path: Path) -> None:
    own, package = tmp_path / "own", tmp_path / "package"
    for folder in (own / "meshes", package):
        folder.mkdir(parents=True)
        (folder / "here.stl").write_bytes(b"solid")
    (tmp_path / "secret.stl").write_bytes(b"solid")
    (own / "link.stl").symlink_to(tmp_path / "secret.stl")
    shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
    found = read(robot(link("base"), link("arm", inertial() + shape), ARM[2]), own, packages={"robots": package})
    (shown,) = found.shown
    notices = [notice.why for notice in found.report.of("ignored")]
    if MESHES[mesh]:
        assert shown.path is None and len(notices) == 1 and MESHES[mesh] in notices[0]
    else:
        assert shown.path is not None and shown.path.name == "here.stl" and not notices


# --- anything ---------------------------------------------------------------------------------------------------------
@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data: st.DataObject, tmp_path_factory) -> None:
    """Pieces of a good file cut out, doubled, exchanged, or overwritten."""
    solid = "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
    text = random_robot(data.draw(st.integers(0, 5)), count=4).replace("</link>", solid)
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = begin + data.draw(st.integers(0, 80))
        piece = data.draw(st.sampled_from(["", text[begin:end] * 2, '"', "-", "0", "nan", "<link/>", "1e400", "base"]))
        text = text[:begin] + piece + text[end:]
    path = tmp_path_factory.mktemp("damaged") / "robot.urdf"
    path.write_text(text)
    try:
        load(path, repair=data.draw(st.booleans()), contacts="collision", base=data.draw(st.sampled_from(BASES)))
    except SymviError as error:
        assert "robot.urdf" in str(error)


BASES = ["fixed", "floating"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"base": "free"}, "must be 'fixed' or 'floating'"),
        ({"contacts": "visual"}, "must be 'collision', or a list of links"),
        ({"contacts": 1}, "must be 'collision', or a list of links"),
        ({"contacts": [1]}, "must be 'collision', or a list of links"),
        ({"contacts": ["arn"]}, "did you mean 'arm'?"),
        ({"contacts": ["arm"]}, "it has no collision shape"),
        ({"contact_points": {"arm": [(0, 0)]}}, "must be 3 numbers"),
        ({"contact_points": {"arm": [(0, 0, 0, -1)]}}, "must be x, y, z"),
        ({"friction": -1.0}, "must not be negative"),
        ({"gravity": (0, 0)}, "must be 3 numbers"),
        ({"prefix": "2"}, "with a letter first"),
        ({"packages": {"p": "/nowhere"}}, "is no folder"),
        ({"start": {"hing": 1.0}}, "did you mean 'hinge'?"),
        ({"start": {"hinge": (1.0, 2.0)}}, "has 1 coordinates"),
        ({"start": {"hinge": float("nan")}}, "must be finite"),
        ({"hold": (1.0,)}, "must be 2 numbers"),
        ({"arguments": {"x": "1"}}, "arguments belong to .xacro files"),
        ({"arguments": {"x": 1}}, "arguments {'x': 1} must be name -> text"),
        ({"contact_points": {"arm": (0, 0, 0)}}, "must be link -> list of points"),
        ({"contact_points": {"arm": "0,0,0"}}, "must be link -> list of points"),
        ({"contact_points": ["arm"]}, "must be link -> list of points"),
        ({"contact_points": {3: [(0, 0, 0)]}}, "must be link -> list of points"),
        ({"start": 5}, "start 5 must be joint -> value, or a text"),
        ({"start": ["hinge"]}, "must be joint -> value, or a text"),
        ({"packages": {"x": 3}}, "packages {'x': 3} must be name of a package -> folder"),
        ({"packages": "x=y"}, "must be name of a package -> folder"),
        ({"prefix": None}, "prefix None must be a text"),
        ({"repair": "yes"}, "repair 'yes' must be True or False"),
        ({"strict": "no"}, "strict 'no' must be True or False"),
    ],
)
def test_options_that_mean_nothing(options: dict, words: str, tmp_path: Path) -> None:
    assert words in refused(robot(*ARM), tmp_path, **options)


def test_stops_may_be_as_far_as_a_double_goes(tmp_path: Path) -> None:
    """Programs write the largest double where there is no stop."""
    limit = '<limit lower="-1.7976931348623157e+308" upper="1.7976931348623157e+308" effort="1e200" velocity="1e300"/>'
    assert not read(robot(*ARM[:2], joint("h", "revolute", "base", "arm", limit)), tmp_path).mechanism.limits
