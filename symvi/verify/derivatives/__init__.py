"""DERIVATIVES: is a derivative that was written by hand right? A verdict for every entry, and what is wrong with it.

The way of a verdict: `sources` reads a function and its claimed derivative (SymPy, Python, C, or one of symvi's own, by
name); `variables` says what each argument is and in which directions it moves; `points` draws exact points on the
manifold; `worlds` are the numbers that everything is evaluated on: prime fields, where equal means equal, and real
numbers of 60 digits, which tell the signs of roots and the way of conditions; `truth` differentiates by tagged dual
numbers; `decide` compares; `diagnosis` tries what such errors usually are; `report` is the answer, a value.
"""
