# SPDX-License-Identifier: BSD-3-Clause
"""Gives the readers that are Python what nobody wrote: `python tests/fuzz/readers.py READER CORPUS [libFuzzer's options]`.

A reader may refuse what it gets with InputError, and with nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["orrery"]):
    from orrery.collective.rules_file import read_rules
    from orrery.deploy.places import read_places
    from orrery.deploy.rules import read_rules as read_deployed_rules
    from orrery.errors import InputError
    from orrery.experiment.rank_file import placed_by_file
    from orrery.job.reading import load as load_job
    from orrery.job.reading import parse as parse_job
    from orrery.job.writing import to_toml, to_xml
    from orrery.platform.load import load as load_platform
    from orrery.platform.simgrid.convert import convert
    from orrery.trace.imports.dumpi import import_dumpi
    from orrery.trace.imports.paraver import import_paraver
    from orrery.trace.workload import load as load_workload
    from orrery.trace.workload import phases

_NAMES = """EVENT_TYPE
9 50000001 MPI
VALUES
1 MPI_Send
2 MPI_Recv
3 MPI_Isend
4 MPI_Irecv
5 MPI_Wait
6 MPI_Waitall
41 MPI_Sendrecv

EVENT_TYPE
9 50000002 MPI
VALUES
7 MPI_Bcast
8 MPI_Barrier
12 MPI_Alltoallv
14 MPI_Gatherv

EVENT_TYPE
9 50000003 MPI
VALUES
31 MPI_Init
32 MPI_Finalize
"""


def _dumpi(file: Path) -> None:
    import_dumpi(file, file.with_suffix(".trace"), lossy=True)


def _paraver(file: Path) -> None:
    file.with_suffix(".pcf").write_text(_NAMES)
    import_paraver(file, file.with_suffix(".trace"), lossy=True)


def _job(file: Path) -> None:
    job = load_job(file)
    for text in (to_toml(job.profile), to_xml(job.profile)):
        if parse_job("again", text.encode()).profile != job.profile:
            raise AssertionError(text)
    job.resolve(8)


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "dumpi": ("fuzz-0000.bin", _dumpi),
    "paraver": ("fuzz.prv", _paraver),
    "platform-toml": ("fuzz.toml", lambda file: load_platform(str(file))),
    "platform-xml": ("fuzz.xml", lambda file: convert(file, "fuzz", None)),
    "workload": ("fuzz.toml", lambda file: phases(load_workload(file))),
    "job": ("fuzz.job", _job),
    "rules": ("fuzz.conf", read_rules),
    "deployed-rules": ("fuzz.toml", read_deployed_rules),
    "deployed-places": ("fuzz.toml", read_places),
    "rank-file": (
        "fuzz.ranks",
        lambda file: list(islice(placed_by_file(str(file), ["a", "b"], [2, 4], [1, 2])[0], 100)),
    ),
}
"""By name: what the file is called, and what reads it."""


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"readers.py READER CORPUS [OPTIONS]; READER: {', '.join(READERS)}")
    name, read = READERS[sys.argv.pop(1)]
    # libFuzzer leaves without a word to Python, so that the folder is removed by another process.
    with tempfile.TemporaryDirectory(prefix="orrery-fuzz-") as folder:
        fuzzer = os.fork()
        if fuzzer == 0:
            _fuzz(Path(folder) / name, read)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(fuzzer, signal.SIGTERM))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells the fuzzer, too
        code = os.waitstatus_to_exitcode(os.waitpid(fuzzer, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


def _fuzz(file: Path, read: Callable[[Path], object]) -> None:
    """Does not come back."""

    def one(data: bytes) -> None:
        file.write_bytes(data)
        with suppress(InputError):
            read(file)

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
