# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes of the user, told in one line: where, what was found, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class OrreryError(Exception):
    """Anything that ends a command with one line instead of a traceback."""

    exit_code = 1


class InputError(OrreryError):
    """An option, a file or a value that cannot be used as it is."""

    exit_code = 2


class SimulationError(OrreryError):
    """A run or a replay that did not end well: a crash, a deadlock, a time limit, a program that is not there."""

    def __init__(self, text: str, result: Any, exit_code: int) -> None:
        super().__init__(text)
        self.result = result
        """`orrery.Result` of what there was until then."""
        self.exit_code = exit_code
        """That of `orrery run`."""


class Interrupt(OrreryError):  # noqa: N818  no error: as KeyboardInterrupt is
    """Ctrl-C: says what is there by then, and how to go on."""

    exit_code = 130


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean "x"?` for the known word nearest to `word`; empty if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f', did you mean "{near[0]}"?' if near else ""


_FEW = 8


def unknown_key(key: object, known: Iterable[str]) -> str:
    """What is wrong with a key that is none of those: the nearest of them, or all where none is near or they are few."""
    keys = list(known)
    near = did_you_mean(str(key), keys)
    return f"unknown key{near}" if near and len(keys) > _FEW else f"unknown key{near} (known here: {', '.join(keys)})"
