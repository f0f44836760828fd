"""OURS: symvi's own functions by name, and their derivations: an adapter between physics and verify."""
