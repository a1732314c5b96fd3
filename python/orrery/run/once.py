# SPDX-License-Identifier: BSD-3-Clause
"""A program that is run once for its trace, which is gone afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.record.ended import check_end
from orrery.run.programs import programs_of
from orrery.run.session import simulate
from orrery.run.settings import RunSettings
from orrery.temporary import temporary_folder
from orrery.trace.sources import is_any_trace

_DATA = (".csv", ".json", ".mtx")
"""Endings of files with matrices and records."""


@contextmanager
def trace_of_run(ranks: int, command: Sequence[str], **settings: Any) -> Iterator[Path]:
    """The trace of a run; what the program prints goes to standard error.

    Args:
        ranks: how many.
        command: the program and its arguments.
        settings: fields of `RunSettings`.
    Raises:
        InputError: the program cannot be run, or its run failed; or it is a trace or a matrix.
        KeyboardInterrupt: Ctrl-C.
    """
    file = Path(command[0])
    if file.is_file() and (file.suffix in _DATA or is_any_trace(file)):
        raise InputError(f"{file}: says by itself how many ranks there are; leave -n out, which is for programs")
    with temporary_folder() as folder:
        trace = folder / "program.trace"
        record = simulate(
            RunSettings(programs=programs_of(ranks, list(command)), trace=trace, output_aside=True, **settings)
        )
        check_end(record, f"{command[0]}: the run")
        yield trace
