# SPDX-License-Identifier: BSD-3-Clause
"""What users wrote: text, TOML and JSON as values, XML as elements. What cannot be read, whatever it is, is told in one line.

Names, descriptions and other words of such files are single lines of printable characters: they get into commands, other files,
pages and terminals, where another line could be another command.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.errors import InputError
from orrery.terminal import visible
from orrery.toml_lines import Path as Key
from orrery.toml_lines import dotted, line_of

if TYPE_CHECKING:
    from lxml import etree
    from pydantic_core import ErrorDetails

_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


def read_text(path: Path, where: object = None) -> str:
    """What a file says. `where` is what messages begin with: by default the file.

    Raises InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise InputError(f"{path if where is None else where}: {reason}") from None


def read_lines(path: Path, where: object = None) -> str:
    """What a file of lines says, such as a host file or a matrix. `where` is what messages begin with: by default the file.

    Raises InputError naming the line: it cannot be read, is not UTF-8, or has other characters than printable ones and tabs. What
    some programs take for the end of a line, and others do not, is among these.
    """
    text = read_text(path, where)
    for number, line in enumerate(text.split("\n"), start=1):
        if not (said := line.removesuffix("\r").replace("\t", " ")).isprintable():
            raise InputError(f'{path}:{number}: "{visible(said)}": expected one line of printable characters')
    return text


def parse_toml(where: object, text: str, *, lines: bool = False) -> dict[str, Any]:
    """The document.

    Args:
        where: what messages begin with, such as the file.
        text: the document.
        lines: texts may have several lines; they are for readers alone.
    Raises:
        InputError: it is no TOML 1.0, nests hundreds of tables or arrays, has a whole number of more than 64 bits, or a text that
            is no line of printable characters.
    """
    if (line := _line_of_long_key(text)) is not None:
        raise InputError(f"{where}:{line}: a key has more than {_MOST_PARTS} parts joined by dots")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_toml_error(where, text, str(error))) from None
    except RecursionError:
        raise InputError(f"{where}: tables or arrays lie too deep inside of each other") from None
    except ValueError:  # Python converts numbers of a few thousand digits at most
        raise InputError(_too_long(where)) from None
    if _has_long_number(data):  # TOML 1.0, "Integer": what cannot be represented losslessly is an error
        raise InputError(_too_long(where))
    check_words(where, data, text, lines=lines)
    return data


def check_words(where: object, data: Any, text: str = "", *, lines: bool = False, free: Collection[str] = ()) -> None:
    """Raise InputError naming line and key of a text that is no single line of printable characters.

    Args:
        where: what messages begin with, such as the file.
        data: the document, whose keys are looked at, too.
        text: the TOML that it was read from; "": the lines are not known.
        lines: texts may have several lines.
        free: outermost keys that may hold anything.
    """
    if (found := unprintable(data, lines=lines, free=free)) is not None:
        key, problem = found
        line = line_of(text, key) if text else None
        place = f"{where}:{line}" if line else f"{where}"
        raise InputError(f"{place}: {visible(dotted(key))} {problem}")


def unprintable(data: Any, *, lines: bool = False, free: Collection[str] = ()) -> tuple[Key, str] | None:
    """The key of the first text that is no single line of printable characters, and what is wrong; None: there is none.

    Args are those of `check_words`.
    """
    for key, words in _texts(data):
        if not (words.replace("\n", "") if lines else words).isprintable() and key[0] not in free:
            return key, f'= "{visible(words)}": expected one line of printable characters'
    return None


def _texts(data: Any) -> Iterator[tuple[Key, str]]:
    """All texts of a document with their keys, and names of keys among them, in its order."""
    left: list[tuple[Key, Any]] = [((), data)]
    while left:
        key, value = left.pop()
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            for name in value:
                yield (*key, name), name
            left.extend(((*key, name), inner) for name, inner in reversed(value.items()))
        elif isinstance(value, list):
            left.extend(((*key, number), inner) for number, inner in reversed(list(enumerate(value))))


_MOST_PARTS = 64
"""Parts of a dotted key, at most: the time that the library takes for a key grows as the square of them."""
_PART = r"""(?:[\w-]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"|'[^'\n]*+')"""
_KEY_OR_STRING = re.compile(
    rf"""\"\"\"[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"{{0,5}}|\'\'\'[^']*+(?:'(?!'')[^']*+)*'{{0,5}}|\#[^\n]*+"""
    rf"""|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART})+)|{_PART}|["'][^\n]*+""",
    re.DOTALL,
)
"""Keys with dots, and strings and comments, where a dot is none of a key.

Only classes of characters are repeated possessively, here and elsewhere: Python before 3.11.5 matches groups wrongly.
"""


def _line_of_long_key(text: str) -> int | None:
    """Number of the first line with a key of more than _MOST_PARTS parts; None: there is none. Linear in the text."""
    for found in _KEY_OR_STRING.finditer(text):
        if (
            found["key"]
            and found["key"].count(".") > _MOST_PARTS
            and len(re.findall(_PART, found["key"])) > _MOST_PARTS
        ):
            return text.count("\n", 0, found.start()) + 1
    return None


