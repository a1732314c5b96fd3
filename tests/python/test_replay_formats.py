# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery import _core
from orrery.trace.reading import operations
from orrery.trace.timeline import messages_of


def _write(sandbox: Sandbox, name: str, text: str) -> str:
    path = sandbox.folder / name
    path.write_text(text)
    return str(path)


# --- GOAL ------------------------------------------------------------------------------------------------------------

_GOAL = """num_ranks 3
rank 0 {
a: calc 1000
b: send 100b to 1 tag 1
b requires a
c: send 100b to 2 tag 1
c irequires b
}
rank 1 {
recv 100b from 0 tag 1
}
rank 2 {
r: recv 100b from -1 tag -1
s: calc 500
s requires r
}
"""


def test_a_schedule_takes_the_time_of_its_model(sandbox: Sandbox) -> None:
    path = _write(sandbox, "a.goal", _GOAL)
    options = ("--loggops", "L=2000,o=100,g=50,G=1,O=0", "--json")
    ended = sandbox.orrery("replay", path, *options)
    found = json.loads(ended.out)
    # Rank 0: calc 1000, then two sends: the second waits for o = 100 and for g + 99 G = 149. Each message is there
    # o + L after its send began, and taken o + 99 G later.
    assert found["end_ns"] == [1000 + 149 + 100, 1000 + 2100 + 199, 1149 + 2100 + 199 + 500]
    assert found["unfinished"] == found["unmatched"] == 0


def test_a_schedule_may_begin_with_comments_of_several_lines(sandbox: Sandbox) -> None:
    text = "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n"
    for comment in (
        "/* two\nlines */\n",
        "// one\n\n  /* and\nthis */ // this\n",
        "/* " + "long\n" * 50_000 + "*/",
        "/**/",
    ):
        path = _write(sandbox, "comment.goal", comment + text)
        assert sandbox.replayed(path)["simulated_s"] == pytest.approx(5e-9)


def test_a_schedule_runs_on_a_platform(sandbox: Sandbox) -> None:
    path = _write(sandbox, "a.goal", _GOAL)
    record = sandbox.replayed(path, "--platform", "graphene", "--map", "node")
    assert record["messages"] == 2
    assert record["simulated_s"] > 1500e-9


@pytest.mark.parametrize("options", [(), ("--platform", "graphene", "--map", "node")])
def test_a_message_takes_as_long_for_a_receive_of_any_source_as_for_one_that_names_it(
    sandbox: Sandbox, options: tuple[str, ...]
) -> None:
    text = "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 1000000b to 1 tag 1\nb requires a\n}\nrank 1 {\nrecv 1000000b from WHOM tag 1\n}\n"
    # A rendezvous on both platforms: one side has waited for the envelope when it begins.
    times = [
        sandbox.replayed(_write(sandbox, "a.goal", text.replace("WHOM", whom)), *options)["simulated_s"]
        for whom in ("0", "-1")
    ]
    assert times[1] == pytest.approx(times[0], rel=1e-12)


def test_a_mistake_in_a_schedule_is_named_with_its_line(sandbox: Sandbox) -> None:
    path = _write(sandbox, "a.goal", _GOAL.replace("to 2", "to 7"))
    ended = sandbox.replay(path)
    assert ended.code == 2
    assert "line 6: 7, expected at most 2" in ended.err


def test_a_trace_comes_back_from_simgrids_format(sandbox: Sandbox) -> None:
    trace = sandbox.folder / "ring.trace"
    run = sandbox.run(4, "ring", options=("-o", str(trace), "--compute", "none"))
    ti = sandbox.folder / "ring.ti"
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(ti), "--format", "ti")
    assert ended.code == 0, ended.err
    record = sandbox.replayed(str(ti), "--compute-scale", "0")
    assert record["messages"] == run.record["messages"]
    assert record["bytes"] == run.record["bytes"]
    assert record["simulated_s"] == pytest.approx(run.record["simulated_s"])


@pytest.mark.parametrize("ending", ["ti", "goal", "bin"])
def test_formats_of_operations_alone_say_how_a_replay_gets_the_platform_and_the_map_back(
    sandbox: Sandbox, ending: str
) -> None:
    run = sandbox.run(4, "ring", options=("-p", "graphene", "--map", "node", "-o", "it.trace", "--compute", "none"))
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", f"it.{ending}")
    assert ended.code == 0, ended.err
    said = "orrery: it.trace: left out: the {} of the recording, once: the format has no place for it: replay with {}\n"
    assert said.format("platform", "-p graphene") in ended.err
    assert said.format("map", "--map node") in ended.err
    scale = ("--compute-scale", "0")
    assert sandbox.replayed(f"it.{ending}", *scale)["hosts"] == 1
    again = sandbox.replayed(f"it.{ending}", "-p", "graphene", "--map", "node", *scale)
    assert (again["hosts"], again["platform"]) == (4, "graphene")
    assert again["simulated_s"] == pytest.approx(run.record["simulated_s"], rel=0.02)


