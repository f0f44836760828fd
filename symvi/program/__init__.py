"""ELIMINATION AND SCHEDULE: which kernel runs on which node, in which order. No SymPy, no text."""
