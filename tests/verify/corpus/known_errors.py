"""Errors that were found in papers and in public code, asked as their readers would ask: is this derivative right?

Every one is a sign, a factor, a transpose, a missing term or an exchanged index that changes a derivative. BM20,
BSMH23 and JM09 are papers of the manual (sources.md); Fan18 is T. Fan, J. Schultz, T. Murphey, Efficient Computation of
Higher-Order Variational Integrators in Robotic Simulation and Trajectory Optimization, WAFR 2018; Lee16 is J. Lee,
C. Liu, F. Park, S. Srinivasa, A Linear-Time Variational Integrator for Multibody Systems, WAFR 2016.
"""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import (
    ANGULAR_VELOCITY,
    NORMAL,
    STEP,
    Case,
    columns,
    everything,
    inertia,
    off_diagonal,
    positive,
    quaternion,
    scalar,
    vector,
)

# The discrete action of a turning body over two steps, varied at the knot between them. The papers' residual is
# d_R = -(1/h) times its rotational gradient (BM20 (32), BSMH23 (15), (16)).

KNOTS = {
    "q0": quaternion("half"),
    "q1": quaternion("half"),
    "q2": quaternion("half"),
    "J": inertia(),
    "h": STEP,
}


def action(q0, q1, q2, J, h):
    w0 = 2 / h * V @ L(q0).T @ q1
    w1 = 2 / h * V @ L(q1).T @ q2
    return h * (w0 @ J @ w0 + w1 @ J @ w1) / 2


def variation(q0, q1, q2, J, h, sign):
    """-h d_R, the roots sqrt(4/h^2 - w.w) taken from the scalar parts that they are."""
    s0, *_ = bar0 = 2 / h * L(q0).T @ q1
    s1, *_ = bar1 = 2 / h * L(q1).T @ q2
    w0, w1 = bar0[1:], bar1[1:]
    return -h * (s1 * J @ w1 + np.cross(w1, J @ w1) - s0 * J @ w0 + sign * np.cross(w0, J @ w0))


ACTION = [
    Case(
        "residual of a turning body",
        action,
        lambda q0, q1, q2, J, h: variation(q0, q1, q2, J, h, 1),
        "q1",
        KNOTS,
        source="BM20 (32), BSMH23 (16): right",
    ),
    Case(
        "residual of a turning body, gyroscopic sign",
        action,
        lambda q0, q1, q2, J, h: variation(q0, q1, q2, J, h, -1),
        "q1",
        KNOTS,
        everything,
        (),
        source="public code of BM20, BSMH23: -(s0 I + w0 x) J w0 for -(s0 I - w0 x) J w0",
    ),
]


# The same sign where the residual is differentiated by the velocity before: -d/dw0 of [s0 J w0 - w0 x J w0].

BEFORE = {"w0": ANGULAR_VELOCITY, "J": inertia(), "h": STEP}


def momentum_before(w0, J, h):
    return -np.sqrt(4 / h**2 - w0 @ w0) * (J @ w0) + np.cross(w0, J @ w0)


def momentum_before_by_w0(w0, J, h, sign):
    s0 = np.sqrt(4 / h**2 - w0 @ w0)
    return -s0 * J + np.outer(J @ w0, w0) / s0 + sign * (skew(w0) @ J - skew(J @ w0))


MOMENTUM = [
    Case(
        "momentum before a knot",
        momentum_before,
        lambda w0, J, h: momentum_before_by_w0(w0, J, h, 1),
        "w0",
        BEFORE,
        source="BM20 (32): right",
    ),
    Case(
        "momentum before a knot, gyroscopic sign",
        momentum_before,
        lambda w0, J, h: momentum_before_by_w0(w0, J, h, -1),
        "w0",
        BEFORE,
        everything,
        ("term: the wrong sign",),
        source="public code of BM20, BSMH23: -(s0 I + w0 x) J w0 for -(s0 I - w0 x) J w0",
    ),
]


