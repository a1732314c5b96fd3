# SPDX-License-Identifier: BSD-3-Clause
"""OTF2 archives: what their events become, and what is left of damaged ones."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.errors import InputError
from orrery.trace.imports.detect import format_of, import_trace
from orrery.trace.reading import Operation, operations

pytest.importorskip("otf2")

from otf2_archives import NS, OP, Archive, RmaSyncLevel


def _imported(path: Path, *, lossy: bool = False) -> list[list[Operation]]:
    out = path.parent.with_suffix(".trace")
    import_trace(path, out, lossy=lossy)
    file = _core.TraceFile(str(out))
    return [list(operations(file, rank)) for rank in range(file.streams)]


def _kinds(stream: list[Operation]) -> list[str]:
    return [operation.kind for operation in stream]


# --- messages --------------------------------------------------------------------------------------------------------


def test_messages_become_operations_with_their_sizes_and_times(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2, resolution=10 * NS) as archive:
        archive.call(0, "MPI_Init", 1000, 2000)
        archive.call(0, "MPI_Comm_rank", 2000, 3000)
        archive.call(0, "MPI_Ssend", 5000, 6000, ("MpiSend", 1, archive.world, 7, 64))
        archive.call(0, "MPI_Finalize", 9000, 9500)
        archive.call(1, "MPI_Init", 1000, 2500)
        archive.call(1, "MPI_Recv", 3000, 7000, ("MpiRecv", 0, archive.world, 7, 64))
        archive.call(1, "MPI_Finalize", 9000, 9500)
    started, *first = _imported(archive.path)[0]
    second = _imported(archive.path)[1][1:]
    # MPI_Init is a call that takes its time, and no computation.
    assert (started.routine, started.compute_s, started.begin_ns, started.end_ns) == ("MPI_Init", 0, 0, 100)
    assert _kinds(first) == ["isend", "finalize"]
    assert (first[0].peer, first[0].tag, first[0].bytes, first[0].blocking, first[0].mode) == (1, 7, 64, True, 1)
    assert first[0].routine == "MPI_Ssend"
    # A tick is 0.1 ns. From the end of MPI_Init; MPI_Comm_rank is no operation, so it counts as computation.
    assert first[0].compute_s == pytest.approx(300e-9)
    assert first[1].compute_s == pytest.approx(300e-9)
    assert (first[0].begin_ns, first[0].end_ns) == (400, 500)  # since the first event of all
    assert _kinds(second) == ["irecv", "finalize"]
    assert (second[0].peer, second[0].tag, second[0].bytes, second[0].blocking) == (0, 7, 64, True)


def test_requests_are_what_they_were_when_they_were_over(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        world = archive.world
        archive.call(0, "MPI_Irecv", 10, 20, ("MpiIrecvRequest", 5))
        archive.call(0, "MPI_Issend", 30, 40, ("MpiIsend", 1, world, 3, 100, 6))
        archive.call(0, "MPI_Test", 50, 60, ("MpiRequestTest", 5))
        archive.call(0, "MPI_Testsome", 70, 80, ("MpiIsendComplete", 6), ("MpiRequestTest", 5))
        archive.call(0, "MPI_Waitall", 90, 100, ("MpiIrecv", 1, world, 4, 200, 5))
        archive.call(0, "MPI_Isend", 110, 120, ("MpiIsend", 1, world, 3, 1, 5))  # the number again
        archive.call(0, "MPI_Request_free", 130, 140, ("MpiIsendComplete", 5))
    stream = _imported(archive.path)[0]
    assert _kinds(stream) == [
        "irecv", "isend", "test_all", "test_all", "wait_all", "isend", "request_free", "finalize"
    ]  # fmt: skip
    receive, send, failed, tested, waited, again, freed, _ = stream
    assert (receive.peer, receive.tag, receive.bytes, receive.blocking) == (1, 4, 200, False)
    assert (send.mode, send.blocking) == (1, False)
    assert failed.requests == waited.requests == [receive.request]
    assert tested.requests == [send.request]
    assert (failed.answer and failed.answer.flag, tested.answer and tested.answer.flag) == (False, True)
    assert freed.requests == [again.request] != [receive.request]


def test_an_exchange_receives_and_sends_at_once(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        inside = (("MpiSend", 1, archive.world, 1, 8), ("MpiRecv", 1, archive.world, 2, 16))
        archive.call(0, "MPI_Sendrecv", 10, 20, *inside)
        archive.call(0, "MPI_Isend", 30, 40, ("MpiSend", 1, archive.world, 1, 8))  # without a request: as old ones are
    stream = _imported(archive.path)[0]
    assert _kinds(stream) == ["irecv", "isend", "wait_all", "isend", "request_free", "finalize"]
    assert stream[2].requests == [stream[0].request, stream[1].request]
    assert [operation.flags & 2 for operation in stream[:3]] == [2, 0, 0]  # one call


def test_what_was_cancelled_was_not_sent(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        archive.call(0, "MPI_Irecv", 10, 20, ("MpiIrecvRequest", 1))
        archive.call(0, "MPI_Isend", 30, 40, ("MpiIsend", 1, archive.world, 3, 8, 2))
        archive.call(0, "MPI_Isend", 50, 60, ("MpiIsend", 1, archive.world, 3, 9, 3))
        archive.call(0, "MPI_Waitall", 70, 80, ("MpiRequestCancelled", 1), ("MpiRequestCancelled", 2),
                     ("MpiIsendComplete", 3))  # fmt: skip
    stream = _imported(archive.path)[0]
    assert [(operation.kind, operation.bytes) for operation in stream] == [
        ("isend", 9),
        ("wait_all", 0),
        ("finalize", 0),
    ]


def test_probed_messages_are_received_from_who_was_found(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        archive.call(0, "MPI_Mprobe", 10, 20, ("MpiProbe", 1, archive.world, 4, 77))
        archive.call(0, "MPI_Mrecv", 30, 40, ("MpiMrecv", 77, 32))
        archive.call(0, "MPI_Improbe", 50, 60, ("MpiProbe", 1, archive.world, 5, 78))
        archive.call(0, "MPI_Imrecv", 70, 80, ("MpiImrecvRequest", 78, 9))
        archive.call(0, "MPI_Wait", 90, 95, ("MpiImrecv", 9, 48))
    stream = _imported(archive.path)[0]
    assert _kinds(stream) == ["probe", "irecv", "iprobe", "irecv", "wait_all", "finalize"]
    assert [(operation.peer, operation.tag, operation.bytes) for operation in stream if operation.kind == "irecv"] == [
        (1, 4, 32),
        (1, 5, 48),
    ]


def test_events_outside_of_any_call_are_calls_of_their_own(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2, creator="another tool") as archive:
        archive.event(0, "MpiIrecvRequest", 10, 1)
        archive.event(0, "MpiIrecv", 30, 1, archive.world, 4, 200, 1)
        archive.event(0, "MpiCollectiveBegin", 40)
        archive.event(0, "MpiCollectiveEnd", 50, OP.ALLREDUCE, archive.world, 0, 8, 8)
    stream = _imported(archive.path)[0]
    assert [operation.routine for operation in stream[:3]] == ["MPI_Irecv", "MPI_Wait", "MPI_Allreduce"]
    assert (stream[2].begin_ns, stream[2].end_ns, stream[2].bytes) == (30, 40, 8)


def test_writing_the_trace_out_is_no_computation(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 1) as archive:
        archive.call(0, "MPI_Barrier", 0, 100)
        archive.event(0, "BufferFlush", 200, 1000)
        archive.call(0, "MPI_Finalize", 1300, 1400)
    assert _imported(archive.path)[0][-1].compute_s == pytest.approx(400e-9)


# --- communicators ---------------------------------------------------------------------------------------------------


def test_ranks_of_communicators_are_ranks_of_the_world(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 4) as archive:
        odd, twin, alone = archive.comm("odd", [3, 1]), archive.comm("twin", range(4)), archive.comm_self()
        archive.call(1, "MPI_Send", 10, 20, ("MpiSend", 0, odd, 1, 8))
        archive.call(1, "MPI_Send", 30, 40, ("MpiSend", 0, twin, 1, 8))
        for rank in (0, 1):
            archive.call(rank, "MPI_Isend", 50, 60, ("MpiIsend", 0, alone, 1, 8, 1))
    streams = _imported(archive.path)
    sends = [operation for operation in streams[1] if operation.kind == "isend"]
    assert [send.peer for send in sends] == [3, 0, 1]
    assert len({send.comm for send in sends} | {0, streams[0][0].comm}) == 5
    file = _core.TraceFile(str(tmp_path / "a.trace"))
    assert dict(file.communicators) == {sends[0].comm: 2, sends[1].comm: 4, sends[2].comm: 1, streams[0][0].comm: 1}
    assert file.hosts == {0: "node0", 1: "node0", 2: "node1", 3: "node1"}


def test_messages_between_two_groups_go_to_the_other_one(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 5) as archive:
        inter = archive.inter_comm(archive.comm("left", [0, 1]), archive.comm("right", [4, 2]))
        archive.call(1, "MPI_Send", 10, 20, ("MpiSend", 1, inter, 1, 8))
        archive.call(2, "MPI_Recv", 10, 20, ("MpiRecv", 1, inter, 1, 8))
        archive.collective(0, "MPI_Barrier", (10, 20), OP.BARRIER, (0, 0), comm=inter)
    with pytest.raises(InputError, match="rank 0: MPI_Barrier on a communicator of two groups cannot be imported"):
        import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    streams = _imported(archive.path, lossy=True)
    assert (streams[1][0].peer, streams[2][0].peer) == (2, 1)
    assert streams[1][0].comm == streams[2][0].comm != 0


# --- collectives -----------------------------------------------------------------------------------------------------

# Of 3 ranks, the root is 1; sent and received by each as Score-P counts; bytes and counts of each that come of it.
_COLLECTIVES = [
    (OP.BARRIER, "barrier", [(0, 0)] * 3, [(0, [])] * 3),
    (OP.BCAST, "bcast", [(0, 80), (240, 80), (0, 80)], [(80, [])] * 3),
    (OP.GATHER, "gather", [(80, 0), (80, 240), (80, 0)], [(80, [])] * 3),
    (OP.SCATTER, "scatter", [(0, 80), (240, 80), (0, 80)], [(80, [])] * 3),
    (OP.REDUCE, "reduce", [(80, 0), (80, 240), (80, 0)], [(80, [])] * 3),
    (OP.GATHERV, "gatherv", [(8, 0), (16, 48), (24, 0)], [(8, []), (16, [8, 16, 24]), (24, [])]),
    (OP.SCATTERV, "scatterv", [(0, 8), (48, 16), (0, 24)], [(8, []), (16, [8, 16, 24]), (24, [])]),
    (OP.ALLGATHER, "allgather", [(240, 240)] * 3, [(80, [])] * 3),
    (OP.ALLTOALL, "alltoall", [(240, 240)] * 3, [(80, [])] * 3),
    (OP.ALLGATHERV, "allgatherv", [(24, 48), (48, 48), (72, 48)], [(s, [8, 16, 24]) for s in (8, 16, 24)]),
    (OP.ALLTOALLV, "alltoallv", [(24, 48)] * 3, [(0, [8, 8, 8, 16, 16, 16])] * 3),
    (OP.ALLREDUCE, "allreduce", [(240, 240)] * 3, [(80, [])] * 3),
    (OP.REDUCE_SCATTER, "reduce_scatter", [(48, 24), (48, 48), (48, 72)], [(48, [8, 16, 24])] * 3),
    (OP.REDUCE_SCATTER_BLOCK, "reduce_scatter_block", [(240, 240)] * 3, [(80, [])] * 3),
    (OP.SCAN, "scan", [(240, 80), (160, 160), (80, 240)], [(80, [])] * 3),
    (OP.EXSCAN, "exscan", [(160, 0), (80, 80), (0, 160)], [(80, [])] * 3),
]  # fmt: skip


@pytest.mark.parametrize(("op", "kind", "sizes", "expected"), _COLLECTIVES, ids=[row[1] for row in _COLLECTIVES])
def test_collectives_have_the_sizes_that_mpi_has(
    tmp_path: Path, op: object, kind: str, sizes: list[tuple[int, int]], expected: list[tuple[int, list[int]]]
) -> None:
    with Archive(tmp_path / "a", 3) as archive:
        for rank in range(3):
            archive.collective(rank, f"MPI_{kind.capitalize()}", (10, 20), op, sizes[rank], root=1)
    streams = _imported(archive.path)
    assert [(stream[0].collective, stream[0].blocking, stream[0].peer) for stream in streams] == [(kind, True, 1)] * 3
    assert [(stream[0].bytes, stream[0].counts) for stream in streams] == expected


@pytest.mark.parametrize(("creator", "sent", "expected"), [
    ("Score-P 8.4", 32, 8),  # of each of 4 ranks
    ("Score-P 8.4", 24, 8),  # in place, of each but the own one: 6 bytes are hardly ever reduced
    ("Score-P 8.4", 96, 24),  # both fit: not in place
    ("another tool", 32, 32),
])  # fmt: skip
def test_what_a_size_means_depends_on_who_wrote_it(tmp_path: Path, creator: str, sent: int, expected: int) -> None:
    with Archive(tmp_path / "a", 4, creator=creator) as archive:
        for rank in range(4):
            archive.collective(rank, "MPI_Allreduce", (10, 20), OP.ALLREDUCE, (sent, sent))
    assert [stream[0].bytes for stream in _imported(archive.path)] == [expected] * 4


def test_collectives_that_do_not_block_are_begun_and_waited_for(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        for rank in range(2):
            archive.call(rank, "MPI_Ibcast", 10, 20, ("NonBlockingCollectiveRequest", 0))
            archive.collective(rank, "MPI_Barrier", (30, 40), OP.BARRIER, (0, 0))
            over = ("NonBlockingCollectiveComplete", OP.BCAST, archive.world, 0, 0 if rank else 64, 32, 0)
            archive.call(rank, "MPI_Wait", 50, 60, over)
    for stream in _imported(archive.path):
        assert _kinds(stream) == ["collective", "collective", "wait_all", "finalize"]
        # Calls on a communicator are told apart by when they began.
        assert [(operation.collective, operation.blocking, operation.tag) for operation in stream[:2]] == [
            ("bcast", False, 0),
            ("barrier", True, 1),
        ]
        assert (stream[0].bytes, stream[2].requests) == (32, [stream[0].request])


def test_making_communicators_costs_an_agreement(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        for rank in range(2):
            archive.collective(rank, "MPI_Comm_split", (10, 20), OP.CREATE_HANDLE, (0, 0))
            archive.collective(rank, "MPI_Comm_dup", (30, 40), OP.CREATE_HANDLE, (0, 0))
            archive.collective(rank, "MPI_Comm_free", (50, 60), OP.DESTROY_HANDLE, (0, 0))
    for stream in _imported(archive.path):
        assert [(operation.collective, operation.bytes) for operation in stream] == [
            ("new_comm", 8),
            ("new_comm", 0),
            ("", 0),
        ]


# --- what is left out, and what is damaged ---------------------------------------------------------------------------


def test_what_the_format_does_not_say_is_named_and_counted(tmp_path: Path) -> None:
    with Archive(tmp_path / "a", 2) as archive:
        thread, window = archive.thread(1), archive.window(archive.world)
        for time in (10, 30):
            archive.call(0, "MPI_Put", time, time + 10, ("RmaPut", window, 1, 8, 1))
        archive.call(0, "MPI_Win_get_group", 50, 60)
        archive.event(0, "RmaPut", 70, window, 1, 8, 1)
        archive.event(0, "RmaCollectiveEnd", 80, OP.BARRIER, RmaSyncLevel.NONE, window, 0, 0, 0)
        archive.event(0, "MeasurementOnOff", 90, _off())
        archive.event(thread, "MpiSend", 20, 0, archive.world, 1, 8)
        archive.call(1, "MPI_Irecv", 10, 20, ("MpiIrecvRequest", 1))
    with pytest.raises(InputError, match="rank 0: MPI_Put cannot be imported"):
        import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert not (tmp_path / "own.trace").exists()
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=True)
    assert target.left_out.left_out == {
        "MPI_Put": 2,
        "one-sided operations": 2,
        "communication while recording was off": 1,
        "MpiSend of threads other than the first of a rank": 1,
        "receive that was never over": 1,
    }
    assert not target.damage


def _off() -> object:
    from otf2.enums import MeasurementMode

    return MeasurementMode.OFF


def _barriers(folder: Path, count: int = 50) -> Archive:
    with Archive(folder, 2) as archive:
        for rank in range(2):
            for number in range(count):
                archive.collective(rank, "MPI_Barrier", (100 * number, 100 * number + 50), OP.BARRIER, (0, 0))
            archive.call(rank, "MPI_Finalize", 100 * count, 100 * count + 1)
    return archive


def test_what_was_cut_off_is_imported_up_to_there(tmp_path: Path) -> None:
    archive = _barriers(tmp_path / "a")
    events = tmp_path / "a" / "traces" / "1.evt"
    os.truncate(events, events.stat().st_size // 2)
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert len(target.damage) == 1
    assert str(archive.path) in target.damage[0]
    assert "location 1" in target.damage[0]
    file = _core.TraceFile(str(tmp_path / "own.trace"))
    assert len(list(operations(file, 0))) == 51
    assert 0 < len(list(operations(file, 1))) < 51
    assert ["cut off" in what for what in file.damage] == [True]


def test_a_missing_file_of_a_thread_costs_that_thread(tmp_path: Path) -> None:
    archive = _barriers(tmp_path / "a")
    (tmp_path / "a" / "traces" / "0.evt").unlink()
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert "location 0" in target.damage[0]
    file = _core.TraceFile(str(tmp_path / "own.trace"))
    assert [len(list(operations(file, rank))) for rank in range(2)] == [0, 51]


def test_what_cannot_be_read_at_all_is_named(tmp_path: Path) -> None:
    archive = _barriers(tmp_path / "a")
    definitions = tmp_path / "a" / "traces.def"
    os.truncate(definitions, 40)
    with pytest.raises(InputError, match=r"a/traces\.otf2: cannot be read as an OTF2 archive: "):
        import_trace(archive.path, tmp_path / "own.trace", lossy=True)
    definitions.unlink()
    with pytest.raises(InputError, match=r"a/traces\.otf2: cannot be read as an OTF2 archive: "):
        import_trace(archive.path, tmp_path / "own.trace", lossy=True)
    os.truncate(archive.path, 20)
    with pytest.raises(InputError, match=r"a/traces\.otf2: cannot be read as an OTF2 archive: "):
        import_trace(archive.path, tmp_path / "own.trace", lossy=True)


def test_names_that_are_no_utf_8_are_read_as_far_as_they_are(tmp_path: Path) -> None:
    archive = _barriers(tmp_path / "a", 1)
    for name in ("traces.otf2", "traces.def"):
        file = tmp_path / "a" / name
        file.write_bytes(file.read_bytes().replace(b"Score-P", b"Scor\xe9-P").replace(b"MPI_Fin", b"MPI_F\xefn"))
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert not target.damage
    trace = _core.TraceFile(str(tmp_path / "own.trace"))
    assert dict(trace.properties)["tool"] == "Scor\ufffd-P 8.4"


def test_an_archive_without_ranks_is_refused(tmp_path: Path) -> None:
    import otf2

    with otf2.writer.open(str(tmp_path / "a"), timer_resolution=NS) as trace:
        node = trace.definitions.system_tree_node("node")
        group = trace.definitions.location_group("process", system_tree_parent=node)
        trace.event_writer("thread", group=group).enter(1, trace.definitions.region("main"))
    with pytest.raises(InputError, match="has no ranks of MPI"):
        import_trace(tmp_path / "a" / "traces.otf2", tmp_path / "own.trace", lossy=True)


def test_a_missing_library_is_named_with_its_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = _barriers(tmp_path / "a", 1)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(InputError, match="pip install otf2"):
        import_trace(archive.path, tmp_path / "own.trace", lossy=True)


def test_the_folder_of_a_measurement_names_its_archive(tmp_path: Path) -> None:
    archive = _barriers(tmp_path / "a", 1)
    assert format_of(tmp_path / "a") == format_of(archive.path) == "OTF2"
    assert import_trace(tmp_path / "a", tmp_path / "own.trace", lossy=False).ranks == 2


def test_an_archive_is_replayed_as_it_is(sandbox: Sandbox) -> None:
    with Archive(sandbox.folder / "a", 2) as archive:
        archive.call(0, "MPI_Send", 1000, 2000, ("MpiSend", 1, archive.world, 1, 4096))
        archive.call(1, "MPI_Recv", 1000, 2000, ("MpiRecv", 0, archive.world, 1, 4096))
        archive.call(1, "MPI_Finalize", 1_000_000, 1_000_001)
    record = sandbox.folder / "replay.json"
    ended = sandbox.orrery("replay", "-o", str(record), str(archive.path))
    assert ended.code == 0, ended.err
    found = json.loads(record.read_text())
    assert (found["messages"], found["bytes"]) == (1, 4096)
    assert found["simulated_s"] > 998e-6  # rank 1 computes from 2 us on to 1 ms


def test_commands_that_look_into_traces_take_an_archive_as_it_is(sandbox: Sandbox) -> None:
    with Archive(sandbox.folder / "a", 2) as archive:
        archive.call(0, "MPI_Put", 500, 600)
        archive.call(0, "MPI_Send", 1000, 2000, ("MpiSend", 1, archive.world, 1, 4096))
        archive.call(1, "MPI_Recv", 1000, 2000, ("MpiRecv", 0, archive.world, 1, 4096))
    found = json.loads(sandbox.orrery("trace", "info", "--json", str(archive.path)).out)
    assert (found["ranks"], found["left_out"], found["damage"]) == (2, {"MPI_Put": 1}, [])
    assert found["properties"]["tool"] == "Score-P 8.4"
    assert "MPI_IN_PLACE" in found["properties"]["not said"]
    table = sandbox.folder / "a.csv"
    ended = sandbox.orrery("trace", "convert", "--json", str(archive.path), "-o", str(table), "--format", "csv")
    assert json.loads(ended.out) == {
        "left_out": {"MPI_Put": 1, "calls that the trace only counts, such as MPI_Comm_rank": 1},
        "left_out_why": {
            "MPI_Put": "the format says too little of it",
            "calls that the trace only counts, such as MPI_Comm_rank": "they are no operations",
        },
        "damage": [],
        "cautions": [],
    }
    assert table.read_text().count("\n") == 5
    os.truncate(sandbox.folder / "a" / "traces" / "1.evt", 0)
    out = sandbox.folder / "cut.trace"
    ended = sandbox.orrery("trace", "import", "--lossy", str(archive.path), "-o", str(out))
    assert ended.code == 1
    assert ended.err.startswith(f"orrery: {archive.path} is not complete: location 1: ")
    ended = sandbox.orrery("trace", "diff", "--json", str(archive.path), str(table))
    assert (ended.code, ended.out) == (2, "")
    ended = sandbox.orrery("trace", "diff", "--json", str(sandbox.folder / "a"), str(out))
    assert (ended.code, json.loads(ended.out)) == (1, {"streams": [2, 2], "different": []})  # alike, and cut off
