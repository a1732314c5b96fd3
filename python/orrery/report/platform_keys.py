# SPDX-License-Identifier: BSD-3-Clause
"""Reference of the keys of platform files: as text for terminals, as a Markdown page, and as JSON values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from orrery.platform.keys import KeyEntry, KeySection, entries, said_default, said_values, sections
from orrery.platform.tables.declared import Key, doc_of

RENEWED_BY = "orrery platform keys -o docs/platform-keys.md"
"""Command that rewrites the page in the repository."""

_HEAD = f"""<!-- Written by `orrery platform keys` from python/orrery/platform/tables; renewed by: {RENEWED_BY} -->
# Platform files, key by key

A platform file is TOML. `[name]` begins a table that there is once, `[[name]]` one of several. Every key that holds a
quantity ends in its unit: a bare number is in that unit, and a text brings its own, so `latency_s = 24e-6` and
`latency_s = "24us"` are the same. Sizes without `B` are powers of 1024: `"64K"` is `"64KiB"`. A key that is not named here
is a mistake, and so is one that acts only beside something else where that is not there ("needs").

What `orrery calibrate` measures says by which experiment ([how](design/calibration.md)); all else is written by hand.
Code is where a key is used. `orrery platform keys NAME` explains one table or key in the terminal, and
`orrery platform show FILE` checks a file, with line and cure.

**Editors** complete and check platform files by their JSON schema. Write it beside the files, and name it in the first line of
each; Taplo and editors that use it (VS Code with "Even Better TOML", Helix, Neovim, Zed) follow such a line:

    orrery platform schema -o platform.schema.json

    #:schema ./platform.schema.json
    name = "mine"

The schema knows what single keys allow. What several keys say together, such as regimes by increasing size, only
`orrery platform show FILE` checks.
"""


def markdown() -> str:
    """The Markdown page."""
    parts = [_HEAD, _contents()]
    parts += [_markdown_section(section) for section in sections()]
    return "\n".join(parts)


def _contents() -> str:
    lines = ["- [the file itself](#the-file-itself)"]
    lines += [
        "  " * (len(section.places[0].tables) + 1) + f"- [{_names(section)}](#{_anchor(section)})"
        for section in sections()
        if section.places
    ]
    return "\n".join(lines) + "\n"


def _names(section: KeySection) -> str:
    return ", ".join(f"`{place.header}`" for place in section.places)


def _anchor(section: KeySection) -> str:
    """Anchor of a section's heading, by the rules of GitHub's Markdown."""
    heading = ", ".join(place.header for place in section.places).lower()
    return "".join(
        "-" if character == " " else character for character in heading if character.isalnum() or character in " _-"
    )


def _markdown_section(section: KeySection) -> str:
    heading = _names(section) or "The file itself"
    lines = [f"## {heading}", "", doc_of(section.table), ""]
    if section.places:
        lines += [f"{_said_of_table(section)}", ""]
    lines += ["| key | values | default | meaning |", "|---|---|---|---|"]
    lines += [_row(entry) for entry in section.entries]
    return "\n".join(lines) + "\n"


def _said_of_table(section: KeySection) -> str:
    """Sentences about the table: whether it is required, what it needs, who measures it, which code uses it."""
    first = section.places[0]
    parts = []
    if any(place.key.required for place in section.places):
        parts.append("Required.")
    parts += [f"Needs {needs.what}." for needs in first.key.needs]
    if first.measured:
        parts.append(f"`orrery calibrate` gives all of it: {first.measured}.")
    codes = dict.fromkeys(place.code for place in section.places if place.code)
    if codes:
        parts.append(f"Code: {', '.join(f'`{code}`' for code in codes)}.")
    return " ".join(parts)


def _row(entry: KeyEntry) -> str:
    key = entry.key
    name = f"`{key.name}`"
    if key.value.table:
        section = next(section for section in sections() if section.table is key.value.table)
        name = f"[{name}](#{_anchor(section)})"
    meaning = [key.doc]
    meaning += [f"*Needs* {needs.what}." for needs in key.needs]
    if key.measured:
        meaning.append(f"*Measured:* {key.measured}.")
    if key.code and not key.value.table:
        meaning.append(f"*Code:* `{key.code}`.")
    default = said_default(key)
    default = default if default in ("required", "none") else f"`{default}`"
    values = ", ".join(f'`"{choice}"`' for choice in key.value.choices) or said_values(key.value)
    return f"| {name} | {values} | {default} | {'<br>'.join(meaning)} |"


# --- for terminals ---------------------------------------------------------------------------------------------------


def text(found: Sequence[KeyEntry] | None, width: int) -> str:
    """Text about the tables and keys in `found`; None: about all tables. `width`: columns."""
    if found is None:
        return "\n".join(_section_text(section, width) for section in sections())
    parts: list[str] = []
    tables = {entry.key.value.table: None for entry in found if entry.key.value.table}
    parts += [_section_text(section, width) for section in sections() if section.table in tables and section.places]
    keys: dict[tuple[type, str], list[KeyEntry]] = {}
    for entry in found:
        if not entry.key.value.table:
            keys.setdefault((entry.key.owner, entry.key.name), []).append(entry)
    parts += [_key_text(", ".join(entry.dotted for entry in alike), alike[0], width) for alike in keys.values()]
    return "\n".join(parts)


def _section_text(section: KeySection, width: int) -> str:
    heading = ", ".join(place.header for place in section.places) or "the file itself"
    lines = [heading, *_wrapped(doc_of(section.table), width, "  ")]
    if section.places:
        lines += _wrapped(_said_of_table(section).replace("`", ""), width, "  ")
    for entry in section.entries:
        lines += ["", f"  {entry.key.name}", *_facts(entry.key, entry.key.measured, entry.key.code, width, "      ")]
    return "\n".join(lines) + "\n"


def _key_text(heading: str, entry: KeyEntry, width: int) -> str:
    return "\n".join([heading, *_facts(entry.key, entry.measured, entry.code, width, "    ")]) + "\n"


def _facts(key: Key, measured: str | None, code: str | None, width: int, indent: str) -> Iterator[str]:
    yield from _wrapped(key.doc, width, indent)
    values = said_values(key.value)
    if key.value.quantity:
        values += f', or text such as "{key.value.quantity.example}"'
    facts = [("values", values), ("default", said_default(key))]
    facts += [("needs", needs.what) for needs in key.needs]
    facts += [("measured", f"orrery calibrate: {measured}")] if measured else []
    facts += [("code", code)] if code else []
    for what, said in facts:
        yield from textwrap.wrap(
            said, width, initial_indent=f"{indent}{what + ':':<10}", subsequent_indent=indent + " " * 10
        )


def _wrapped(said: str, width: int, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(said, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


# --- for programs ----------------------------------------------------------------------------------------------------


def as_json(found: Iterable[KeyEntry] | None = None) -> list[dict[str, Any]]:
    """An object for each key in `found`, by default for all keys; None stands for a property that a key does not have."""
    return [_plain(entry) for entry in (entries() if found is None else found)]


def _plain(entry: KeyEntry) -> dict[str, Any]:
    key = entry.key
    table = key.value.table
    default = None if table else key.default
    return {
        "key": entry.dotted,
        "meaning": key.doc,
        "table": entry.header if table else None,
        "values": said_values(key.value),
        "unit": key.value.quantity.base if key.value.quantity else None,
        "bounds": key.value.bounds,
        "choices": list(key.value.choices),
        "required": key.required,
        "default": default,
        "needs": [needs.what for needs in key.needs],
        "measured": entry.measured,
        "code": entry.code,
    }
