"""The viewer: sliders for joint coordinates, play back, live simulation, contact forces, what became of the file.

What a person does in the browser arrives in threads of viser's. It is only put into a queue there; one loop (`tick`)
works it off and moves the picture, so that nothing happens at the same time as something else.
"""

from __future__ import annotations

import html
import io
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from queue import SimpleQueue
from typing import Any

import numpy as np
import viser

from symvi.errors import SymviError
from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.page.contact_arrows import contact_view
from symvi.page.framing import choose_framing
from symvi.page.keyframes import Keyframes, choose_keyframes
from symvi.page.looks import NO_LOOKS, Looks
from symvi.page.scene import build_scene
from symvi.simulate import Simulator, Trajectory
from symvi.view.drawing import Drawing
from symvi.view.gate import Gate
from symvi.view.posing import Posing

__all__ = ["HOST", "Viewer"]

HOST = "127.0.0.1"  # nobody but this machine
RATE = 40.0  # pictures a second
LONGEST = 0.1  # seconds of motion between two pictures, if the machine is late
SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
MOST_FRAMES = 20_000


class _LocalServer(viser.ViserServer):
    """viser's server without its tunnel to the internet, which any client could ask for."""

    def request_share_url(self, verbose: bool = True) -> None:
        """Does nothing."""


