# SPDX-License-Identifier: BSD-3-Clause
"""Stored reports of validations, and changes since the stored ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orrery.errors import InputError, OrreryError
from orrery.output import write_at_once
from orrery.published import json_of

_NOTEWORTHY = 0.005
"""Smallest change of an error that is reported: half a percent."""


def keep(report: dict[str, Any], file: Path) -> None:
    """Replace the stored report atomically: an interruption leaves the old one. Raises OrreryError."""
    try:
        write_at_once(file, f"{json_of(report)}\n")
    except OSError as error:
        raise OrreryError(f"{file}: {error.strerror}") from None


def last(file: Path, needed: Sequence[str] = ("summary", "cases")) -> dict[str, Any] | None:
    """The stored report; None if there is none. Raises InputError if the file is no JSON or lacks one of the `needed` keys."""
    try:
        stored = dict(json.loads(file.read_text(encoding="utf-8")))
        _ = [stored[key] for key in needed]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{file}: no report of `orrery validate`; remove it or name another place") from None
    return stored


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Lines about changed median errors, and about added and removed cases."""
    lines = []
    for model, groups in after["summary"].items():
        for name, summary in groups.items():
            old = before["summary"].get(model, {}).get(name)
            if old is None or abs(summary["median"] - old["median"]) < _NOTEWORTHY:
                continue
            verdict = "worse" if summary["median"] > old["median"] else "better"
            lines.append(f"{model}, {name}: median error {old['median']:.1%} -> {summary['median']:.1%}, {verdict}")
    gone, new = _cases(before) - _cases(after), _cases(after) - _cases(before)
    lines += [f"no longer measured: {' '.join(map(str, case))}" for case in sorted(gone)]
    if new:
        lines.append(f"{len(new)} cases are new")
    return lines


def program_changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Lines about changed errors of the total time and of routines."""
    old = _errors(before)
    lines = []
    for name, error in _errors(now).items():
        if name not in old or abs(error - old[name]) < _NOTEWORTHY:
            continue
        verdict = "worse" if abs(error) > abs(old[name]) else "better"
        lines.append(f"{name}: error {old[name]:+.1%} -> {error:+.1%} of all time, {verdict}")
    return lines


def _errors(report: dict[str, Any]) -> dict[str, float]:
    routines = {line["routine"]: line["error_of_share"] for line in report["routines"]}
    return {"total": report["total"]["error"], **routines}


def _cases(report: dict[str, Any]) -> set[tuple[str, int, int]]:
    return {(case["collective"], case["ranks"], case["bytes"]) for case in report["cases"]}
