# SPDX-License-Identifier: BSD-3-Clause
"""docs/mpi-coverage.md: which routines are there, which are missing, and why."""

from collections.abc import Iterator
from itertools import groupby

from generator.table import Chapter, ChapterSection, Routine, RoutineTable


def _names(routines: list[Routine]) -> str:
    return ", ".join(f"`MPI_{r.name}`" + ("†" if r.large else "") + ("‡" if r.deprecated else "") for r in routines)


def _summary(table: RoutineTable) -> Iterator[str]:
    yield "| chapter | implemented | missing |"
    yield "|---|---:|---:|"
    total = [0, 0]
    for chapter in table.chapters:
        forms = [form for routine in chapter.routines() for form in routine.forms()]
        there = sum(form.routine.missing is None for form in forms)
        total[0] += there
        total[1] += len(forms) - there
        yield f"| {chapter.number} {chapter.title} | {there} | {len(forms) - there} |"
    yield f"| **all** | **{total[0]}** | **{total[1]}** |"


def _section(section: ChapterSection, table: RoutineTable) -> Iterator[str]:
    if section.title:
        yield f"### {section.title}\n"
    there = [r for r in section.routines if r.missing is None]
    if there:
        yield _names(there) + "\n"
    absent = sorted((r for r in section.routines if r.missing is not None), key=lambda r: str(r.missing))
    for reason, routines in groupby(absent, key=lambda r: str(r.missing)):
        yield f"Missing: {_names(list(routines))}. {table.reasons[reason]}\n"


def _chapter(chapter: Chapter, table: RoutineTable) -> Iterator[str]:
    yield f"## {chapter.number} {chapter.title}\n"
    for section in chapter.sections:
        yield from _section(section, table)


def coverage(table: RoutineTable) -> str:
    """The page, without its first line."""
    lines = [
        "# MPI coverage\n",
        "Routines of the MPI 5.0 standard ABI by chapter of the standard. A program links whatever it names; a routine",
        "that is missing ends the run with its name when it is called. The count includes large-count forms.\n",
        *_summary(table),
        "",
        "† has a large-count form (`_c`) too, in the same state; ‡ deprecated in the standard.\n",
        "The header that the ABI working group publishes names `MPI_Psend_init_c` and `MPI_Precv_init_c` besides, which",
        "the standard does not have: their count is large as it is. The library has them for programs that were compiled",
        "with that header.\n",
    ]
    for chapter in table.chapters:
        lines += _chapter(chapter, table)
    return "\n".join(lines).rstrip() + "\n"