class Viewer:
    """A mechanism in the browser.

    looks: how its bodies look in their file. trajectory: a motion of it to play back.
    notices: texts about the file that it came from. step: of live simulation [s]. solver: of it, as for `Simulator`:
    coordinates, order, rule, solver.
    port: where the server listens, or the next one that is free; on this machine only, and nobody is answered without
    the whole `address`.
    """

    def __init__(
        self, mechanism: Mechanism, *, looks: Looks = NO_LOOKS, trajectory: Trajectory | None = None,
        notices: Sequence[str] = (), port: int = 8080, step: float = 0.005, **solver: Any,
    ):  # fmt: skip
        self.mechanism, self.trajectory, self.step, self.solver = mechanism, trajectory, step, solver
        scene = build_scene(mechanism, (), looks)
        self.posing = Posing(mechanism, scene.length)
        self.pose = self.posing.start() if trajectory is None else self.posing.at(trajectory.state(0))
        self.keyframes = (
            _still(self.pose.state) if trajectory is None else choose_keyframes(trajectory, MOST_FRAMES, None)
        )
        framing = choose_framing(mechanism, scene, self.keyframes)
        self.diagonal = float(np.linalg.norm(framing.high - framing.low))
        self.forces = None if trajectory is None else contact_view(trajectory, self.keyframes, self.diagonal)
        self.events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.doing: Callable[[float], None] | None = None
        self.simulator: Simulator | None = None
        self.live: Trajectory | None = None
        self.gate = Gate()
        with (
            redirect_stdout(io.StringIO()),
            self.gate.before_viser(),
        ):  # its banner; results may be all that stands there
            self.server = _LocalServer(HOST, port, label=f"symvi: {mechanism.name}", verbose=False)
        if not self.gate.guards:
            self.stop()
            raise SymviError("the viewer does not open: this version of viser does not let it check who asks")
        self.server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        self.drawing = Drawing(self.server, mechanism, scene, looks, framing)
        if trajectory is not None and len(self.keyframes.steps) > 1:
            self._add_replay(np.asarray(trajectory.time)[self.keyframes.steps])
        self._add_simulation()
        self._add_joints()
        self._add_report([*looks.notices, *notices])
        self._show_pose()
        self._say(self.pose.said)

    @property
    def address(self) -> str:
        """What to open in a browser: who knows it sees and moves the mechanism (see `symvi.view.gate`)."""
        return f"http://localhost:{self.server.get_port()}/{self.gate.token}/"

    def run(self) -> None:
        """Serve until interrupted."""
        last = time.perf_counter()
        while True:
            now = time.perf_counter()
            self.tick(min(now - last, LONGEST))
            last = now
            time.sleep(max(0.0, 1.0 / RATE - (time.perf_counter() - now)))

    def stop(self) -> None:
        """Close the server."""
        with redirect_stdout(io.StringIO()):
            self.server.stop()

    def tick(self, seconds: float) -> None:
        """Do what was asked for, then go on by so many seconds with what is going on."""
        while not self.events.empty():
            self.events.get()()
        if self.doing is not None:
            self.doing(seconds)

    def _on(self, handle, act: Callable[[], None]) -> None:
        """Call `act` from the loop when a person, not the program, changes a control."""
        handle.on_update(lambda event: self.events.put(act) if event.client is not None else None)

    def _on_click(self, button, act: Callable[[], None]) -> None:
        button.on_click(lambda _: self.events.put(act))

    # --- sliders -----------------------------------------------------------------------------------------------------
    def _add_joints(self) -> None:
        gui = self.server.gui
        with gui.add_folder("Joints", expand_by_default=len(self.posing.handles) <= 40):
            self.said = gui.add_html("")
            self.sliders = []
            for number, (handle, value) in enumerate(zip(self.posing.handles, self.pose.values, strict=True)):
                lower, upper = min(handle.lower, value), max(handle.upper, value)
                slider = gui.add_slider(handle.label, lower, upper, _fine(upper - lower), value, hint=handle.unit)
                self._on(slider, lambda number=number: self.move(number, self.sliders[number].value))
                self.sliders.append(slider)
            if self.sliders:
                self._on_click(gui.add_button("Back to the start"), self._reset)

    def move(self, number: int, value: float) -> None:
        """Bring a coordinate as near to a value as the loops allow."""
        self._stop()
        if abs(value - self.pose.values[number]) > 1e-9:
            self.pose = self.posing.moved(self.pose, number, value)
        self._show_pose(but=number)
        self._say(self.pose.said)

    def _reset(self) -> None:
        self._stop()
        self.pose = self.posing.start()
        self._show_pose()
        self._say(self.pose.said)

    def _show_pose(self, but: int | None = None) -> None:
        """The picture and the sliders of the present pose, but for the slider that is in a person's hand."""
        with self.server.atomic():
            self.drawing.place(self.pose.state.position, self.pose.state.orientation)
            self.drawing.show_forces(np.zeros((0, 3)), np.zeros((0, 3)))
            self._show_values(but)

    def _show_values(self, but: int | None = None) -> None:
        for number, (slider, value) in enumerate(zip(self.sliders, self.pose.values, strict=True)):
            if number != but:
                slider.value = min(max(value, slider.min), slider.max)

    def _say(self, text: str) -> None:
        self.said.content = _paragraph(text)

    def _stop(self) -> None:
        """End playing back or simulating; the pose is where that was."""
        if self.doing == self._play:
            self.play_button.label = "Play"
        if self.doing == self._simulate:
            self.live_button.label = "Start"
        self.doing = None

    # --- play back ---------------------------------------------------------------------------------------------------
    def _add_replay(self, times: np.ndarray) -> None:
        gui, self.times, self.clock = self.server.gui, times, float(times[0])
        with gui.add_folder("Play back"):
            step = _fine(float(times[-1] - times[0]))
            self.time_slider = gui.add_slider("time [s]", self.clock, float(times[-1]), step, self.clock)
            self.play_button = gui.add_button("Play")
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self._on(self.time_slider, lambda: self.seek(self.time_slider.value))
        self._on_click(self.play_button, self.toggle_play)

    def seek(self, seconds: float) -> None:
        """Show a time of the trajectory, standing still."""
        self._stop()
        self.clock = float(seconds)
        self._show_frame(to_sliders=True)

    def toggle_play(self) -> None:
        """Play the trajectory back, again and again; or stand still."""
        if self.doing == self._play:
            self._stop()
            self._show_frame(to_sliders=True)
            return
        self._stop()
        self.doing, self.play_button.label = self._play, "Pause"

    def _play(self, seconds: float) -> None:
        self.clock += seconds * float(self.speed.value)
        if self.clock > self.times[-1]:
            self.clock = float(self.times[0])
        self._show_frame(to_sliders=False)

    def _show_frame(self, to_sliders: bool) -> None:
        frame = max(0, int(np.searchsorted(self.times, self.clock + 1e-12, side="right")) - 1)
        with self.server.atomic():
            self.drawing.place(self.keyframes.position[frame], self.keyframes.orientation[frame])
            if self.forces is not None:
                self.drawing.show_forces(self.forces.point[frame], self.forces.arrow[frame])
            self.time_slider.value = self.clock
            if to_sliders:
                assert self.trajectory is not None
                self.pose = self.posing.at(self.trajectory.state(int(self.keyframes.steps[frame])))
                self._show_values()
        self._say("")

    # --- live simulation ---------------------------------------------------------------------------------------------
    def _add_simulation(self) -> None:
        gui = self.server.gui
        with gui.add_folder("Simulation"):
            self.live_button = gui.add_button("Start", hint="from here, at rest; inputs are zero or their signals")
            self.live_text = gui.add_html("")
        self._on_click(self.live_button, self.toggle_live)

    def toggle_live(self) -> None:
        """Simulate from the present pose, at rest; or stand still where that has come to."""
        if self.doing == self._simulate:
            self._stop()
            return
        self._stop()
        self.live_text.content = _paragraph("building the solver ...")
        self.server.flush()
        try:
            self.simulator = self.simulator or Simulator(self.mechanism, **self.solver)
            none = np.zeros_like(self.pose.state.velocity)
            here = self.pose.state
            start = State(0.0, here.position, here.orientation, none, none, here.names, here.angles)
            self.live = self.simulator.simulate(self.step, self.step, start=start, project=True)
        except SymviError as error:
            self.live_text.content = _paragraph(str(error))
            return
        self.doing, self.live_button.label = self._simulate, "Stop"

    def _simulate(self, seconds: float) -> None:
        assert self.simulator is not None and self.live is not None
        steps = max(1, round(seconds / self.step))
        try:
            self.live = self.simulator.simulate(steps * self.step, self.step, start=self.live, every=steps)
        except SymviError as error:
            self._stop()
            self.live_text.content = _paragraph(str(error))
            return
        live, last = self.live, len(self.live) - 1
        frames = Keyframes(np.array([last]), live.position[-1:], live.orientation[-1:], True)
        forces = contact_view(live, frames, self.diagonal)
        self.pose = self.posing.at(live.state())
        with self.server.atomic():
            self.drawing.place(live.position[-1], live.orientation[-1])
            if forces is not None:
                self.drawing.show_forces(forces.point[0], forces.arrow[0])
            self._show_values()
        texts = (f"t = {live.time[-1]:.2f} s", f"energy {live.energy[-1]:.4g} J", f"closure {live.closure[-1]:.1e}")
        self.live_text.content = _paragraph(", ".join(texts))

    # --- the report --------------------------------------------------------------------------------------------------
    def _add_report(self, notices: Sequence[str]) -> None:
        if notices:
            with self.server.gui.add_folder(f"Report ({len(notices)})", expand_by_default=False):
                self.server.gui.add_html("".join(_paragraph(notice) for notice in notices))


def _fine(length: float) -> float:
    """A power of ten, of which a slider of this length has a thousand or more."""
    return float(10.0 ** np.floor(np.log10(length / 1000.0)))


def _still(state: State) -> Keyframes:
    """A motion of one picture."""
    return Keyframes(np.array([0]), state.position[None], state.orientation[None], True)


def _paragraph(text: str) -> str:
    """A text as HTML: nothing in it is markup, whatever a file says."""
    return (
        f'<p style="margin: 0.3em 1em; font-size: 0.8em; overflow-wrap: anywhere">{html.escape(text)}</p>'
        if text
        else ""
    )