# --- looking into traces ---------------------------------------------------------------------------------------------


@pytest.fixture
def ring_trace(sandbox: Sandbox) -> Path:
    path = sandbox.folder / "ring.trace"
    assert sandbox.run(4, "ring", options=("-o", str(path))).code == 0
    return path


def test_a_trace_says_where_it_comes_from(sandbox: Sandbox, ring_trace: Path) -> None:
    found = json.loads(sandbox.orrery("trace", "info", "--json", str(ring_trace)).out)
    assert found["ranks"] == 4
    assert found["properties"]["program"] == "ring"
    assert found["properties"]["source"] == "simulated"
    assert found["damage"] == []
    assert found["calls"]["MPI_Finalize"] == 4


def test_a_trace_is_dumped_as_text_and_as_tables(sandbox: Sandbox, ring_trace: Path) -> None:
    text = sandbox.orrery("trace", "dump", str(ring_trace), "--only", "2", "--most", "3").out
    assert text.count("\n") == 3
    assert "MPI_" in text
    table = sandbox.folder / "ring.csv"
    assert sandbox.orrery("trace", "convert", str(ring_trace), "-o", str(table), "--format", "csv").code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {row["rank"] for row in rows} == {"0", "1", "2", "3"}
    assert sum(row["kind"] == "isend" for row in rows) == 4


def _check_flows(events: list[dict[str, Any]], calls: list[dict[str, Any]]) -> None:
    """The token of the ring goes from each rank to the next one: four messages, one at a time, each in a call at both ends."""
    begins = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    ways = {(begins[number]["tid"], ends[number]["tid"]) for number in begins}
    assert ways == {(0, 1), (1, 2), (2, 3), (3, 0)}
    for event in (*begins.values(), *ends.values()):
        name = "MPI_Send" if event["ph"] == "s" else "MPI_Recv"
        here = [call for call in calls if call["tid"] == event["tid"] and call["name"] == name]
        assert any(call["ts"] <= event["ts"] <= call["ts"] + call["dur"] for call in here)
    counts = [event["args"]["messages"] for event in events if event["ph"] == "C"]
    assert (counts[-1], min(counts), max(counts)) == (0, 0, 1)


def _fields(data: bytes) -> list[tuple[int, Any]]:
    """Fields of a protobuf message: numbers, eight bytes, and what has a length."""
    at, found = 0, []

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                return value

    while at < len(data):
        field, kind = divmod(varint(), 8)
        length = {0: 0, 1: 8, 2: 0}[kind] if kind != 2 else varint()
        found.append((field, varint() if kind == 0 else data[at : at + length]))
        at += length
    return found


def test_perfetto_s_own_form_says_the_same(sandbox: Sandbox, ring_trace: Path) -> None:
    """Numbers of fields are those of perfetto_trace.proto, whose own reader takes such a file (perfetto 0.59.1 of PyPI)."""
    assert sandbox.orrery("trace", "convert", str(ring_trace), "-o", "it.pftrace").code == 0
    packets = [dict(_fields(packet)) for field, packet in _fields((sandbox.folder / "it.pftrace").read_bytes())]
    assert all(packet[10] == 1 for packet in packets)  # trusted_packet_sequence_id
    tracks = [dict(_fields(packet[60])) for packet in packets if 60 in packet]
    assert {dict(_fields(track[3]))[6] for track in tracks if 3 in track} == {b"node-1"}
    threads = {track[1]: dict(_fields(track[4]))[5] for track in tracks if 4 in track}
    assert list(threads.values()) == [f"rank {rank}".encode() for rank in range(4)]
    events = [(packet[8], dict(_fields(packet[11]))) for packet in packets if 11 in packet]
    begins = [event for _, event in events if event[9] == 1]
    assert len(begins) == sum(event[9] == 2 for _, event in events)
    leaving = {event[47]: (threads[event[11]], event[23]) for event in begins if 47 in event}
    coming = {event[48]: (threads[event[11]], event[23]) for event in begins if 48 in event}
    ways = {(leaving[number], coming[number]) for number in leaving}
    assert ways == {
        ((f"rank {rank}".encode(), b"MPI_Send"), (f"rank {(rank + 1) % 4}".encode(), b"MPI_Recv")) for rank in range(4)
    }
    counts = [event[30] for _, event in events if event[9] == 4]
    assert (counts[-1], max(counts)) == (0, 1)


