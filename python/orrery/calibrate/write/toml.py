# SPDX-License-Identifier: BSD-3-Clause
"""Values and lines of a platform file, each with what there is to say of it."""

from __future__ import annotations


def number(value: float) -> str:
    """Six digits, as TOML wants them: a float always looks like one."""
    text = f"{value:.6g}"
    return text if any(letter in text for letter in ".en") else f"{text}.0"


def quoted(value: str) -> str:
    """A string of TOML, on one line."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def line(key: str, value: str, comment: str = "") -> str:
    """A key and its value, which is TOML already. Comments stand below each other."""
    assignment = f"{key} = {value}"
    return f"{assignment:<37} # {comment}\n" if comment else f"{assignment}\n"
