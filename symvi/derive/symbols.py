"""What the symbols of a derivation stand for, a line each."""

from __future__ import annotations

import re

_BODY = r"(?:_[a-z0-9]+)?\b"
_MEANINGS = (
    (rf"\bx{_BODY}", "x: position of a body's centre of mass, in world axes; x_a, x_b of the two bodies"),
    (rf"\bq(?!_off){_BODY}", "q: unit quaternion, scalar first, from the body's axes to the world's; q* its conjugate"),
    (r"\btheta", "theta: rotation vector of a small turn of q, as under turns"),
    (r"\bq_off", "q_off: orientation of the joint's frame in body a"),
    (r"\bR_(?!off)|\bR\(q\)", "R(q), R_a, R_b: rotation matrix of q, q_a, q_b"),
    (r"\bR_off", "R_off: rotation matrix of q_off"),
    (r"\bp_a|\bp_b", "p_a, p_b: anchors of the joint, contact or spring, each in its body's axes"),
    (r"\bp\b(?!_)", "p: a point of the body, in its axes"),
    (r"\bA\b", "A: axes of the joint's frame, rows a1, a2, a3"),
    (r"\ba1 a2\]", "[a1 a2]: the two axes of the joint's frame across a3, side by side"),
    (r"\ba3", "a3: axis of the joint, in its frame"),
    (r"\(R_b b\)|\bb\^", "b: axis of the joint on body b, in its axes"),
    (r"\bV (?=[LdS]|d)|Vᵀ|\bV d\b", "V: vector part of a quaternion, 3 x 4; Vᵀ puts a vector behind a zero scalar"),
    (r"\bS (?=[Ld])", "S: scalar part of a quaternion, 1 x 4"),
    (r"\bL\(", "L(p): matrix of a quaternion product, L(p) r = p r"),
    (r"\bR\([^)]*\) Vᵀ", "R(p) before Vᵀ: matrix of a quaternion product, R(p) r = r p"),
    (r"\^", "v^: matrix of a cross product, v^ u = v x u"),
    (r"\bpitch\b", "pitch: advance of a screw per radian"),
    (r"[/ ]L\b(?!\()|\(1/L\)", "L: length of the distance or spring at rest"),
    (r"\bk\b", "k: stiffness"),
    (rf"\bw{_BODY}", "w: angular velocity of the body in its axes; of a discrete update map where there is a step h"),
    (rf"\bv{_BODY}", "v: velocity of the body in world axes, or any vector where there is no step, mass or w"),
    (r"\bJ\b", "J: inertia of the body about its centre of mass, 3 x 3, in its axes"),
    (r"\bh\b|h²", "h: time step"),
    (r"\bm\b", "m: mass"),
    (r"\btau\b", "tau: torque in body axes"),
    (r"\bh f\b", "f: force in world axes"),
    (r"\bt1 t2\]", "[t1 t2]: two tangents of the contact, side by side"),
    (r"\bn\b|nᵀ", "n: normal of the contact, out of the ground"),
    (r"\bo\b", "o: a point of the ground"),
    (r"\br\b(?! =)|\br_a", "r, r_a, r_b: radii"),
    (r"\be_i\b", "e_i: unit vector of the axis i; matrices are told column by column, i = 1, 2, 3"),
    (r"\bI\b", "I: the identity matrix"),
)  # fmt: skip


def meanings(formulas: str) -> list[str]:
    """A line for every symbol that formulas use."""
    return [said for pattern, said in _MEANINGS if re.search(pattern, formulas)]
