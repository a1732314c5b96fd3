# SPDX-License-Identifier: BSD-3-Clause
"""Files that `-o` and `--report` name, by their endings, which say what is written. Without typer: replays are read before it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, Output, checked

FIGURES = (".html", ".svg", ".png")
"""Endings of pages and pictures, as report/figure_file.py writes them."""


def by_ending(
    files: Sequence[Path] | None, endings: Sequence[str], *, overwrite: bool, read: Iterable[Path] = ()
) -> dict[str, Output]:
    """Places to write, by the ending that says what; of each ending at most one. They are checked, nothing is opened.

    Args:
        files: what `-o` named.
        endings: those that there are, such as ".json".
        overwrite: replace what is there, whoever wrote it.
        read: files that the command reads.
    Raises:
        InputError: an ending is none of these, or comes twice, or a file cannot be written.
    """
    found: dict[str, Output] = {}
    read = list(read)
    for file in files or ():
        ending = file.suffix.lower()
        if file == STANDARD_OUTPUT:
            raise InputError("-o -: a name's ending says what is written; --json prints to standard output")
        if ending not in endings:
            raise InputError(f"-o {file}: its ending says what is written; expected one of {', '.join(endings)}")
        if ending in found:
            raise InputError(f"-o {file}: {found[ending].path} is to be written as {ending} already; name one")
        found[ending] = checked(file, overwrite=overwrite, read=read)
    return found


def figure_of(outputs: dict[str, Output]) -> list[Output]:
    """The pages and pictures among them."""
    return [output for ending, output in outputs.items() if ending in FIGURES]


def report_output(file: Path | None, *, overwrite: bool, read: Iterable[Path] = ()) -> Output | None:
    """Where `--report` writes, checked before the work. Raises InputError where it cannot be written."""
    if file is None:
        return None
    if file.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--report {file}: the report is a page; name it FILE.html")
    return checked(file, overwrite=overwrite, read=read)


def profile_output(file: Path, *, overwrite: bool, read: Iterable[Path]) -> Output:
    """Where `--groups-out` writes, checked before the work. Raises InputError where it cannot be written."""
    if file == STANDARD_OUTPUT:
        raise InputError("--groups-out -: standard output is the program's; name a file")
    return checked(file, overwrite=overwrite, read=read)
