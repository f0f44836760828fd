"""NAMING: what a wrong derivative is instead: factor and sign, transpose and storage, side and frame, one term."""
