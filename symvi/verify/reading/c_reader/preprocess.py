"""The C preprocessor, within bounds: macros and conditions are followed, files are read from given folders only.

Those are the folder of the file itself, for headers in quotes, and the ones to include from. An include that is in none
is left out and noted, and so are those of the standard library, whose types and functions the reader knows. Text,
tokens, files and the depth of macros are limited, so that no text takes long.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pcpp
from pcpp.preprocessor import Action, OutputDirective

from symvi.verify.reading.c_reader.problems import Note, Place, SourceError, refused

LONGEST_TEXT = 4_000_000  # characters, of all files together
MOST_TOKENS = 1_000_000  # that macros expand to, intermediate ones counted
DEEPEST_MACROS = 100
DEEPEST_INCLUDES = 50
MOST_INCLUDES = 1_000
OUTSIDE = "it lies outside of the given folders"
LINE_MARK = re.compile(r'^(#line \d+ )"(.*)"$', re.M)

# What compilers predefine and headers spell differently; none of it changes a number.
PREDEFINED = (
    "__attribute__(x)", "__declspec(x)", "__restrict", "__restrict__", "__extension__", "__inline inline",
    "__inline__ inline", "__forceinline inline", "__const const", "__volatile__ volatile", "__STDC__ 1",
    "__STDC_VERSION__ 199901L",
)  # fmt: skip


class Preprocessor(pcpp.Preprocessor):
    """pcpp with bounds, with includes from given folders only, and with errors that are raised."""

    def __init__(self, name: str, folders: Iterable[Path], path: Path | None = None):
        super().__init__()
        self.name, self.absolute = name, os.path.abspath(path or name)
        self.folders = tuple(folder.resolve() for folder in folders)
        self.beside = () if path is None else (path.absolute().parent.resolve(),)
        self.rewrite_paths = []
        self.notes: list[Note] = []
        self.outside: set[str] = set()
        self.produced = self.characters = self.opened = 0
        self.evaluator = self._without_shifts(self.evaluator)
        for folder in self.folders:
            self.path.append(str(folder))
        for line in PREDEFINED:
            self.define(line)

    # --- bounds ----------------------------------------------------------------------------------------------------
    def expand_macros(self, tokens, expanding_from=()):
        place = self._place(*tokens[:1])
        if len(expanding_from) > DEEPEST_MACROS:
            raise refused(place, f"macros expand into macros more than {DEEPEST_MACROS} deep; write this one out")
        expanded = super().expand_macros(tokens, list(expanding_from))
        self._count(len(expanded), place)
        return expanded

    def macro_expand_args(self, macro, args):
        expanded = super().macro_expand_args(macro, args)
        self._count(len(expanded), self._place(*expanded[:1]))
        return expanded

    def _count(self, tokens: int, place: Place) -> None:
        self.produced += tokens
        if self.produced > MOST_TOKENS:
            raise refused(place, f"macros expand to more than {MOST_TOKENS} tokens; give a smaller text")

    def _without_shifts(self, evaluate):
        """pcpp computes 1 << 9999999999 before it cuts it to 64 bits."""

        def checked(tokens, **names):
            if any(token.value == "<<" for token in tokens):
                raise ValueError("<< is not followed in conditions of the preprocessor; write the number")
            return evaluate(tokens, **names)

        return checked

    def taken(self, text: str, place: Place) -> str:
        """A text that is to be read, counted. Raises SourceError where all of them are too long."""
        self.characters += len(text)
        if self.characters > LONGEST_TEXT:
            raise refused(place, f"more than {LONGEST_TEXT} characters of C; give the function and what it calls")
        return text

    # --- files -----------------------------------------------------------------------------------------------------
    def on_file_open(self, is_system_include, includepath):
        path, here = Path(includepath).resolve(), self._place(self.lastdirective)
        allowed = self.folders if is_system_include else self.folders + self.beside
        if not any(path.is_relative_to(folder) for folder in allowed):
            if self.folders and path.is_file():
                self.outside.add(Path(includepath).name)
            raise FileNotFoundError(includepath)
        if not path.is_file():
            raise FileNotFoundError(includepath)
        self.opened += 1
        if self.include_depth > DEEPEST_INCLUDES or self.opened > MOST_INCLUDES:
            raise refused(
                here, f"#include of {path.name}: files include files too often; does it lack an include guard?"
            )
        if path.stat().st_size > LONGEST_TEXT:
            raise refused(here, f"#include of {path.name}: more than {LONGEST_TEXT} characters")
        return io.StringIO(self.taken(text_of_file(path), here))

    def on_include_not_found(self, is_malformed, is_system_include, curdir, includepath):
        place = self._place(self.lastdirective)
        if is_malformed:
            raise refused(place, f"#include of {includepath!r}: this is no file name")
        brackets = "<{}>" if is_system_include else '"{}"'
        name = brackets.format(includepath)
        advice = "" if is_system_include else "; if it matters, give its folder: include=[...]"
        if Path(includepath).name in self.outside:
            advice = f": {OUTSIDE}"
        self.notes.append(Note(place, "skipped include", f"#include {name} was left out{advice}"))
        raise OutputDirective(Action.IgnoreAndRemove)

    def label(self, source: str | None) -> str:
        """A file as messages name it: as it was given, or by its path in the folder that it was found in."""
        path = Path(source or self.name)
        folders = self.folders + self.beside
        inside = [path.relative_to(folder) for folder in folders if path.is_relative_to(folder)]
        return self.name if source in (None, self.absolute) else inside[0].as_posix() if inside else path.name

    def _place(self, token=None) -> Place:
        """Where a token stands; the beginning where there is none."""
        return Place(self.label(getattr(token, "source", None)), getattr(token, "lineno", 1))

    # --- errors ----------------------------------------------------------------------------------------------------
    def on_error(self, file, line, msg):
        raise refused(Place(self.label(file), line), msg[:1].lower() + msg[1:])

    def on_directive_unknown(self, directive, toks, ifpassthru, precedingtoks):
        if directive.value == "error":
            raise refused(self._place(directive), f"#error {''.join(token.value for token in toks).strip()}")
        return True


def preprocessed(
    text: str,
    label: str,
    folders: Iterable[Path] = (),
    define: Mapping[str, str] | None = None,
    path: Path | None = None,
) -> tuple[str, list[Note]]:
    """The text after the preprocessor, with #line marks, and notes of what was left out.

    label: the name of the text in messages. define: macros by name, as a compiler's -D has them. path: the file that it
    is from; headers in quotes may stand in its folder. Raises SourceError.
    """
    preprocessor, start = Preprocessor(label, folders, path), Place(label, 1)
    for name, value in (define or {}).items():
        preprocessor.define(f"{name} {value}")
    written = io.StringIO()
    try:
        preprocessor.parse(preprocessor.taken(text, start), label if path is None else preprocessor.absolute)
        preprocessor.write(written)
    except SourceError:
        raise
    except RecursionError:
        raise refused(start, "macros or conditions are nested too deeply; write them out") from None
    except Exception as error:  # pcpp answers some malformed directives with whatever went wrong inside it
        place = preprocessor._place(preprocessor.lastdirective) if preprocessor.lastdirective else start
        raise refused(place, f"the preprocessor cannot read this ({type(error).__name__}: {error})") from error
    return LINE_MARK.sub(
        lambda mark: f'{mark[1]}"{preprocessor.label(mark[2])}"', written.getvalue()
    ), preprocessor.notes


def text_of_file(path: Path) -> str:
    """A file's text; bytes that are not UTF-8 can only matter in comments, and become question marks."""
    return path.read_text(encoding="utf-8-sig", errors="replace")
