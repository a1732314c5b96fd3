# SPDX-License-Identifier: BSD-3-Clause
"""Traces as OTF2 archives and in the Common Trace Format: folders that other programs read."""

from __future__ import annotations

import importlib.util
import re
import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.trace.timeline import calls_of, messages_of
from skips import needs

needs_otf2 = pytest.mark.skipif(importlib.util.find_spec("otf2") is None, reason="needs otf2")
_LOCAL = {"MPI_Wtime", "MPI_Comm_free", "MPI_Pcontrol", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"}
"""Routines that do not communicate, or perhaps not: an import takes them for computation."""


def _recorded(sandbox: Sandbox, program: str, ranks: int, *options: str) -> _core.TraceFile:
    trace = sandbox.folder / "it.trace"
    ended = sandbox.run(ranks, program, options=("-o", str(trace), *options))
    assert ended.code == 0, ended.err
    return _core.TraceFile(str(trace))


def _calls(file: _core.TraceFile) -> list[tuple[int, str, int, int]]:
    return [
        (rank, file.routines[call.routine], call.begin_ns, call.end_ns)
        for rank in range(file.streams)
        for call in calls_of(file, rank)
        if file.routines[call.routine] not in _LOCAL
    ]


def _messages(file: _core.TraceFile) -> Counter[tuple[int, ...]]:
    sent = messages_of(file)
    columns = (sent.source, sent.destination, sent.tag, sent.bytes, sent.begin_ns, sent.end_ns)
    known = {0, *dict(file.communicators)}
    return Counter(row for row, comm in zip(zip(*columns, strict=True), sent.comm, strict=True) if comm in known)


# --- OTF2 ------------------------------------------------------------------------------------------------------------


def _there_and_back(sandbox: Sandbox) -> _core.TraceFile:
    """The trace as an archive, and that as a trace."""
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2")
    assert ended.code == 0, ended.err
    ended = sandbox.orrery("trace", "import", "it.otf2", "-o", "back.trace", "--lossy")
    assert ended.code == 0, ended.err
    return _core.TraceFile(str(sandbox.folder / "back.trace"))


@needs_otf2
@pytest.mark.parametrize(
    ("program", "ranks"), [("ring", 8), ("collectives", 6), ("heat2d", 4), ("wildcard", 5), ("polling", 4)]
)
def test_an_archive_is_read_back_with_the_same_calls_times_and_messages(
    sandbox: Sandbox, program: str, ranks: int
) -> None:
    file = _recorded(sandbox, program, ranks)
    back = _there_and_back(sandbox)
    assert _messages(back) == _messages(file)
    assert _calls(back) == _calls(file)
    assert set(back.hosts.values()) == {"node-1"}


@needs_otf2
@pytest.mark.parametrize("program", ["intercomms", "captured"])
def test_messages_between_two_groups_and_those_of_persistent_requests_are_read_back(
    sandbox: Sandbox, program: str
) -> None:
    file = _recorded(sandbox, program, 4)
    assert _messages(_there_and_back(sandbox)) == _messages(file)


@needs_otf2
@pytest.mark.parametrize(("program", "ranks"), [("collectives", 6), ("heat2d", 4)])
def test_an_archive_replays_as_the_trace_that_it_was_made_of(sandbox: Sandbox, program: str, ranks: int) -> None:
    _recorded(sandbox, program, ranks)
    assert sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2").code == 0
    again, replay = sandbox.replayed("it.trace", "--match", "recorded"), sandbox.replayed("it.otf2")
    assert (replay["messages"], replay["bytes"]) == (again["messages"], again["bytes"])
    assert replay["simulated_s"] == pytest.approx(again["simulated_s"], rel=1e-4)  # of computation there are whole ns


@needs_otf2
def test_what_an_archive_has_no_word_for_is_said(sandbox: Sandbox) -> None:
    _recorded(sandbox, "one_sided", 4)
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2")
    assert ended.code == 0
    assert re.search(r"left out: one-sided operations, [\d,]+ times", ended.err)


def test_without_its_library_an_archive_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from orrery.errors import InputError
    from orrery.trace.export_otf2 import check_library

    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(InputError, match="pip install otf2"):
        check_library()


# --- CTF -------------------------------------------------------------------------------------------------------------

_SIZES = {0: "<H", 1: "<H", 2: "<IIiq", 3: "<IIiq", 4: "<HHIiq"}
_NAMES = ("mpi_enter", "mpi_leave", "mpi_send", "mpi_receive", "mpi_collective")
"""Names by the numbers of events, as the metadata have them; above, their fields."""


def _events(stream: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Time, name and fields of the events of a stream, as `metadata` describes them."""
    data, at, found = stream.read_bytes(), 0, []
    while at < len(data):
        begin = at
        magic, number, content, size, first, last, _rank = struct.unpack_from("<IIQQQQI", data, at)
        assert (magic, number, content) == (0xC1FC1FC1, 0, size)
        at = data.index(b"\0", at + 44) + 1
        while at < begin + content // 8:
            kind, time = struct.unpack_from("<HQ", data, at)
            assert first <= time <= last
            found.append((time, _NAMES[kind], struct.unpack_from(_SIZES[kind], data, at + 10)))
            at += 10 + struct.calcsize(_SIZES[kind])
        assert at == begin + size // 8
    return found


def test_streams_of_events_have_all_calls_and_messages_in_the_order_of_time(sandbox: Sandbox) -> None:
    file = _recorded(sandbox, "heat2d", 4)
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.ctf")
    assert ended.code == 0, ended.err
    folder = sandbox.folder / "it.ctf"
    assert sorted(entry.name for entry in folder.iterdir()) == ["metadata", "rank-0", "rank-1", "rank-2", "rank-3"]
    sent, received = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for rank in range(4):
        events = _events(folder / f"rank-{rank}")
        times = [time for time, _, _ in events]
        assert times == sorted(times)
        calls = [(call.begin_ns, call.routine) for call in calls_of(file, rank)]
        assert [(time, *fields) for time, name, fields in events if name == "mpi_enter"] == calls
        sent.update((rank, to, tag, size, time) for time, name, (to, _, tag, size) in _only(events, "mpi_send"))
        received.update((at, rank, tag, size, time) for time, name, (at, _, tag, size) in _only(events, "mpi_receive"))
    messages = _messages(file)
    assert sent == Counter(message[:5] for message in messages.elements())
    assert received == Counter((*message[:4], message[5]) for message in messages.elements())


def _only(events: list[tuple[int, str, tuple[int, ...]]], name: str) -> list[tuple[int, str, tuple[int, ...]]]:
    return [event for event in events if event[1] == name]


@needs("babeltrace2")
@pytest.mark.parametrize("program", ["collectives", "wildcard"])
def test_babeltrace_reads_the_same(sandbox: Sandbox, program: str) -> None:
    file = _recorded(sandbox, program, 4)
    assert sandbox.orrery("trace", "convert", "it.trace", "-o", "it.ctf").code == 0
    ended = subprocess.run(
        ["babeltrace2", "--clock-cycles", "it.ctf"], check=False, cwd=sandbox.folder, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    calls = Counter(re.findall(r'mpi_enter: .*routine = \( "(\w+)"', ended.stdout))
    assert calls == Counter(file.routines[call.routine] for rank in range(4) for call in calls_of(file, rank))
    assert sum("mpi_send:" in line for line in lines) == len(messages_of(file).begin_ns)
    times = [int(re.match(r"\[(\d+)\]", line)[1]) for line in lines]  # type: ignore[index]
    assert times == sorted(times)
    assert 'host = "' in lines[0]


# --- folders ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["ctf", pytest.param("otf2", marks=needs_otf2)])
def test_a_folder_of_ours_is_replaced_and_any_other_is_left_alone(sandbox: Sandbox, form: str) -> None:
    _recorded(sandbox, "ring", 4)
    place = sandbox.folder / f"it.{form}"
    words = ("trace", "convert", "it.trace", "-o", place.name)
    place.mkdir()  # an empty one is nobody's
    assert sandbox.orrery(*words).code == 0
    before = {entry.name for entry in place.iterdir()}
    assert sandbox.orrery(*words).code == 0
    assert {entry.name for entry in place.iterdir()} == before
    (place / "notes.txt").write_text("mine")
    for more in ((), ("--overwrite",)):
        ended = sandbox.orrery(*words, *more)
        assert ended.code == 2
        assert "Orrery did not write, such as notes.txt" in ended.err
    assert (place / "notes.txt").read_text() == "mine"
    assert [entry.name for entry in sandbox.folder.iterdir() if entry.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("place", "says"), [("-", "name a folder"), ("it.json", "is a file"), ("no/it.ctf", "mkdir -p")]
)
def test_a_place_that_can_be_no_folder_is_refused(sandbox: Sandbox, place: str, says: str) -> None:
    _recorded(sandbox, "ring", 2)
    (sandbox.folder / "it.json").write_text("{}")
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", place, "--format", "ctf")
    assert ended.code == 2
    assert says in ended.err


def test_a_trace_in_the_folder_that_would_be_written_is_not_lost(sandbox: Sandbox) -> None:
    _recorded(sandbox, "ring", 2)
    folder = sandbox.folder / "it.ctf"
    folder.mkdir()
    (sandbox.folder / "it.trace").rename(folder / "it.trace")
    ended = sandbox.orrery("trace", "convert", "it.ctf/it.trace", "-o", "it.ctf")
    assert (ended.code, "is what is read" in ended.err) == (2, True)
