# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of operations: kinds and flags, as traces have them, from the table in src/op/vocabulary.inc."""

from __future__ import annotations

from orrery import _core

_HEAD = """<!-- Written from the code by `make reference`; run that instead of editing it. -->
# Operations

What ranks do, as [traces](../trace-format.md) hold it and `orrery trace dump` prints it. The fields are those by
which two operations of a kind do different things, besides the routine, and which `orrery trace diff` compares; others say how
it was recorded, or how the kernel is to carry it out. A waiting call, a message or a collective takes simulated time; an answer is a
record of its own behind the operation. A flag is a bit of the byte `flags`; some share a bit, as no operation can have both.
"""


def page() -> str:
    """Markdown of the page."""
    kinds = [
        f"| {number} | `{word}` | {_code(fields)} | {answered} | {_cell(about)} |"
        for number, (word, fields, answered, about) in enumerate(_core.operation_vocabulary())
    ]
    flags = [
        f"| {bit} | `{name}` | {kinds if kinds == 'all' else _code(kinds)} | {_cell(about)} |"
        for name, bit, kinds, about in _core.operation_flags()
    ]
    return "\n".join(
        [
            _HEAD,
            "| number | kind | fields | answered | what it is |",
            "|---|---|---|---|---|",
            *kinds,
            "",
            "## Flags",
            "",
            "| bit | flag | kinds | what it says |",
            "|---|---|---|---|",
            *flags,
            "",
        ]
    )


def _code(words: str) -> str:
    return ", ".join(f"`{word}`" for word in words.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
