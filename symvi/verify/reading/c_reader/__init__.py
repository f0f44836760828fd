"""Reading a user's C: text to a function that runs on any numbers.

The way of a text: `preprocess` expands macros within bounds; pycparser makes a tree of it; `declarations` reads its
types, which are ctypes' own (`types`); `program`, `statements` and `expressions` (with `conversions`, `calls`,
`initializers`) turn the tree into lines of Python in the names of a `scope`, and refuse what is outside the subset;
`memory` is what those lines work on; `literals` reads numbers exactly; `parameters` is how callers see a function.
Nothing here compiles or runs C.
"""
