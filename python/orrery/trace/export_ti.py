# SPDX-License-Identifier: BSD-3-Clause
"""Time-independent traces of SimGrid, as `smpirun -replay` reads them.

That format knows one communicator. Messages on others get tags of their own; collective calls on others become the
messages of their algorithms. For windows, files, partitions and collectives that do not block it has no word: they are
refused, or left out and counted where the user wants that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orrery import _core
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.output import Output
from orrery.temporary import temporary_folder
from orrery.trace.reading import Operation, is_steady, operations
from orrery.trace.timed_calls import ONLY_COUNTED, counted_calls

_KINDS = _core.operation_kinds()
_ROUTINES = {name: number for number, name in enumerate(_core.routine_names())}
_ANY_TAG = -444
_BYTE = 6  # MPI_BYTE among SMPI's datatypes
_SILENT = frozenset(("compute", "clock", "comm_free", "match"))
"""Kinds that say nothing to other ranks."""
_NOTED = {
    **dict.fromkeys(("phase_begin", "phase_end"), ("begins and ends of phases", "the format has no word for them")),
    **dict.fromkeys(("probe", "iprobe"), ("probes", "the format has no word for them; the receives are there")),
    "arrived": ("tests of parts of messages", "the format has no word for them"),
    "request_free": ("requests that are freed", "the format has no word for it: nobody waits for them"),
}
"""Kinds that are left out, and why: others do not wait for them."""
_NO_WORD = "the format has no word for it"
_OWN_NAME = re.compile(r"rank-\d+\.txt")
_FIRST_TAG = 1 << 30  # programs hardly use tags from here on
_TESTS = frozenset(("test_all", "test_any", "test_some"))
_WAITS = {"wait_all", "wait_any", "wait_some", "test_all", "test_any", "test_some"}


class _SharedNumbers:
    """What ranks agree on: numbers for what tells messages apart, and elements of collective calls."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._elements: dict[tuple[int, int], int] = {}

    def of_message(self, comm: int, tag: int) -> int:
        """The tag itself on MPI_COMM_WORLD."""
        if tag < 0:
            return _ANY_TAG
        return tag if comm == 0 and tag < _FIRST_TAG else self._number((comm, tag, -1))

    def of_call(self, comm: int, number: int, part: int) -> int:
        """The tag of a part of a call that has tags of its own."""
        return self._number((comm, number, part))

    def element_of_call(self, comm: int, number: int, element: int) -> int:
        """That of the first rank: datatypes may differ where their signatures do not, and so may their sizes."""
        return self._elements.setdefault((comm, number), element)

    def _number(self, key: tuple[int, int, int]) -> int:
        return self._numbers.setdefault(key, _FIRST_TAG + len(self._numbers))


def check_place(output: Output, *, overwrite: bool) -> None:
    """Raises InputError where the folder of the ranks' files holds others, or there can be none."""
    if output.is_standard_output:
        raise InputError("-o -: a time-independent trace is a file for each rank; name a file")
    folder = _folder(output.path)
    strange = [path for path in folder.iterdir() if not _OWN_NAME.fullmatch(path.name)] if folder.is_dir() else []
    if (strange or folder.is_file()) and not overwrite:
        raise InputError(
            f"{strange[0] if strange else folder}: is where the ranks' files go, and Orrery did not write it; name another "
            "file, or write there with --overwrite"
        )


def _folder(out: Path) -> Path:
    return out.with_name(out.name + "_files")


@dataclass(frozen=True)
class CallsAsMessages:
    """How collective calls are written that the format has no word for."""

    selector: _core.Selector
    """Chooses their algorithms."""
    uses: _core.AlgorithmUses
    """Counts what it chose."""
    check: Callable[[], None]
    """Raises InputError if that is not what the user asked for. Called before anything is put in its place."""


