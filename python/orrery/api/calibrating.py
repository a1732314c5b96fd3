# SPDX-License-Identifier: BSD-3-Clause
"""A real cluster measured, or samples of one fitted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.api import html
from orrery.api.checks import PathLike, output_of
from orrery.api.ending import InterruptedCall
from orrery.api.platforms import Platform
from orrery.api.verbs import function_of
from orrery.api.watching import Watching, say, watched
from orrery.calibrate.settings import CalibrationSettings
from orrery.progress import Advance, listening

if TYPE_CHECKING:
    from orrery.calibrate.measure import Files
    from orrery.report.calibration_files import CalibrationFiles


class Calibration:
    """What a calibration found: the platform, and how good it is.

    Example:
        >>> found = o.calibrate(ingest="mine.calibration", output="mine.toml")
        >>> found.grade, found.platform
    """

    def __init__(self, fitted: CalibrationFiles) -> None:
        self._fitted = fitted

    @property
    def grade(self) -> str:
        """`good`, `usable` or `poor`; simulations refuse a poor one unless `force`."""
        return self._fitted.verdict.grade

    @property
    def reasons(self) -> list[str]:
        """What stands against it, with the cure, a sentence each; the worst first."""
        return [f"{reason.found} ({reason.cure})" for reason in self._fitted.verdict.reasons]

    @property
    def file(self) -> Path:
        """The platform file that was written; its page with raw points and fits is beside it (`page`)."""
        return self._fitted.platform

    @property
    def page(self) -> Path:
        """The page (HTML)."""
        return self._fitted.page

    @property
    def platform(self) -> Platform:
        """The calibrated platform."""
        return Platform.load(str(self.file))

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery calibrate --json`), in SI units."""
        return self._fitted.summary()

    def __repr__(self) -> str:
        return f"<Calibration: {self._verdict()}>"

    def _repr_html_(self) -> str:
        return html.piece(self._verdict(), html.facts({"because": self.reasons, "platform": str(self.file)}))

    def _verdict(self) -> str:
        return f"{self.file}: {self.grade}, from {self._fitted.outcome.samples:,} samples."


@function_of(CalibrationSettings)
def calibrate(
    given: dict[str, Any], *, report: PathLike | None = None, overwrite: bool = False, progress: Watching = True
) -> Calibration:
    """Measure a cluster's MPI and write its platform file, as `orrery calibrate` does; or fit what was measured (`ingest`).

    Args:
        report: FILE.html, the page, where it shall not be beside the platform file.
    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher failed, ranks were not where they should be, or too little was measured.
        InterruptedCall: Ctrl-C; samples are kept, and the same call goes on from there.

    Example:
        >>> o.calibrate(nodes=1, ppn=4, budget_s=120, output="workstation.toml").grade
    """
    from orrery.calibrate.measure import ingested
    from orrery.report.calibration_files import checked_outputs, fit_and_write

    settings = CalibrationSettings(**given)
    page = None if report is None else output_of("report", report, ".html", overwrite=overwrite)
    outputs = checked_outputs(settings.output, page, overwrite=overwrite)
    with watched(progress):
        files = ingested(settings, say) if settings.ingest else _measured(settings)
    return Calibration(fit_and_write(files, outputs, settings))


def _measured(settings: CalibrationSettings) -> Files:
    from orrery.calibrate.measure import Files, measure

    try:
        measure(settings, _teller(), say)
    except KeyboardInterrupt:
        text = f"what was measured is in {settings.folder}; the same call goes on from there"
        raise InterruptedCall(text, None) from None
    return Files(settings.folder)


def _teller() -> Callable[[str, int, int], None]:
    listener = listening()

    def tell(what: str, done: int, total: int) -> None:
        if listener is not None:
            listener(Advance(f"{what} {done:,} of {total:,}" if total else what, done, total or None))

    return tell
