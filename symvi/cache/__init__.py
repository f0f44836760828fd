"""The cache folder: derived formulas, generated texts, compiled libraries and more, kept for the next process.

What lies here is loaded into the process and run. So three things are looked at before anything is:

    who      The folder and its subfolders must belong to the user (or to root, as in a system image), be closed to all
             others, and lie where not everybody can exchange them. One that does not is refused where $SYMVI_CACHE
             names it, and passed over where it is the usual one (a private folder serves instead). A file that others
             may have written is made anew. Windows, whose file modes say nothing of this, keeps the usual folder in
             the user's own profile, closed to others.
    what     Every entry goes with the SHA-256 of its name and its bytes. One that does not match - a flipped bit, a
             file cut short, another entry's bytes - is made anew, and so is what cannot be read. What was checked is
             what is loaded: nobody else can write there, and symvi never changes a file that is in its place.
    whole    Every entry is made under a private name first and then renamed: a reader finds all of it or nothing,
             whenever a writer is killed, and two processes that want the same library build it once.

    libraries/      NAME-KEY.so (.dll, .dylib), the compiled objects, each with a file .sha256 as sha256sum writes it
    texts/          NAME-KEY.json, generated C and what Python has to know of it
    declarations/   KEY.py, declarations that cffi has parsed
    templates/      templates that Jinja has compiled
    formulas-KEY/   derived formulas of one version of the mathematics
    compilers.json  what was found out about each compiler
    building/       work in progress; what a killed build left is swept up by a later one
    failed/         the last failed build of each library: sources, command line, the compiler's output
    locks/          one file for each build, against two processes at once
    zig/            zig's own cache
    environments/   the packages of a checkout that cannot hold them itself

Files without a .sha256 beside them (all but libraries) begin with a line of it.
"""

from symvi.cache.entries import is_sound, keep, kept, publish
from symvi.cache.folder import build_folder, cache_folder, problem_of, subfolder

__all__ = ["build_folder", "cache_folder", "is_sound", "keep", "kept", "problem_of", "publish", "subfolder"]
