# SPDX-License-Identifier: BSD-3-Clause
"""What collective calls cost, by algorithm."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from orrery.api import html
from orrery.api.checks import PathLike, check_choice, check_settings, numbers, optional_path, output_of
from orrery.api.ending import Interrupted
from orrery.api.frames import Table, Tabular
from orrery.api.platforms import Platform, named
from orrery.api.watching import Watching, watched
from orrery.collective.call import Operation
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING, Vary
from orrery.platform.model import Model
from orrery.progress import progress as _progress
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.collective.call import Call
    from orrery.collective.session import CollectiveSettings
    from orrery.collective.study import Study

_SLOWER = 1.01
"""Ratio from which on the selector is said to be slower."""

Numbers = int | str | Sequence[int | str]


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
        message_bytes, fastest, chosen (by the selector), low_s and high_s (of replicas), expected_low_s and expected_high_s.
        """
        from orrery.collective.study import COLUMNS

        return Table(dict(zip(COLUMNS, row, strict=True)) for row in self._study.rows())

    @property
    def fastest(self) -> Table:
        """The rows of the fastest algorithm of each call."""
        return Table(row for row in self.table if row["fastest"])

    @property
    def crossovers(self) -> Table:
        """Sizes at which another algorithm becomes the fastest."""
        return Table(asdict(crossover) for crossover in self._study.crossovers)

    @property
    def losses(self) -> Table:
        """What the selector's choice costs more than the fastest algorithm."""
        return Table(asdict(loss) for loss in self._study.losses)

    @property
    def cautions(self) -> list[str]:
        """Limits of the results, a sentence each."""
        return list(self._study.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery collective --json`)."""
        return self._study.as_json()

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
        rows = []
        for answer in self._study.answers:
            fastest, chosen = answer.fastest, answer.chosen
            row = {"collective": answer.call.kind, "ranks": answer.call.ranks, "size": show_bytes(answer.call.size),
                   "fastest": fastest.name, "time": show_time(fastest.time_s)}  # fmt: skip
            if chosen is not None:
                row |= {"selector's": chosen.name, "its time": show_time(chosen.time_s)}
            rows.append(row)
        study = self._study
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
                answer.chosen.time_s / answer.fastest.time_s
                for answer in study.answers
                if answer.chosen and answer.fastest.time_s > 0
            ),
            default=1.0,
        )
        said = f"{kinds} on {study.platform}: {len(study.answers):,} calls"
        if worst > _SLOWER:
            said += f"; selector {study.selector} is up to {worst:.3g} times as slow as the fastest algorithm"
        return f"{said}."


def collective(
    kinds: str | Sequence[str],
    *,
    ranks: Numbers,
    sizes: Numbers | None = None,
    algorithm: str | Sequence[str] = (),
    platform: str | os.PathLike[str] | Platform = "default",
    model: Model | None = None,
    mapping: str = DEFAULT_MAPPING,
    selector: str | None = None,
    coll: str | None = None,
    rules: PathLike | None = None,
    root: int = 0,
    segments: Numbers | None = None,
    fanout: int = 0,
    most_messages: int = 20_000_000,
    immediate: bool = False,
    type_size: int = 0,
    type_extent: int = 0,
    operation: Operation = "built-in",
    in_place: bool = False,
    replicas: int = 1,
    vary: Vary = "noise",
    seed: int = 0,
    force: bool = False,
    progress: Watching = True,
) -> Collectives:
    """Predict what collective calls cost, by algorithm, as `orrery collective` does; no program is needed.

    Args:
        kinds: "allreduce", "bcast", ..., or several.
        ranks: numbers of ranks: 64, [16, 64], or "2:1024" by powers of two.
        sizes: bytes, of the whole vector, of a rank's block or of a pair's block (`orrery collective --help`): [8, "1MiB"] or
            "8:1MiB"; by default from 8 bytes to 1 MiB.
        algorithm: one or several, by Orrery's or Open MPI's names, or "all"; by default that of the selector.
        platform: as of `run`; so are `model`, `mapping`, `replicas`, `vary`, `seed` and `force`.
        selector: who chooses, by default "default"; `coll` and `rules` as of `run`. Not beside named algorithms.
        root: of collectives that have one.
        segments: bytes of segments, for algorithms that have them; by default several that suit the size, for "all".
        fanout: chains, or radix of a tree; 0: the algorithm's own.
        most_messages: leave out of "all" what would send more.
        immediate: non-blocking calls.
        type_size: bytes of an element; 0: 8 for reductions, else 1. `type_extent`: from one element to the next.
        operation: of reductions: "built-in", or a user's, "commutative" or "not-commutative".
        in_place: an all-to-all with MPI_IN_PLACE.
        progress: as of `run`.
    Raises:
        InputError: something cannot be used as it is, or no algorithm serves a call.
        Interrupted: Ctrl-C; its `result` has the calls that were simulated.

    Example:
        >>> o.collective("allreduce", ranks=64, sizes="8:1MiB", algorithm="all", selector="openmpi-4.1").losses.frame()
    """
    from orrery.collective.call import calls, check_acts, check_algorithms
    from orrery.collective.session import CollectiveSettings
    from orrery.collective.sizes import byte_sizes

    algorithms = (algorithm,) if isinstance(algorithm, str) else tuple(algorithm)
    several = [kinds] if isinstance(kinds, str) else list(kinds)
    check_choice("operation", operation, get_args(Operation))
    check_acts(several, root=root != 0, operation=operation != "built-in")
    choosing = {"selector": selector, "coll": coll, "rules": rules, "segment": segments, "fanout": fanout or None,
                "most_messages": None if most_messages == CollectiveSettings.most_messages else most_messages}  # fmt: skip
    check_algorithms(algorithms, [name for name, value in choosing.items() if value is not None])
    wanted = calls(
        several,
        numbers(ranks),
        None if sizes is None else numbers(sizes),
        root,
        immediate=immediate, type_size=type_size, operation=operation, in_place=in_place, type_extent=type_extent,
    )  # fmt: skip
    asked = CollectiveSettings(
        platform=named(platform),
        rules=optional_path(rules),
        selector=selector or "default",
        coll=coll or "",
        algorithms=algorithms,
        segments=None if segments is None else tuple(byte_sizes(numbers(segments), "segments")),
        model=model, mapping=mapping, root=root, replicas=replicas, vary=vary, seed=seed, force=force,
        fanout=fanout, most_messages=most_messages,
    )  # fmt: skip
    check_settings(asked)
    return _studied(wanted, asked, progress)


def _studied(wanted: list[Call], asked: CollectiveSettings, progress: Watching) -> Collectives:
    from orrery.collective.session import opened
    from orrery.collective.study import study

    if not wanted:
        raise InputError("kinds: expected at least one collective")
    with watched(progress), opened(wanted, asked) as (laboratory, question), _progress() as advanced:
        found = study(wanted, question, laboratory, advanced)
    if found.missing:
        there = len(wanted) - len(found.missing)
        result = Collectives(found) if there else None
        raise Interrupted(f"interrupted: {there} of {len(wanted)} calls are there", result)
    return Collectives(found)
