"""The viewer with viser's real server: what controls do, that only this machine sees it, and a real browser on it."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from matplotlib.image import imread

from symvi import cli
from symvi.demos import demo_file
from symvi.errors import SymviError
from symvi.extras import install_command
from symvi.importers import load
from symvi.mechanism import Body, Box, Contact, Joint, Mechanism
from symvi.page.looks import looks_of
from symvi.simulate import Simulator, Trajectory
from tests.page.browser import WEBGL, Browser, find_chromium
from tests.page.mesh_files import box, robot_with, stl

viser = pytest.importorskip("viser", reason="needs the extra view")

from symvi.view.viewer import Viewer  # noqa: E402

HOSTILE = "<img src=x onerror=\"document.title='owned'\">{alert(1)}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def crate() -> Mechanism:
    """A crate that falls on the ground."""
    body = Body(name="crate", mass=2.0, shape=Box(size=(0.4, 0.4, 0.4)), position=(0, 0, 0.25), color="#00aa00")
    floor = Contact(name="floor", child="crate", whole_shape=True, friction=0.5)
    return Mechanism(name="crate", bodies=[body], contacts=[floor])


def pendulum() -> Mechanism:
    return Mechanism.from_file(demo_file("pendulum"))


@pytest.fixture
def viewers() -> Iterator[list[Viewer]]:
    """What is put into it is closed at the end."""
    opened: list[Viewer] = []
    yield opened
    for viewer in opened:
        viewer.stop()


@pytest.fixture
def opened(viewers: list[Viewer]):
    def make(mechanism: Mechanism, **options: object) -> Viewer:
        viewers.append(Viewer(mechanism, port=free_port(), **options))
        return viewers[-1]

    return make


# --- what controls do -------------------------------------------------------------------------------------------------
def test_a_slider_moves_bodies(opened) -> None:
    viewer = opened(pendulum())
    (frame,), before = viewer.drawing.frames, viewer.pose.values[0]
    first = np.array(frame.wxyz)
    viewer.move(0, before - 0.5)
    turned = 2.0 * np.arccos(abs(float(first @ np.array(frame.wxyz))))
    assert turned == pytest.approx(0.5, abs=1e-6) and viewer.pose.values == pytest.approx((before - 0.5,))
    viewer._reset()
    assert viewer.sliders[0].value == pytest.approx(before) and np.array(frame.wxyz) == pytest.approx(first)


def test_play_back_shows_knots_and_forces(opened) -> None:
    motion = Simulator(crate()).simulate(0.5, 0.01)
    viewer = opened(motion.mechanism, trajectory=motion)
    assert not viewer.drawing.arrows.visible
    viewer.seek(0.5)
    assert viewer.drawing.frames[0].position == pytest.approx(motion.position[-1, 0])
    shown = viewer.drawing.arrows
    assert shown.visible and len(shown.points) == 4  # the corners below
    lengths = np.linalg.norm(shown.points[:, 1] - shown.points[:, 0], axis=1)
    assert lengths.sum() == pytest.approx(viewer.forces.scale * 2.0 * 9.81, rel=1e-3)
    viewer.seek(0.0)
    viewer.speed.value = "2"
    viewer.toggle_play()
    viewer.tick(0.1)
    assert viewer.clock == pytest.approx(0.2) and viewer.play_button.label == "Pause"
    assert viewer.drawing.frames[0].position == pytest.approx(motion.position[20, 0])
    viewer.tick(0.2)
    assert viewer.clock == 0.0  # again from the start
    viewer.toggle_play()
    viewer.tick(0.1)
    assert viewer.clock == 0.0 and viewer.play_button.label == "Play"


def test_live_simulation_goes_on_from_the_pose(opened) -> None:
    viewer = opened(pendulum(), step=0.01)
    viewer.move(0, 1.0)
    viewer.toggle_live()
    for _ in range(10):
        viewer.tick(0.05)
    viewer.toggle_live()
    start = viewer.posing.moved(viewer.posing.start(), 0, 1.0).state
    wanted = Simulator(pendulum()).simulate(0.51, 0.01, start=start)
    assert viewer.live.time[-1] == pytest.approx(0.51)
    assert viewer.pose.values[0] == pytest.approx(wanted.coordinates("pin")[-1, 0], abs=1e-9)
    assert viewer.sliders[0].value == pytest.approx(viewer.pose.values[0])
    viewer.tick(0.05)
    assert viewer.live.time[-1] == pytest.approx(0.51)  # it stands still


@pytest.mark.parametrize("solver", [{"order": 4}, {"rule": "simpson", "coordinates": "tree"}])
def test_live_simulation_has_the_order_that_was_asked_for(opened, solver) -> None:
    viewer = opened(pendulum(), step=0.05, **solver)
    viewer.move(0, 1.0)
    viewer.toggle_live()
    for _ in range(4):
        viewer.tick(0.05)
    start = viewer.posing.moved(viewer.posing.start(), 0, 1.0).state
    exact = Simulator(pendulum(), order=8).simulate(0.25, 0.01, start=start).coordinates("pin")[-1, 0]
    plain = Simulator(pendulum()).simulate(0.25, 0.05, start=start).coordinates("pin")[-1, 0]
    assert abs(viewer.pose.values[0] - exact) < 1e-2 * abs(plain - exact)


def test_what_a_simulation_refuses_is_shown(opened) -> None:
    flag = Joint(name="pin", type="revolute", child="crate", axis=(0, 1, 0), coordinate=0.5)
    held = crate().changed(bodies=[crate().bodies[0].changed(position=None)], joints=[flag])
    viewer = opened(held)  # pinned with its corner inside the ground: no start is near
    viewer.toggle_live()
    assert viewer.doing is None and "the start is singular" in viewer.live_text.content


def test_loops_that_do_not_close_are_told(opened) -> None:
    viewer = opened(Mechanism.from_file(demo_file("four_bar")))
    rocker = [slider.label for slider in viewer.sliders].index("rocker_bearing")
    viewer.move(rocker, viewer.pose.values[rocker] + 2.5)
    assert "do not close at rocker_bearing" in viewer.said.content


# --- only this machine ------------------------------------------------------------------------------------------------
def test_only_this_machine_is_served_and_no_tunnel_is_made(opened) -> None:
    viewer = opened(pendulum())
    port = viewer.server.get_port()
    assert urllib.request.urlopen(viewer.address, timeout=10).status == 200
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; tells this machine's own address
        own = probe.getsockname()[0]
    if not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, port), timeout=2.0)
    assert viewer.server.request_share_url() is None
    assert viewer.server._share_tunnel is None


def test_two_viewers_find_ports(opened, viewers: list[Viewer]) -> None:
    first = opened(pendulum())
    viewers.append(Viewer(pendulum(), port=first.server.get_port()))
    assert viewers[1].address != first.address


# --- only who was given the address -----------------------------------------------------------------------------------
def asked(viewer: Viewer, path: str, upgrade: bool = False, **headers: str) -> tuple[int, str]:
    """What a plain request gets: the status and the text. upgrade: to a websocket, as the viewer's page does."""
    port = viewer.server.get_port()
    fields = {"Host": f"localhost:{port}", "Connection": "close", **headers}
    if upgrade:
        fields |= {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
                   "Sec-WebSocket-Protocol": f"viser-v{viser.__version__}"}  # fmt: skip
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value), "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        answer = connection.recv(65536)
        while not upgrade and (received := connection.recv(65536)):
            answer += received
    head, _, text = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), text.decode("utf-8", "replace")


