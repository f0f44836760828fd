"""MJCF that nobody vouches for: bounded time and memory, no file outside the given folders, errors at their lines."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.importers.meshes import Folders
from symvi.importers.mjcf_collision_filter import CollisionFilter
from symvi.importers.mjcf_document import prepared
from symvi.importers.report import Findings
from symvi.importers.xml import parse_xml
from tests.importers.mjcf_texts import model
from tests.support.work import calls_of

mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")

ARM = '<body name="a"><joint name="j"/><geom size="0.1"/></body>'
MOST_CALLS = 2_000_000  # of functions, before what asks for too much is refused


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "model.xml"
    path.write_text(text)
    return load(path, **options)


def refused(text: str, folder: Path) -> str:
    with pytest.raises(MechanismError) as caught:
        read(text, folder)
    return str(caught.value)


def nested(times: int, inside: str) -> str:
    return '<replicate count="99">' * times + inside + "</replicate>" * times


CONE = '<mesh builtin="cone" params="200 1"/>'
# what is asked for -> (parts, world, words)
FLOODS = {
    "sites": ("", '<replicate count="999999"><site/></replicate>', "<replicate> asks for more than 5000"),
    "sites of sites": ("", nested(4, "<site/>"), "<replicate> asks for more than 5000"),
    "nothing at all": ("", nested(3, ""), "<replicate> asks for more than 5000"),
    "many of a few": ("", '<replicate count="999"><site/></replicate>' * 6, "<replicate> asks for more than 5000"),
    "many in each": (
        "",
        f"""<replicate count="900">{"<site/>" * 6}</replicate>""",
        "<replicate> asks for more than 5000",
    ),
    "points": ('<asset><mesh builtin="supersphere" params="1500 1 1"/></asset>', "", "more than 100000 points"),
    "a little each": (f"<asset>{CONE * 3}</asset>", "", "more than 100000 points"),
    "states": (
        '<actuator><general joint="j" dyntype="user" actdim="2000000000"/></actuator>',
        "",
        "more than 1000 sta",
    ),
    "keyframes": (f"<keyframe>{'<key/>' * 600}</keyframe>", "<body><joint/></body>" * 900, "keyframes times joints"),
    "elements": ("", '<site name="x"/>' * 40_000, "more than 40000 elements"),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_what_asks_for_more_than_anybody_needs_is_refused(kind: str, tmp_path: Path) -> None:
    parts, world, words = FLOODS[kind]
    told = []
    calls_of(lambda: told.append(refused(model(parts, world=ARM + world), tmp_path)), at_most=MOST_CALLS)
    assert words in told[0] and "model.xml:" in told[0]


QUIET = {
    "a range of lengths by simulation": '<compiler><lengthrange mode="all" inttotal="1e9" timestep="1e-5"/></compiler>'
    '<actuator><motor joint="j"/></actuator>',
    "samples of delayed inputs": '<actuator><motor joint="j" delay="1" nsample="16000000"/></actuator>',
    "the author's numbers": f'<default><geom user="{"1 " * 20_000}"/></default>',
    "a picture": '<asset><texture name="t" type="2d" builtin="flat" width="99999" height="99999"/></asset>',
}


@pytest.mark.parametrize("kind", QUIET)
def test_what_has_no_meaning_here_costs_nothing(kind: str, tmp_path: Path) -> None:
    text = model(QUIET[kind], world=ARM + '<geom size="0.1"/>' * 1000)
    root = parse_xml(text.encode(), "model.xml")
    document = prepared(root, Findings("model.xml"), Folders(tmp_path, {}))
    peer = mujoco.MjModel.from_xml_string(document.text, dict(document.meshes))
    assert (peer.nuser_geom, peer.ntexdata) <= (0, 3) and getattr(peer, "nhistory", 0) == 0
    bare = model(world=ARM + '<geom size="0.1"/>' * 1000)
    assert calls_of(lambda: read(text, tmp_path)) < 1.2 * calls_of(lambda: read(bare, tmp_path))


def test_who_meets_whom_takes_memory_with_the_number_of_geoms_and_not_its_square() -> None:
    text = model(world=ARM + '<geom size="0.1"/>' * 3000 + '<geom type="plane" size="1 1 1"/>')

    class Whole:
        model = mujoco.MjModel.from_xml_string(text)

        @staticmethod
        def is_on(_: str) -> bool:
            return True

    tracemalloc.start()
    meeting = CollisionFilter(Whole())
    met = np.array([meeting.meets_any(geom) for geom in range(Whole.model.ngeom)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert met.all() and meeting.ground == 3000 and peak < 2e6


@pytest.mark.parametrize(
    "given, taken",
    [("1G", 1 << 30), (" 200m ", 200 << 20), ("100000000", 10**8), ("1", 64 << 20), ("900P", 4 << 30), ("much", None)],
)
def test_memory_that_the_file_gives_the_compiler_is_kept_within_bounds(
    given: str, taken: int | None, tmp_path: Path
) -> None:
    text = model(f'<size memory="{given}" nkey="1"/>', world=ARM)
    document = prepared(parse_xml(text.encode(), "model.xml"), Findings("model.xml"), Folders(tmp_path, {}))
    assert ("<size" in document.text) == (taken is not None) and "nkey" not in document.text
    if taken is not None:
        assert mujoco.MjModel.from_xml_string(document.text).narena == taken
    assert read(text, tmp_path).report.of("skipped")


def test_where_memory_lacks_the_file_can_say_how_much_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symvi.importers.mjcf_bounds.MOST_MEMORY", 1 << 60)
    told = refused(model('<size memory="900P"/>', world=ARM), tmp_path)
    assert "model.xml:1: <mujoco>" in told and "allocate memory; say how much" in told and "memory='1G'" in told


FREE = '<body name="{}"><freejoint/>{}<geom size="0.1"/></body>'
WELD = '<equality><weld body1="a" body2="b" relpose="1 0 0 1e200 0 0 0"/></equality>'
# attribute that is too large -> (parts, world)
LARGE = {
    "<joint> axis='1e200 0 0'": ("", '<body><joint axis="1e200 0 0"/><geom size="1"/></body>'),
    "<motor> gear='1e200'": ('<actuator><motor joint="j" gear="1e200"/></actuator>', ARM),
    "<weld> relpose='1 0 0 1e200 0 0 0'": (WELD, FREE.format("a", "") + FREE.format("b", "")),
    "<body> quat='-1E160 0 0 0'": ("", '<body quat="-1E160 0 0 0"><joint/><geom size="1"/></body>'),
    "<geom> size='1e99'": ('<default><geom size="1e99"/></default>', "<body><joint/><geom/></body>"),
    "<key> qpos='%s'" % ("9" * 25): (f'<keyframe><key qpos="{"9" * 25}"/></keyframe>', ARM),
}


@pytest.mark.parametrize("words", LARGE)
def test_numbers_whose_squares_are_none_are_refused(words: str, tmp_path: Path) -> None:
    """Of an axis of 1e200 MuJoCo's compiler makes one of length zero, of an orientation none at all."""
    parts, world = LARGE[words]
    told = refused(model(parts, world=world), tmp_path)
    assert f"model.xml:{2 if parts else 3}: {words} must have no number beyond 1e+20" in told


