"""NUMBERS: what steers the solver, what a description says in numbers, and what follows from them. No arrays."""
