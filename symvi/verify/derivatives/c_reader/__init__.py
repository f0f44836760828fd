"""Reading a user's C: text to a function that runs on any numbers.

The way of a text: `preprocess` expands macros within bounds; pycparser makes a tree of it; `declarations` reads its
types; `functions`, `statements` and `expressions` turn the tree into closures, and refuse what is outside the subset;
`memory` is what pointers and arrays are at run time; `library` is what math.h offers; `literals` reads numbers exactly.
Nothing here compiles or runs C.
"""
