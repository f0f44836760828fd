"""EDITS: is a verdict ever wrong? Thousands of single errors, and rewrites that change nothing, put to `derivative`.

    python -m tests.verify.edits --to 10000 --jobs 2 --journal edits.jsonl

`subjects` are functions with their derivatives, as SymPy, as C printed by symvi and as C written by hand; `c_edits`
changes a token of C, symvi.physics.rewriting a node of SymPy; `c_rewrites` and the same file write the same in other
words; `judge` says with fifty digits, by other means than the engine, whether a change changes the function on the
manifold; `trial` compares its word with the verdict. An error that is accepted, or a rewrite that is refused, is a
failure of the engine, and of the command.
"""
