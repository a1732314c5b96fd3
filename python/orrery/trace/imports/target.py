# SPDX-License-Identifier: BSD-3-Clause
"""The trace that an import writes: operations under the names of MPI's routines, each in the time of its call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from orrery import _core
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.trace.reading import BLOCKING, FIRST_OF_CALL, LEFT_OUT
from orrery.trace.start_up import STARTS

WANTS_MATCH = 4
COMMUTATIVE = 8
USER_DEFINED = 16
ANY_SOURCE = -1
ANY_TAG = -2
COLOR_AND_KEY_BYTES = 8  # what each rank tells all others where a communicator is split
STANDARD, SYNCHRONOUS, BUFFERED, READY = range(4)
_ROUTINES_TABLE, _HOSTS_TABLE = 1, 5
_TAG_END = 1 << 31
_LONGEST_NS = (1 << 63) - 1


class Target:
    """A new trace of `ranks` ranks, and what could not be said in it."""

    def __init__(self, path: Path, ranks: int, *, lossy: bool) -> None:
        self.ranks = ranks
        self.left_out = Omissions()
        self.damage: list[str] = []
        """What could not be read, a sentence each."""
        self._lossy = lossy
        self._lost: set[str] = set()
        self._local: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        """Calls of the present rank, and nanoseconds in them, by routine."""
        self.writer = _core.TraceWriter(str(path), ranks)
        names = _core.routine_names()
        self.writer.names(_ROUTINES_TABLE, 0, names)
        self._routines = {name: number for number, name in enumerate(names)}
        self._kinds = {name: number for number, name in enumerate(_core.operation_kinds())}

    @property
    def what_is_damaged(self) -> list[str]:
        """What could not be read, in words for people."""
        return [f"{what}; what was before it is there" for what in self.damage]

    def routine(self, name: str) -> int:
        """Its number; 0 for one that is not known."""
        return self._routines.get(name, 0)

    def kind(self, name: str) -> int:
        """Its number."""
        return self._kinds[name]

    def host(self, rank: int, name: str) -> None:
        """Where a rank ran."""
        self.writer.names(_HOSTS_TABLE, rank, [name])

    def lose(self, rank: int, what: str, why: str) -> None:
        """Leave out communication. Raises InputError unless that is wanted."""
        if not self._lossy:
            raise InputError(f"rank {rank}: {what} cannot be imported: {why}; --lossy leaves it out")
        self.left_out.add(what, why)
        self._lost.add(what)

    def count_local(self, name: str, ns: int) -> None:
        """Note a call of the present rank that neither communicates nor waits: it is counted, its time is computation."""
        if name in STARTS:
            return
        routine = self.routine(name)
        if routine == 0:
            if name not in self._lost:
                self.left_out.add(name, "no routine of MPI that is known; its time counts as computation")
            return
        self._local[routine][0] += 1
        self._local[routine][1] = min(_LONGEST_NS, self._local[routine][1] + max(0, ns))

    def end(self, rank: int, *, complete: bool) -> None:
        """The present rank does nothing more."""
        if self._local:
            rows = [(routine, calls, ns) for routine, (calls, ns) in sorted(self._local.items())]
            self.writer.local_calls(rank, rows)
            self._local.clear()
        self.writer.end(rank, complete)

    def close(self) -> None:
        """Write what is left; the trace says itself what it lacks. Raises InputError when it could not be written."""
        if text := self.left_out.to_text():
            self.writer.property(LEFT_OUT, text)
        self.writer.close()


class TargetCall:
    """One call of one rank, whose operations are written as they come: the first carries the computation before it."""

    def __init__(self, target: Target, rank: int, routine: str, compute_s: float, times: tuple[int, int]) -> None:
        """`times`: begin and end in ns since the start of the run; -1: not known."""
        self._target = target
        self._rank = rank
        self._name = routine
        self._routine = target.routine(routine)
        self._compute_s = compute_s
        self._times = times
        self._flags = FIRST_OF_CALL

    @property
    def written(self) -> bool:
        """Something of it has been."""
        return self._flags == 0

    def add(
        self,
        kind: str,
        *,
        flags: int = 0,
        mode: int = STANDARD,
        collective: str = "",
        peer: int = 0,
        tag: int = 0,
        comm: int = 0,
        request: int = 0,
        size: int = 0,
        element: int = 0,
        requests: Sequence[int] = (),
        counts: Sequence[int] = (),
    ) -> None:
        """The next operation of the call; sizes in bytes."""
        try:
            self._target.writer.operation(
                self._rank,
                self._target.kind(kind),
                routine=self._routine,
                flags=flags | self._flags,
                mode=mode,
                collective=collective,
                peer=peer,
                tag=tag,
                comm=comm,
                request=request,
                compute_s=self._compute_s,
                bytes=max(0, size),
                element=element,
                requests=list(requests),
                counts=list(counts),
                begin_ns=self._times[0],
                end_ns=self._times[1],
            )
        except TypeError:
            raise self._beyond() from None
        self._compute_s = 0.0
        self._flags = 0

    def start(self) -> None:
        """MPI_Init, which took the time of the call; one that took none says nothing. What was before it is no part of the run."""
        self._compute_s = 0.0
        if self._times[0] != self._times[1] or self._times[0] < 0:
            self.add("compute")

    def receive(self, source: int, tag: int, comm: int, size: int, request: int = 0) -> bool:
        """A receive that blocks unless it has a request. Gives whether somebody else chooses its message."""
        wild = source == ANY_SOURCE or tag == ANY_TAG
        flags = (0 if request else BLOCKING) | (WANTS_MATCH if wild else 0)
        self.add("irecv", flags=flags, peer=source, tag=tag, comm=comm, size=size, request=request)
        return wild

    def collective(
        self,
        collective: str,
        comm: int,
        number: int,
        *,
        size: int = 0,
        element: int = 1,
        root: int = 0,
        counts: Sequence[int] = (),
        flags: int = COMMUTATIVE,
        request: int = 0,
    ) -> None:
        """The `number`th call of a collective on a communicator; it blocks unless it has a request."""
        self.add("collective", flags=flags | (0 if request else BLOCKING), collective=collective, comm=comm,
                 tag=number % _TAG_END, size=size, element=max(1, element), peer=root, counts=counts, request=request)  # fmt: skip

    def answer(
        self, *, flag: bool = True, source: int = -1, tag: int = ANY_TAG, size: int = 0, completed: Sequence[int] = ()
    ) -> None:
        """What the operation before was told."""
        try:
            self._target.writer.answer(self._rank, flag, source, tag, max(0, size), list(completed))
        except TypeError:
            raise self._beyond() from None

    def _beyond(self) -> InputError:
        """Numbers come from files, and the trace has 32 bits for most, and 64 for bytes and times."""
        return InputError(f"rank {self._rank}: {self._name} has a number that is too large or negative")


EQUAL_PARTS = "only its sum is in the trace: equal parts are taken"
"""Why what goes to each rank in MPI_Alltoallv and MPI_Alltoallw is not imported."""


def equal_parts(total: int, count: int) -> list[int]:
    """What each of `count` ranks has of `total` bytes, if they have as much as each other."""
    return [total // count + (rank < total % count) for rank in range(count)]
