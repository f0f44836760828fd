"""The command `view`: a mechanism, or a saved motion, live in the browser."""

from __future__ import annotations

import functools
import webbrowser
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from symvi.cli.commands import Coordinates, Order, Rule, Settings, Solver
from symvi.cli.console import command
from symvi.cli.importing import imported_looks, takes_mechanism
from symvi.cli.setting import set_numbers
from symvi.errors import SymviError, missing_extra

if TYPE_CHECKING:
    from symvi.importers import Imported
    from symvi.simulate import Trajectory


@command
@functools.partial(takes_mechanism, trajectories=True)
def view(
    console: Console,
    imported: Imported,
    trajectory: Annotated[
        Path | None, typer.Option(help="A saved trajectory of FILE to play back.", metavar="F.npz")
    ] = None,
    set_: Settings = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of the server, or the next one that is free.")] = 8080,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, and open no browser.")] = False,
    step: Annotated[float, typer.Option(help="Time step of live simulation in seconds.")] = 0.005,
    coordinates: Coordinates = "auto",
    order: Order = "2",
    rule: Rule = None,
    solver: Solver = "newton",
) -> Mapping[str, Any]:
    """Look at a mechanism in the browser: sliders for its joints, play back, live simulation. Ctrl-C ends it.

    FILE may be a saved trajectory (.npz) too. Only this machine can see it, by the whole address that is printed.
    """
    if find_spec("viser") is None:
        raise missing_extra("view", "viser")
    from symvi.simulate.orders import name_of
    from symvi.view import open_viewer

    motion = _motion(imported, trajectory)
    if set_ and motion is not None:
        raise SymviError("--set: a motion is played back as it was; leave --set out, or the motion")
    imported = set_numbers(imported, set_)
    looks = imported_looks(console, imported)
    notices = [str(notice) for notice in imported.report.notices]
    name_of(order, rule, solver)  # a wrong word is told before the browser opens
    chosen = {"coordinates": coordinates, "order": order, "rule": rule, "solver": solver}
    shown = {"looks": looks, "trajectory": motion, "notices": notices}
    viewer = open_viewer(imported.mechanism, **shown, port=port, step=step, **chosen)
    try:  # from here on: who has read the address may interrupt at once
        console.print(f"{viewer.address}  (Ctrl-C ends it)", highlight=False, soft_wrap=True)
        if not no_open:
            webbrowser.open(viewer.address)
        viewer.run()
    except KeyboardInterrupt:
        pass
    finally:
        viewer.stop()
    return {"mechanism": imported.mechanism.name, "address": viewer.address}


def _motion(imported: Imported, path: Path | None) -> Trajectory | None:
    """The trajectory to play back: the one given, or the one that FILE is."""
    from symvi.simulate import Trajectory

    if path is None:
        return imported.trajectory
    trajectory = Trajectory.load(path)
    if trajectory.names != imported.mechanism.body_names:
        raise SymviError(
            f"--trajectory {path}: is a motion of '{trajectory.mechanism.name}' with other bodies than "
            f"'{imported.mechanism.name}' of FILE has"
        )
    return trajectory
