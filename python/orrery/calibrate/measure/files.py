# SPDX-License-Identifier: BSD-3-Clause
"""The files of a calibration: plan, raw samples, how they were measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Files:
    """The folder of a calibration."""

    folder: Path

    @property
    def plan(self) -> Path:
        """Lines for orrery_bench."""
        return self.folder / "plan.txt"

    @property
    def results(self) -> Path:
        """Raw samples."""
        return self.folder / "results.csv"

    @property
    def about(self) -> Path:
        """How it was measured."""
        return self.folder / "about.json"

    @property
    def log(self) -> Path:
        """What the launcher said."""
        return self.folder / "launcher.log"

    @property
    def places(self) -> Path:
        """A folder for asking ranks where they are; removed when they have said it."""
        return self.folder / "places"

    def writes(self, path: Path) -> bool:
        """Whether a file or folder is one of these."""
        return path in (self.plan, self.results, self.about, self.log, self.places)
