# SPDX-License-Identifier: BSD-3-Clause
"""The plan as orrery_bench reads it, and how far it has been measured."""

from __future__ import annotations

from pathlib import Path

from orrery.calibrate.measure.experiments import Line
from orrery.calibrate.measure.files import Files

_PLANNED = "# what follows was planned with what the lines above found"


def is_planned(files: Files) -> bool:
    """Whether more than a first look was planned."""
    return files.plan.exists() and _PLANNED in files.plan.read_text(encoding="utf-8")


def append(path: Path, lines: list[Line], first: int = 0) -> None:
    """Append lines; the number of the first one makes their names."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line.text(number)}\n" for number, line in enumerate(lines, start=first))


def append_plan(path: Path, lines: list[Line]) -> None:
    """Behind a first look."""
    first = count_planned(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{_PLANNED}\n")
    append(path, lines, first)


def count_planned(plan: Path) -> int:
    """Experiments of the plan."""
    return sum(not line.startswith("#") for line in plan.read_text(encoding="utf-8").splitlines())


def count_done(results: Path) -> int:
    """Experiments that were measured to their ends."""
    return results.read_text(encoding="utf-8").count(",done,") if results.exists() else 0
