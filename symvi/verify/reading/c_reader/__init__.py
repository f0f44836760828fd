"""Reading a user's C: text to a function that runs on any numbers.

The way of a text: `preprocess` expands macros within bounds; pycparser makes a tree of it; `declarations` reads its
types; `functions`, `statements` and `expressions` (with `leaves`, `locations`, `operators`, `whole_numbers`,
`assignments`, `calls`, `initializers`) turn the tree into closures in the names of a `scope`, and refuse what is
outside the subset; `memory` is what pointers and arrays are at run time; `library` is what math.h offers; `literals`
reads numbers exactly; `parameters` is how callers see a function. Nothing here compiles or runs C.
"""
