# SPDX-License-Identifier: BSD-3-Clause
"""How far long work has come: a bar on a terminal, or whoever listens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Advance(NamedTuple):
    """How far long work has come."""

    text: str
    """For people, in one line."""
    done: int | None = None
    """Parts that are done; None where the work has no parts."""
    total: int | None = None
    """All parts; None where that is not known."""
    simulated_s: float | None = None
    """Simulated seconds that a run or a replay has reached; None for other work."""


Listener = Callable[[Advance], object]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def told(listener: Listener | None) -> Iterator[None]:
    """While the block runs, `listener` is told instead of the terminal; None: the terminal is."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def listening() -> Listener | None:
    """Who is told; None: the terminal."""
    return _LISTENER.get()


@contextmanager
def progress() -> Iterator[Callable[[int, int], object]]:
    """A bar on standard error, where that is a terminal and nobody else is told."""
    if (listener := listening()) is not None:
        yield lambda done, total: listener(Advance(f"simulated {done:,} of {total:,}", done, total))
        return
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
