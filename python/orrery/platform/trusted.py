# SPDX-License-Identifier: BSD-3-Clause
"""Platforms as commands use them that predict: whoever uses a measured one is told how good its calibration is.

This is the one place where that is decided: `orrery run`, `replay`, `collective` and `validate` take their platforms from here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from orrery import terminal
from orrery.errors import InputError
from orrery.platform.heavy_noise import caution_of_noise
from orrery.platform.prepared import prepare

if TYPE_CHECKING:
    from orrery.platform.core import Plain

UNJUDGED = "not judged: `orrery calibrate --ingest FOLDER` judges the samples that were kept"
"""What is said of a calibration that an earlier version wrote."""

_SAID: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def said_once() -> Iterator[None]:
    """While the block runs, which simulates again and again, no line is said twice."""
    before = _SAID.set(set())
    try:
        yield
    finally:
        _SAID.reset(before)


def trusted(name_or_file: str, *, force: bool = False, said: bool = True) -> Plain:
    """A platform as plain values. One line on standard error says how good its calibration is, where it has one and `said`.

    Raises InputError as `load` does, and for a calibration of verdict `poor` unless `force`.
    """
    platform = prepare(name_or_file)
    if platform["calibration"] is None:
        return platform
    verdict = verdict_of(platform)
    if verdict is not None and verdict["grade"] == "poor" and not force:
        raise InputError(
            f"platform {name_or_file}: its calibration is poor: {_reasons(verdict)}. Calibrate again, or use it as it is: --force"
        )
    line = f"orrery: platform {platform['name']}: calibration {line_of(verdict)}\n"
    before = _SAID.get()
    if said and (before is None or line not in before):
        terminal.write(line, sys.stderr)
    if before is not None:
        before.add(line)
    return platform


def verdict_of(platform: Plain) -> dict[str, Any] | None:
    """What the platform's calibration says of itself: `grade`, and `reasons`; None where nobody judged."""
    return (platform["calibration"] or {}).get("verdict")


def line_of(verdict: dict[str, Any] | None) -> str:
    """The verdict in one line: its grade, the first reason, and how many more there are."""
    if verdict is None:
        return UNJUDGED
    reasons = verdict["reasons"]
    if not reasons:
        return str(verdict["grade"])
    more = f" (and {len(reasons) - 1} more: `orrery platform show`)" if len(reasons) > 1 else ""
    return f"{verdict['grade']}: {reasons[0]['found']}{more}"


def cautions_of(platform: Plain) -> list[str]:
    """What a report of a prediction has to say: that its platform is poor, with each reason for it, or its noise excessive."""
    heavy = caution_of_noise([(kind["every_s"], kind["takes_s"]) for kind in platform["node"]["noise"]])
    verdict = verdict_of(platform)
    if verdict is None or verdict["grade"] != "poor":
        return heavy
    poor = [f"the platform's calibration is poor, used with --force: {reason['found']}" for reason in _poor(verdict)]
    return [*poor, *heavy]


def _reasons(verdict: dict[str, Any]) -> str:
    return "; ".join(f"{reason['found']} ({reason['cure']})" for reason in _poor(verdict))


def _poor(verdict: dict[str, Any]) -> list[dict[str, Any]]:
    """What makes it poor."""
    return [reason for reason in verdict["reasons"] if reason["grade"] == "poor"]
