"""A hopper jumps half a metre over a step of 0.16 m, and when its foot leaves the ground and lands is found, not said.

Contact-implicit optimisation (Posa, Cantu & Tedrake 2014) by direct transcription: one nonlinear program holds all
knots, contacts are part of each step, and their smoothing falls from solve to solve. The first guess glides straight
to the goal with its foot on the ground. What is found is replayed by `simulate`, whose contacts are hard.
"""

from __future__ import annotations

import numpy as np
from _report import EXACT, OURS, THIRD, Report

from symvi import Actuator, Body, Box, Contact, Joint, Mechanism, Rod, Simulator
from symvi.control import transcribe

STEP, TIME = 0.02, 0.8  # s
LEG, RADIUS, WAY = 0.6, 0.02, 0.5  # m: from hip to foot, of the foot, to jump
HURDLE, WIDE = 0.16, 0.06  # m: its height, and half its width
SMOOTHINGS = (1e-2, 1e-3, 1e-4)
TORQUE, THRUST = 40.0, 200.0  # N m, N


def hopper() -> Mechanism:
    """A trunk in a plane, a leg that swings and stretches, a foot that is a point on the ground."""
    bodies = [
        Body(name="trunk", mass=3.0, shape=Box(size=(0.3, 0.1, 0.1)), position=(0, 0, LEG + RADIUS)),
        Body(name="thigh", mass=0.3, shape=Rod(length=0.3, radius=0.02, position=(0, 0, -0.15))),
        Body(name="shin", mass=0.2, shape=Rod(length=0.3, radius=0.015, position=(0, 0, -0.15))),
    ]
    joints = [
        Joint(name="plane", type="planar_axis", child="trunk", axis=(0, 1, 0), parent_anchor=(0, 0, LEG + RADIUS)),
        Joint(name="hip", type="revolute", parent="trunk", child="thigh", axis=(0, 1, 0)),
        Joint(name="leg", type="prismatic", parent="thigh", child="shin", parent_anchor=(0, 0, -0.3), axis=(0, 0, -1)),
    ]
    foot = Contact(name="foot", child="shin", child_anchor=(0, 0, -0.3), radius=RADIUS, friction=0.8)
    motors = [Actuator(name="swing", joint="hip"), Actuator(name="thrust", joint="leg")]
    return Mechanism(name="hopper", bodies=bodies, joints=joints, contacts=[foot], forces=motors)


def foot_of(x, sin=np.sin, cos=np.cos):
    """(along, above the ground) of the foot's sole at all knots, from x by name."""
    turn, length = x["plane[2]"] + x["hip"], LEG + x["leg"]
    return x["plane[1]"] - length * sin(turn), LEG + x["plane[0]"] - length * cos(turn)


def over_the_hurdle(x, u):
    """The sole above a smooth hurdle in the middle of the way."""
    import casadi

    along, above = foot_of(x, casadi.sin, casadi.cos)
    return [(above - HURDLE * casadi.exp(-(((along - WAY / 2) / WIDE) ** 4)), -1e-3, np.inf)]