_STRING_OR_LAST_COMMA = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|(?<=[\w"\]}])(\s*),(?=\s*[\]}])', re.DOTALL)


def without_last_commas(text: str) -> str:
    """A document of JSON with blanks instead of commas behind the last members, as long as before."""
    return _STRING_OR_LAST_COMMA.sub(lambda found: found[0] if found[1] is None else f"{found[1]} ", text)


def parse_json(where: object, text: str, *, last_commas: bool = False) -> Any:
    """Values of a JSON text.

    Args:
        where: what the text is, named in errors.
        text: the document.
        last_commas: accept a comma behind the last member of an object or an array, as several programs do.
    """
    if last_commas:
        text = without_last_commas(text)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{where}:{error.lineno}:{error.colno}: not JSON: {problem}") from None
    except RecursionError:
        raise InputError(f"{where}: objects or arrays lie too deep inside of each other") from None
    except ValueError:
        raise InputError(_too_long(where)) from None


def parse_xml(where: object, content: bytes, encoding: str | None = None) -> etree._Element:
    """The outermost element, without comments and processing instructions. Entities are not replaced, no other file is read.

    Args:
        where: what messages begin with, such as the file.
        content: the document.
        encoding: of the document, whatever it says itself; None: as it says.
    Raises:
        InputError: it is no XML, or more than 256 elements lie inside of each other.
    """
    from lxml import etree

    parser = etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"{where}:{error.position[0]}: not XML: {_xml_problem(error)}") from None


_XML_PROBLEMS = (
    (r"Document is empty", "the document is empty"),
    (r"Start tag expected", "an element is expected here, which begins with <"),
    (r"Namespace prefix (\S+) on (\S+)", r'the prefix "\1" of "\2" is not declared'),
    (r"Opening and ending tag mismatch: (\S+) line (\d+) and ([^\s,]+)", r"<\1> of line \2 is closed by </\3>"),
    (r"Premature end of data in tag (\S+) line (\d+)", r"<\1> of line \2 is not closed"),
    (r"Extra content at the end", "something stands behind the end of the outermost element"),
    (r"AttValue", "the value of an attribute is not in quotes"),
    (r"Specification mandates value for attribute ([^\s,]+)", r'the attribute "\1" has no value'),
    (r"Attribute (\S+) redefined", r'the attribute "\1" is there twice'),
    (r"attributes construct error", "attributes have no space between them, or one has no name"),
    (r"Entity '(.*)' not defined", r"the entity &\1; is not declared"),
    (r"xmlParseEntityRef", "& stands for itself, which is written &amp;"),
    (r"Unescaped '<'", "the value of an attribute has <, which is written &lt;"),
    (r"Couldn't find end of Start Tag (\S+) line (\d+)", r"the tag <\1 of line \2 has no >"),
    (r"(StartTag|xmlParseStartTag).*name", "< begins no element: its name is missing, or it stands for itself (&lt;)"),
    (r"Comment not terminated", "a comment has no end (-->)"),
    (r"CData section not finished", "a CDATA section has no end (]]>)"),
    (r"Unsupported encoding:? ?([^\s,]*)", r'the encoding "\1" is not known'),
    (
        r".*(Invalid bytes|not proper UTF-8|encoding)",
        "its bytes are not in its encoding, which is UTF-8 if it names none",
    ),
    (r".*(invalid Char|character reference)", "it has a character that XML does not allow"),
    (r"Excessive depth", "more than 256 elements lie inside of each other"),
    (r"XML declaration allowed only", "something stands before <?xml"),
)
"""What the parser says, and what it means to who wrote the document."""


def _xml_problem(error: etree.XMLSyntaxError) -> str:
    said = error.msg.partition("\n")[0]
    for pattern, problem in _XML_PROBLEMS:
        if found := re.match(pattern, said):
            return found.expand(problem)
    return "what stands here is not well-formed"


_KINDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": 'text in quotes, such as "x"',
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "model_type": "a table",
    "dataclass_type": "an object",
    "dict_type": "a table",
    "list_type": "a list of tables or values",
    "finite_number": "a finite number",
    "none_required": "null",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def expected_value(details: ErrorDetails) -> str:
    """What should be in the place of a value that pydantic refuses, in plain words: "expected a whole number"."""
    kind, context = details["type"], details.get("ctx", {})
    if kind == "missing":
        return "is missing"
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return "is unknown here"
    if kind == "literal_error":
        return f"expected {context['expected'].replace(chr(39), chr(34))}"
    if kind in ("value_error", "assertion_error"):
        return str(context["error"])
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"expected {words} {context[name]:g}"
    if kind in ("too_short", "string_too_short"):
        return f"expected at least {context['min_length']}{_of(kind)}"
    if kind in ("too_long", "string_too_long"):
        return f"expected at most {context['max_length']}{_of(kind)}"
    said = details["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return f"expected {_KINDS.get(kind, said[:1].lower() + said[1:])}"


def _of(kind: str) -> str:
    return " characters" if kind.startswith("string") else ""


def _too_long(where: object) -> str:
    return f"{where}: has a whole number of more than 64 bits"


def _has_long_number(data: dict[str, Any]) -> bool:
    left: list[Any] = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
        elif isinstance(value, int) and not _LEAST <= value <= _MOST:
            return True
    return False


def _toml_error(where: object, text: str, said: str) -> str:
    """Put the place first; the library says "... (at line 3, column 5)" or "... (at end of document)"."""
    problem, _, place = said.rpartition(" (at ")
    words = place.rstrip(")").replace(",", "").split()
    if words[:1] == ["line"]:
        line, column = int(words[1]), int(words[3])
    else:
        lines = text.splitlines() or [""]
        line, column = len(lines), len(lines[-1]) + 1
    return f"{where}:{line}:{column}: not TOML: {problem[:1].lower()}{problem[1:]}"
