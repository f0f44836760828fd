"""The page in a real browser: it opens from disk alone, replays, obeys mouse and keyboard, and trusts no text."""

from __future__ import annotations

import base64
import io
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.image import imread

from symvi.demos import demo_file
from symvi.errors import SymviError
from symvi.mechanism import Body, Box, Mechanism
from symvi.page import write_page
from symvi.simulate import Simulator
from tests.page.browser import NO_WEBGL, WEBGL, Browser, find_chromium
from tests.page.motions import pendulum, strandbeest_leg, thrown_top

NEEDS_CHROMIUM = pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--<script> & \u2028 {{ 7 * 7 }}"


@pytest.fixture(scope="module")
def webgl():
    """A browser that draws with WebGL, in software."""
    with Browser(find_chromium(), *WEBGL) as browser:
        yield browser


@pytest.fixture(scope="module")
def painter():
    """A browser without WebGL."""
    with Browser(find_chromium(), *NO_WEBGL) as browser:
        yield browser


@pytest.fixture(params=["webgl", "painter"])
def browser(request):
    """Both, one after the other; `drawn_with` says what the page has to draw with."""
    browser = request.getfixturevalue(request.param)
    browser.drawn_with = request.param
    return browser


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Name -> page of a simulation of that demo, two seconds long."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {}
    for name in ("pendulum", "four_bar"):
        trajectory = Simulator(Mechanism.from_file(demo_file(name))).simulate(2.0, 0.01)
        pages[name] = write_page(trajectory, folder / f"{name} & #1.html")  # a name that an address must escape
    return pages


def picture(browser: Browser) -> np.ndarray:
    """The part of the screen with the mechanism, (height, width, 3) between 0 and 1."""
    box = browser.box("stage")
    image = imread(io.BytesIO(browser.screenshot()))[..., :3]
    # below the title and the buttons, above the hint
    return image[int(box["y"]) + 80 : int(box["y"] + box["height"]) - 40, : int(box["width"])]


def vivid(image: np.ndarray) -> int:
    """How many pixels have a strong colour; ground, sky, grid and shadows have none."""
    return int((np.ptp(image, axis=-1) > 0.3).sum())


def inked(browser: Browser, chart: str, color: str) -> int:
    """How many pixels of a chart have a colour of the theme."""
    return browser.run(f"""(() => {{
        const canvas = document.getElementById("{chart}");
        const probe = document.createElement("canvas").getContext("2d");
        probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--{color}").trim();
        probe.fillRect(0, 0, 1, 1);
        const wanted = probe.getImageData(0, 0, 1, 1).data;
        const found = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let k = 0; k < found.length; k += 4) {{
          if ([0, 1, 2].every((i) => Math.abs(found[k + i] - wanted[i]) < 3) && found[k + 3] > 200) count++;
        }}
        return count;
    }})()""")


def shown_time(browser: Browser) -> float:
    return float(browser.run("document.getElementById('time').textContent").removesuffix(" s"))


def is_playing(browser: Browser) -> bool:
    return browser.run("document.getElementById('play').getAttribute('aria-pressed')") == "true"


