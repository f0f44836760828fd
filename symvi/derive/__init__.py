"""DERIVE: symvi's own functions by name, to be verified against, and their derivatives as text: an adapter of verify.

own("revolute") is a function with the types of its arguments; `derivation` has its derivative in the papers' notation.
"""

from symvi.derive.own_functions import own, own_names

__all__ = ["own", "own_names"]
