# SPDX-License-Identifier: BSD-3-Clause
"""The files in the folder of a calibration: plan, raw samples, options, log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Files:
    """The folder of a calibration."""

    folder: Path

    @property
    def plan(self) -> Path:
        """The plan, which orrery_bench reads: one experiment per line."""
        return self.folder / "plan.txt"

    @property
    def results(self) -> Path:
        """Raw samples, which orrery_bench writes: one number per line."""
        return self.folder / "results.csv"

    @property
    def about(self) -> Path:
        """Options, host and date of the measurement (`About`)."""
        return self.folder / "about.json"

    @property
    def log(self) -> Path:
        """Output of the launcher."""
        return self.folder / "launcher.log"

    @property
    def places(self) -> Path:
        """Temporary folder for the files of `layout_now`."""
        return self.folder / "places"

    def writes(self, path: Path) -> bool:
        """Whether `path` is one of these files or folders."""
        return path in (self.plan, self.results, self.about, self.log, self.places)