# The work of a torque, 2 tau^T V L(q)^T q, with L held fixed at the knot (qL): BSMH23 (12), (14).

TURN = quaternion("half")


def work_as_printed(q, tau):
    return 2 * tau @ V @ L(q).T @ q


WORKS = {"q1": TURN, "q2": TURN, "held1": TURN, "held2": TURN, "tau1": vector(), "tau2": vector()}


def work(q1, q2, held1, held2, tau1, tau2):
    """Over two knots; held1 and held2 are q1 and q2 where they are not to be varied."""
    return 2 * tau1 @ V @ L(held1).T @ q1 + 2 * tau2 @ V @ L(held2).T @ q2


TORQUES = [
    Case(
        "virtual work as printed",
        work_as_printed,
        lambda q, tau: 2 * tau,
        "q",
        {"q": TURN, "tau": vector()},
        everything,
        ("zero",),
        source="BSMH23 (12), (14): 2 tau V L(q)^T q is zero unless L is held fixed",
    ),
    Case(
        "virtual work at a knot, torque of the next",
        work,
        lambda q1, q2, held1, held2, tau1, tau2: 2 * tau2 @ V @ L(held1).T @ L(q1) @ V.T,
        "q1",
        WORKS,
        everything,
        ("exchange",),
        source="BSMH23 (16): tau_2 for tau_1",
    ),
]


# The translational residual d_T = -(1/h) times the gradient of the action at x1: BSMH23 (10).

TRANSLATION = {"x0": vector(), "x1": vector(), "x2": vector(), "m": positive(), "g": positive(9.81), "h": STEP}
E_Z = np.array([0, 0, 1])


def translational_action(x0, x1, x2, m, g, h):
    v0, v1 = (x1 - x0) / h, (x2 - x1) / h
    return m * (v0 @ v0 + v1 @ v1) / 2 - m * g * (x0[2] + x1[2])


TRANSLATIONS = [
    Case(
        "residual of a moving body",
        translational_action,
        lambda x0, x1, x2, m, g, h: -(m * ((x2 - x1) / h - (x1 - x0) / h) / h + m * g * E_Z),
        "x1",
        TRANSLATION,
        source="BSMH23 (10), last line: right",
    ),
    Case(
        "residual of a moving body, as printed",
        translational_action,
        lambda x0, x1, x2, m, g, h: m * (x1 - x0) / h - m * (x2 - x1) / h - m * g * E_Z,
        "x1",
        TRANSLATION,
        everything,
        ("step", "term: a factor h"),
        source="BSMH23 (10): h for h^2 in the middle line",
    ),
]


# Constraint forces in the residual: the upper right block of BM20 (37).

REACTION = {
    "y": vector(),
    "v": vector(),
    "v0": vector(),
    "q": quaternion("half"),
    "p": vector(),
    "m": positive(),
    "h": STEP,
}


def reacting(y, v, v0, q, p, m, h):
    """Translational and rotational rows of a body held at its anchor p, in the papers' scale."""
    return np.concatenate([m * (v - v0) / h - y, -2 * np.cross(p, rotation(q).T @ y)])


REACTIONS = [
    Case(
        "reaction in the residual",
        reacting,
        lambda y, v, v0, q, p, m, h: np.vstack([I3, 2 * skew(p) @ rotation(q).T]),
        "y",
        REACTION,
        lambda row, column: row > 2 or row == column,
        ("sign",),
        source="BM20 (37): G^T for -G^T",
    ),
]


# Friction's map of a contact point p: rows t.(x + R p), whose rotational gradient is the papers' B_q.

CONTACT = {"q": quaternion("half"), "x": vector(), "p": vector()}
CONTACT_VELOCITY = {"w": vector(), "v": vector(), "q": quaternion(), "p": vector()}


