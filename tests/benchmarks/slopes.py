"""A and B of a step of hanging links on oblique hinges, with a motor in each: symvi's generated C and what peers offer.

NAME_linearize gives exact derivatives of the step, whole, in minimal coordinates. NAME_record and NAME_adjoint take
slopes of a loss back over the step, without matrices. Beside them are the same code's step, Pinocchio's derivatives of
its accelerations (continuous time, no step; called from Python), and MuJoCo's differences of its step. They take turns,
and the least of several rounds counts. Needs Pinocchio and MuJoCo, of the extra peers.
"""

from __future__ import annotations

import numpy as np
from _benchmark import Report, run
from _mujoco import MuJoCo
from _mujoco import version as mujoco_version
from _pinocchio import version as pinocchio_version
from _workloads import BOTTOM, GRAVITY, INERTIA, MASS, Chain, open_chain
from knot import least

from symvi import Actuator, Mechanism, Simulator
from symvi.numbers.control import DEFAULTS
from symvi.simulate.linearized import begun, slopes_of
from symvi.simulate.slope_native import NativeSlopes

STEP = 0.01
SIZES = {10: 1.1, 20: 1.6, 50: 5.0}  # hinges -> A and B in steps in maximal coordinates, at most
BACK = 0.6  # slopes back over a step, in steps in maximal coordinates, at most
BACK_AGAIN = 0.4  # the same from a tape
MOVED = 20  # steps before the one that is linearised
DIFFERENCE = 1e-6  # of differences in MuJoCo
AGREES = 1e-9


def driven(chain: Chain) -> Mechanism:
    """The chain with a motor at every hinge."""
    mechanism = chain.mechanism()
    motors = [Actuator(name=f"{joint.name}_motor", joint=joint.name) for joint in mechanism.joints]
    return mechanism.changed(forces=motors)


class Own:
    """The chain in symvi, after some steps."""

    def __init__(self, mechanism: Mechanism, coordinates: str):
        simulator = Simulator(mechanism, coordinates=coordinates, layout="looped", profile="fast")  # pyright: ignore[reportArgumentType]
        own = simulator._twin()
        start, self.row = begun(own, simulator.simulate(MOVED * STEP, STEP), {}, STEP, DEFAULTS)
        slopes = slopes_of(own, ())
        assert isinstance(slopes, NativeSlopes)
        self.slopes, self.state = slopes, start
        engine, prefix = slopes.engine, slopes.engine._prefix
        n, m = (getattr(engine._lib, f"{prefix.upper()}_{name}") for name in ("STATES", "INPUTS"))
        self.a, self.b = np.zeros((n, n)), np.zeros((n, m))
        arrays = [engine._ffi.cast(f"{prefix}_real *", each.ctypes.data) for each in (self.a, self.b)]
        slopes.enter(start, self.row)
        p, z, u, w = slopes._arguments()
        options, info = engine._options(DEFAULTS), engine._ffi.new(f"{prefix}_info *")
        memory = engine._ffi.new(f"{prefix}_slopes *")
        linearize, step = engine._function("linearize"), engine._function("step")
        self.linearize = lambda: linearize(p, options, z, u, w, memory, *arrays)

        tape, column = engine._ffi.new(f"{prefix}_tape *"), engine._ffi.new(f"{prefix}_column *")
        record, adjoint = engine._function("record"), engine._function("adjoint")
        self.again = lambda: adjoint(tape, column)

        def back() -> None:
            """After a step, whose solution the work memory holds."""
            record(p, z, u, w, tape, 1)
            adjoint(tape, column)

        self.back = back

        def one() -> int:
            engine.state[:] = start
            return step(p, options, z, u, w, info)

        self.step = one


def pinocchio_derivatives(chain: Chain):
    """What computes the derivatives of accelerations of the chain, by Pinocchio."""
    import pinocchio as pin

    model, last = pin.Model(), 0
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    for k in range(len(chain.angles)):
        here = pin.SE3(np.eye(3), np.array([0.0, 0.0, -1.0 if k else 0.0]))
        last = model.addJoint(last, pin.JointModelRevoluteUnaligned(np.array(chain.axis(k))), here, f"joint{k}")
        model.appendBodyToJoint(last, pin.Inertia(MASS, np.array(BOTTOM), np.diag(INERTIA)), pin.SE3.Identity())
    data, q, zero = model.createData(), np.array(chain.angles), np.zeros(len(chain.angles))
    return lambda: pin.computeABADerivatives(model, data, q, zero, zero)


def mujoco_differences(chain: Chain):
    """What takes differences of a step of the chain, in MuJoCo."""
    peer = MuJoCo(chain, "Euler", STEP)
    nv = peer.model.nv
    a = np.zeros((2 * nv, 2 * nv))
    return lambda: peer.mujoco.mjd_transitionFD(peer.model, peer.data, DIFFERENCE, True, a, None, None, None)


def measure(report: Report) -> None:
    report.note(f"beside {pinocchio_version()}, {mujoco_version()}; Crocoddyl is not among the extras")
    rows, back, worst = [], [], 0.0
    for count, bound in {3: SIZES[10]}.items() if report.quick else SIZES.items():
        chain = open_chain("oblique", count)
        own = {name: Own(driven(chain), name) for name in ("maximal", "tree")}
        works, backwards = {}, {}
        for name, each in own.items():
            assert each.linearize() == 0
            works[f"{name} step"], works[f"{name} A, B"] = each.step, each.linearize
            backwards |= {f"{name} back": each.back, f"{name} from a tape": each.again, f"{name} step": each.step}
        worst = max(worst, float(np.abs(own["maximal"].a - own["tree"].a).max() / np.abs(own["tree"].a).max()))
        works["Pinocchio"], works["MuJoCo"] = pinocchio_derivatives(chain), mujoco_differences(chain)
        calls, rounds = (2, 1) if report.quick else (max(3, 400 // count), 7)
        times = least({name: (work, calls) for name, work in works.items()}, rounds)
        rows.append((count, *(times[name] for name in works)))
        taken = least({name: (work, calls) for name, work in backwards.items()}, rounds)
        back.append((count, *(taken[name] for name in backwards)))
        whole = taken["maximal step"]
        for what, most in (("back", BACK), ("from a tape", BACK_AGAIN)):
            of = min(taken[f"maximal {what}"], taken[f"tree {what}"]) / whole
            report.at_most(f"{count} hinges: slopes {what}, in steps in maximal coordinates", of, most)
        quickest = min(times["maximal A, B"], times["tree A, B"])
        report.at_most(
            f"{count} hinges: A and B, in steps in maximal coordinates", quickest / times["maximal step"], bound
        )
    head = ("hinges", "maximal step us", "maximal A, B us", "tree step us", "tree A, B us", "Pinocchio us", "MuJoCo us")
    report.table("A and B of a step", head, rows)
    head = ("hinges", "maximal back us", "from a tape us", "step us", "tree back us", "from a tape us", "step us")
    report.table("Slopes of a loss back over a step", head, back)
    report.at_most("largest difference between both coordinates", worst, AGREES, timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
