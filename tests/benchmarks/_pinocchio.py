"""Pinocchio on the workloads: its C++ templates, compiled against the wheel's headers into a small library."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _workloads import BOTTOM, GRAVITY, INERTIA, MASS, Chain

from symvi.cache import build_folder, is_sound, publish, subfolder
from symvi.errors import SymviError, missing_extra
from symvi.native import load_library

SOURCE = Path(__file__).with_name("_pinocchio_loop.cpp")
DECLARATIONS = """
void *chain_new(int, int, const double *, const double *, const double *, double, const double *, double,
    const double *, const double *, double, double);
void chain_free(void *);
void chain_run(void *, int, double, int, double *, double *, double *);
"""
NEXT, CENTRE = (0.0, 0.0, -1.0), (0.0, 0.0, -0.5)  # from a link's joint: the next joint, the centre of mass
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", "-shared", "-fPIC")
# Pinocchio's variant of joint types is longer than boost's lists are without these
LISTS = (
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
)


def version() -> str:
    import pinocchio

    return f"Pinocchio {pinocchio.__version__}"


def library():
    """The compiled loop. Raises MissingExtraError without the wheels, SymviError without g++."""
    for package, module in (("pin", "pinocchio"), ("cmeel-eigen", "cmeel")):
        if find_spec(module) is None:
            raise missing_extra("bench", package)
    prefix = Path(find_spec("cmeel").origin).resolve().parents[1] / "cmeel.prefix"
    eigen = prefix / "include" / "eigen3"
    if not eigen.is_dir():
        raise missing_extra("bench", "cmeel-eigen")
    if shutil.which("g++") is None:
        raise SymviError("Pinocchio's steps are compiled by g++; install it")
    command = ["g++", *FLAGS, *LISTS, f"-I{prefix / 'include'}", f"-I{eigen}", str(SOURCE), "-o", "pinocchio_loop.so",
               f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]  # fmt: skip
    key = hashlib.sha256("\n".join([*command, version(), SOURCE.read_text(encoding="utf-8")]).encode()).hexdigest()[:32]
    path = subfolder("peers") / f"pinocchio_loop-{key}.so"
    if not is_sound(path):
        with build_folder(key) as folder:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SymviError(f"Pinocchio's steps cannot be compiled:\n{done.stderr[:2000]}")
            publish(folder / "pinocchio_loop.so", path)
    return load_library(path, DECLARATIONS)


class Pinocchio:
    """A chain in Pinocchio. method: "Euler" (semi-implicit) or "RK4"; baumgarte: stiffness, damping of a pinned end."""

    def __init__(self, chain: Chain, method: str, step: float, baumgarte: tuple[float, float] = (0.0, 0.0)):
        self.chain, self.method, self.step, self.library = chain, method, step, library()
        ffi, lib = self.library.ffi, self.library.lib
        numbers = lambda values: ffi.new("double[]", values) if values else ffi.NULL  # noqa: E731
        links, spherical = len(chain.angles), chain.kind == "spherical"
        axes = [x for k in range(links) for x in chain.axis(k)] if chain.kind == "oblique" else []
        self._model = ffi.gc(
            lib.chain_new(links, spherical, numbers(axes), numbers(NEXT), numbers(CENTRE), MASS, numbers(INERTIA),
                          GRAVITY, numbers(NEXT), numbers(chain.end), *baumgarte),
            lib.chain_free,
        )  # fmt: skip
        self.positions, self.velocities = (4 * links, 3 * links) if spherical else (links, links)
        self.start = np.ravel([self._coordinate(k) for k in range(links)])

    def _coordinate(self, joint: int) -> list[float]:
        """A quaternion (x, y, z, w), or an angle."""
        angle = self.chain.angles[joint]
        if self.chain.kind != "spherical":
            return [angle]
        return [*(np.sin(angle / 2) * np.array(self.chain.axis(joint))), np.cos(angle / 2)]

    def run(self, steps: int, record: bool = False) -> np.ndarray:
        """(q, v) after the last step, or after each of them."""
        q, v = self.start.copy(), np.zeros(self.velocities)
        states = np.zeros((steps, q.size + v.size)) if record else None
        pointer = lambda array: self.library.ffi.cast("double *", array.ctypes.data)  # noqa: E731
        place = self.library.ffi.NULL if states is None else pointer(states)
        self.library.lib.chain_run(self._model, self.method == "RK4", self.step, steps, pointer(q), pointer(v), place)
        return np.concatenate([q, v]) if states is None else states

    def tips(self, states: np.ndarray) -> np.ndarray:
        """Where the last link's lower end is, (n, 3) [m]."""
        return np.array([_tip(self.chain, state[: self.positions]) for state in np.atleast_2d(states)])

    def energies(self, states: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy [J]."""
        import pinocchio

        model, data = self._described(pinocchio)
        split = self.positions
        return np.array([
            pinocchio.computeMechanicalEnergy(model, data, state[:split].copy(), state[split:].copy())
            for state in np.atleast_2d(states)
        ])  # fmt: skip

    def _described(self, pinocchio):
        """The same chain through Pinocchio's own Python package."""
        model, last = pinocchio.Model(), 0
        model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
        inertia = pinocchio.Inertia(MASS, np.array(CENTRE), np.diag(INERTIA))
        kinds = {"spherical": pinocchio.JointModelSpherical, "revolute": pinocchio.JointModelRX}
        for k in range(len(self.chain.angles)):
            axis = np.array(self.chain.axis(k))
            joint = kinds.get(self.chain.kind, lambda axis=axis: pinocchio.JointModelRevoluteUnaligned(axis))
            place = pinocchio.SE3(np.eye(3), np.array(NEXT if k else (0.0, 0.0, 0.0)))
            last = model.addJoint(last, joint(), place, f"joint{k}")
            model.appendBodyToJoint(last, inertia, pinocchio.SE3.Identity())
        return model, model.createData()


def _tip(chain: Chain, q: np.ndarray) -> np.ndarray:
    """The lower end of the last link, from the coordinates of all joints."""
    place, turned = np.zeros(3), np.eye(3)
    for k, coordinate in enumerate(q.reshape(-1, 4) if chain.kind == "spherical" else q):
        turned = turned @ _rotation(chain, k, coordinate)
        place = place + turned @ (2 * np.array(BOTTOM))
    return place


def _rotation(chain: Chain, joint: int, coordinate) -> np.ndarray:
    if chain.kind == "spherical":
        x, y, z, w = coordinate
    else:
        x, y, z = np.sin(coordinate / 2) * np.array(chain.axis(joint))
        w = np.cos(coordinate / 2)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
