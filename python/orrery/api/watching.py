# SPDX-License-Identifier: BSD-3-Clause
"""Who is told how far long work has come: the terminal, a notebook, or a function."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from orrery import terminal
from orrery.progress import Advance, Listener, told

Watching = Listener | bool
"""A function that is called with an `Advance` some times a second, maybe in another thread; True: a line in a notebook or on a
terminal; False: nobody."""


@contextmanager
def watched(progress: Watching) -> Iterator[None]:
    """Tell what `progress` says while the block runs."""
    if callable(progress):
        with told(progress):
            yield
    elif not progress:
        with told(lambda _advance: None):
            yield
    elif _is_notebook():
        with _line_below() as listener, told(listener):
            yield
    else:
        yield


def say(text: str) -> None:
    """A sentence on standard error, as the command line has it."""
    terminal.write(f"orrery: {text}\n", sys.stderr)


def _is_notebook() -> bool:
    """Whether a notebook's kernel runs this; IPython on a terminal has none."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return hasattr(shell, "kernel")


@contextmanager
def _line_below() -> Iterator[Listener]:
    """A line below the cell, empty at the end."""
    display: Any = import_module("IPython.display")
    place = display.display({"text/plain": ""}, raw=True, display_id=True)

    def show(advance: Advance) -> None:
        place.update({"text/plain": advance.text}, raw=True)

    try:
        yield show
    finally:
        place.update({"text/plain": ""}, raw=True)
