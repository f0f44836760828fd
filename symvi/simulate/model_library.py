"""What a model is asked, compiled and loaded, and its numbers in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symvi.emit.queries import asked, generate_queries
from symvi.native import compile_library, load_library
from symvi.native.flags import Profile
from symvi.native.library import Library
from symvi.program.queries import Queries

Array = NDArray[np.float64]
PREFIX = "m"
QUESTIONS = {  # what the C reads, and writes
    "frames": (("q",), ("poses",)),
    "mass_matrix": (("q",), ("matrix",)),
    "bias": (("q", "v"), ("vector",)),
    "inverse_dynamics": (("q", "v", "a"), ("vector",)),
    "forward_dynamics": (("q", "v", "f"), ("vector",)),
    "jacobian": (("point", "q"), ("lead",)),
    "total_momentum": (("q", "v"), ("momentum",)),
    "center_of_mass": (("q",), ("center",)),
    "center_of_mass_jacobian": (("q",), ("shift",)),
}


def loaded(queries: Queries, profile: Profile) -> Library:
    """The library of a program. Raises CompilerError."""
    sources, calls = generate_queries(queries, PREFIX), asked(PREFIX, QUESTIONS)
    path = compile_library({**sources.files, **calls.files}, queries.program.name, profile=profile)
    return load_library(path, sources.declarations + calls.declarations)


def numbers_of(queries: Queries) -> Array:
    """The numbers of the description, in the order of the library's parameters."""
    program = queries.program
    numbers = [
        number
        for kind in program.nodes
        for node in program.nodes[kind]
        for field in program.records.of(kind, "parameters")
        for number in program.parameters[kind, node.index][field.name]
    ]
    return np.array(numbers, float)


def motions(queries: Queries, q: Array, points: Array) -> Array:
    """(bodies, 6, rates): velocities of one point of every body, in its frame, and angular ones, by the rates."""
    library, numbers = loaded(queries, "reproducible"), numbers_of(queries)
    ffi = library.ffi
    found = np.zeros((len(queries.bodies), 6, len(queries.rate_names)))
    work, parameters = ffi.new(f"{PREFIX}_model_work *"), ffi.cast(f"{PREFIX}_model_parameters *", numbers.ctypes.data)
    at = [ffi.cast(f"{PREFIX}_model_real *", array.ctypes.data) for array in (q, *points, *found)]
    count = len(points)
    for k in range(count):
        getattr(library.lib, f"{PREFIX}_jacobian")(parameters, k, at[1 + k], at[0], work, at[1 + count + k])
    return found
