# SPDX-License-Identifier: BSD-3-Clause
"""Values and lines of TOML, with comments."""

from __future__ import annotations

from orrery.terminal import visible
from orrery.words import comment as comment_line
from orrery.words import toml


def number(value: float) -> str:
    """A float of TOML with six significant digits; it always has a point or an exponent."""
    text = f"{value:.6g}"
    return text if any(letter in text for letter in ".en") else f"{text}.0"


def quoted(value: str) -> str:
    """A string of TOML, one line of printable characters, as platform files have them: others become visible."""
    return toml(visible(value))


def line(key: str, value: str, comment: str = "") -> str:
    """A line with a key, its value (text in TOML), and a comment. The comments of all lines are aligned."""
    assignment = f"{key} = {value}"
    return f"{assignment:<37} {comment_line(comment)}\n" if comment else f"{assignment}\n"
