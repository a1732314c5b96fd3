# SPDX-License-Identifier: BSD-3-Clause
"""Values and lines of TOML, with comments."""

from __future__ import annotations


def number(value: float) -> str:
    """A float of TOML with six significant digits; it always has a point or an exponent."""
    text = f"{value:.6g}"
    return text if any(letter in text for letter in ".en") else f"{text}.0"


def quoted(value: str) -> str:
    """A string of TOML on one line."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def line(key: str, value: str, comment: str = "") -> str:
    """A line with a key, its value (text in TOML), and a comment. The comments of all lines are aligned."""
    assignment = f"{key} = {value}"
    return f"{assignment:<37} # {comment}\n" if comment else f"{assignment}\n"
