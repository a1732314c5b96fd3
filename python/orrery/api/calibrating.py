# SPDX-License-Identifier: BSD-3-Clause
"""A real cluster measured, or samples of one fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.api import html
from orrery.api.checks import PathLike, check_number, path_of
from orrery.api.ending import Interrupted
from orrery.api.platforms import Platform
from orrery.api.watching import Watching, say, watched
from orrery.errors import InputError
from orrery.progress import Advance, listening

if TYPE_CHECKING:
    from orrery.calibrate.measure import CalibrationSettings, Files
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


def calibrate(
    *,
    output: PathLike = "cluster.toml",
    nodes: int | None = None,
    ppn: int = 1,
    mpirun: str = "mpirun -np {n}",
    mpicc: str = "mpicc",
    cabinets: Sequence[int] = (),
    vms_per_host: int | None = None,
    cores: int | None = None,
    budget_s: float = 540.0,
    seed: int = 1,
    name: str | None = None,
    ingest: PathLike | None = None,
    fresh: bool = False,
    accept_bimodal: bool = False,
    most_regimes: int = 6,
    overwrite: bool = False,
    progress: Watching = True,
) -> Calibration:
    """Measure a cluster's MPI and write its platform file, as `orrery calibrate` does; or fit what was measured (`ingest`).

    Args:
        output: FILE.toml; FILE.html and the folder FILE.calibration come beside it.
        nodes: nodes to measure; `ppn`: ranks on each; with one node, two ranks or more.
        mpirun: how MPI programs are started, with {n}, {nodes}, {ppn}.
        mpicc: the compiler of that MPI.
        cabinets: nodes of each cabinet or site, in rank order.
        vms_per_host: nodes are virtual machines, so many on each host, in rank order.
        cores: cores of a node, if not as its system says.
        budget_s: seconds for measuring.
        seed: of the message sizes that are drawn.
        name: of the platform, by default that of the file.
        ingest: a folder of samples: nothing is measured. Only `output`, `accept_bimodal`, `most_regimes` and `overwrite` act then.
        fresh: measure anew instead of going on from where an earlier call was interrupted.
        accept_bimodal: ping-pongs whose times fall into two groups make no poor calibration, only a usable one.
        most_regimes: between two changes of protocol.
        overwrite: replace files that Orrery did not write.
        progress: as of `run`.
    Raises:
        InputError: something cannot be used as it is.
        orrery.errors.OrreryError: the launcher failed, ranks were not where they should be, or too little was measured.
        Interrupted: Ctrl-C; samples are kept, and the same call goes on from there.

    Example:
        >>> o.calibrate(nodes=1, ppn=4, budget_s=120, output="workstation.toml").grade
    """
    from orrery.calibrate.measure import CalibrationSettings, Files
    from orrery.report.calibration_files import checked_outputs, fit_and_write

    place = path_of(output)
    outputs = checked_outputs(place, overwrite=overwrite)
    if (nodes is None) == (ingest is None):
        raise InputError("calibrate: say either nodes, to measure them, or ingest, a folder of samples")
    check_number("most_regimes", most_regimes, 1)
    if ingest is not None:
        files = Files(path_of(ingest))
    else:
        _check(nodes, ppn, cabinets, budget_s)
        settings = CalibrationSettings(
            output=place,
            mpirun=mpirun,
            mpicc=mpicc,
            nodes=nodes or 0,
            ppn=ppn,
            cabinets=tuple(cabinets),
            cores=cores,
            budget_s=budget_s,
            seed=seed,
            name=name or place.stem,
            folder=place.with_suffix(".calibration"),
            vms_per_host=vms_per_host,
            fresh=fresh,
        )
        with watched(progress):
            files = _measured(settings)
    return Calibration(fit_and_write(files, outputs, most_regimes=most_regimes, accept_bimodal=accept_bimodal))


def _check(nodes: int | None, ppn: int, cabinets: Sequence[int], budget_s: float) -> None:
    """Raises InputError for what cannot be measured."""
    from orrery.calibrate.measure import parse_cabinets

    check_number("nodes", nodes, 1)
    check_number("ppn", ppn, 1)
    if cabinets:
        parse_cabinets(",".join(map(str, cabinets)), nodes or 0)
    if not 1 <= budget_s < float("inf"):
        raise InputError(f"budget_s {budget_s}: expected a second or more")


def _measured(settings: CalibrationSettings) -> Files:
    from orrery.calibrate.measure import Files, measure

    try:
        measure(settings, _teller(), say)
    except KeyboardInterrupt:
        text = f"what was measured is in {settings.folder}; the same call goes on from there"
        raise Interrupted(text, None) from None
    return Files(settings.folder)


def _teller() -> Callable[[str, int, int], None]:
    listener = listening()

    def tell(what: str, done: int, total: int) -> None:
        if listener is not None:
            listener(Advance(f"{what} {done:,} of {total:,}" if total else what, done, total or None))

    return tell
