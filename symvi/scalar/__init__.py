"""ARITHMETIC: a hash-consed graph of scalars, the one language between the derivation and every back end."""

from symvi.scalar.expression import Graph, Rate, Scalar
from symvi.scalar.operations import OPERATIONS, count_operations

__all__ = ["OPERATIONS", "Graph", "Rate", "Scalar", "count_operations"]
