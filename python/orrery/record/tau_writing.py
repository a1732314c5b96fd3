# SPDX-License-Identifier: BSD-3-Clause
"""Profiles in the format of TAU, for ParaProf, pprof and Hatchet.

Each routine has two rows: its own, and one as a path below the application, by which Hatchet makes a tree. Phases are paths,
too. The application's times are whole microseconds, as TAU measures them, and as Hatchet expects; others have fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import orrery
from orrery.record.document import Row
from orrery.record.profile import APPLICATION
from orrery.record.tau import CALLPATH, TAU_APPLICATION
from orrery.words import comment, markup, tau

ENDING = ".tau"
"""Ending of folders that `orrery profile -o` writes."""


class _TauRow(NamedTuple):
    name: str
    """As TAU has it."""
    group: str
    row: Row


def write_tau(rows: Iterable[Row], folder: Path, metadata: Mapping[int, Mapping[str, str]]) -> None:
    """Write a file for each rank into a folder.

    Args:
        rows: of ranks, as `Profile.per_rank` has them.
        folder: that is there.
        metadata: of each rank, by TAU's names; the metric, and the name of Orrery and its version, come first.
    Raises:
        OSError: it cannot be written.
    """
    by_rank: dict[int, list[Row]] = {}
    for row in rows:
        by_rank.setdefault(row.rank or 0, []).append(row)
    for rank, own in by_rank.items():
        text = "\n".join(_lines(own, metadata.get(rank, {})))
        (folder / f"profile.{rank}.0.0").write_text(text + "\n", encoding="utf-8")


def _lines(rows: Sequence[Row], metadata: Mapping[str, str]) -> Iterator[str]:
    named = [*_flat(rows), *_paths(rows)]
    yield f"{len(named)} templated_functions_MULTI_TIME"
    yield comment(f"Name Calls Subrs Excl Incl ProfileCalls # {_metadata_text(metadata)}")
    for name, group, row in named:
        times = (row.exclusive_s * 1e6, row.inclusive_s * 1e6)
        exclusive, inclusive = (f"{t:.0f}" if name == TAU_APPLICATION else f"{t:.16G}" for t in times)
        yield f'{tau(name)} {row.calls} {row.subrs} {exclusive} {inclusive} 0 GROUP="{group}"'
    yield "0 aggregates"


def _flat(rows: Sequence[Row]) -> Iterator[_TauRow]:
    """Those of the whole run."""
    for row in rows:
        if row.phase is None:
            name = TAU_APPLICATION if row.name == APPLICATION else row.name
            yield _TauRow(name, _group_of(row.name), row)


def _paths(rows: Sequence[Row]) -> Iterator[_TauRow]:
    """What is outside of phases directly below the application, and what is inside of them below their names."""
    inside = [row for row in rows if row.phase is not None]
    for row in rows:
        if row.phase is None and row.name == APPLICATION:
            continue
        name = row.name.removeprefix(f"{APPLICATION} => ")
        own = row
        if row.phase is None:
            own = _without(row, [part for part in inside if part.name.endswith(f" => {row.name}")])
        if own.calls > 0:
            last = name.rsplit(" => ", 1)[-1]
            yield _TauRow(f"{TAU_APPLICATION} => {name}", f"{_group_of(last)} | {CALLPATH}", own)


def _without(row: Row, parts: Sequence[Row]) -> Row:
    return replace(
        row,
        calls=row.calls - sum(part.calls for part in parts),
        exclusive_s=max(0.0, row.exclusive_s - sum(part.exclusive_s for part in parts)),
        inclusive_s=max(0.0, row.inclusive_s - sum(part.inclusive_s for part in parts)),
    )


def _group_of(name: str) -> str:
    """TAU's group of a routine."""
    if name.endswith("[THROTTLED]"):
        return "TAU_DISABLE"
    return "MPI" if name.startswith("MPI_") else "TAU_DEFAULT"


def _metadata_text(metadata: Mapping[str, str]) -> str:
    about = {"Metric Name": "TIME", "Written By": f"Orrery {orrery.__version__}", **metadata}
    attributes = (
        f"<attribute><name>{markup(name)}</name><value>{markup(value)}</value></attribute>"
        for name, value in about.items()
    )
    return f"<metadata>{''.join(attributes)}</metadata>"
