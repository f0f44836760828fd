"""What can keep a verdict from being found: always named, with the line where there is one."""

from __future__ import annotations

from symvi.errors import SymviError


class VerificationError(SymviError):
    """What was given for verification cannot be read, does not fit together, or cannot be evaluated."""

    exit_code = 2  # of a command: 1 means that a derivative is wrong


class Endless(VerificationError):
    """One value of a function takes too long: it may be that it does not end."""


class OutsideDomain(ArithmeticError):
    """A function is not defined at this point (the root of a negative number): another point must be taken."""


class NeedsFloats(VerificationError):
    """Code that asks for a machine number (float(x), int(x)) cannot run on exact ones."""
