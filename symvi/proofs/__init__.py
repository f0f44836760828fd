"""PROOF: printed kernels proved equal to the naive definitions, exactly, in a prime field.

The way of a proof: `zoo` makes mechanisms with every type of joint and force; `scene` gives one of them random numbers
of a prime field, in which roots and angles are exact; `ctext` reads the C that is really compiled; `kernels` runs it
and compares every result with symvi/naive, which knows plain definitions and dual numbers, and nothing of the formulas
in physics/. Programs in joint coordinates have a scene of their own, on their joints (`joint_scene`), and stages whose
results follow from dense equations (`joint_stages`). `mutation` plants errors in the C and counts how many the proof
finds.
"""
