"""ARITHMETIC: a hash-consed graph of scalars, the one language between the derivation and every back end."""

from symvi.scalar.expression import Graph, Rate, Scalar
from symvi.scalar.functions import Number, greater, lesser, root
from symvi.scalar.operations import EXTREMES, OPERATIONS, count_operations

__all__ = [
    "EXTREMES",
    "OPERATIONS",
    "Graph",
    "Number",
    "Rate",
    "Scalar",
    "count_operations",
    "greater",
    "lesser",
    "root",
]