@pytest.mark.parametrize("upgrade", [False, True], ids=["page", "websocket"])
def test_requests_with_the_whole_address_and_no_others_are_answered(opened, upgrade: bool) -> None:
    viewer = opened(pendulum())
    port, token = viewer.server.get_port(), viewer.gate.token
    answered = 101 if upgrade else 200
    right = f"/{token}/"
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"LOCALHOST:{port}"):
        assert asked(viewer, right, upgrade, Host=host)[0] == answered
        assert asked(viewer, right, upgrade, Host=host, Origin=f"http://{host.lower()}")[0] == answered
    assert asked(viewer, f"/{token}", upgrade)[0] == answered

    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    for path in ("/", "/index.html", f"/{wrong}/", f"/{token}x/", f"/x/{token}/", f"/?{token}", "/\xe9\xff/"):
        status, text = asked(viewer, path, upgrade)
        assert status == 403 and "open the whole address that was printed" in text, path
    for host in ("", "evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}",
                 f"localhost.evil.example:{port}", f"127.0.0.1.evil.example:{port}"):  # fmt: skip
        status, text = asked(viewer, right, upgrade, Host=host)
        assert status == 403 and f"another name than its own, localhost:{port}" in text, host
    for origin in ("http://evil.example", f"http://evil.example:{port}", "null", f"https://localhost:{port}",
                   f"http://localhost:{port + 1}", f"http://127.0.0.1:{port}"):  # fmt: skip
        status, text = asked(viewer, right, upgrade, Origin=origin)
        assert status == 403 and "a page of another site asked" in text, origin


