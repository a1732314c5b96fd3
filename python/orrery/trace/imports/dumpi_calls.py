# SPDX-License-Identifier: BSD-3-Clause
"""What the calls of one rank of a DUMPI trace are as operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from orrery.errors import InputError
from orrery.trace.imports.dumpi_file import DumpiEvent, Status
from orrery.trace.imports.dumpi_groups import MAKING, SELF, WORLD, DumpiCommunicators
from orrery.trace.imports.target import (
    ANY_SOURCE,
    ANY_TAG,
    BUFFERED,
    COLOR_AND_KEY_BYTES,
    COMMUTATIVE,
    READY,
    STANDARD,
    SYNCHRONOUS,
    USER_DEFINED,
    Target,
    TargetCall,
)
from orrery.trace.reading import BLOCKING
from orrery.trace.start_up import STARTS

_MODES = {"Send": STANDARD, "Bsend": BUFFERED, "Ssend": SYNCHRONOUS, "Rsend": READY}
_SENDS = {f"MPI_{name}": mode for name, mode in _MODES.items()}
_ISENDS = {f"MPI_I{name.lower()}": mode for name, mode in _MODES.items()}
_SEND_INITS = {f"MPI_{name}_init": mode for name, mode in _MODES.items()}
_FIRST_OWN_OP = 15
_LEAST_NULL = -16
"""MPI_PROC_NULL is a small negative number, which every MPI chooses for itself, and MPI_ROOT another one."""
_EXCHANGE = (0x7FFFFF00, 0x7FFFFF01)  # requests of a sendrecv, which no trace has
_BYTES = {2: 1, 3: 1, 4: 1, 5: 1, 6: 4, 7: 2, 8: 2, 9: 4, 10: 4, 11: 8, 12: 8, 13: 4, 14: 8, 15: 16, 16: 8, 17: 8, 18: 8,
          19: 1, 22: 8, 23: 12, 24: 12, 25: 6, 26: 8, 27: 20}  # fmt: skip
"""Bytes of an element of MPI's own datatypes, by number, where the trace does not say: those of 64-bit Linux."""

_WINDOWS = "what moves in a window, and when, is not in the trace"
_OTHER_SIDE = "who is on the other side is not in the trace"
_FILES = "when data of files moved is not in the trace"
_NO_MEMBERS = "only members of communicators that were split, copied or arranged from others are in the trace"
_UNKNOWN = {
    **dict.fromkeys(("MPI_Accumulate", "MPI_Get", "MPI_Put", "MPI_Win_fence", "MPI_Win_lock", "MPI_Win_unlock",
                     "MPI_Win_start", "MPI_Win_complete", "MPI_Win_post", "MPI_Win_wait", "MPI_Win_create",
                     "MPI_Win_free"), _WINDOWS),
    **dict.fromkeys(("MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect",
                     "MPI_Comm_join", "MPI_Intercomm_create", "MPI_Intercomm_merge"), _OTHER_SIDE),
}  # fmt: skip
"""Calls that take part in communication and cannot be imported, besides those to files, and why."""