@pytest.mark.parametrize("program", ["wildcard", "collectives"])
def test_messages_of_timelines_are_those_that_were_sent(sandbox: Sandbox, program: str) -> None:
    """Each send of a program that receives all of its messages has its receive, also those of any source."""
    assert sandbox.run(4, program, options=("-o", "it.trace")).code == 0
    file = _core.TraceFile(str(sandbox.folder / "it.trace"))
    sends = sum(operation.kind == "isend" for rank in range(4) for operation in operations(file, rank))
    found = messages_of(file)
    assert len(found.begin_ns) == sends
    assert all(begin <= end for begin, end in zip(found.begin_ns, found.end_ns, strict=True))


@pytest.mark.parametrize("program", ["intercomms", "one_sided"])
def test_a_call_is_one_slice_of_a_timeline_whatever_it_does(sandbox: Sandbox, program: str) -> None:
    """Such as MPI_Sendrecv, which is a receive, a send and a wait."""
    assert sandbox.run(4, program, options=("-o", "it.trace")).code == 0
    calls = json.loads(sandbox.orrery("trace", "info", "it.trace", "--json").out)["calls"]
    assert sandbox.orrery("trace", "convert", "it.trace", "-o", "it.json").code == 0
    events = json.loads((sandbox.folder / "it.json").read_text())["traceEvents"]
    assert Counter(event["name"] for event in events if event["ph"] == "X") == calls


def test_a_trace_becomes_timelines(sandbox: Sandbox, ring_trace: Path) -> None:
    chrome, paje = sandbox.folder / "ring.json", sandbox.folder / "ring.paje"
    assert sandbox.orrery("trace", "convert", str(ring_trace), "-o", str(chrome), "--format", "perfetto").code == 0
    events = json.loads(chrome.read_text())["traceEvents"]
    calls = [event for event in events if event["ph"] == "X"]
    assert {event["tid"] for event in calls} == {0, 1, 2, 3}
    assert {event["name"] for event in calls} >= {"MPI_Send", "MPI_Recv"}
    names = {(event["name"], event["args"]["name"]) for event in events if event["ph"] == "M"}
    assert names == {("process_name", "node-1"), *(("thread_name", f"rank {rank}") for rank in range(4))}
    _check_flows(events, calls)
    assert sandbox.orrery("trace", "convert", str(ring_trace), "-o", str(paje), "--format", "paje").code == 0
    lines = [line.split() for line in paje.read_text().splitlines() if line[0] in "45"]
    times = [float(line[1]) for line in lines]
    assert times == sorted(times)
    assert sum(line[0] == "4" for line in lines) == sum(line[0] == "5" for line in lines)


def test_traces_of_one_program_do_the_same_and_those_of_two_do_not(sandbox: Sandbox, ring_trace: Path) -> None:
    other, again = sandbox.folder / "other.trace", sandbox.folder / "again.trace"
    sandbox.run(4, "collectives", options=("-o", str(other)))
    sandbox.run(4, "ring", options=("-o", str(again)))
    assert sandbox.orrery("trace", "diff", str(ring_trace), str(again)).code == 0
    ended = sandbox.orrery("trace", "diff", str(ring_trace), str(other))
    assert ended.code == 1
    assert "rank 0, operation" in ended.out


def test_messages_that_nobody_receives_are_said(sandbox: Sandbox) -> None:
    sends = "".join(f"send {number}b to 1 tag {number}\n" for number in (10, 20, 30))
    (sandbox.folder / "a.goal").write_text(
        f"num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\nrecv 20b from 0 tag 20\n}}\n"
    )
    ended = sandbox.orrery("replay", "a.goal")
    assert ended.code == 0
    assert "2 messages with 40 B were never received, such as one from rank 0 to rank 1" in ended.out
    (sandbox.folder / "b.goal").write_text("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n")
    assert "never received" not in sandbox.orrery("replay", "b.goal").out


def test_a_circle_in_a_schedule_is_refused(sandbox: Sandbox) -> None:
    text = "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\nb requires a\n}\n"
    (sandbox.folder / "a.goal").write_text(text.replace("b requires a", "b requires a\na requires b"))
    ended = sandbox.orrery("replay", "a.goal")
    assert ended.code == 2
    assert "a requires b, b requires a" in ended.err
