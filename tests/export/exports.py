"""What tests of exports share: mechanisms that have everything, and programs run as a user runs them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from symvi import Actuator, Body, Box, Contact, Driver, Joint, Limit, Mechanism, Servo


def arm() -> Mechanism:
    """A crooked arm: a driven shoulder, an elbow with an end stop and a servo, a motor, all with signals."""
    box = Box(size=(0.1, 0.12, 0.4))
    names, axes = ("upper", "lower", "hand"), ((1.0, 0.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
    joints = ("shoulder", "elbow", "wrist")
    return Mechanism(
        name="arm",
        bodies=[Body(name=name, mass=1.0, shape=box) for name in names],
        joints=[
            Joint(
                name=joints[k],
                type="revolute",
                **({"parent": names[k - 1], "parent_anchor": (0.0, 0.0, -0.2)} if k else {}),
                child=names[k],
                child_anchor=(0.0, 0.0, 0.2),
                axis=axes[k],
                coordinate=0.3,
            )
            for k in range(3)
        ],
        drivers=[Driver(name="gearbox", joint="shoulder", signal="0.3 + 0.5*sin(t)")],
        forces=[
            Servo(name="hold", joint="elbow", stiffness=5.0, damping=1.0, signal="0.3 + 0.1*t"),
            Actuator(name="motor", joint="wrist", signal="0.01*cos(3*t)"),
        ],
        limits=[Limit(name="stop", joint="elbow", upper=0.6)],
    )


def crate() -> Mechanism:
    """A crate that falls on the ground and slides."""
    return Mechanism(
        name="crate",
        bodies=[
            Body(
                name="box",
                mass=2.0,
                shape=Box(size=(0.2, 0.3, 0.1)),
                position=(0.0, 0.0, 0.2),
                velocity=(1.0, 0.2, 0.0),
            )
        ],
        contacts=[Contact(name="ground", child="box", whole_shape=True, friction=0.4)],
    )


def loose() -> Mechanism:
    """Two links that swing: no limits, no contacts, no angle that anybody follows."""
    return arm().changed(name="loose", drivers=[], forces=[], limits=[])


def need(*programs: str) -> None:
    """Skip where a program is missing, with the package that brings it."""
    packages = {"cc": "gcc", "ar": "binutils", "arm-none-eabi-gcc": "gcc-arm-none-eabi"}
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs the package {packages.get(program, program)}")


def done(*command: object, folder: Path | None = None, **options) -> str:
    """Run a program that must succeed; returns what it printed."""
    ran = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