def contact_velocity(w, v, q, p):
    return (v + rotation(q) @ np.cross(w, p))[:2]


FRICTION = [
    Case(
        "friction's torque, R for its transpose",
        contact_velocity,
        lambda w, v, q, p: (skew(p) @ rotation(q) @ I3[:, :2]).T,
        "w",
        CONTACT_VELOCITY,
        everything,
        ("conjugate",),
        source="BSMH23 (4b): Q(q) for its transpose",
    ),
    Case(
        "friction's torque in the papers' scale",
        lambda x, q, p: (x + rotation(q) @ p)[:2],
        lambda x, q, p: np.hstack([I3, -rotation(q) @ skew(p)])[:2],
        ("x", "q"),
        CONTACT,
        columns(3, 4, 5),
        ("factor: half",),
        source="BSMH23 (28a): B_q without the factor 2 of the gradients N and G beside it",
    ),
]


# A spring in the free directions of a joint: E = (k/2) |c|^2, c = R_a^T (x_b + R_b p_b - x_a) - p_a.

SPRING = {
    "x_a": vector(),
    "q_a": quaternion(),
    "x_b": vector(),
    "q_b": quaternion(),
    "p_a": vector(),
    "p_b": vector(),
    "k": positive(100.0),
}
STATE = ("x_a", "q_a", "x_b", "q_b")


def joint_spring(x_a, q_a, x_b, q_b, p_a, p_b, k):
    c = rotation(q_a).T @ (x_b + rotation(q_b) @ p_b - x_a) - p_a
    return k / 2 * (c @ c)


def joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k):
    turn_a, turn_b = rotation(q_a), rotation(q_b)
    u = turn_a.T @ (x_b + turn_b @ p_b - x_a)
    f = k * (u - p_a)
    return np.hstack([-turn_a @ f, np.cross(f, u), turn_a @ f, np.cross(p_b, turn_b.T @ turn_a @ f)])


SPRINGS = [
    Case("spring in a joint", joint_spring, joint_spring_gradient, STATE, SPRING),
    Case(
        "spring in a joint, force not turned to the world",
        joint_spring,
        lambda x_a, q_a, x_b, q_b, p_a, p_b, k: np.hstack(
            [
                -rotation(q_a).T @ joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k)[6:9],
                joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k)[3:6],
                rotation(q_a).T @ joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k)[6:9],
                joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k)[9:],
            ]
        ),
        STATE,
        SPRING,
        lambda row, column: column % 6 < 3,
        ("axes",),
        source="public code of BSMH23: axes of body a in rows of the world",
    ),
    Case(
        "spring in a joint, lever of b left out",
        joint_spring,
        lambda x_a, q_a, x_b, q_b, p_a, p_b, k: np.hstack(
            [joint_spring_gradient(x_a, q_a, x_b, q_b, p_a, p_b, k)[:9], np.array([0, 0, 0])]
        ),
        STATE,
        SPRING,
        columns(9, 10, 11),
        ("missing",),
        source="public code of BSMH23: the lever arm on b left out",
    ),
]


# An actuator's force f along directions of the joint frame: its power, by the motion of body a.

ACTUATOR = {
    "x_a": vector(),
    "q_a": quaternion(),
    "x_b": vector(),
    "q_b": quaternion(),
    "p_a": vector(),
    "p_b": vector(),
    "f": vector(),
}


def actuated(x_a, q_a, x_b, q_b, p_a, p_b, f):
    return f @ (rotation(q_a).T @ (x_b + rotation(q_b) @ p_b - x_a) - p_a)


ACTUATORS = [
    Case(
        "actuator's moment, lever held fixed",
        actuated,
        lambda x_a, q_a, x_b, q_b, p_a, p_b, f: np.cross(f, p_a),
        "q_a",
        ACTUATOR,
        everything,
        (),
        source="BSMH23 (1a): the anchor p_a for the point where the force acts",
    ),
]


