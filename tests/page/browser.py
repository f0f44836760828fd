"""A headless Chromium, driven through the pipe of its own debugging protocol: no driver, no port, no package.

A message is JSON that ends in a zero byte. Chromium reads commands on descriptor 3 and writes on descriptor 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
WEBGL = ("--enable-unsafe-swiftshader", "--use-angle=swiftshader")
NO_WEBGL = ("--disable-3d-apis",)


def find_chromium() -> str | None:
    """The path of a Chromium on this machine, if there is one."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One Chromium with one page; a context manager that leaves nothing behind."""

    def __init__(self, path: str, *flags: str, size: tuple[int, int] = (1280, 860), dark: bool = False):
        self.path, self.flags, self.size, self.dark = path, flags, size, dark
        self.events: list[dict] = []
        self.number = 0
        self.buffer = b""

    def __enter__(self) -> Browser:
        self.profile = tempfile.mkdtemp(prefix="symvi-chromium-")
        commands_out, self.commands = _pipe()
        self.answers, answers_in = _pipe()
        arguments = [self.path, *FLAGS, *self.flags, f"--user-data-dir={self.profile}", "about:blank"]
        quiet = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2),
                   (os.POSIX_SPAWN_DUP2, commands_out, 3), (os.POSIX_SPAWN_DUP2, answers_in, 4)]  # fmt: skip
        self.process = os.posix_spawn(self.path, arguments, os.environ, file_actions=actions, setsid=True)
        for descriptor in (commands_out, answers_in, quiet):
            os.close(descriptor)
        self.session = None
        try:
            self._attach()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.commands)
        os.close(self.answers)
        for _ in range(50):  # its children may still write for a moment
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                break
            time.sleep(0.1)

    def _attach(self) -> None:
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        answer = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        width, height = self.size
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def call(self, method: str, **parameters: object) -> dict:
        """Send one command and return its answer; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(60.0)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self, timeout: float) -> dict:
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], timeout)[0]:
                raise TimeoutError("Chromium does not answer")
            received = os.read(self.answers, 1 << 16)
            if not received:
                raise RuntimeError("Chromium has ended")
            self.buffer += received
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, file: Path, fragment: str = "") -> None:
        """Open a file from disk and wait until it is loaded."""
        self.call("Page.navigate", url="about:blank")  # the same file with another fragment would not be loaded again
        self.wait("location.href === 'about:blank' && document.readyState === 'complete'")
        self.events.clear()
        address = file.resolve().as_uri() + (f"#{fragment}" if fragment else "")
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && document.getElementById('facts')?.rows.length > 0")

    def run(self, expression: str) -> object:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait(self, expression: str, timeout: float = 30.0) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + timeout
        while not self.run(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until what was asked for is on the screen."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def key(self, key: str) -> None:
        """Press and release a key, such as "ArrowRight" or " "."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)
        self.settle()

    def click(self, element: str) -> None:
        """Click the middle of an element, by its id."""
        box = self.box(element)
        self.drag([(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)])

    def box(self, element: str) -> dict:
        """The rectangle of an element on the screen, by its id."""
        return self.run(f"document.getElementById('{element}').getBoundingClientRect().toJSON()")

    def drag(self, places: list[tuple[float, float]], button: str = "left") -> None:
        """Press a mouse button at the first place, move through the others, and let go at the last."""
        held = {"button": button, "clickCount": 1, "buttons": {"left": 1, "right": 2}[button]}
        self.move(*places[0])
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=places[0][0], y=places[0][1], **held)
        for x, y in places[1:]:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **held)
        x, y = places[-1]
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **{**held, "buttons": 0})
        self.settle()

    def move(self, x: float, y: float) -> None:
        """Move the mouse without a button."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def wheel(self, x: float, y: float, amount: float) -> None:
        """Turn the mouse wheel."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=amount)
        self.settle()

    def screenshot(self) -> bytes:
        """The page as a PNG."""
        self.settle()
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def complaints(self) -> list[str]:
        """What went wrong since the page was opened: errors, warnings of the page's own, refused resources."""
        self.run("0")  # what is on its way arrives before this answer
        found = []
        for event in self.events:
            kind, content = event["method"], event.get("params", {})
            if kind == "Runtime.exceptionThrown":
                found.append(json.dumps(content["exceptionDetails"]))
            elif kind == "Runtime.consoleAPICalled" and content["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(content["args"]))
            elif kind == "Log.entryAdded" and content["entry"]["level"] == "error":
                found.append(content["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """The addresses that the page asked for since it was opened."""
        sent = (event for event in self.events if event["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are well above 3 and 4, so that handing them on overwrites none of them."""
    moved = []
    for descriptor in os.pipe():
        moved.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(descriptor)
    return moved[0], moved[1]
