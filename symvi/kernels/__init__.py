"""KERNELS: straight-line code of every node type, traced on the scalars of physics' formulas. No SymPy, no text."""
