"""Numbers that are exact: integers modulo a prime, with opaque values for functions that these do not have, their dual
numbers, and degrees, which say how likely an equation holds by accident.
"""
