# SPDX-License-Identifier: BSD-3-Clause
"""Words and comments as those read them for whom Orrery writes: one function for a word of each target, and one for its comments.

What names, paths and sentences hold comes from files, and files from strangers. A word stays one word here, and a comment one
comment, whatever characters it has: they are escaped as the target has it, or made visible where it knows no escapes, or
refused where it cannot have them. Nothing is left out.

| target | word | comment |
|---|---|---|
| shell of this node, or of another one | `shell`, `command` | `comment` |
| TOML | `toml` | `comment` |
| settings of Open MPI (`mca-params.conf`) | `setting` | `comment` |
| host files, rank files, orders of ranks | `host` | `comment` |
| CSV | `cell` | it has none |
| HTML, SVG | `markup` | only of constant texts |
| JSON, Perfetto's among it | `json_text` | it has none |
| Paje | `paje` | `comment` |
| TAU | `tau`, `markup` | `comment` |
| CTF | `ctf` | only of constant texts |
| OTF2, Perfetto's packets | `name` | they have none |
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from orrery.errors import InputError
from orrery.terminal import visible

_FORMULA = ("=", "+", "-", "@")
"""With these a spreadsheet takes a cell for a formula, whatever quotes are around it."""


def shell(word: object) -> str:
    """A word of a POSIX shell. Raises InputError for a text with a NUL, which no command can be given."""
    text = str(word)
    if "\0" in text:
        raise InputError(f'"{visible(text)}": a NUL cannot be in a command')
    return shlex.quote(text)


def command(words: Iterable[object]) -> str:
    """A whole command for a POSIX shell, such as one that a user is to copy, or another node is to run."""
    return " ".join(map(shell, words))


def comment(text: object) -> str:
    """A line that begins with `#`, without its end: a comment of shells, TOML, settings, host files, tables, Paje."""
    return f"# {visible(str(text))}"


def toml(text: str) -> str:
    """A string of TOML on one line, which is read back as it was. Half a surrogate pair, which TOML cannot have, becomes visible."""
    return '"' + "".join(map(_of_toml, text)) + '"'


def _of_toml(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    number = ord(letter)
    if 0xD800 <= number < 0xE000:
        return f"\\{visible(letter)}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def setting(name: str, value: str) -> str:
    """A line `name = value` of Open MPI's files of settings, without its end.

    Raises InputError for a value that they cannot have: of several lines, with blanks at an end, or in quotes.
    """
    if not value.isprintable() or value != value.strip() or value[:1] in ('"', "'"):
        raise InputError(
            f'{name}: "{visible(value)}" cannot be in a file of settings; name a folder without such characters'
        )
    return f"{name} = {value}"


def host(name: str) -> str:
    """The name of a host in a host file or a rank file. Raises InputError for one that would be read as something else."""
    if not name or not name.isprintable() or any(letter.isspace() or letter in "#=:,;\"'" for letter in name):
        raise InputError(
            f'"{visible(name)}": launchers take no host of this name; give it one of letters, digits, "-" and "."'
        )
    return name


def cell(value: object) -> object:
    """A value of a table of CSV, for `csv.writer`. Texts that spreadsheets would run get an apostrophe, which they do not show."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def markup(text: object) -> str:
    """A text, or the value of an attribute, of HTML, SVG or XML. Characters that XML cannot have, and marks of direction, become visible."""
    from html import escape

    return escape(visible(str(text)))


def json_text(document: str) -> str:
    """A document of JSON whose texts hold no character raw that a terminal would act on. It says the same."""
    return re.sub(r"[^\x20-\x7e\n]", _of_json, document)


def _of_json(found: re.Match[str]) -> str:
    letter = found[0]
    if letter.isprintable():
        return letter
    pair = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pair[at]:02x}{pair[at + 1]:02x}" for at in range(0, len(pair), 2))


def paje(text: str) -> str:
    """A word of Paje in quotes, which has no escapes."""
    return f'"{_without_quotes(text)}"'


def tau(text: str) -> str:
    """The name of a routine in a profile of TAU, in quotes; it has no escapes."""
    return f'"{_without_quotes(text)}"'


def _without_quotes(text: str) -> str:
    return visible(text).replace('"', r"\x22")


def ctf(text: str) -> str:
    """A string of CTF's metadata in quotes."""
    return '"' + visible(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def name(text: str) -> str:
    """A name in a format that counts its bytes, or ends it with a NUL: OTF2, CTF's packets, Perfetto's."""
    return visible(text)
