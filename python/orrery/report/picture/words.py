# SPDX-License-Identifier: BSD-3-Clause
"""Texts of figures, which are written in plotly's markup, as plain lines."""

from __future__ import annotations

import html
import re

_BREAK = re.compile(r"<br ?/?>")
_TAG = re.compile(r"</?(?:sup|b|i)>")


def lines_of(text: str | None) -> list[str]:
    """The lines of a text without its tags; none of an empty one."""
    return [html.unescape(_TAG.sub("", line)) for line in _BREAK.split(text or "") if line]


def plain(text: object) -> str:
    """The text without its tags; its lines are separated by newlines."""
    return "\n".join(lines_of(str(text)))
