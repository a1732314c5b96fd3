# SPDX-License-Identifier: BSD-3-Clause
"""The plan file that orrery_bench reads, and the number of finished experiments."""

from __future__ import annotations

from pathlib import Path

from orrery.calibrate.measure.experiments import PlanLine
from orrery.calibrate.measure.files import Files

_PLANNED = "# what follows was planned with what the lines above found"
"""Comment line between the survey and the plan."""


def is_planned(files: Files) -> bool:
    """Whether the file has a plan, not only the survey."""
    return files.plan.exists() and _PLANNED in files.plan.read_text(encoding="utf-8")


def append(path: Path, lines: list[PlanLine], first: int = 0) -> None:
    """Append lines, numbered from `first`; the numbers are part of the names of the experiments."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line.text(number)}\n" for number, line in enumerate(lines, start=first))


def append_plan(path: Path, lines: list[PlanLine]) -> None:
    """Append the plan after the survey."""
    first = count_planned(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{_PLANNED}\n")
    append(path, lines, first)


def count_planned(plan: Path) -> int:
    """Number of experiments in the file."""
    return sum(not line.startswith("#") for line in plan.read_text(encoding="utf-8").splitlines())


def count_done(results: Path) -> int:
    """Number of experiments that were measured completely."""
    return results.read_text(encoding="utf-8").count(",done,") if results.exists() else 0