# A damper between two bodies, implicit in both velocities: the blocks between the bodies.

DAMPER = {"w_a": vector(), "w_b": vector(), "q_a": quaternion(), "q_b": quaternion(), "c": positive()}


def joint_damper(w_a, w_b, q_a, q_b, c):
    """Torques on a and on b, each in its own axes."""
    relative = rotation(q_b) @ w_b - rotation(q_a) @ w_a
    return np.concatenate([c * rotation(q_a).T @ relative, -c * rotation(q_b).T @ relative])


DAMPERS = [
    Case(
        "damper in a joint",
        joint_damper,
        lambda w_a, w_b, q_a, q_b, c: (
            c * np.block([[-I3, rotation(q_a).T @ rotation(q_b)], [rotation(q_b).T @ rotation(q_a), -I3]])
        ),
        ("w_a", "w_b"),
        DAMPER,
    ),
    Case(
        "damper in a joint, blocks between bodies left out",
        joint_damper,
        lambda w_a, w_b, q_a, q_b, c: -c * np.block([[I3, 0 * I3], [0 * I3, I3]]),
        ("w_a", "w_b"),
        DAMPER,
        lambda row, column: (row < 3) != (column < 3),
        ("missing",),
        source="public code of BSMH23: no blocks between the two bodies",
    ),
]


# A damper along the free direction of a slider, e_z of body a: its force on b in world axes.

SLIDER = {"v_a": vector(), "v_b": vector(), "q_a": quaternion(), "c": positive()}


def slider_damper(v_a, v_b, q_a, c):
    axis = rotation(q_a)[:, 2]
    return -c * axis * (axis @ (v_b - v_a))


# Friction of a ball: the material point that touches the plane across n lies at -radius n from the centre.

BALL = {"v": vector(), "w": vector(), "q": quaternion(), "n": NORMAL, "radius": positive(0.1)}


def ball_velocity(v, w, q, n, radius):
    return v + np.cross(rotation(q) @ w, -radius * n)


FRAMES = [
    Case(
        "damper along a slider, force not turned to the world",
        slider_damper,
        lambda v_a, v_b, q_a, c: -c * np.outer(E_Z, rotation(q_a)[:, 2]),
        "v_b",
        SLIDER,
        everything,
        ("axes",),
        source="public code of BSMH23: axes of body a in rows of the world",
    ),
    Case(
        "friction of a ball, lever to its centre",
        ball_velocity,
        lambda v, w, q, n, radius: np.hstack([I3, 0 * I3]),
        ("v", "w"),
        BALL,
        columns(3, 4, 5),
        ("missing",),
        source="BSMH23 (4b), Fig. 8b: the centre for the contact point, so that the ball never rolls",
    ),
]


# Newton's direction and the multipliers of a constraint, by the residual: dq = -K^-1 r with a 2 x 2 matrix K

NEWTON = {"r": vector(2), "a": scalar(), "b": scalar(), "c": scalar(), "d": scalar()}


def inverse(a, b, c, d):
    return np.array([[d, -b], [-c, a]]) / (a * d - b * c)


def newton_direction(r, a, b, c, d):
    return -inverse(a, b, c, d) @ r


CONSTRAINED = {
    "rc": scalar(),
    "r": vector(2),
    "A": vector(2),
    "D": vector(2),
    "a": scalar(),
    "b": scalar(),
    "c": scalar(),
    "d": scalar(),
}


def multiplier(rc, r, A, D, a, b, c, d):
    """The multiplier that makes D dq = -rc, dq = -K^-1 (r + A y)."""
    inverted = inverse(a, b, c, d)
    return (rc - D @ inverted @ r) / (D @ inverted @ A)


