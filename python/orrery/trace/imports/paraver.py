# SPDX-License-Identifier: BSD-3-Clause
"""Paraver traces of Extrae's, as text.

What the format does not say, and what is taken instead:

- Which requests a wait is for. A wait completes the receives whose messages came while it lasted; waitall all sends
  that are open, other waits the oldest, unless a receive was over in them.
- On which communicator a message was. All count as on MPI_COMM_WORLD: tags and order tell them apart.
- Whether a receive was of any source. All are of the source that they had.
- What goes to each rank in alltoallv, alltoallw. Equal parts of the sum that is said.
- Operations of reductions and datatypes: the operation commutes, and elements have 8 bytes where that divides the size.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from orrery.trace.imports.paraver_file import Paraver, ParaverCall, calls_of, read_paraver
from orrery.trace.imports.target import (
    BUFFERED,
    EQUAL_PARTS,
    READY,
    STANDARD,
    SYNCHRONOUS,
    Target,
    TargetCall,
    equal_parts,
)
from orrery.trace.reading import BLOCKING
from orrery.trace.start_up import STARTS

_MODES = {"send": STANDARD, "bsend": BUFFERED, "ssend": SYNCHRONOUS, "rsend": READY}
_COLLECTIVES = {f"MPI_{kind.capitalize()}": kind for kind in (
    "barrier", "bcast", "reduce", "allreduce", "scan", "exscan", "gather", "gatherv", "scatter", "scatterv",
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block")}  # fmt: skip
_WINDOWS = "what moves in a window, and when, is not in the trace"
_FILES = "when data of files moved is not in the trace"
_WITHOUT = {
    "MPI_File_": _FILES,
    **dict.fromkeys(("MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Rput", "MPI_Rget", "MPI_Raccumulate",
                     "MPI_Fetch_and_op", "MPI_Compare_and_swap"), _WINDOWS),
}  # fmt: skip
"""How names of calls begin that communicate and cannot be imported, and why."""
_COMPUTATION = {
    **dict.fromkeys(("MPI_Probe", "MPI_Mprobe", "MPI_Iprobe", "MPI_Improbe"),
                    "which message it found is not in the trace; its time counts as computation"),
    **dict.fromkeys(("MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_dup", "MPI_Comm_idup", "MPI_Comm_create",
                     "MPI_Comm_create_group", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create",
                     "MPI_Dist_graph_create_adjacent", "MPI_Intercomm_create", "MPI_Intercomm_merge"),
                    "which communicator it made is not in the trace; its time counts as computation"),
}  # fmt: skip
"""Calls of which too little is known to import them, and that others do not wait for."""
_LOCAL = ("MPI_Comm_", "MPI_Group_", "MPI_Type_", "MPI_Cart", "MPI_Request_", "MPI_Test", "MPI_Wtime", "MPI_Wtick", "MPI_Wait",
          "MPI_Graph", "MPI_Dims", "MPI_Buffer", "MPI_Op", "MPI_Get_count", "MPI_Get_elements", "MPI_Get_address",
          "MPI_Get_processor_name", "MPI_Get_version", "MPI_Get_library_version", "MPI_Attr")  # fmt: skip
"""How names of calls begin that neither communicate nor, without requests, wait."""
_NOT_SAID = (
    "which requests a wait is for; communicators of messages; receives of any source; what each rank gives in alltoallv "
    "and alltoallw; datatypes and operations of reductions"
)
_NOT_KNOWN = "what it does is not known here"
_MESSAGES = frozenset((*_MODES, *(f"i{mode}" for mode in _MODES), "recv", "irecv", "start", "startall"))
_DOUBLE = 8


def import_paraver(path: Path, out: Path, *, lossy: bool) -> Target:
    """Write the trace with the records `path` as one of Orrery's.

    Raises InputError when files cannot be read, or something cannot be said and `lossy` is not given.
    """
    trace = read_paraver(path)
    target = Target(out, len(trace.tasks), lossy=lossy)
    for key, value in (("source", "Paraver"), ("program", path.name.partition(".prv")[0]), ("not said", _NOT_SAID)):
        target.writer.property(key, value)
    for rank, node in enumerate(trace.nodes):
        target.host(rank, node)
    if trace.damage:
        target.damage.append(f"{path}: {trace.damage}")
    _leave_out(trace, target)
    world = list(range(len(trace.tasks)))
    comms = {number: index for index, number in enumerate(sorted(trace.communicators), start=1)}
    for number, members in trace.communicators.items():
        if members == world:
            comms[number] = 0
        else:
            target.writer.communicator(comms[number], members)
    amounts = _Amounts(trace)
    for rank in range(len(trace.tasks)):
        _ParaverRank(trace, rank, target, comms, amounts).write()
        target.end(rank, complete=not trace.damage)
    target.close()
    return target


def _leave_out(trace: Paraver, target: Target) -> None:
    """Count records that have no place in a trace. Raises InputError for calls of threads, unless they may be lost."""
    if trace.of_threads:
        why = "a trace has the calls of one thread of each rank"
        target.lose(0, "calls of threads other than the first of a rank", why)
        target.left_out.add("calls of threads other than the first of a rank", why, trace.of_threads - 1)
    target.left_out.add("records of states", "what ranks do follows from their calls", trace.states)
    for event, times in trace.others.items():
        name = trace.names.types.get(event, "")
        what = f"events of type {event}" + (f" ({name})" if name else "")
        target.left_out.add(what, "a trace has calls of MPI only", times)


class _Amounts:
    """What the members of a communicator said of one call, by communicator and number of the call."""

    def __init__(self, trace: Paraver) -> None:
        self.sent: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        self.received: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        self.root: dict[tuple[int, int], int] = {}
        for rank in range(len(trace.tasks)):
            numbers: dict[int, int] = defaultdict(int)
            for call in calls_of(trace, rank):
                if call.name not in _COLLECTIVES or call.end_ns < 0:
                    continue
                key = (call.comm, numbers[call.comm])
                numbers[call.comm] += 1
                self.sent[key][rank] = call.send_bytes
                self.received[key][rank] = call.receive_bytes
                if call.root:
                    self.root[key] = rank


class _ParaverRank:
    """One rank on its way into the trace."""

    def __init__(self, trace: Paraver, rank: int, target: Target, comms: dict[int, int], amounts: _Amounts) -> None:
        self._trace, self._rank, self._target, self._comms, self._amounts = trace, rank, target, comms, amounts
        task = trace.tasks[rank]
        sends, receives = task.sends, task.receives
        self._sends = sorted(tuple(sends[at : at + 4]) for at in range(0, len(sends), 4))
        self._receives = sorted(tuple(receives[at : at + 5]) for at in range(0, len(receives), 5))
        self._next_send = self._next_receive = 0
        self._fresh: list[int] = []  # requests that the present call has opened
        self._open_sends: list[int] = []
        self._open_receives: dict[int, int] = {}  # request: when it was over
        self._last_request = 0
        self._numbers: dict[int, int] = defaultdict(int)

    def write(self) -> None:
        before_ns = 0
        for event in calls_of(self._trace, self._rank):
            if event.end_ns < 0:
                self._target.left_out.add("calls that were under way at the end", "when they ended is not in the trace")
                return
            compute_s = max(0, event.begin_ns - before_ns) * 1e-9
            call = TargetCall(self._target, self._rank, event.name, compute_s, (event.begin_ns, event.end_ns))
            self._act(event, call)
            if call.written:
                before_ns = event.end_ns
            else:
                self._target.count_local(event.name, event.end_ns - event.begin_ns)

    def _act(self, event: ParaverCall, call: TargetCall) -> None:
        name = event.name.removeprefix("MPI_").lower()
        if event.name in _COLLECTIVES:
            self._collective(event, call)
            return
        if event.name in STARTS:
            call.start()
            return
        if name == "finalize":
            self._complete([*self._open_sends, *self._open_receives], call)
            call.add("finalize")
            return
        self._messages(event, call, name)
        if name.startswith(("wait", "test")):
            self._complete(self._over(event, every_send=name == "waitall"), call)
        elif name.startswith("sendrecv"):
            self._complete(self._fresh, call)
        elif not (call.written or name.endswith("_init") or name == "cancel"):
            self._leave_out(event.name, name)

    def _leave_out(self, routine: str, name: str) -> None:
        """Note a call of which nothing is imported, unless it says nothing to others."""
        if name in _MESSAGES:
            why = "no message of the records began in it: there is none where the other side is MPI_PROC_NULL"
            self._target.left_out.add(f"{routine} without a message", why)
        elif routine in _COMPUTATION:
            self._target.left_out.add(routine, _COMPUTATION[routine])
        elif not routine.startswith(_LOCAL):
            why = next((why for begin, why in _WITHOUT.items() if routine.startswith(begin)), _NOT_KNOWN)
            self._target.lose(self._rank, routine, why)

    def _messages(self, event: ParaverCall, call: TargetCall, name: str) -> None:
        """Those that the call sends, or begins to receive."""
        self._fresh = []
        blocking = name in _MODES or name == "recv"
        mode = _MODES.get(name, _MODES.get(name[1:], STANDARD))
        while (receive := self._begun(self._receives, self._next_receive, event)) is not None:
            self._next_receive += 1
            _, over_ns, sender, size, tag = receive
            request = 0 if blocking else self._request()
            call.receive(sender, tag, 0, size, request)
            if request:
                self._open_receives[request] = over_ns
        while (send := self._begun(self._sends, self._next_send, event)) is not None:
            self._next_send += 1
            _, receiver, size, tag = send
            request = 0 if blocking else self._request()
            call.add(
                "isend", flags=0 if request else BLOCKING, mode=mode, peer=receiver, tag=tag, request=request, size=size
            )
            if request:
                self._open_sends.append(request)

    @staticmethod
    def _begun(messages: list[tuple[int, ...]], at: int, event: ParaverCall) -> tuple[int, ...] | None:
        """The next that began up to the end of the call."""
        return messages[at] if at < len(messages) and messages[at][0] <= event.end_ns else None

    def _request(self) -> int:
        self._last_request += 1
        self._fresh.append(self._last_request)
        return self._last_request

    def _over(self, event: ParaverCall, *, every_send: bool) -> list[int]:
        """Requests that a wait or test completes."""
        received = [request for request, over_ns in self._open_receives.items() if over_ns <= event.end_ns]
        if every_send:
            return [*received, *self._open_sends]
        waits = event.name.startswith("MPI_Wait")
        return received or (self._open_sends[:1] if waits else [])

    def _complete(self, requests: list[int], call: TargetCall) -> None:
        if not requests:
            return
        call.add("wait_all", requests=requests)
        for request in requests:
            self._open_receives.pop(request, None)
        gone = set(requests)
        self._open_sends = [request for request in self._open_sends if request not in gone]

    def _collective(self, event: ParaverCall, call: TargetCall) -> None:
        key = (event.comm, self._numbers[event.comm])
        self._numbers[event.comm] += 1
        comm = self._comms.get(event.comm, 0)
        members = self._trace.communicators.get(event.comm) or list(range(len(self._trace.tasks)))
        if self._rank not in members:
            self._target.lose(
                self._rank,
                f"{event.name} on a communicator that the rank is not in",
                "the records contradict each other",
            )
            return
        kind = _COLLECTIVES[event.name]
        root_rank = self._amounts.root.get(key, members[0])
        root = members.index(root_rank) if root_rank in members else 0
        size, counts = self._sizes(kind, event, key, members, is_root=root_rank == self._rank)
        if kind in ("alltoallv", "alltoallw"):
            self._target.left_out.add(f"what goes to each rank in {event.name}", EQUAL_PARTS)
        element = _DOUBLE if size % _DOUBLE == 0 and all(count % _DOUBLE == 0 for count in counts) else 1
        call.collective(kind, comm, key[1], size=size, element=element, root=root, counts=counts)

    def _sizes(
        self, kind: str, event: ParaverCall, key: tuple[int, int], members: list[int], *, is_root: bool
    ) -> tuple[int, list[int]]:
        """Bytes, and bytes by rank, as `orrery::collective::Call` has them."""
        sent = [self._amounts.sent[key].get(member, 0) for member in members]
        received = [self._amounts.received[key].get(member, 0) for member in members]
        match kind:
            case "barrier":
                return 0, []
            case "bcast":
                return max(*sent, *received), []
            case "scatter":
                return max(received), []
            case "scatterv":
                return event.receive_bytes, received if is_root else []
            case "gatherv":
                return event.send_bytes, sent if is_root else []
            case "allgatherv":
                return event.send_bytes, sent
            case "reduce_scatter":
                return sum(received), received
            case "reduce_scatter_block":
                return event.receive_bytes, []
            case "alltoallv" | "alltoallw":
                parts = [equal_parts(total, len(members)) for total in (event.send_bytes, event.receive_bytes)]
                return 0, parts[0] + parts[1]
            case _:
                return max(sent), []