def page_data(path) -> dict:
    """What the page holds, as its script reads it."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text())[1])


def numbers(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<" + kind)


@pytest.mark.thorough
@NEEDS_CHROMIUM
@pytest.mark.parametrize("name", ["pendulum", "four_bar"])
def test_a_simulation_opens_from_disk_alone_and_is_seen(browser, simulated, name):
    browser.open(simulated[name], "t=0.4")
    early = picture(browser)
    assert browser.run("document.getElementById('solids').dataset.renderer") == browser.drawn_with
    browser.open(simulated[name], "t=1.1")
    late = picture(browser)
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []
    assert sum(address.startswith("file:") for address in browser.requests()) == 1
    assert browser.complaints() == []
    # several colours: the sky's slow change alone gives some tens
    assert len(np.unique((255 * late).round().astype(np.uint8).reshape(-1, 3), axis=0)) > 300
    assert min(vivid(early), vivid(late)) > 2000
    moved = np.abs(early - late).max(axis=-1) > 0.2
    assert moved.sum() > 2000
    for color in ("total", "kinetic", "potential"):
        assert inked(browser, "energy", color) > 100
    assert inked(browser, "closure", "closure") > 100


@NEEDS_CHROMIUM
def test_the_painter_draws_what_webgl_draws(webgl, painter, simulated):
    images = []
    for browser in (webgl, painter):
        browser.open(simulated["four_bar"], "t=0.7")
        images.append(np.ptp(picture(browser), axis=-1) > 0.3)
    common, either = (images[0] & images[1]).sum(), (images[0] | images[1]).sum()
    assert common > 0.85 * either  # edges and highlights differ by a pixel


@NEEDS_CHROMIUM
def test_it_plays_and_stands_still_by_button_and_by_space(browser, simulated):
    browser.open(simulated["pendulum"])
    assert is_playing(browser)
    browser.wait("parseFloat(document.getElementById('time').textContent) > 0.1")
    browser.click("play")
    assert not is_playing(browser)
    stopped = shown_time(browser)
    browser.settle()
    assert shown_time(browser) == stopped
    browser.key(" ")
    assert is_playing(browser)
    browser.wait(f"parseFloat(document.getElementById('time').textContent) !== {stopped}")
    browser.key(" ")
    assert not is_playing(browser)
    assert browser.complaints() == []


@NEEDS_CHROMIUM
def test_it_is_moved_by_slider_curves_and_keys(webgl, simulated):
    webgl.open(simulated["pendulum"], "t=0")
    slider = webgl.box("scrub")
    middle = slider["y"] + slider["height"] / 2
    webgl.drag([(slider["x"] + 9, middle), (slider["x"] + slider["width"] / 2, middle)])
    assert shown_time(webgl) == pytest.approx(1.0, abs=0.02)
    for chart in ("energy", "closure"):
        box = webgl.box(chart)
        webgl.drag([(box["x"] + box["width"] - 12, box["y"] + 40)])  # the right end of the curves: the last knot
        assert shown_time(webgl) == 2.0
        webgl.drag([(box["x"] + 58, box["y"] + 40)])
        assert shown_time(webgl) == 0.0
    for key, time in (("ArrowRight", 0.01), ("ArrowRight", 0.02), ("ArrowLeft", 0.01), ("End", 2.0), ("Home", 0.0)):
        webgl.key(key)
        assert shown_time(webgl) == time
    webgl.key("ArrowUp")
    assert webgl.run("document.getElementById('speed').value") == "2"
    webgl.key("n")
    assert webgl.run("document.getElementById('names').textContent") == "names: bodies"
    assert webgl.complaints() == []


@pytest.mark.thorough
@NEEDS_CHROMIUM
def test_the_eye_turns_moves_and_comes_nearer(webgl, tmp_path):
    webgl.open(write_page(strandbeest_leg(), tmp_path / "leg.html"), "t=1")
    opening = picture(webgl)
    box = webgl.box("stage")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for act in (
        lambda: webgl.drag([(x, y), (x + 60, y + 10), (x + 120, y + 20)]),
        lambda: webgl.drag([(x, y), (x + 60, y), (x + 120, y)], button="right"),
        lambda: webgl.wheel(x, y, -300),
    ):
        act()
        assert (np.abs(picture(webgl) - opening).max(axis=-1) > 0.1).sum() > 1000
        webgl.key("r")
        assert np.abs(picture(webgl) - opening).mean() < 1e-3


@NEEDS_CHROMIUM
def test_the_readings_are_those_of_the_knot(webgl, tmp_path):
    motion = pendulum()
    webgl.open(write_page(motion, tmp_path / "pendulum.html"), "t=2")
    for name, value in (("total", motion.energy[200]), ("kinetic", motion.kinetic_energy[200])):
        text = webgl.run(f"document.getElementById('reading-{name}').textContent").replace("\u2212", "-")
        assert float(text) == pytest.approx(value, rel=1e-3)


@NEEDS_CHROMIUM
def test_hostile_texts_are_shown_as_they_are(webgl, tmp_path):
    motion = pendulum(50)
    motion.mechanism = motion.mechanism.model_copy(update={"description": HOSTILE})
    webgl.open(write_page(motion, tmp_path / "page.html", title=HOSTILE, facts={HOSTILE: HOSTILE}), "t=0")
    for element in ("title", "description"):
        assert webgl.run(f"document.getElementById('{element}').textContent") == HOSTILE
    assert webgl.run("document.title.includes('onerror')")
    assert webgl.run("document.images.length + document.scripts.length") == 2
    assert HOSTILE in webgl.run("Array.from(document.querySelectorAll('#facts td'), (cell) => cell.textContent)")
    assert webgl.complaints() == [] and len(webgl.requests()) == 1


@NEEDS_CHROMIUM
def test_the_policy_of_the_page_runs_no_other_script(webgl, tmp_path):
    path = write_page(pendulum(50), tmp_path / "page.html")
    path.write_text(path.read_text().replace("</body>", "<script>document.title = 'owned'</script></body>"))
    webgl.open(path, "t=0")
    assert webgl.run("document.title") == "pendulum"


@NEEDS_CHROMIUM
@pytest.mark.parametrize("kept", [1, 2])
def test_a_motion_of_one_or_two_knots_is_a_picture(browser, tmp_path, kept):
    browser.open(write_page(cut(thrown_top(), slice(kept)), tmp_path / "page.html"))
    browser.key("ArrowRight")
    assert vivid(picture(browser)) > 1000
    assert browser.complaints() == []


@NEEDS_CHROMIUM
def test_what_is_not_finite_is_left_out(browser, tmp_path):
    motion = cut(thrown_top(), slice(None))
    motion.position[-1] = motion.orientation[-1] = np.nan  # a failed last step
    motion.energy[100:200], motion.kinetic_energy[50], motion.potential_energy[:] = np.nan, np.inf, np.nan
    motion.closure[:] = np.nan
    browser.open(write_page(motion, tmp_path / "page.html"), "t=0.5")
    assert vivid(picture(browser)) > 1000
    assert inked(browser, "energy", "total") > 100
    assert browser.run("document.getElementById('reading-potential').textContent") == "\u2013"
    browser.key("End")
    assert browser.complaints() == []


@pytest.mark.thorough
@NEEDS_CHROMIUM
def test_a_dark_room_gets_a_dark_page(tmp_path):
    page = write_page(pendulum(50), tmp_path / "page.html")
    with Browser(find_chromium(), *NO_WEBGL, dark=True) as browser:
        browser.open(page, "t=0.2")
        assert picture(browser).mean() < 0.3
        assert browser.complaints() == []


def test_the_page_tells_every_alarm(tmp_path):
    alarms = [SimpleNamespace(time=0.1, sentence="energy rose"), SimpleNamespace(time=0.2, sentence="too stiff")]
    motion = pendulum(11)
    motion.alarms = alarms
    page = write_page(motion, tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(alarm.sentence in page for alarm in alarms)


def test_the_page_holds_the_motion(tmp_path):
    motion = pendulum(300)
    frames = page_data(write_page(motion, tmp_path / "page.html"))["frames"]
    assert np.array_equal(numbers(frames["time"], "f8"), motion.time)
    turned = numbers(frames["orientation"], "f4").reshape(-1, 1, 4)
    assert np.abs(turned - motion.orientation).max() < 1e-7  # single precision of numbers up to one


def test_long_motions_of_many_bodies_stay_small(tmp_path):
    bodies = tuple(Body(name=f"body_{k}", mass=1.0, shape=Box(size=(1.0, 0.1, 0.1))) for k in range(14))
    count, rng = 20_000, np.random.default_rng(0)
    orientation = rng.normal(size=(count, 14, 4))
    energy = rng.normal(size=count)
    motion = SimpleNamespace(
        mechanism=Mechanism(name="many", bodies=bodies, joints=()),
        time=0.01 * np.arange(count), position=rng.normal(size=(count, 14, 3)),
        orientation=orientation / np.linalg.norm(orientation, axis=-1, keepdims=True),
        energy=energy, kinetic_energy=energy, potential_energy=energy, closure=np.abs(energy),
        iterations=np.full(count, 2), status=np.zeros(count),
    )  # fmt: skip
    page = write_page(motion, tmp_path / "page.html", max_frames=2000)
    assert len(numbers(page_data(page)["frames"]["time"], "f8")) == 2000
    assert page.stat().st_size < 2_000_000


def test_no_peak_of_the_closure_is_lost(tmp_path):
    motion = pendulum(5000)
    motion.closure[3217] = 0.25
    (curve,) = (c for c in page_data(write_page(motion, tmp_path / "page.html"))["curves"] if c["name"] == "closure")
    assert numbers(curve["values"], "f8").max() == 0.25


def test_the_same_motion_gives_the_same_bytes(tmp_path):
    first, second = (write_page(pendulum(), tmp_path / name) for name in ("first.html", "second.html"))
    assert first.read_bytes() == second.read_bytes()


def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path):
    motion = pendulum(10)
    with pytest.raises(SymviError, match="no body 'red'; the bodies are rod"):
        write_page(motion, tmp_path / "page.html", traces=[("red", (0, 0, 0))])
    with pytest.raises(FileNotFoundError, match="no such folder"):
        write_page(motion, tmp_path / "missing" / "page.html")
    motion.position[:] = np.nan
    with pytest.raises(SymviError, match="no finite placement"):
        write_page(motion, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def cut(motion: SimpleNamespace, knots: slice) -> SimpleNamespace:
    """Some of the knots of a motion, as a copy."""
    arrays = {name: value[knots].copy() for name, value in vars(motion).items() if isinstance(value, np.ndarray)}
    return SimpleNamespace(**{**vars(motion), **arrays})
