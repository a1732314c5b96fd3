# SPDX-License-Identifier: BSD-3-Clause
"""What collective calls cost, by algorithm."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.api import html
from orrery.api.checks import PathLike, output_of
from orrery.api.ending import InterruptedCall
from orrery.api.frames import Table, Tabular
from orrery.api.verbs import function_of
from orrery.api.watching import Watching, watched
from orrery.collective.settings import CollectiveRequest
from orrery.progress import progress as _progress
from orrery.published import as_json
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.collective.predict import Answer
    from orrery.collective.study import Study

_SLOWER = 1.01
"""Ratio from which on the selector is said to be slower."""


class Collectives(Tabular):
    """Predicted times of collective calls: what `orrery collective` finds.

    Example:
        >>> found = o.collective("allreduce", ranks=64, sizes=[8, "1MiB"], algorithm="all")
        >>> found.frame().sort_values("time_s")
        >>> found.write_report("allreduce.html")
    """

    def __init__(self, study: Study) -> None:
        self._study = study

    @property
    def table(self) -> Table:
        """A row for each algorithm and call: collective, ranks, root, bytes, algorithm, segment_bytes, time_s (seconds), messages,
        message_bytes, fastest (None: nothing was compared), chosen (by the selector; None: it was not asked), low_s and high_s (of
        replicas), expected_low_s and expected_high_s.
        """
        return Table(as_json(self._study.predictions))

    @property
    def fastest(self) -> Table:
        """The rows of the fastest algorithm of each call for which several were simulated (`algorithm="all"`, or several names)."""
        return Table(row for row in self.table if row["fastest"])

    @property
    def crossovers(self) -> Table:
        """Sizes at which another algorithm becomes the fastest, where both were simulated below and above."""
        return Table(as_json(self._study.crossovers))

    @property
    def selector_changes(self) -> Table:
        """Sizes at which the selector changes, where nothing was compared with its choice."""
        return Table(as_json(self._study.selector_changes))

    @property
    def losses(self) -> Table:
        """What the selector's choice costs more than the fastest algorithm."""
        return Table(as_json(self._study.losses))

    @property
    def cautions(self) -> list[str]:
        """Limits of the results, a sentence each."""
        return list(self._study.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery collective --json`)."""
        return dict(as_json(self._study))

    def write_report(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Write FILE.html, the page of `orrery collective --report`: curves, what the selector loses, all predictions; gives the path.

        Raises InputError where it cannot be written, or is a file that Orrery did not write (unless `overwrite`).
        """
        from orrery.page.document import write_page
        from orrery.report.pages.collective import page_of_study

        place = output_of("report", path, ".html", overwrite=overwrite)
        write_page(page_of_study(self._study), place)
        return place.path

    def write_picture(self, path: PathLike, *, overwrite: bool = False) -> Path:
        """Write time over size, a line for each algorithm, as `orrery collective -o` does: FILE.html, .svg or .png; gives the path.

        Raises:
            InputError: it cannot be written, or is a file that Orrery did not write (unless `overwrite`).
        """
        from orrery.report.collective_plot import write_plot
        from orrery.report.figure_file import ENDINGS

        place = output_of("picture", path, ENDINGS, overwrite=overwrite)
        write_plot(self._study, place)
        return place.path

    def __str__(self) -> str:
        from orrery.report.collective import write_tables

        text = io.StringIO()
        write_tables(self._study, text)
        return text.getvalue()

    def __repr__(self) -> str:
        return f"<Collectives: {self._verdict()}>"

    def _repr_html_(self) -> str:
        study = self._study
        asked = any(answer.chosen for answer in study.answers)
        compared = any(answer.fastest for answer in study.answers)
        rows = [_row(answer, asked=asked, compared=compared) for answer in study.answers]
        rests = {
            "platform": f"{study.platform}, {study.mapping}",
            "parameters": study.source,
            "model": study.model,
            "caution": study.cautions,
        }
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        study = self._study
        kinds = ", ".join(dict.fromkeys(answer.call.kind for answer in study.answers))
        worst = max(
            (
                answer.chosen.time_s / answer.shortest.time_s
                for answer in study.answers
                if answer.chosen and answer.shortest.time_s > 0
            ),
            default=1.0,
        )
        said = f"{kinds} on {study.platform}: {len(study.answers):,} calls"
        if worst > _SLOWER:
            said += f"; selector {study.selector} is up to {worst:.3g} times as slow as the fastest algorithm"
        if study.uncompared:
            said += f"; {study.uncompared}"
        return f"{said}."


def _row(answer: Answer, *, asked: bool, compared: bool) -> dict[str, str | int]:
    """A call with its fastest algorithm, where any was `compared`, and with the selector's choice, where that was `asked`."""
    row: dict[str, str | int] = {
        "collective": answer.call.kind,
        "ranks": answer.call.ranks,
        "size": show_bytes(answer.call.size),
    }
    if compared:
        fastest = answer.fastest
        row |= {"fastest": fastest.name, "time": show_time(fastest.time_s)} if fastest else {"fastest": "", "time": ""}
    if asked:
        chosen = answer.chosen
        row |= (
            {"selector's": chosen.name, "its time": show_time(chosen.time_s)}
            if chosen
            else {"selector's": "", "its time": ""}
        )
    if not (asked or compared):
        row |= {"algorithm": answer.shortest.name, "time": show_time(answer.shortest.time_s)}
    return row


@function_of(CollectiveRequest, "kinds")
def collective(given: dict[str, Any], *, progress: Watching = True) -> Collectives:
    """Predict what collective calls cost, by algorithm, as `orrery collective` does; no program is needed.

    Sizes are of the whole vector, of a rank's block or of a pair's block, as `orrery collective --help` says.

    Raises:
        InputError: something cannot be used as it is, or no algorithm serves a call.
        InterruptedCall: Ctrl-C; its `result` has the calls that were simulated.

    Example:
        >>> o.collective("allreduce", ranks=64, sizes="8:1MiB", algorithm="all", selector="openmpi-4.1").losses.frame()
    """
    from orrery.collective.session import opened
    from orrery.collective.study import study

    request = CollectiveRequest(**{name: value for name, value in given.items() if value is not None})
    request.check()
    wanted = request.calls
    with watched(progress), opened(wanted, request) as (laboratory, question), _progress() as advanced:
        found = study(wanted, question, laboratory, advanced)
    if found.missing:
        there = len(wanted) - len(found.missing)
        result = Collectives(found) if there else None
        raise InterruptedCall(f"interrupted: {there} of {len(wanted)} calls are there", result)
    return Collectives(found)
