# SPDX-License-Identifier: BSD-3-Clause
"""From the samples of a calibration to its platform file and its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, Output, checked

if TYPE_CHECKING:
    from pathlib import Path

    from orrery.calibrate.fit import CalibrationOutcome
    from orrery.calibrate.measure import About, Files
    from orrery.calibrate.settings import CalibrationSettings
    from orrery.platform.schema import Verdict


@dataclass(frozen=True)
class CalibrationFiles:
    """What a calibration found, and where it is written."""

    outcome: CalibrationOutcome
    about: About
    verdict: Verdict
    platform: Path
    page: Path
    folder: Path
    """Folder of the samples."""

    def summary(self) -> dict[str, Any]:
        """All results as values for JSON, in SI units."""
        from orrery.calibrate.write import summary

        return summary(self.outcome, self.about, self.verdict)


def checked_outputs(output: Path, page: Output | None = None, *, overwrite: bool) -> tuple[Output, Output]:
    """The platform file and its page, before anything is measured. Raises InputError where they cannot be written.

    `page`: where the page goes; None: beside the platform file.
    """
    if output == STANDARD_OUTPUT:
        raise InputError("-o -: there are a page and samples beside the platform file; name a file")
    return checked(output, overwrite=overwrite), page or checked(output.with_suffix(".html"), overwrite=overwrite)


def fit_and_write(files: Files, outputs: tuple[Output, Output], settings: CalibrationSettings) -> CalibrationFiles:
    """Fit, judge, and write both files.

    Raises:
        CalibrationError: the samples must not be fitted.
        InputError: a file cannot be read or written.
    """
    from orrery.calibrate.measure import read, read_about
    from orrery.calibrate.uncertainty import judge, outcome_of
    from orrery.calibrate.write import write_platform
    from orrery.page.document import write_page
    from orrery.report.pages.calibration import page_of_calibration

    about = read_about(files)
    outcome = outcome_of(read(files.plan, files.results), about, most_regimes=settings.most_regimes)
    verdict = judge(outcome, accept_bimodal=settings.accept_bimodal)
    output, page = outputs
    write_platform(outcome, about, verdict, output)
    write_page(page_of_calibration(outcome, about, verdict), page)
    return CalibrationFiles(outcome, about, verdict, output.path, page.path, files.folder)
