# SPDX-License-Identifier: BSD-3-Clause
"""The trace that an import writes: operations under the names of MPI's routines, each in the time of its call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from orrery import _core
from orrery.errors import InputError
from orrery.trace.reading import BLOCKING, FIRST_OF_CALL

WANTS_MATCH = 4
COMMUTATIVE = 8
USER_DEFINED = 16
ANY_SOURCE = -1
ANY_TAG = -2
COLOR_AND_KEY_BYTES = 8  # what each rank tells all others where a communicator is split
STANDARD, SYNCHRONOUS, BUFFERED, READY = range(4)
_ROUTINES_TABLE, _HOSTS_TABLE = 1, 5
_TAG_END = 1 << 31


class Target:
    """A new trace of `ranks` ranks, and what could not be said in it."""

    def __init__(self, path: Path, ranks: int, *, lossy: bool) -> None:
        self.ranks = ranks
        self.lost: Counter[str] = Counter()
        self.damage: list[str] = []
        """What could not be read, a sentence each."""
        self._lossy = lossy
        self.writer = _core.TraceWriter(str(path), ranks)
        names = _core.routine_names()
        self.writer.names(_ROUTINES_TABLE, 0, names)
        self._routines = {name: number for number, name in enumerate(names)}
        self._kinds = {name: number for number, name in enumerate(_core.operation_kinds())}

    def routine(self, name: str) -> int:
        """Its number; 0 for one that is not known."""
        return self._routines.get(name, 0)

    def kind(self, name: str) -> int:
        """Its number."""
        return self._kinds[name]

    def host(self, rank: int, name: str) -> None:
        """Where a rank ran."""
        self.writer.names(_HOSTS_TABLE, rank, [name])

    def lose(self, rank: int, what: str) -> None:
        """Leave something out. Raises InputError unless that is wanted."""
        if not self._lossy:
            raise InputError(f"rank {rank}: {what} cannot be imported; --lossy leaves it out")
        self.lost[what] += 1


class Call:
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


def equal_parts(total: int, count: int) -> list[int]:
    """What each of `count` ranks has of `total` bytes, if they have as much as each other."""
    return [total // count + (one < total % count) for one in range(count)]
