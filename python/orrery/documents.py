# SPDX-License-Identifier: BSD-3-Clause
"""What users wrote: text, TOML and JSON as values, XML as elements. What cannot be read, whatever it is, is told in one line."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.errors import InputError

if TYPE_CHECKING:
    from lxml import etree

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


def parse_toml(where: object, text: str) -> dict[str, Any]:
    """The document. `where` is what messages begin with, such as the file.

    Raises:
        InputError: it is no TOML 1.0, nests hundreds of tables or arrays, or has a whole number of more than 64 bits.
    """
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
    return data


_STRING_OR_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|(?<=[\w"\]}])(\s*),(?=\s*[\]}])', re.DOTALL)


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
        line, column = error.position
        problem = error.msg.removesuffix(f", line {line}, column {column}")
        raise InputError(f"{where}:{line}: not XML: {problem}") from None


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
