# SPDX-License-Identifier: BSD-3-Clause
"""Traces of other tools: written here byte by byte, as their formats say."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery import _core
from orrery.errors import InputError
from orrery.trace.imports.detect import import_trace
from orrery.trace.imports.dumpi_layout import CALLS, END_OF_STREAM
from orrery.trace.reading import Operation, operations
from paraver_traces import call, event, write_trace

_NUMBER = {call.name: number for number, call in CALLS.items()}
_MAGIC = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI"
_INT, _WORLD = 9, 2
_BIASES = struct.pack(">II", 100, 1000)


def _status(count: int, source: int, tag: int) -> bytes:
    return struct.pack(">iiBBi", count, source, 0, 0, tag)


def _dumpi_call(name: str, begin_us: int, end_us: int, *values: Any) -> bytes:
    """One call: wall times and statuses are on; `values` in the order of its fields."""
    out = struct.pack(">HBH", _NUMBER[name], 1 | 1 << 3 | 1 << 6, 0)
    for us in (begin_us, end_us):
        out += struct.pack(">HI", us // 10**6, us % 10**6 * 1000)
    letters = {"i": "i", "h": "H", "b": "B", "q": "q"}
    for (_, kind), value in zip(CALLS[_NUMBER[name]].fields, values, strict=True):
        if kind in letters:
            out += struct.pack(">" + letters[kind], value)
        elif kind == "I":
            out += struct.pack(f">I{len(value)}i", len(value), *value)
        else:
            out += struct.pack(">I", len(value)) + b"".join(value)
    return out


def _dumpi_trace(folder: Path, ranks: list[list[bytes]], *, whole: bool = True) -> Path:
    for rank, calls in enumerate(ranks):
        body = _BIASES + b"".join(calls)
        if whole:
            body += struct.pack(">H", END_OF_STREAM)
        host = f"node{rank}".encode()
        header = bytes([1, 0, 0]) + struct.pack(">QH", 0, len(host)) + host + struct.pack(">HI", 0, 0)
        sizes = struct.pack(">I28i", 28, *([0] * 9), 4, *([0] * 18))
        places = [8 + len(body) + len(header), 0, 0, 8 + len(body), 8, 0, 0]
        index = _MAGIC + struct.pack(">7Q", *places)
        content = _MAGIC + body + (header + sizes + index if whole else b"")
        (folder / f"t-{rank:04}.bin").write_bytes(content)
    meta = folder / "t.meta"
    meta.write_text(f"hostname=node0\nnumprocs={len(ranks)}\nfileprefix=t\n")
    return meta


def _imported(folder: Path, path: Path, *, lossy: bool = False) -> list[list[Operation]]:
    out = folder / "own.trace"
    import_trace(path, out, lossy=lossy)
    file = _core.TraceFile(str(out))
    return [list(operations(file, rank)) for rank in range(file.streams)]


def test_calls_of_dumpi_become_operations_with_their_sizes_and_times(tmp_path: Path) -> None:
    finalize = _dumpi_call("MPI_Finalize", 900, 901)
    send = [
        _dumpi_call("MPI_Comm_rank", 10, 11, _WORLD, 0),
        _dumpi_call("MPI_Isend", 50, 60, 3, _INT, 1, 7, _WORLD, 2),
        _dumpi_call("MPI_Wait", 80, 90, 2, []),
        finalize,
    ]
    receive = [_dumpi_call("MPI_Recv", 20, 70, 3, _INT, -1, -1, _WORLD, [_status(12, 0, 7)]), finalize]
    first, second = _imported(tmp_path, _dumpi_trace(tmp_path, [send, receive]))
    assert [o.kind for o in first] == ["isend", "wait_all", "finalize"]
    assert (first[0].peer, first[0].tag, first[0].bytes, first[0].request) == (1, 7, 12, 2)
    # Calls that are no operations are computation: from 11 us, where the first call ended, to 50.
    assert first[0].compute_s == pytest.approx(39e-6)
    assert first[1].compute_s == pytest.approx(20e-6)
    assert (first[0].begin_ns, first[0].end_ns) == (40_000, 50_000)  # since the first call of all
    assert (second[0].kind, second[0].peer, second[0].tag) == ("irecv", -1, -2)
    assert second[0].answer is not None
    assert (second[0].answer.source, second[0].answer.tag, second[0].answer.bytes) == (0, 7, 12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (_dumpi_call("MPI_Send", 1, 2, 1, _INT, -(2**31), 7, _WORLD), "MPI_Send names rank -2147483648"),
        (_dumpi_call("MPI_Send", 1, 2, 1, _INT, 2, 7, _WORLD), "MPI_Send names rank 2 of a communicator of 2"),
        (_dumpi_call("MPI_Recv", 1, 2, 1, _INT, 99, 7, _WORLD, []), "MPI_Recv names rank 99"),
        (_dumpi_call("MPI_Bcast", 1, 2, 1, _INT, 5, _WORLD), "the root of MPI_Bcast names rank 5"),
    ],
)
def test_ranks_of_dumpi_that_nobody_has_are_refused(tmp_path: Path, call: bytes, words: str) -> None:
    with pytest.raises(InputError, match=f"rank 0: {words}"):
        _imported(tmp_path, _dumpi_trace(tmp_path, [[call], []]))


def test_messages_of_dumpi_to_no_process_are_none(tmp_path: Path) -> None:
    # MPI_PROC_NULL is -2 in Open MPI, and -1 in MPICH.
    sends = [_dumpi_call("MPI_Send", 1, 2, 1, _INT, peer, 7, _WORLD) for peer in (-1, -2, -3)]
    assert _imported(tmp_path, _dumpi_trace(tmp_path, [sends, []])) == [[], []]


def test_groups_of_dumpi_are_made_of_each_other(tmp_path: Path) -> None:
    # Of 4 ranks those but rank 0, and of these the last two by a range, to whom rank 0 comes again.
    calls = [
        _dumpi_call("MPI_Comm_group", 1, 2, _WORLD, 4),
        _dumpi_call("MPI_Group_excl", 1, 2, 4, 1, [0], 5),
        _dumpi_call("MPI_Group_range_incl", 1, 2, 5, 1, [_ints(1, 2, 1)], 6),
        _dumpi_call("MPI_Group_incl", 1, 2, 4, 1, [0], 7),
        _dumpi_call("MPI_Group_union", 1, 2, 6, 7, 8),
        _dumpi_call("MPI_Comm_create", 1, 2, _WORLD, 8, 5),
    ]
    path = _dumpi_trace(tmp_path, [calls] * 4)
    _imported(tmp_path, path)
    assert _core.TraceFile(str(tmp_path / "own.trace")).members(1) == ([2, 3, 0], 0)


def _ints(*values: int) -> bytes:
    return struct.pack(f">I{len(values)}i", len(values), *values)


def test_communicators_of_dumpi_are_found_from_the_calls_of_all_members(tmp_path: Path) -> None:
    # Even and odd ranks, by falling key; then a barrier, and a message to rank 0 of the new communicator.
    def rank(number: int) -> list[bytes]:
        return [
            _dumpi_call("MPI_Comm_split", 1, 2, _WORLD, number % 2, -number, 4),
            _dumpi_call("MPI_Barrier", 3, 4, 4),
            _dumpi_call("MPI_Isend", 5, 6, 1, _INT, 0, 3, 4, 2),
            _dumpi_call("MPI_Request_free", 7, 8, 2),
        ]

    streams = _imported(tmp_path, _dumpi_trace(tmp_path, [rank(number) for number in range(4)]))
    assert [o.kind for o in streams[0]] == ["collective", "collective", "isend", "request_free"]
    assert [(stream[0].collective, stream[0].bytes) for stream in streams] == [("new_comm", 8)] * 4
    assert len({streams[0][1].comm, streams[1][1].comm, 0}) == 3
    assert streams[0][1].comm == streams[2][1].comm
    assert [stream[2].peer for stream in streams] == [2, 3, 2, 3]  # the highest rank has the lowest key


def test_collectives_of_dumpi_have_counts_where_mpi_has_them(tmp_path: Path) -> None:
    def rank(number: int) -> list[bytes]:
        gatherv = [number, 2, 5, _INT, 0, _WORLD, [5, 6], [0, 5], _INT]
        if number != 0:
            del gatherv[6:8]
        fields = CALLS[_NUMBER["MPI_Gatherv"]].fields
        kept = [field for field in fields if number == 0 or field[1][0] != "?"]
        out = struct.pack(">HBH", _NUMBER["MPI_Gatherv"], 1 | 1 << 3 | 1 << 6, 0) + bytes(12)
        for (_, kind), value in zip(kept, gatherv, strict=True):
            if kind[-1] == "I":
                out += struct.pack(f">I{len(value)}i", len(value), *value)  # type: ignore[arg-type, misc]
            else:
                out += struct.pack(">i" if kind == "i" else ">H", value)
        return [out, _dumpi_call("MPI_Reduce", 3, 4, 8, _INT, 3, 1, _WORLD)]

    root, other = _imported(tmp_path, _dumpi_trace(tmp_path, [rank(0), rank(1)]))
    assert (root[0].collective, root[0].bytes, root[0].counts) == ("gatherv", 20, [20, 24])
    assert (other[0].bytes, other[0].counts) == (20, [])
    assert (root[1].collective, root[1].bytes, root[1].element, root[1].peer) == ("reduce", 32, 4, 1)


def test_a_trace_of_dumpi_that_was_cut_off_is_imported_up_to_there(tmp_path: Path) -> None:
    calls = [_dumpi_call("MPI_Barrier", 1, 2, _WORLD), _dumpi_call("MPI_Barrier", 3, 4, _WORLD)[:9]]
    meta = _dumpi_trace(tmp_path, [calls], whole=False)
    target = import_trace(meta, tmp_path / "own.trace", lossy=False)
    assert "MPI_Barrier at byte" in target.damage[0]
    file = _core.TraceFile(str(tmp_path / "own.trace"))
    assert [o.kind for o in operations(file, 0)] == ["collective"]
    assert "cut off" in file.damage[0]


def test_what_cannot_be_imported_is_named_or_left_out(tmp_path: Path) -> None:
    meta = _dumpi_trace(tmp_path, [[_dumpi_call("MPI_Win_fence", 1, 2, 0, 1)]])
    with pytest.raises(InputError, match="rank 0: MPI_Win_fence cannot be imported"):
        import_trace(meta, tmp_path / "own.trace", lossy=False)
    assert not (tmp_path / "own.trace").exists()
    assert import_trace(meta, tmp_path / "own.trace", lossy=True).left_out.left_out == {"MPI_Win_fence": 1}
    (tmp_path / "t-0000.bin").unlink()
    with pytest.raises(InputError, match=r"t-0000\.bin"):
        import_trace(meta, tmp_path / "own.trace", lossy=False)


def test_requests_of_romio_are_not_taken_for_those_of_mpi(tmp_path: Path) -> None:
    # Found by a fuzzer: both were called MPI_Wait.
    assert len(_NUMBER) == len(CALLS)
    meta = _dumpi_trace(tmp_path, [[_dumpi_call("MPIO_Wait", 1, 2, 0, [])]])
    with pytest.raises(InputError, match="rank 0: MPIO_Wait cannot be imported"):
        import_trace(meta, tmp_path / "own.trace", lossy=False)
    assert import_trace(meta, tmp_path / "own.trace", lossy=True).left_out.left_out == {"MPIO_Wait": 1}


def test_a_trace_of_dumpi_is_replayed_as_it_is(sandbox: Sandbox) -> None:
    ranks = [
        [_dumpi_call("MPI_Send", 1000, 1001, 3, _INT, 1, 7, _WORLD), _dumpi_call("MPI_Finalize", 2000, 2001)],
        [_dumpi_call("MPI_Recv", 1, 2, 3, _INT, 0, 7, _WORLD, []), _dumpi_call("MPI_Finalize", 2000, 2001)],
    ]
    meta = _dumpi_trace(sandbox.folder, ranks)
    record = sandbox.folder / "replay.json"
    ended = sandbox.orrery("replay", "-o", str(record), str(meta))
    assert ended.code == 0, ended.err
    found = json.loads(record.read_text())
    assert (found["messages"], found["bytes"]) == (1, 12)
    assert found["simulated_s"] > 1998e-6  # from the receive to the end, on rank 1


def test_a_trace_of_dumpi_is_profiled_as_it_is(sandbox: Sandbox) -> None:
    ranks = [
        [_dumpi_call("MPI_Send", 1000, 1001, 3, _INT, 1, 7, _WORLD), _dumpi_call("MPI_Win_fence", 1500, 1600, 0, 1)],
        [_dumpi_call("MPI_Recv", 1, 2, 3, _INT, 0, 7, _WORLD, []), _dumpi_call("MPI_Finalize", 2000, 2001)],
    ]
    meta = _dumpi_trace(sandbox.folder, ranks)
    ended = sandbox.orrery("profile", str(meta), "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["trace"] == str(meta)
    assert found["edges"] == [{"source": 0, "destination": 1, "messages": 1, "bytes": 12}]
    assert "left out: MPI_Win_fence, once: what moves in a window, and when, is not in the trace" in found["damage"]
    assert "MPI_Win_fence" in sandbox.orrery("profile", str(meta)).out


# --- Paraver ---------------------------------------------------------------------------------------------------------

_PCF = """DEFAULT_OPTIONS

