"""C declarations as the Python module that cffi writes of them: its tables, without its parser.

cffi takes a general C parser to a header, which is a tenth of what it takes to build a small mechanism. Headers that
symvi prints have integer constants, structs of numbers and of other structs, and functions. These are read here and
written in the layout that cffi 1.16 to 2 give a module "for dlopen" (version 0x2601 of its tables, which its backend
reads): the same bytes. What else a header may hold is left to cffi: `module_of` says None to it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\S")
_NAME = re.compile(r"[A-Za-z_]\w*")
# as cffi numbers them
_PRIMITIVES = {"char": 2, "int": 7, "unsigned int": 8, "long": 9, "unsigned long": 10, "float": 13, "double": 14}
_INT32, _UINT32 = 21, 22
_PRIMITIVE, _POINTER, _ARRAY, _STRUCT, _ENUM, _FUNCTION, _END, _SAME = 1, 3, 5, 9, 11, 13, 15, 17
_VARIABLE, _CALLED, _CONSTANT = 33, 35, 37
_CHECKED = 2  # the fields of a struct are all of its fields


class _LeftToCffi(Exception):
    """Nothing that symvi prints; or an error, which cffi words better."""


class _Type(NamedTuple):
    """A C type. text: its name, with & where that of a variable stands; of: what it points to, or has entries of."""

    text: str
    kind: str
    of: "tuple[_Type, ...]" = ()
    length: int = 0


VOID = _Type("void&", "primitive", length=0)


@dataclass
class _Header:
    """What a header declares."""

    types: dict[str, _Type] = field(default_factory=dict)  # by typedef
    fields: dict[_Type, list[tuple[str, _Type]]] = field(default_factory=dict)  # of structs
    enums: dict[_Type, dict[str, int]] = field(default_factory=dict)
    functions: dict[str, _Type] = field(default_factory=dict)
    variables: dict[str, tuple[_Type, int]] = field(default_factory=dict)  # with what cffi calls them


def module_of(declarations: str) -> str | None:
    """The module that cffi writes of declarations, or None where they have more than symvi prints."""
    try:
        return _written(_Reader(declarations).header())
    except _LeftToCffi:
        return None


# --- reading ----------------------------------------------------------------------------------------------------------
class _Reader:
    """Reads declarations from first to last."""

    def __init__(self, text: str):
        self.words, self.at = [*_TOKEN.findall(text), ""], 0
        self.found = _Header()

    def header(self) -> _Header:
        while self.words[self.at]:
            if self._has("typedef"):
                self._typedef()
            elif self._has("enum"):
                self._enum()
            else:
                self._function_or_variable()
        names = [*self.found.functions, *self.found.variables, *(n for e in self.found.enums.values() for n in e)]
        if len(set(names)) < len(names):
            raise _LeftToCffi
        return self.found

    def _has(self, word: str) -> bool:
        if self.words[self.at] != word:
            return False
        self.at += 1
        return True

    def _want(self, word: str) -> None:
        if not self._has(word):
            raise _LeftToCffi

    def _name(self) -> str:
        word = self.words[self.at]
        if not _NAME.fullmatch(word) or word in _PRIMITIVES or word in ("const", "void", "struct", "unsigned"):
            raise _LeftToCffi
        self.at += 1
        return word

    def _number(self) -> int:
        sign, word = -1 if self._has("-") else 1, self.words[self.at]
        if not word.isdigit() or (word[0] == "0" and word != "0"):
            raise _LeftToCffi
        self.at += 1
        return sign * int(word)

    def _typedef(self) -> None:
        if self._has("struct"):
            self._want("{")
            members: list[tuple[str, _Type]] = []
            while not self._has("}"):
                kind, _ = self._pointers(*self._base())
                name = self._name()
                members.append((name, self._entries(kind)))
                self._want(";")
            name = self._name()
            struct = _Type(f"{name}&", "struct")
            if not members or len({member for member, _ in members}) < len(members):
                raise _LeftToCffi
            self.found.fields[struct] = members
        else:
            struct, const = self._base()
            name = self._name()
            if const or struct.kind != "primitive":
                raise _LeftToCffi
        self._want(";")
        if name in self.found.types:
            raise _LeftToCffi
        self.found.types[name] = struct

    def _enum(self) -> None:
        self._want("{")
        values: dict[str, int] = {}
        while True:
            name = self._name()
            self._want("=")
            if name in values:
                raise _LeftToCffi
            values[name] = self._number()
            if not self._has(","):
                break
        self._want("}")
        self._want(";")
        if not (-(2**31) <= min(values.values()) and max(values.values()) < 2**31):
            raise _LeftToCffi
        self.found.enums[_Type(f"enum ${len(self.found.enums) + 1}&", "enum")] = values

    def _function_or_variable(self) -> None:
        self._has("extern")
        kind, const = self._pointers(*self._base())
        name = self._name()
        if self._has("("):
            self.found.functions[name] = _function(kind, self._arguments())
        else:
            if kind == VOID:
                raise _LeftToCffi
            kind = self._entries(kind)
            self.found.variables[name] = kind, _CONSTANT if const and kind.kind != "array" else _VARIABLE
        self._want(";")

    def _arguments(self) -> list[_Type]:
        if self.words[self.at : self.at + 2] == ["void", ")"]:
            self.at += 2
            return []
        found = []
        while True:
            kind, const = self._pointers(*self._base())
            if _NAME.fullmatch(self.words[self.at]):
                self._name()
            kind = self._entries(kind)
            found.append(_pointer(kind.of[0], const) if kind.kind == "array" else kind)
            if found[-1] == VOID or found[-1].kind == "struct":
                raise _LeftToCffi
            if not self._has(","):
                self._want(")")
                return found

    def _base(self) -> tuple[_Type, bool]:
        """A type without stars, and whether it is constant."""
        const, word = self._has("const"), self.words[self.at]
        self.at += 1
        if word in self.found.types:
            return self.found.types[word], const
        if word == "unsigned":
            word = f"{word} {self.words[self.at]}"
            self.at += 1
        if word == "void":
            return VOID, const
        if word not in _PRIMITIVES or self.words[self.at] in ("int", "long", "double"):
            raise _LeftToCffi
        return _Type(f"{word}&", "primitive", length=_PRIMITIVES[word]), const

    def _pointers(self, kind: _Type, const: bool) -> tuple[_Type, bool]:
        while self._has("*"):
            kind, const = _pointer(kind, const), self._has("const")
        return kind, const

    def _entries(self, kind: _Type) -> _Type:
        lengths = []
        while self._has("["):
            lengths.append(self._number())
            self._want("]")
        if lengths and (kind == VOID or min(lengths) < 1):
            raise _LeftToCffi
        for length in reversed(lengths):
            kind = _Type(kind.text.replace("&", f"&[{length}]"), "array", (kind,), length)
        return kind


def _pointer(to: _Type, const: bool) -> _Type:
    mark = "(*&)" if to.kind == "array" else " *&"
    return _Type(to.text.replace("&", f" const {mark.lstrip()}" if const else mark), "pointer", (to,))


def _function(result: _Type, arguments: list[_Type]) -> _Type:
    said = ", ".join(_plain(each) for each in arguments) or "void"
    return _Type(result.text.replace("&", f"(&)({said})"), "function", (result, *arguments))


def _plain(kind: _Type) -> str:
    return kind.text.replace("&", "")


# --- writing ----------------------------------------------------------------------------------------------------------
def _written(header: _Header) -> str:
    kinds = sorted(_all_types(header), key=lambda kind: f"<{_plain(kind)}>")
    places, count = _placed(kinds)
    structs = sorted(header.fields, key=lambda kind: f"${_plain(kind)}")
    enums = sorted(header.enums, key=lambda kind: _plain(kind).partition(" ")[2])
    words = [""] * count
    for kind in kinds:
        at = places[kind]
        if kind.kind == "primitive":
            words[at] = _word(_PRIMITIVE, kind.length)
        elif kind.kind == "pointer":
            words[at] = _word(_POINTER, places[kind.of[0]])
        elif kind.kind == "array":
            words[at], words[at + 1] = _word(_ARRAY, places[kind.of[0]]), _four(kind.length)
        elif kind.kind == "function":
            words[at] = _word(_FUNCTION, places[kind.of[0]])
            for k, each in enumerate(kind.of[1:], at + 1):
                if each.kind == "primitive":
                    words[k] = _word(_PRIMITIVE, each.length)
                elif places[each] != k:
                    words[k] = _word(_SAME, places[each])
            words[at + len(kind.of)] = _word(_END, 0)
        else:
            of = structs if kind.kind == "struct" else enums
            words[at] = _word(_STRUCT if kind.kind == "struct" else _ENUM, of.index(kind))
    parts = {
        "_globals": sorted(_globals(header, places)),
        "_struct_unions": [_struct(kind, header, places) for kind in structs],
        "_enums": [_enumeration(kind, header, places) for kind in enums],
        "_typenames": [f"b'{_four(places[kind])}{name}'" for name, kind in sorted(header.types.items())],
    }
    parts["_globals"] = [text for _, text in parts["_globals"]]
    lines = ["# auto-generated file", "import _cffi_backend", "", "ffi = _cffi_backend.FFI('declarations',"]
    lines += ["    _version = 0x2601,", f"    _types = b'{''.join(words)}',"]
    lines += [f"    {name} = ({','.join([*of, ''] if len(of) == 1 else of)})," for name, of in parts.items() if of]
    return "\n".join([*lines, ")", ""])


def _all_types(header: _Header) -> Iterable[_Type]:
    found: dict[_Type, None] = {}

    def add(kind: _Type) -> None:
        if kind not in found:
            found[kind] = None
            for inner in (*kind.of, *(member for _, member in header.fields.get(kind, ()))):
                add(inner)

    variables = (kind for kind, _ in header.variables.values())
    for kind in (*header.types.values(), *header.enums, *header.functions.values(), *variables):
        add(kind)
    return found


def _placed(kinds: Iterable[_Type]) -> tuple[dict[_Type, int], int]:
    """Where each type stands in the table, and how long that is: functions first, arguments in them."""
    places: dict[_Type, int] = {}
    count = 0
    for kind in kinds:
        if kind.kind == "function":
            places[kind] = count
            for k, argument in enumerate(kind.of[1:], count + 1):
                places.setdefault(argument, k)
            count += len(kind.of) + 1
    for kind in kinds:
        if kind not in places:
            places[kind] = count
            count += 2 if kind.kind == "array" else 1
    return places, count


def _globals(header: _Header, places: dict[_Type, int]) -> Iterable[tuple[str, str]]:
    for values in header.enums.values():
        for name, value in values.items():
            yield name, f"b'{_word(_ENUM, -1)}{name}',{value}"
    for name, kind in header.functions.items():
        yield name, f"b'{_word(_CALLED, places[kind])}{name}',0"
    for name, (kind, word) in header.variables.items():
        yield name, f"b'{_word(word, places[kind])}{name}',0"


def _struct(kind: _Type, header: _Header, places: dict[_Type, int]) -> str:
    fields = (f"b'{_word(_SAME, places[of])}{name}'" for name, of in header.fields[kind])
    return f"(b'{_four(places[kind])}{_four(_CHECKED)}${_plain(kind)}',{','.join(fields)})"


def _enumeration(kind: _Type, header: _Header, places: dict[_Type, int]) -> str:
    values = header.enums[kind]
    holds = _INT32 if min(values.values()) < 0 else _UINT32
    name = _plain(kind).partition(" ")[2]
    return f"b'{_four(places[kind])}{_four(holds)}{name}\\x00{','.join(values)}'"


def _word(operation: int, argument: int) -> str:
    return _four((argument << 8) | operation)


def _four(number: int) -> str:
    return "".join(f"\\x{number >> shift & 0xFF:02X}" for shift in (24, 16, 8, 0))