NEWTONS = [
    Case(
        "Newton's direction, inverse missing",
        newton_direction,
        lambda r, a, b, c, d: -np.array([[a, b], [c, d]]),
        "r",
        NEWTON,
        everything,
        ("inverse",),
        source="Fan18, section 3.2: dq = -J r for -J^-1 r",
    ),
    Case(
        "multiplier of a constraint, inverse missing",
        multiplier,
        lambda rc, r, A, D, a, b, c, d: 1 / (D @ np.array([[a, b], [c, d]]) @ A),
        "rc",
        CONSTRAINED,
        everything,
        source="Fan18, section 3.3: (Dh J A)^-1 for (Dh J^-1 A)^-1",
    ),
]


# Spatial momentum: the derivative of the kinetic energy by the spatial velocity, Ad^-T M Ad^-1 u

SPATIAL = {"u": vector(6), "q": quaternion(), "x": vector(), "J": inertia(), "m": positive()}


def adjoint_inverse(q, x):
    """Spatial velocity (angular, linear) to the body's."""
    turn = rotation(q).T
    return np.block([[turn, 0 * I3], [-turn @ skew(x), turn]])


def adjoint(q, x):
    turn = rotation(q)
    return np.block([[turn, 0 * I3], [skew(x) @ turn, turn]])


def spatial_inertia(J, m):
    return np.block([[J, 0 * I3], [0 * I3, m * I3]])


def spatial_energy(u, q, x, J, m):
    body = adjoint_inverse(q, x) @ u
    return body @ spatial_inertia(J, m) @ body / 2


SPATIALS = [
    Case(
        "spatial momentum",
        spatial_energy,
        lambda u, q, x, J, m: adjoint_inverse(q, x).T @ spatial_inertia(J, m) @ adjoint_inverse(q, x) @ u,
        "u",
        SPATIAL,
        source="Fan18, Algorithm 1: right",
    ),
    Case(
        "spatial momentum, transpose for inverse transpose",
        spatial_energy,
        lambda u, q, x, J, m: adjoint(q, x).T @ spatial_inertia(J, m) @ adjoint_inverse(q, x) @ u,
        "u",
        SPATIAL,
        everything,
        ("inverse",),
        source="Fan18, Algorithm 2: Ad^T M Ad^-1 for Ad^-T M Ad^-1",
    ),
]


# The length of a spring and its second derivative: JM09, section IV-C

SPRING_LENGTH = {"v": vector()}


SECOND = [
    Case(
        "second derivative of a spring's length, as printed",
        norm,
        lambda v: I3 / norm(v) - np.outer(v, v) / (2 * norm(v) ** 3),
        "v",
        SPRING_LENGTH,
        everything,
        ("term", "factor: half"),
        order=2,
        source="JM09, section IV-C: -1/2 for -1 in the first term",
    ),
]


# The scissor lift of JM09, section VI-C, with two segments: momentum of its angle

SCISSOR = {
    "rate": scalar(),
    "s": scalar(),
    "c": scalar(),
    "m_L": positive(),
    "m_S": positive(),
    "inertia": positive(),
    "length": positive(),
}


def scissor_energy(rate, s, c, m_L, m_S, inertia, length):
    """Two links a segment, centres at (length/2 cos, (n - 1/2) length sin), s and c sine and cosine of the angle."""
    energy = m_S * (length * s * rate) ** 2 / 2
    for n in (1, 2):
        along, across = -length * s * rate / 2, (2 * n - 1) * length * c * rate / 2
        energy = energy + m_L * (along**2 + across**2) + inertia * rate**2
    return energy


def scissor_momentum_as_printed(rate, s, c, m_L, m_S, inertia, length):
    momentum = m_S * length**2 * s**2 * rate
    for n in (1, 2):
        momentum = momentum + 2 * m_L * length**2 * ((2 * n - 1) ** 2 * c**2 / 4 + s**2 / 2 + inertia) * rate
    return momentum


# The same, asked part by part: of the motion and of the turning of the two links of segment n.

SEGMENT = {"rate": scalar(), "s": scalar(), "c": scalar(), "n": positive(), "m_L": positive(), "length": positive()}