EVENT_TYPE
9    50000001    MPI Point-to-point
VALUES
1    MPI_Send
3    MPI_Isend
4    MPI_Irecv
6    MPI_Waitall
0    Outside MPI

EVENT_TYPE
9    50000002    MPI Collective Comm
VALUES
7    MPI_Bcast
14   MPI_Gatherv
0    Outside MPI

EVENT_TYPE
9    50000003    MPI Other
VALUES
32   MPI_Finalize
0    Outside MPI
"""


def _paraver(folder: Path, *records: str) -> Path:
    (folder / "t.pcf").write_text(_PCF)
    prv = folder / "t.prv"
    head = "#Paraver (22/11/2026 at 05:00):9000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n"
    prv.write_text(head + "".join(f"{record}\n" for record in records))
    return prv


def _event(task: int, time: int, *pairs: int) -> str:
    return f"2:{task}:1:{task}:1:{time}:" + ":".join(map(str, pairs))


def test_messages_of_paraver_are_in_the_calls_in_which_they_began(tmp_path: Path) -> None:
    prv = _paraver(
        tmp_path,
        _event(1, 100, 50000001, 1), "3:1:1:1:1:110:120:2:1:2:1:60:300:64:5", _event(1, 200, 50000001, 0),
        _event(2, 50, 50000001, 4), _event(2, 70, 50000001, 0),
        _event(2, 250, 50000001, 6), _event(2, 310, 50000001, 0),
        _event(1, 400, 50000003, 32), _event(1, 410, 50000003, 0),
        _event(2, 400, 50000003, 32), _event(2, 410, 50000003, 0),
    )  # fmt: skip
    first, second = _imported(tmp_path, prv)
    assert [o.kind for o in first] == ["isend", "finalize"]
    assert (first[0].peer, first[0].tag, first[0].bytes, first[0].blocking) == (1, 5, 64, True)
    assert first[0].compute_s == pytest.approx(100e-9)
    assert first[1].compute_s == pytest.approx(200e-9)
    assert [o.kind for o in second] == ["irecv", "wait_all", "finalize"]
    assert second[1].requests == [second[0].request]
    assert (second[0].begin_ns, second[0].end_ns) == (50, 70)


def test_collectives_of_paraver_have_the_root_and_the_sizes_that_ranks_say(tmp_path: Path) -> None:
    def details(sent: int, received: int, *root: int) -> tuple[int, ...]:
        return (50100001, sent, 50100002, received, 50100004, 1, *root)

    prv = _paraver(
        tmp_path,
        _event(1, 10, 50000002, 7, *details(0, 800)), _event(1, 20, 50000002, 0),
        _event(2, 10, 50000002, 7, *details(800, 0, 50100003, 1)), _event(2, 20, 50000002, 0),
        _event(1, 30, 50000002, 14, *details(16, 0)), _event(1, 40, 50000002, 0),
        _event(2, 30, 50000002, 14, *details(24, 40, 50100003, 1)), _event(2, 40, 50000002, 0),
    )  # fmt: skip
    first, second = _imported(tmp_path, prv)
    assert [(o.collective, o.peer, o.bytes, o.counts) for o in first] == [("bcast", 1, 800, []), ("gatherv", 1, 16, [])]
    assert [(o.collective, o.peer, o.bytes, o.counts) for o in second] == [
        ("bcast", 1, 800, []),
        ("gatherv", 1, 24, [16, 24]),
    ]


def test_mistakes_in_paraver_are_named_with_their_line(tmp_path: Path) -> None:
    prv = _paraver(tmp_path, "3:1:1:1:1:110:120:2:1:9:1:60:300:64:5")
    with pytest.raises(InputError, match=r"t\.prv:3: cannot be read"):
        import_trace(prv, tmp_path / "own.trace", lossy=False)
    (tmp_path / "t.pcf").unlink()
    with pytest.raises(InputError, match=r"t\.pcf: No such file"):
        import_trace(prv, tmp_path / "own.trace", lossy=False)


def test_what_is_of_no_known_format_says_what_would_be(tmp_path: Path) -> None:
    for name in ("text", "some.otf2"):
        (tmp_path / name).write_text("nothing")
        with pytest.raises(InputError):
            import_trace(tmp_path / name, tmp_path / "own.trace", lossy=True)


# --- what Paraver has besides messages and calls ---------------------------------------------------------------------


def test_a_compressed_trace_of_paraver_is_read_with_the_names_beside_it(tmp_path: Path) -> None:
    prv = write_trace(tmp_path, compressed=True)
    assert prv.name == "t.prv.gz"
    first, second = _imported(tmp_path, prv)
    assert [o.routine for o in first] == ["MPI_Init", "MPI_Send", "MPI_Finalize"]
    assert (second[1].bytes, second[1].tag) == (1024, 7)


def test_a_compressed_trace_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    prv = write_trace(tmp_path, *[(200 + i, event(1, 200 + i, 42000050, i * i)) for i in range(5000)], compressed=True)
    prv.write_bytes(prv.read_bytes()[: prv.stat().st_size // 2])
    target = import_trace(prv, tmp_path / "own.trace", lossy=False)
    assert target.damage[0].startswith(f"{prv}: behind line ")
    assert target.damage[0].endswith("it was cut off")


def test_nodes_of_paraver_are_the_hosts_of_its_ranks(tmp_path: Path) -> None:
    import_trace(write_trace(tmp_path), tmp_path / "own.trace", lossy=False)
    assert dict(_core.TraceFile(str(tmp_path / "own.trace")).hosts) == {0: "lyon-1", 1: "lyon-2"}
    (tmp_path / "t.row").unlink()  # the head says which rank is on which node, and the .row file only names them
    import_trace(tmp_path / "t.prv", tmp_path / "own.trace", lossy=False)
    assert dict(_core.TraceFile(str(tmp_path / "own.trace")).hosts) == {0: "NODE 1", 1: "NODE 2"}


def test_what_paraver_has_and_a_trace_does_not_is_counted_by_name(tmp_path: Path) -> None:
    more = [
        (100_100_000, event(1, 100_100_000, 42000050, 7)),
        (100_200_000, event(2, 100_200_000, 42000050, 7, 60000019, 1)),
        (100_300_000, "1:1:1:1:1:100300000:100400000:1"),
        *call(1, 100_500_000, 100_600_000, 50000003, 33),
    ]
    target = import_trace(write_trace(tmp_path, *more), tmp_path / "own.trace", lossy=False)
    assert target.left_out.left_out == {
        "events of type 42000050 (PAPI_TOT_INS)": 2,
        "events of type 60000019": 1,
        "records of states": 1,
    }
    file = _core.TraceFile(str(tmp_path / "own.trace"))
    # MPI_Comm_rank says nothing to others: it is counted, and its 0.1 ms stay computation.
    assert [(file.routines[routine], calls, ns) for _, routine, calls, ns in file.local_calls(0)] == [
        ("MPI_Comm_rank", 1, 100_000)
    ]
    with pytest.raises(InputError, match="rank 0: MPI_Win_fence cannot be imported: what moves in a window"):
        import_trace(
            write_trace(tmp_path, *call(1, 100_500_000, 100_600_000, 50000003, 34)), tmp_path / "own.trace", lossy=False
        )
