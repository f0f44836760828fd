"""READING: a function and its claimed derivative, from Python, SymPy or C, evaluated on numbers of any kind."""