def segment_energy(rate, s, c, n, m_L, length):
    along, across = -length * s * rate / 2, (n - 1 / 2) * length * c * rate
    return m_L * (along**2 + across**2)


SCISSORS = [
    Case(
        "scissor lift, motion of two links",
        segment_energy,
        lambda rate, s, c, n, m_L, length: 2 * m_L * length**2 * ((1 / 2 - n) ** 2 * c**2 + s**2 / 2) * rate,
        "rate",
        SEGMENT,
        everything,
        ("term",),
        source="JM09, section VI-C: 1/2 sin^2 for 1/4 sin^2",
    ),
    Case(
        "scissor lift, turning of two links",
        lambda rate, m_L, inertia, length: inertia * rate**2,
        lambda rate, m_L, inertia, length: 2 * m_L * length**2 * inertia * rate,
        "rate",
        {"rate": scalar(), "m_L": positive(), "inertia": positive(), "length": positive()},
        everything,
        ("factor",),
        source="JM09, section VI-C: I inside the factor m L^2",
    ),
    Case(
        "scissor lift, as printed",
        scissor_energy,
        scissor_momentum_as_printed,
        "rate",
        SCISSOR,
        everything,
        (),
        source="JM09, section VI-C: both of them",
    ),
]


# The discrete Lagrangian h (1/2) w.Jw, w = log(q1* q2)/h, by its two knots; rotations only

LOGARITHM = {"q1": quaternion(), "q2": quaternion(), "J": inertia(), "h": STEP}


def logarithm(q):
    s = norm(q[1:])
    return 2 * np.arctan2(s, q[0]) * q[1:] / s


def logarithmic_lagrangian(q1, q2, J, h):
    w = logarithm(L(conjugate(q1)) @ q2) / h
    return h / 2 * (w @ J @ w)


def inverse_right_trivialised(f):
    """dlog_f = I - f x/2 + (1 - (|f|/2) cot(|f|/2)) (f x)^2/|f|^2."""
    angle = norm(f)
    cotangent = np.cos(angle / 2) / np.sin(angle / 2)
    return I3 - skew(f) / 2 + (1 - angle / 2 * cotangent) / (f @ f) * skew(f) @ skew(f)


def first_slope(q1, q2, J, h):
    f = logarithm(L(conjugate(q1)) @ q2)
    return -inverse_right_trivialised(f).T @ J @ f / h


LOGARITHMS = [
    Case("first slope of a discrete Lagrangian", logarithmic_lagrangian, first_slope, "q1", LOGARITHM),
    Case(
        "first slope of a discrete Lagrangian, as printed",
        logarithmic_lagrangian,
        lambda q1, q2, J, h: -first_slope(q1, q2, J, h),
        "q1",
        LOGARITHM,
        everything,
        ("sign",),
        source="Lee16 (16c): sign, right in (21a)",
    ),
    Case(
        "second slope of a discrete Lagrangian, as printed",
        logarithmic_lagrangian,
        lambda q1, q2, J, h: rotation(L(conjugate(q1)) @ q2).T @ first_slope(q1, q2, J, h),
        "q2",
        LOGARITHM,
        everything,
        ("sign",),
        source="Lee16 (16b): sign, right in (21a)",
    ),
]

# The midpoint rule of JM09 (22) and section V-A, of a mass that moves in polar coordinates (radius, angle)

MIDPOINT = {"q1": vector(2), "q2": vector(2), "alpha": scalar(), "mass": positive(), "h": STEP}


def first_slope_of_midpoint(q1, q2, alpha, mass, h):
    middle, rate = (1 - alpha) * q1 + alpha * q2, (q2 - q1) / h
    return np.array(
        [
            (1 - alpha) * h * mass * middle[0] * rate[1] ** 2 - mass * rate[0],
            -mass * middle[0] ** 2 * rate[1],
        ]
    )