def export_ti(
    file: _core.TraceFile, out: Path, index: Path, flops_per_s: float, calls: CallsAsMessages, *, lossy: bool
) -> Omissions:
    """Write `index`, which is to be `out` and names the ranks' files, and these beside `out`, all or none.

    Returns what was left out.
    Raises InputError when something cannot be said in that format, unless `lossy`.
    """
    folder = _folder(out)
    left_out = Omissions()
    left_out.add(ONLY_COUNTED, "they send nothing", counted_calls(file))
    shared = _SharedNumbers()
    names = [f"rank-{rank}.txt" for rank in range(file.streams)]
    try:
        with temporary_folder(f".{folder.name}-", out.parent) as unfinished:
            for rank, name in enumerate(names):
                with (unfinished / name).open("w", encoding="ascii") as text:
                    writer = _TiRank(file, rank, flops_per_s, calls, shared)
                    text.writelines(f"{rank} {line}\n" for line in writer.lines(left_out, lossy=lossy))
            calls.check()
            folder.mkdir(exist_ok=True)
            for name in names:
                (unfinished / name).replace(folder / name)
        index.write_text("".join(f"{folder.name}/{name}\n" for name in names), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}: cannot write the trace, or its files in {folder.name}") from None
    return left_out


class _TiRank:
    """One stream on its way out."""

    def __init__(
        self, file: _core.TraceFile, rank: int, flops_per_s: float, calls: CallsAsMessages, shared: _SharedNumbers
    ) -> None:
        self._file = file
        self._calls = calls
        self._shared = shared
        self._rank = rank
        self._flops_per_s = flops_per_s
        self._size = file.ranks
        self._under_way: dict[int, tuple[int, int, int]] = {}

    def lines(self, left_out: Omissions, *, lossy: bool) -> Iterator[str]:
        yield "init 1"
        for operation in operations(self._file, self._rank, steady=is_steady(self._file)):
            if operation.compute_s > 0:
                yield f"compute {operation.compute_s * self._flops_per_s:.17g}"
            if operation.kind in _SILENT:
                continue
            if operation.kind in _NOTED:
                left_out.add(*_NOTED[operation.kind])
                continue
            self._note(operation, left_out)
            try:
                yield from self._said(operation)
            except NotImplementedError as error:
                if not lossy:
                    raise InputError(
                        f"rank {self._rank}: {error} cannot be said in a time-independent trace; --lossy leaves it out"
                    ) from None
                left_out.add(str(error), _NO_WORD)

    def _note(self, operation: Operation, left_out: Omissions) -> None:
        """What is written is not all that the operation said."""
        if operation.kind in _TESTS and not operation.resolved:
            left_out.add("tests after which nothing was over", "the format has no word for them")
        if operation.collective == "new_comm" and operation.comm == 0:
            left_out.add("making of communicators", "the format has no word for it: an allgather or allreduce instead")

    def _said(self, operation: Operation) -> Iterator[str]:
        if operation.kind in ("isend", "irecv"):
            yield self._message(operation)
        elif operation.kind in _WAITS:
            yield from self._wait(operation)
        elif operation.kind == "collective" and operation.comm != 0 and operation.blocking:
            yield from self._steps(operation)
        elif operation.kind == "collective":
            yield self._collective(operation)
        elif operation.kind == "sleep":
            yield f"sleep {operation.bytes * 1e-9:.9g}"
        elif operation.kind == "finalize":
            yield "finalize"
        else:
            raise NotImplementedError(operation.routine or operation.kind)

    def _message(self, operation: Operation) -> str:
        sends = operation.kind == "isend"
        peer = operation.peer
        if peer < 0 and operation.answer is not None:
            peer = operation.answer.source
        chosen = operation.answer.tag if operation.tag < 0 and operation.answer is not None else operation.tag
        tag = self._shared.of_message(operation.comm, chosen)
        partner = peer if peer >= 0 else -555
        if not operation.blocking:
            pair = (self._rank, peer) if sends else (partner, self._rank)
            self._under_way[operation.request] = (*pair, tag)
        name = operation.kind if not operation.blocking else "send" if sends else "recv"
        return f"{name} {partner} {tag} {operation.bytes} {_BYTE}"

    def _wait(self, operation: Operation) -> Iterator[str]:
        resolved = [request for request in operation.resolved if request in self._under_way]
        if resolved and len(resolved) == len(self._under_way):
            self._under_way.clear()
            yield f"waitall {len(resolved)}"
            return
        for request in resolved:
            source, dest, tag = self._under_way.pop(request)
            yield f"wait {source} {dest} {tag}"

    def _steps(self, o: Operation) -> Iterator[str]:
        """The messages of a call on part of the ranks."""
        open_: dict[int, tuple[int, int, int]] = {}
        element = self._shared.element_of_call(o.comm, o.tag, o.element)
        steps = _core.collective_steps(
            self._file, self._rank, self._calls.selector, o.collective, o.comm, o.peer, o.bytes, element, o.flags, o.counts,
            _ROUTINES.get(o.routine, 0), self._calls.uses,
        )  # fmt: skip
        for kind, blocking, peer, part, size, request, requests in steps:
            if requests:
                yield from (f"wait {source} {dest} {tag}" for source, dest, tag in map(open_.pop, requests))
                continue
            tag = self._shared.of_call(o.comm, o.tag, part)
            sends = _KINDS[kind] == "isend"
            if not blocking:
                open_[request] = (self._rank, peer, tag) if sends else (peer, self._rank, tag)
            name = ("send" if sends else "recv") if blocking else _KINDS[kind]
            yield f"{name} {peer} {tag} {size} {_BYTE}"

    def _collective(self, operation: Operation) -> str:
        name = operation.routine or operation.collective
        if not operation.blocking:
            raise NotImplementedError(operation.routine or f"non-blocking {operation.collective}")
        kind = operation.collective
        if kind == "new_comm":  # the format has no costs for these; its simulator does not know what a library says
            kind = "told" if operation.bytes > 0 else "agreed"
        if kind not in _COLLECTIVES:
            raise NotImplementedError(name)
        there, back = operation.counts[: self._size], operation.counts[self._size :]
        return _COLLECTIVES[kind].format(
            size=operation.bytes,
            root=operation.peer,
            sizes=" ".join([str(operation.bytes)] * self._size),
            counts=" ".join(map(str, there or [0] * self._size)),
            total=sum(there),
            back=" ".join(map(str, back)),
            total_back=sum(back),
        )