def test_each_viewer_has_a_key_of_its_own(opened) -> None:
    first, second = opened(pendulum()), opened(pendulum())
    assert first.gate.token != second.gate.token and len(first.gate.token) == 43  # 256 bits
    assert asked(first, f"/{second.gate.token}/")[0] == 403 and asked(second, f"/{second.gate.token}/")[0] == 200


def test_without_the_check_no_viewer_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symvi.view.gate.Gate.before_viser", lambda self: nullcontext())
    port = free_port()
    with pytest.raises(SymviError, match="does not let it check who asks"):
        Viewer(pendulum(), port=port)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2.0)


FOREIGN = """<!DOCTYPE html><script>
const tried = (address) => new Promise((done) => {
  const socket = new WebSocket(address, ["viser-vVERSION"]);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
});
</script>"""


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a web page of somebody else's, under whatever name."""

    class Foreign(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN.replace("VERSION", viser.__version__).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Foreign) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")
def test_a_foreign_page_in_a_browser_reaches_nothing(opened, elsewhere: int) -> None:
    viewer = opened(pendulum())
    port, token = viewer.server.get_port(), viewer.gate.token
    with Browser(find_chromium(), "--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:

        def go(address: str) -> None:
            browser.call("Page.navigate", url=address)
            browser.wait(f"location.href === '{address}' && document.readyState === 'complete'")

        for page in (f"http://evil.test:{elsewhere}/", f"http://localhost:{elsewhere}/"):
            go(page)
            for path in ("", f"/{token}", f"/{token}/"):  # even if the key got out
                for host in ("localhost", "127.0.0.1", "evil.test"):
                    assert browser.run(f"tried('ws://{host}:{port}{path}')") == "refused"
        for path in ("/", f"/{token}/"):  # a name that points here: the page would be of its own site
            go(f"http://evil.test:{port}{path}")
            assert "another name than its own" in browser.run("document.body.innerText")
        go(f"http://localhost:{port}/")
        assert "open the whole address" in browser.run("document.body.innerText")
    assert not viewer.server.get_clients()


# --- in a browser -----------------------------------------------------------------------------------------------------
class Page:
    """A browser on a viewer, whose loop runs while the browser is waited for."""

    def __init__(self, browser: Browser, viewer: Viewer):
        self.browser, self.viewer = browser, viewer
        browser.events.clear()
        browser.call("Page.navigate", url=viewer.address)
        self.wait("document.querySelectorAll('[role=slider]').length > 0")
        self.wait("document.querySelector('canvas') !== null")

    def wait(self, expression: str) -> None:
        end = time.monotonic() + 60.0
        while not self.browser.run(expression):
            assert time.monotonic() < end, expression
            self.go(0.1)

    def go(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.viewer.tick(0.02)
            time.sleep(0.02)

    def click(self, text: str) -> None:
        found = f"Array.from(document.querySelectorAll('button')).find((b) => b.innerText.trim() === '{text}')"
        place = self.browser.run(f"{found}.scrollIntoView(), {found}.getBoundingClientRect().toJSON()")
        self.browser.drag([(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)])
        self.go(0.5)

    def shows(self, color: tuple[float, float, float], pixels: int) -> bool:
        """Whether so many pixels have a colour, as soon as the browser has drawn it."""
        for _ in range(60):
            self.go(1.0)
            if self.seen(color) > pixels:
                return True
        return False

    def seen(self, color: tuple[float, float, float]) -> int:
        """How many pixels left of the panel have about this colour's hue and strength."""
        image = imread(io.BytesIO(self.browser.screenshot()))[:, :850, :3]
        shares = image / np.maximum(image.sum(axis=-1, keepdims=True), 1e-3)
        wanted = np.array(color) / sum(color)
        return int((np.abs(shares - wanted).max(axis=-1) < 0.12).sum())


@pytest.mark.thorough
@pytest.mark.skipif(find_chromium() is None, reason="needs a browser: install the package chromium")
@pytest.mark.slow
def test_a_browser_shows_it_and_its_buttons_work(opened, tmp_path: Path) -> None:
    stl(tmp_path / "box.stl", *box((0.2, 0.3, 1.0), (0.0, 0.0, -0.5)))
    paint = '<material name="m"><color rgba="1 0 0 1"/></material>'
    shape = f'<visual><geometry><mesh filename="box.stl"/></geometry>{paint}</visual>'
    (tmp_path / "arm.urdf").write_text(robot_with(shape))
    imported = load(tmp_path / "arm.urdf", start={"hinge": 0.5})
    motion = Simulator(imported.mechanism).simulate(1.0, 0.01)
    looks = looks_of(imported.shown, imported.mechanism)
    viewer = opened(imported.mechanism, trajectory=motion, looks=looks, notices=[HOSTILE])
    with Browser(find_chromium(), *WEBGL) as browser:
        page = Page(browser, viewer)
        assert page.shows((1.0, 0.0, 0.0), 2000)  # the mesh, in its colour
        page.click("Play")
        page.wait("Array.from(document.querySelectorAll('button')).some((b) => b.innerText.trim() === 'Pause')")
        assert viewer.clock > 0.0
        page.click("Pause")
        page.click("Start")
        assert viewer.live is not None and viewer.live.time[-1] > 0.0
        page.click("Stop")
        assert viewer.doing is None
        before = viewer.pose.values[0]
        slider = browser.run("document.querySelectorAll('[role=slider]')[1].getBoundingClientRect().toJSON()")
        x, y = slider["x"] + slider["width"] / 2, slider["y"] + slider["height"] / 2
        browser.drag([(x, y), (x + 15, y), (x + 30, y)])
        page.go(0.5)
        assert viewer.pose.values[0] != before and viewer.pose.values == pytest.approx((viewer.sliders[0].value,))
        assert browser.run("document.querySelector('img[src=x]') === null && document.title !== 'owned'")
        page.wait("document.body.textContent.includes('{alert(1)}')")  # as a text
        outside = [r for r in browser.requests() if not r.startswith(("data:", "blob:", viewer.address))]
        assert outside == []
        browser.call("Page.reload")  # the key is still in the address
        page.wait("document.querySelectorAll('[role=slider]').length > 0")


# --- the command ------------------------------------------------------------------------------------------------------
def test_without_viser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    assert cli.main(["view", str(demo_file("pendulum"))]) == 1
    assert install_command("view") in capsys.readouterr().err


def test_a_motion_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Simulator(crate()).simulate(0.1, 0.01).save(tmp_path / "crate.npz")
    assert cli.main(["view", str(demo_file("pendulum")), "--trajectory", str(tmp_path / "crate.npz")]) == 1
    assert "is a motion of 'crate' with other bodies than 'pendulum' of FILE has" in capsys.readouterr().err


@pytest.mark.usefixtures("heeds_ctrl_c")
@pytest.mark.parametrize("what", ["toml", "npz"])
def test_the_command_serves_until_it_is_interrupted(what: str, tmp_path: Path) -> None:
    file = demo_file("pendulum")
    if what == "npz":
        file = Simulator(crate()).simulate(0.1, 0.01).save(tmp_path / "crate.npz")
    arguments = ["view", str(file), "--no-open", "--json", "--port", str(free_port())]
    process = subprocess.Popen(
        [sys.executable, "-m", "symvi.cli", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        line = ""
        while "http://localhost:" not in line:
            line = process.stderr.readline()
            assert line, process.wait()
        address = line.split()[0]
        assert b"<html" in urllib.request.urlopen(address, timeout=10).read(10_000).lower()
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0 and json.loads(out)["address"] == address
    assert Trajectory.load(file).names == ("crate",) if what == "npz" else json.loads(out)["mechanism"] == "pendulum"