def mixed_slope_of_midpoint(q1, q2, alpha, mass, h, flip):
    middle, rate = (1 - alpha) * q1 + alpha * q2, (q2 - q1) / h
    places = np.array([[mass * rate[1] ** 2, 0], [0, 0]])
    mixed = np.array([[0, 2 * mass * middle[0] * rate[1]], [0, 0]])
    rates = np.array([[mass, 0], [0, mass * middle[0] ** 2]])
    turned = mixed.T if flip else mixed
    return (1 - alpha) * alpha * h * places + (1 - alpha) * mixed - alpha * turned - rates / h


POTENTIAL = {"q1": vector(2), "q2": vector(2), "alpha": scalar(), "stiffness": positive(), "h": STEP}


def action_of_potential(q1, q2, alpha, stiffness, h):
    middle = (1 - alpha) * q1 + alpha * q2
    return -h * stiffness * (middle @ middle) / 2


MIDPOINTS = [
    Case(
        "slope of a midpoint rule",
        first_slope_of_midpoint,
        lambda q1, q2, alpha, mass, h: mixed_slope_of_midpoint(q1, q2, alpha, mass, h, True),
        "q2",
        MIDPOINT,
    ),
    Case(
        "slope of a midpoint rule, as printed",
        first_slope_of_midpoint,
        lambda q1, q2, alpha, mass, h: mixed_slope_of_midpoint(q1, q2, alpha, mass, h, False),
        "q2",
        MIDPOINT,
        off_diagonal,
        ("term: transposed",),
        source="JM09 (22): a mixed term for its transpose",
    ),
    Case(
        "force at a midpoint, as printed",
        action_of_potential,
        lambda q1, q2, alpha, stiffness, h: -(1 - alpha) * h * stiffness * ((1 - alpha) * q1 + q2),
        "q1",
        POTENTIAL,
        everything,
        source="JM09, section V-A: (1 - alpha) q1 + q2, alpha is missing before q2",
    ),
]

# The root solver of JM09, V-A, for the knot that a momentum p leads to, a mass on a spring at the midpoint. What the
# equation lacks is linear there, so that a turn of Newton's loop, where it is taken, leads to the root

ROOT = {"p": scalar(), "q": scalar(), "mass": positive(), "stiffness": positive(), "h": STEP}


def second_knot(p, q, mass, stiffness, h, enters):
    """The root by Newton's method from q; enters: whether the loop is entered, by the square of what is lacking."""
    lacking = p - h * stiffness * q / 2
    return q + lacking / (mass / h + h * stiffness / 4) if enters(lacking * lacking) else q


def slope_of_second_knot(p, q, mass, stiffness, h):
    """By the implicit function theorem."""
    return 1 / (mass / h + h * stiffness / 4)


ROOTS = [
    Case(
        "Newton's iteration",
        lambda p, q, mass, stiffness, h: second_knot(p, q, mass, stiffness, h, lambda square: square >= 0),
        slope_of_second_knot,
        "p",
        ROOT,
    ),
    Case(
        "Newton's iteration, as printed",
        lambda p, q, mass, stiffness, h: second_knot(p, q, mass, stiffness, h, lambda square: square < 1e-16),
        slope_of_second_knot,
        "p",
        ROOT,
        everything,
        ("branch",),
        source="JM09, section V-A: the loop goes on while |f| < tolerance, not while it is more",
    ),
]

CASES = [
    *ACTION,
    *MOMENTUM,
    *TORQUES,
    *TRANSLATIONS,
    *REACTIONS,
    *FRICTION,
    *SPRINGS,
    *ACTUATORS,
    *DAMPERS,
    *FRAMES,
    *NEWTONS,
    *SPATIALS,
    *SECOND,
    *SCISSORS,
    *LOGARITHMS,
    *MIDPOINTS,
    *ROOTS,
]
