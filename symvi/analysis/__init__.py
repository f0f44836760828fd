"""ANALYSIS: whether a mechanism can be assembled and moves; which rows of its loops say the same. NumPy, no scalars."""
