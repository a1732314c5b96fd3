# SPDX-License-Identifier: BSD-3-Clause
"""TOML and JSON that users wrote, as values. What cannot be read, whatever it is, is told in one line."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from orrery.errors import InputError

_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


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


def parse_json(where: object, text: str) -> Any:
    """The same for JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{where}:{error.lineno}:{error.colno}: not JSON: {problem}") from None
    except RecursionError:
        raise InputError(f"{where}: objects or arrays lie too deep inside of each other") from None
    except ValueError:
        raise InputError(_too_long(where)) from None


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