class DumpiRankImport:
    """Takes the calls of a rank one after the other and writes operations."""

    def __init__(
        self, target: Target, rank: int, groups: DumpiCommunicators, type_bytes: list[int], start_ns: int
    ) -> None:
        self._target = target
        self._rank = rank
        self._groups = groups
        self._type_bytes = type_bytes
        self._start_ns = start_ns
        self._made = iter(groups.made_by(rank))
        self._comms: dict[int, int | None] = {WORLD: 0}
        self._calls: dict[int, int] = defaultdict(int)
        self._prepared: dict[int, tuple[bool, int, dict[str, Any]]] = {}
        self._open: dict[int, bool] = {}
        self._flags: dict[int, int] = {}
        self._before_ns = -1
        self._handlers: dict[str, Callable[[str, dict[str, Any], TargetCall], None]] = {
            **dict.fromkeys(MAKING, self._make),
            **dict.fromkeys([*_SENDS, *_ISENDS], self._take_send),
            **dict.fromkeys(["MPI_Recv", "MPI_Irecv"], self._take_receive),
            **dict.fromkeys([*_SEND_INITS, "MPI_Recv_init"], self._prepare),
            **dict.fromkeys(["MPI_Start", "MPI_Startall"], self._start),
            **dict.fromkeys(["MPI_Sendrecv", "MPI_Sendrecv_replace"], self._exchange),
            **dict.fromkeys([f"MPI_{name}" for name in _WAITS], self._wait),
            **dict.fromkeys(["MPI_Probe", "MPI_Iprobe"], self._probe),
            **dict.fromkeys(["MPI_Cancel", "MPI_Request_free"], self._withdraw),
            **dict.fromkeys(_COLLECTIVES, self._collective),
            "MPI_Op_create": self._note_op,
            "MPI_Comm_free": self._free_comm,
            "MPI_Finalize": self._finalize,
        }

    def take(self, event: DumpiEvent) -> None:
        """The next call."""
        begin, end = event.begin_ns, max(event.begin_ns, event.end_ns)
        known = begin >= 0
        compute_ns = max(0, begin - self._before_ns) if known and self._before_ns >= 0 else 0
        times = (begin - self._start_ns, end - self._start_ns) if known else (-1, -1)
        call = TargetCall(self._target, self._rank, event.name, compute_ns * 1e-9, times)
        self._act(event.name, event.arguments, call)
        if not call.written:
            self._target.count_local(event.name, end - begin)
        self._target.left_out.add("values of hardware counters", "a trace has none", event.counters)
        # The time of calls that are no operations is computation.
        if known and (call.written or self._before_ns < 0):
            self._before_ns = end

    def _act(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        handler = self._handlers.get(name)
        if handler is not None:
            handler(name, a, call)
        elif name in STARTS:
            call.start()
        elif name in _UNKNOWN or _is_of_files(name):
            self._target.lose(self._rank, name, _UNKNOWN.get(name, _FILES))

    def _note_op(self, _name: str, a: dict[str, Any], _call: TargetCall) -> None:
        self._flags[a["op"]] = USER_DEFINED | (COMMUTATIVE if a["commute"] else 0)

    def _free_comm(self, _name: str, a: dict[str, Any], _call: TargetCall) -> None:
        self._comms.pop(a["comm"], None)

    def _finalize(self, _name: str, _a: dict[str, Any], call: TargetCall) -> None:
        call.add("finalize")

    # --- communicators ---------------------------------------------------------------------------------------------

    def _comm(self, handle: int) -> int | None:
        if handle == SELF and SELF not in self._comms:
            self._comms[SELF] = self._groups.self_of(self._rank)
        return self._comms.get(handle)

    def _known(self, handle: int) -> int | None:
        """The number of a communicator; those that nobody knows count as lost."""
        comm = self._comm(handle)
        if comm is None:
            self._target.lose(
                self._rank, "communication on a communicator whose members the trace does not say", _NO_MEMBERS
            )
        return comm

    def _make(self, _name: str, a: dict[str, Any], call: TargetCall) -> None:
        """Making a communicator is agreeing on a number and, as far as they say something, on who is in it."""
        parent = self._comm(a["oldcomm"])
        made = next(self._made, None)
        if parent is not None:
            self._calls[parent] += 1
            told = COLOR_AND_KEY_BYTES if "color" in a else 0
            call.collective("new_comm", parent, self._calls[parent] - 1, size=told)
        self._comms[a["newcomm"]] = made

    def _world(self, comm: int, rank: int, name: str) -> int | None:
        """World rank of a peer; None: MPI_PROC_NULL. Raises InputError for what can be neither."""
        members = self._groups.members[comm]
        if 0 <= rank < len(members):
            return members[rank]
        if _LEAST_NULL <= rank < 0:
            return None
        raise InputError(
            f"rank {self._rank}: {name} names rank {rank} of a communicator of {len(members)}: the trace is damaged, or is no DUMPI trace"
        )

    # --- messages --------------------------------------------------------------------------------------------------

    def _size(self, count: int, datatype: int) -> int:
        return max(0, count) * self._element(datatype)

    def _element(self, datatype: int) -> int:
        known = self._type_bytes[datatype] if datatype < len(self._type_bytes) else 0
        return known if known > 0 else _BYTES.get(datatype, 0)

    def _take_send(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        self._send(name, a, call, _SENDS.get(name, _ISENDS.get(name, STANDARD)))

    def _send(self, name: str, a: dict[str, Any], call: TargetCall, mode: int) -> None:
        comm = self._known(a["comm"])
        peer = None if comm is None else self._world(comm, a["dest"], name)
        if comm is None or peer is None:  # MPI_PROC_NULL
            return
        request = a.get("request", 0)
        call.add("isend", flags=0 if request else BLOCKING, mode=mode, peer=peer, tag=a["tag"], comm=comm,
                 request=request, size=self._size(a["count"], a["datatype"]))  # fmt: skip
        if request:
            self._open[request] = False

    def _take_receive(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        self._receive(name, a, call)

    def _receive(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        comm = self._known(a["comm"])
        source = None if comm is None else ANY_SOURCE if a["source"] == -1 else self._world(comm, a["source"], name)
        if comm is None or source is None:
            return
        tag = ANY_TAG if a["tag"] == -1 else a["tag"]
        request = a.get("request", 0)
        wild = call.receive(source, tag, comm, self._size(a["count"], a["datatype"]), request)
        if request:
            self._open[request] = wild
        elif wild:
            self._told(a["status"], comm, call)

    def _told(self, statuses: list[Status], comm: int, call: TargetCall) -> bool:
        source = self._world(comm, statuses[0].source, "the status of a receive") if statuses else None
        if source is None or statuses[0].tag < 0:
            return False
        call.answer(source=source, tag=statuses[0].tag, size=statuses[0].bytes)
        return True

    def _prepare(self, name: str, a: dict[str, Any], _call: TargetCall) -> None:
        self._prepared[a["request"]] = (name != "MPI_Recv_init", _SEND_INITS.get(name, STANDARD), a)

    def _start(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        for request in a["requests"] if "requests" in a else [a["request"]]:
            if request not in self._prepared:
                continue
            sends, mode, prepared = self._prepared[request]
            if sends:
                self._send(name, prepared, call, mode)
            else:
                self._receive(name, prepared, call)

    def _exchange(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        count, datatype = ("count", "datatype") if "count" in a else ("recvcount", "recvtype")
        incoming = {"count": a[count], "datatype": a[datatype], "source": a["source"], "tag": a["recvtag"]}
        outgoing = {"count": a.get("sendcount", a[count]), "datatype": a.get("sendtype", a[datatype]),
                    "dest": a["dest"], "tag": a["sendtag"]}  # fmt: skip
        self._receive(name, {**incoming, "comm": a["comm"], "request": _EXCHANGE[0]}, call)
        self._send(name, {**outgoing, "comm": a["comm"], "request": _EXCHANGE[1]}, call, STANDARD)
        requests = [request for request in _EXCHANGE if request in self._open]
        if requests:
            call.add("wait_all", requests=requests)
        for request in requests:
            del self._open[request]

    def _withdraw(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        request = a["request"]
        if request in self._open:
            call.add("cancel" if name == "MPI_Cancel" else "request_free", requests=[request])
            if name == "MPI_Cancel":
                call.answer(flag=False)
        if name == "MPI_Request_free":
            self._open.pop(request, None)
            self._prepared.pop(request, None)

    def _probe(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        waits = name == "MPI_Probe"
        comm = self._known(a["comm"])
        source = None if comm is None else ANY_SOURCE if a["source"] == -1 else self._world(comm, a["source"], name)
        if comm is None or source is None:
            return
        call.add("probe" if waits else "iprobe", peer=source, tag=ANY_TAG if a["tag"] == -1 else a["tag"], comm=comm)
        found = waits or bool(a["flag"])
        if not (found and self._told(a["status"], comm, call)):
            call.answer(flag=found and not waits)

    def _wait(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        requests = a["requests"] if "requests" in a else [a["request"]]
        positions = _completed(a, len(requests))
        there = [request for request in requests if request in self._open]
        if not there:
            return
        complete = [requests[position] for position in positions]
        call.add(_WAITS[name[4:]], requests=there)
        if name not in ("MPI_Wait", "MPI_Waitall"):
            call.answer(
                flag=bool(complete), completed=[there.index(request) for request in complete if request in there]
            )
        for request in complete:
            self._open.pop(request, None)

    # --- collectives -----------------------------------------------------------------------------------------------

    def _collective(self, name: str, a: dict[str, Any], call: TargetCall) -> None:
        comm = self._known(a["comm"])
        if comm is None:
            return
        self._calls[comm] += 1
        kind, number = _COLLECTIVES[name], self._calls[comm] - 1
        flags = self._flags.get(a.get("op", 0), COMMUTATIVE)
        root = a.get("root", 0)
        datatype = next((a[key] for key in ("datatype", "sendtype", "recvtype") if key in a), 0)
        element = self._element(datatype)
        size, counts = self._amounts(kind, a)
        if "root" in a:
            self._world(comm, root, f"the root of {name}")
        call.collective(kind, comm, number, size=size, element=element, root=root, counts=counts, flags=flags)

    def _amounts(self, kind: str, a: dict[str, Any]) -> tuple[int, list[int]]:
        """Bytes, and bytes by rank, as `orrery::collective::Call` has them."""
        match kind:
            case "barrier":
                return 0, []
            case "gather" | "allgather" | "alltoall":
                return self._size(a["sendcount"], a["sendtype"]) or self._size(
                    a.get("recvcount", 0), a.get("recvtype", 0)
                ), []
            case "scatter":
                return self._size(a["recvcount"], a["recvtype"]) or self._size(
                    a.get("sendcount", 0), a.get("sendtype", 0)
                ), []
            case "gatherv" | "allgatherv":
                counts = [self._size(count, a["recvtype"]) for count in a.get("recvcounts", [])]
                return self._size(a["sendcount"], a["sendtype"]), counts
            case "scatterv":
                counts = [self._size(count, a["sendtype"]) for count in a.get("sendcounts", [])]
                return self._size(a["recvcount"], a["recvtype"]), counts
            case "reduce_scatter":
                counts = [self._size(count, a["datatype"]) for count in a["recvcounts"]]
                return sum(counts), counts
            case "alltoallv":
                sent = [self._size(count, a["sendtype"]) for count in a["sendcounts"]]
                return 0, sent + [self._size(count, a["recvtype"]) for count in a["recvcounts"]]
            case "alltoallw":
                sent = [self._size(*block) for block in zip(a["sendcounts"], a["sendtypes"], strict=False)]
                return 0, sent + [self._size(*block) for block in zip(a["recvcounts"], a["recvtypes"], strict=False)]
            case _:
                return self._size(a["count"], a["datatype"]), []


def _is_of_files(name: str) -> bool:
    """Calls that wait for files or move data of them."""
    moves = name.startswith("MPI_File_") and "_get_" not in name and "_set_" not in name
    return moves or name.startswith("MPIO_")


def _completed(a: dict[str, Any], count: int) -> list[int]:
    """Positions of the requests that are complete after a wait or test."""
    if "indices" in a:
        found = a["indices"][: max(0, a["outcount"])]
    elif "index" in a:
        found = [a["index"]] if a.get("flag", 1) else []
    else:
        found = list(range(count)) if a.get("flag", 1) else []
    return [position for position in found if 0 <= position < count]


_WAITS = {"Wait": "wait_all", "Waitall": "wait_all", "Waitany": "wait_any", "Waitsome": "wait_some",
          "Test": "test_all", "Testall": "test_all", "Testany": "test_any", "Testsome": "test_some"}  # fmt: skip
_COLLECTIVES = {
    f"MPI_{kind.capitalize()}": kind
    for kind in ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
                 "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter", "scan", "exscan")
}  # fmt: skip