@pytest.mark.parametrize("text", ["0", "-1", "1e-320"])
def test_a_timestep_that_is_none(text: str, tmp_path: Path) -> None:
    told = refused(model(f'<option timestep="{text}"/>', world=ARM), tmp_path)
    assert f"<option> timestep='{text}' must be a positive number of seconds" in told


def test_ranges_may_be_as_wide_as_numbers_are(tmp_path: Path) -> None:
    servo = '<actuator><position joint="j" kp="1" ctrlrange="-1e200 1e200" forcerange="-1e300 1e300"/></actuator>'
    assert read(model(servo, world=ARM), tmp_path).mechanism.forces[0].stiffness == 1.0


def file_attributes() -> list[tuple[str, str]]:
    """(tag, attribute) of MuJoCo's own schema for everything that names a file."""
    found, tag = [], ""
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head, words = line[:30].split(), line[30:].split()
        tag = head[0] if head else tag
        found += [(tag, word) for word in words if word.startswith("file")]
    return sorted(set(found))


@pytest.mark.parametrize("tag, attribute", file_attributes())
@pytest.mark.parametrize("section", ["asset", "default", "worldbody", "deformable"])
def test_no_name_of_a_file_reaches_the_compiler(section: str, tag: str, attribute: str, tmp_path: Path) -> None:
    """It would look for the file by itself: anywhere, and in the working directory first."""
    element = f'<{tag} name="x" {attribute}="../secret.xml"/>'
    inside = model(f"<{section}>{element}</{section}>") if section != "worldbody" else model(world=element)
    try:
        text = prepared(parse_xml(inside.encode(), "m.xml"), Findings("m.xml"), Folders(tmp_path, {})).text
    except MechanismError as error:
        text = str(error).replace("secret", "" if "outside" in str(error) else "secret")
    assert "secret" not in text


def test_a_model_in_another_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "outside.xml").write_text(model(world='<body name="secret"/>'))
    (inner / "wrong.xml").write_text("<mujoco><nonsense/></mujoco>")
    monkeypatch.chdir(inner)
    for file in ("../outside.xml", "wrong.xml", "/etc/passwd"):
        found = read(model(f'<asset><model name="m" file="{file}"/></asset>', world=ARM), inner)
        assert any(notice.what == "<model>" for notice in found.report.of("skipped"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a system with named pipes")
@pytest.mark.parametrize("ending", ["xml", "urdf", "trep", "toml", "json", "xacro"])
def test_a_pipe_is_no_file(ending: str, tmp_path: Path) -> None:
    """Opening one waits until somebody writes into it: for ever."""
    path = tmp_path / f"model.{ending}"
    os.mkfifo(path)
    with pytest.raises(MechanismError, match=f"model.{ending}: (is no file, but a pipe or a device|there is no such)"):
        load(path)


KEYS = {
    '<key name="home"\n qpos="0 1"/>': ":4: key 'home': invalid qpos size, expected 1, got 2",
    '<key/>\n<key qpos="1 2 3"/>': ":5: <key>: invalid qpos size, expected 1, got 3",
    '<key name="b"/>\n\n<key name="a" qvel="1 2"/>': ":6: key 'a': invalid qvel size",  # a body has that name too
    '\n<key ctrl="1"/>': ":5: <key>: invalid ctrl size",
}


@pytest.mark.parametrize("keys", KEYS)
def test_a_key_of_a_wrong_size_is_named_at_its_line(keys: str, tmp_path: Path) -> None:
    """MuJoCo says no line here, but the name, which of one without a name is not the file's own."""
    told = refused(f"<mujoco><worldbody>{ARM}\n</worldbody>\n<keyframe>\n{keys}</keyframe></mujoco>", tmp_path)
    assert f"model.xml{KEYS[keys]}" in told and "unnamed" not in told


def test_mjcf_says_itself_what_is_free(tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match="MJCF says itself which bodies are free: those with <freejoint/>"):
        read(model(world=ARM), tmp_path, base="floating")