_COLLECTIVES = {
    "told": f"allgather {{size}} {{size}} {_BYTE} {_BYTE}",
    "agreed": f"allreduce 4 0 {_BYTE}",
    "barrier": "barrier",
    "bcast": f"bcast {{size}} {{root}} {_BYTE}",
    "reduce": f"reduce {{size}} 0 {{root}} {_BYTE}",
    "allreduce": f"allreduce {{size}} 0 {_BYTE}",
    "scan": f"scan {{size}} 0 {_BYTE}",
    "exscan": f"exscan {{size}} 0 {_BYTE}",
    "alltoall": f"alltoall {{size}} {{size}} {_BYTE} {_BYTE}",
    "allgather": f"allgather {{size}} {{size}} {_BYTE} {_BYTE}",
    "gather": f"gather {{size}} {{size}} {{root}} {_BYTE} {_BYTE}",
    "scatter": f"scatter {{size}} {{size}} {{root}} {_BYTE} {_BYTE}",
    "gatherv": f"gatherv {{size}} {{counts}} {{root}} {_BYTE} {_BYTE}",
    "allgatherv": f"allgatherv {{size}} {{counts}} {_BYTE} {_BYTE}",
    "scatterv": f"scatterv {{counts}} {{size}} {{root}} {_BYTE} {_BYTE}",
    "reduce_scatter": f"reducescatter {{counts}} 0 {_BYTE}",
    "reduce_scatter_block": f"reducescatter {{sizes}} 0 {_BYTE}",
    "alltoallv": f"alltoallv {{total}} {{counts}} {{total_back}} {{back}} {_BYTE} {_BYTE}",
    "alltoallw": f"alltoallv {{total}} {{counts}} {{total_back}} {{back}} {_BYTE} {_BYTE}",
}
"""What a call is written as, in bytes."""
