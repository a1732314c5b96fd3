# SPDX-License-Identifier: BSD-3-Clause
"""A run that is written as an OTF2 archive, as Score-P would have, replays as it ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.trace.reading import FIRST_OF_CALL, Operation, operations

pytest.importorskip("otf2")

from otf2_archives import NONE, OP, Archive

_PS = 10**12
_CALL_PS = 1000
_NO_CALLS = ("clock", "comm_free")  # are computation in the archive


class _Rank:
    """Writes what one rank did; its calls take a nanosecond."""

    def __init__(self, archive: Archive, rank: int, size: int, comms: dict[int, object]) -> None:
        self._archive, self._rank, self._size, self._comms = archive, rank, size, comms
        self._now = 0
        self._call: tuple[str, int] = ("", 0)
        self._inside: list[tuple[object, ...]] = []
        self._requests: dict[int, tuple[object, ...]] = {}

    def write(self, stream: list[Operation]) -> None:
        self._archive.call(self._rank, "MPI_Init", 0, 0)
        for operation in stream:
            starts = operation.kind not in _NO_CALLS and (
                operation.flags & FIRST_OF_CALL or operation.kind == "finalize"
            )
            if starts:
                self._end_call()
            self._now += round(operation.compute_s * _PS)
            if starts:
                self._call = (operation.routine, self._now)
            self._inside += self._events(operation)
        self._end_call()

    def _end_call(self) -> None:
        name, begin = self._call
        if name:
            self._archive.call(self._rank, name, begin, begin + _CALL_PS, *self._inside)
            self._now += _CALL_PS
        self._call, self._inside = ("", 0), []

    def _events(self, operation: Operation) -> list[tuple[object, ...]]:
        # What was received is known, not what there was room for.
        source, tag, size = (operation.peer, operation.tag, operation.bytes)
        if operation.answer and operation.peer < 0:
            source, tag, size = operation.answer.source, operation.answer.tag, operation.answer.bytes
        message = (source, self._comms[operation.comm], tag, size)
        match operation.kind:
            case "isend" if operation.blocking:
                return [("MpiSend", *message)]
            case "irecv" if operation.blocking:
                return [("MpiRecv", *message)]
            case "isend":
                self._requests[operation.request] = ("MpiIsendComplete", operation.request)
                return [("MpiIsend", *message, operation.request)]
            case "irecv":
                self._requests[operation.request] = ("MpiIrecv", *message, operation.request)
                return [("MpiIrecvRequest", operation.request)]
            case "wait_all":
                return [self._requests.pop(request) for request in operation.requests]
            case "collective":
                return self._collective(operation)
            case _:
                return []

    def _collective(self, operation: Operation) -> list[tuple[object, ...]]:
        total, is_root = operation.bytes * self._size, operation.peer == self._rank
        sizes = {
            "bcast": (total if is_root else 0, operation.bytes),
            "reduce": (operation.bytes, total if is_root else 0),
        }
        code = OP.CREATE_HANDLE if operation.collective == "new_comm" else getattr(OP, operation.collective.upper())
        what = (code, self._comms[operation.comm],
                operation.peer if operation.collective in sizes else NONE, *sizes.get(operation.collective, (total, total)))  # fmt: skip
        if operation.blocking:
            return [("MpiCollectiveBegin",), ("MpiCollectiveEnd", *what)]
        self._requests[operation.request] = ("NonBlockingCollectiveComplete", *what, operation.request)
        return [("NonBlockingCollectiveRequest", operation.request)]


def _as_otf2(trace: Path, folder: Path) -> Path:
    """Write a trace as an archive, of a program whose communicators have all ranks in the same order."""
    file = _core.TraceFile(str(trace))
    with Archive(folder, file.ranks, resolution=_PS) as archive:
        comms: dict[int, object] = {0: archive.world}
        comms |= {number: archive.comm(f"comm {number}", range(file.ranks)) for number, _ in file.communicators}
        for rank in range(file.ranks):
            _Rank(archive, rank, file.ranks, comms).write(list(operations(file, rank)))
    return archive.path


@pytest.mark.parametrize(("program", "ranks"), [("ring", 8), ("collectives", 6), ("heat2d", 4), ("wildcard", 5)])
def test_a_run_that_was_written_as_an_archive_replays_as_it_ran(sandbox: Sandbox, program: str, ranks: int) -> None:
    trace = sandbox.folder / "run.trace"
    run = sandbox.run(ranks, program, options=("-o", str(trace)))
    assert run.code == 0, run.err
    replay = sandbox.replayed(str(_as_otf2(trace, sandbox.folder / "archive")))
    assert (replay["messages"], replay["bytes"]) == (run.record["messages"], run.record["bytes"])
    # The same computation but for roundings of times to picoseconds, the same algorithms, and receives of any source
    # of whom they were then. The archive has what was measured: without call sites nobody can tell noise from it.
    again = sandbox.replayed(str(trace), "--match", "recorded", "--compute", "raw")
    assert replay["simulated_s"] == pytest.approx(again["simulated_s"], rel=1e-9)
