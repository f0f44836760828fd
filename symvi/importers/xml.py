"""Reading XML that nobody vouches for: with the line of every element, and with bounds on everything.

A document type is refused as a whole, and with it every entity of one's own, inside or outside: what XML can do with
them (expand to gigabytes, read other files) no description of a mechanism needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from os import PathLike
from xml.parsers import expat

from symvi.errors import MechanismError
from symvi.importers.report import Findings, Source
from symvi.mechanism.files import printable, refuse_pipe
from symvi.mechanism.names import shown
from symvi.mechanism.units import decimal
from symvi.mechanism.values import LARGEST

__all__ = ["LARGEST_FILE", "Element", "check_attributes", "numbers", "parse_xml", "read_bytes"]

LARGEST_FILE = 20_000_000  # bytes
DEEPEST = 200
MOST_ELEMENTS = 500_000
MOST_ATTRIBUTES = 100  # of one element
SLIP = 0.75  # likeness, as difflib measures it, from which an unknown word is taken for a slip of a known one
SLIP_OF_THREE = 0.66  # of words of three letters, in which one other letter weighs more
LONGEST_TEXT = 60  # characters that are kept of what stands between tags


@dataclass
class Element:
    """An element: its tag, attributes and children, where it begins, its size in bytes.

    text: the beginning of what stands between its tags and in no child.
    """

    tag: str
    attributes: Mapping[str, str]
    source: Source
    children: list[Element] = field(default_factory=list)
    size: int = 0
    text: str = ""

    def all(self, tag: str) -> list[Element]:
        """The children with this tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next(iter(self.all(tag)), None)

    def walk(self) -> Iterator[Element]:
        """This element and everything in it, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The bytes of a file of at most 20 MB. Raises MechanismError if it is missing, unreadable or larger."""
    place = printable(path)
    try:
        refuse_pipe(path)
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise MechanismError(f"{place}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise MechanismError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > LARGEST_FILE:
        raise MechanismError(f"{place}: is larger than {LARGEST_FILE // 1_000_000} MB; is it a mechanism file?")
    return content


def parse_xml(content: bytes, file: str) -> Element:
    """The root element of a document.

    file: the name of the file as errors show it.
    Raises MechanismError with the line, if the text is no XML, has a document type, or is too deep or too large.
    """
    return _Parser(file).parse(content)


class _Parser:
    """One run of expat, which builds elements as they begin and end."""

    def __init__(self, file: str):
        self.file, self.open, self.count = file, [], 0
        self.root: Element | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.between
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype

    def parse(self, content: bytes) -> Element:
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            what = expat.errors.messages.get(error.code, str(error))
            raise MechanismError(f"{self.file}:{error.lineno}: is not valid XML: {what}") from None
        except (ValueError, LookupError) as error:  # an encoding that Python does not know, or cannot use for XML
            raise MechanismError(f"{self.file}:1: is not valid XML: {error}") from None
        if self.root is None:
            raise MechanismError(f"{self.file}:1: is not valid XML: holds no element")
        return self.root

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        element = Element(tag, attributes, Source(self.file, self.parser.CurrentLineNumber))
        if len(self.open) >= DEEPEST:
            raise MechanismError(f"{element.source}: <{tag[:40]}> is nested deeper than {DEEPEST} elements")
        if self.count > MOST_ELEMENTS:
            raise MechanismError(f"{element.source}: more than {MOST_ELEMENTS} elements; is it a mechanism file?")
        if len(attributes) > MOST_ATTRIBUTES:
            raise MechanismError(f"{element.source}: <{tag[:40]}> has more than {MOST_ATTRIBUTES} attributes")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        element.size = -self.parser.CurrentByteIndex
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop().size += self.parser.CurrentByteIndex

    def between(self, text: str) -> None:
        element = self.open[-1]
        if len(element.text) < LONGEST_TEXT:
            element.text = f"{element.text}{text}".lstrip()[:LONGEST_TEXT]

    def doctype(self, *_: object) -> None:
        place = Source(self.file, self.parser.CurrentLineNumber)
        raise MechanismError(f"{place}: has a document type (<!DOCTYPE ...>), which is refused; remove it")


def check_attributes(
    element: Element, known: Mapping[str, tuple[str, ...]], findings: Findings, title: str = ""
) -> None:
    """Note the attributes of an element and its children that nobody knows; refuse those that look like a slip.

    known: tag -> the attributes it may have; children with other tags are not looked at.
    title: the element around it as the report shows it.
    """
    for name in element.attributes:
        if name in known.get(element.tag, (name,)) or name.startswith("xmlns"):
            continue
        unknown_word(element, f"attribute '{name[:40]}' of <{element.tag}>", name, known[element.tag], findings, title)


def unknown_word(
    element: Element, what: str, word: str, known: tuple[str, ...], findings: Findings, title: str
) -> None:
    """A slip of a known word is refused: ignored, it would change the mechanism; any other is noted as ignored."""
    slips = [one for one in known if abs(len(one) - len(word)) <= 2] if ":" not in word else []
    turned = [one for one in slips if sorted(one) == sorted(word.lower())]
    likeness = SLIP_OF_THREE if len(word) == 3 else SLIP
    near = turned or get_close_matches(word.lower()[:80], slips, n=1, cutoff=likeness)
    if near:
        findings.refuse(element.source, f"{title + ': ' if title else ''}unknown {what}; did you mean '{near[0]}'?")
    else:
        findings.note("ignored", element.source, title, f"unknown {what}", "nothing here knows it")


def numbers(
    element: Element,
    name: str,
    count: int,
    findings: Findings,
    default: str | None = None,
    most: float = LARGEST,
) -> tuple:
    """`count` finite floats of an attribute.

    most: the largest magnitude. default: the text where the attribute is missing; without one it must be there.
    What is wrong is refused, and zeros are returned so that the reading can go on.
    """
    text = element.attributes.get(name, default)
    zeros = (0.0,) * count
    if text is None:
        findings.refuse(element.source, f"<{element.tag}> needs the attribute {name}")
        return zeros
    wanted = "a number" if count == 1 else f"{count} numbers"
    problem = f"<{element.tag}> {name}={shown(text)} must be {wanted}"
    words = text.split() if len(text) < 10_000 else []
    try:
        values = tuple(decimal(word) for word in words)
    except ValueError:
        values = ()
    if len(values) != count or len(words) != count:
        findings.refuse(element.source, problem)
        return zeros
    if any(value - value != 0.0 for value in values):
        findings.refuse(element.source, f"{problem}, and finite")
        return zeros
    if any(abs(value) > most for value in values):
        findings.refuse(element.source, f"{problem}, and not beyond {most:g}; check the unit")
        return zeros
    return values
