# SPDX-License-Identifier: BSD-3-Clause
"""What failed or is not complete says so first, and with its exit code."""

from __future__ import annotations

import re
import struct

import pytest

import orrery
from harness import Sandbox
from orrery.trace.contents import contents_of
from orrery.trace.usage import read_usage


@pytest.fixture
def trace(sandbox: Sandbox) -> bytes:
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    return (sandbox.folder / "it.trace").read_bytes()


def _blocks(trace: bytes) -> list[tuple[int, int]]:
    """Place of each block of calls, in bytes, and its rank."""
    assert struct.unpack_from("<8sI", trace) == (b"\211ORRTR\r\n", 2), "this reads version 2 (docs/trace-format.md)"
    (index,) = struct.unpack_from("<Q", trace, len(trace) - 16)
    (length,) = struct.unpack_from("<I", trace, index + 16)
    entries = struct.iter_unpack("<QIIII", trace[index + 40 :][:length])
    return sorted((place, rank) for place, rank, _, _, kind in entries if kind == 4)


def _end_of_calls(trace: bytes) -> int:
    """Where the last block of calls ends, in bytes: names, local calls and the index lie behind it."""
    last = _blocks(trace)[-1][0]
    of_block = int(struct.unpack_from("<I", trace, last + 16)[0])
    return last + 40 + of_block


def _with_flipped_bit(trace: bytes, place: int) -> bytes:
    return trace[:place] + bytes([trace[place] ^ 4]) + trace[place + 1 :]


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95, 1.0])
def test_a_trace_that_was_cut_off_is_never_replayed_as_if_it_were_whole(
    sandbox: Sandbox, trace: bytes, share: float
) -> None:
    (sandbox.folder / "cut.trace").write_bytes(trace[: int(_end_of_calls(trace) * share) - 1])
    ended = sandbox.replay("cut.trace")
    assert ended.code == 1
    first = ended.err.splitlines()[0]
    assert first.startswith("orrery: the replay failed: the trace is not complete: the calls of ")
    assert "expected" not in ended.out
    assert (ended.record["end"], ended.record["expected"], ended.record["exit_code"]) == ("cut_off", None, 1)
    shown = sandbox.orrery("profile", "cut.trace")
    assert (shown.code, shown.out.split()[:2]) == (1, ["cut", "off"])


def test_a_trace_that_lost_its_index_alone_is_not_complete_and_its_times_are_the_same(
    sandbox: Sandbox, trace: bytes
) -> None:
    (sandbox.folder / "it.trace").write_bytes(trace)
    whole = sandbox.replayed("it.trace")
    for length in (len(trace) - 1, _end_of_calls(trace)):
        (sandbox.folder / "cut.trace").write_bytes(trace[:length])
        ended = sandbox.replay("cut.trace")
        what = "cut.trace: the index is missing or damaged: the file was cut off, or is still being written"
        assert ended.code == 1
        assert ended.err.splitlines()[0] == f"orrery: the replay failed: the trace is not complete: {what}"
        record = ended.record
        assert (record["end"], record["expected"], record["exit_code"]) == ("cut_off", None, 1)
        assert (record["simulated_s"], record["cautions"][0]) == (whole["simulated_s"], what)
        shown = sandbox.orrery("profile", "cut.trace")
        assert (shown.code, shown.out.splitlines()[0].split(maxsplit=4)[:4]) == (1, ["damaged", "the", "index", "is"])
        compared = sandbox.orrery("compare", "it.trace", "cut.trace")
        assert compared.code == 1
        assert compared.out.startswith("cut.trace is not complete: the index is missing"), compared.out


@pytest.mark.parametrize("where", [0, 4, 10, 24, 60])
def test_a_damaged_block_is_named_by_all_that_read_the_trace(sandbox: Sandbox, trace: bytes, where: int) -> None:
    """`where`: in the block: its mark, its kind, its rank, number of records, a byte of its calls."""
    place, rank = _blocks(trace)[2]
    (sandbox.folder / "bad.trace").write_bytes(_with_flipped_bit(trace, place + where))
    why = "the calls of 1 of 4 ranks end before MPI_Finalize, at a damaged block"
    block = f"rank {rank} at byte {place}"
    info = sandbox.orrery("trace", "info", "bad.trace")
    assert (info.code, info.out.splitlines()[0]) == (1, f"damage          {why}: {block}")
    ended = sandbox.replay("bad.trace")
    assert ended.code == 1
    assert ended.err.splitlines()[0].startswith(
        f"orrery: the replay failed: the trace is not complete: {why} ({block})"
    )
    assert f"bad.trace: {why}: {block}" in ended.record["cautions"]
    shown = sandbox.orrery("profile", "bad.trace")
    assert (shown.code, shown.out.splitlines()[0]) == (1, f"damaged  {why}: {block}")
    compared = sandbox.orrery("compare", "it.trace", "bad.trace")
    assert compared.code == 1
    assert compared.out.startswith(f"bad.trace is not complete: {why}: {block}")


def test_no_flipped_bit_of_calls_or_their_heads_is_overlooked(sandbox: Sandbox, trace: bytes) -> None:
    bad = sandbox.folder / "bad.trace"
    for place, rank in _blocks(trace):
        (length,) = struct.unpack_from("<I", trace, place + 16)
        for at in {*range(place, place + 40, 4), *range(place + 40, place + 40 + length, max(1, length // 8))}:
            bad.write_bytes(_with_flipped_bit(trace, at))
            usage = read_usage(bad)
            assert usage.damaged_at == {rank: place}, at
            assert usage.incomplete, at
            assert contents_of(bad).damage == usage.damage, at


def test_commands_that_look_into_a_trace_say_that_it_is_not_complete_and_write_what_is_left(
    sandbox: Sandbox, trace: bytes
) -> None:
    whole = sandbox.folder / "it.trace"
    (sandbox.folder / "index.trace").write_bytes(trace[:-1])
    (sandbox.folder / "cut.trace").write_bytes(trace[: _blocks(trace)[-1][0] + 44])
    (sandbox.folder / "bad.trace").write_bytes(_with_flipped_bit(trace, _blocks(trace)[1][0] + 44))
    commands: dict[str, tuple[str, ...]] = {
        "convert": ("-o", "out.csv", "--overwrite"),
        "dump": (),
        "slice": ("-o", "out.trace", "--only", "0-3", "--overwrite"),
    }
    for command, options in commands.items():
        assert sandbox.orrery("trace", command, str(whole), *options).code == 0
        for name in ("index.trace", "cut.trace", "bad.trace"):
            for out in ("out.csv", "out.trace"):
                (sandbox.folder / out).unlink(missing_ok=True)
            ended = sandbox.orrery("trace", command, name, *options)
            assert ended.code == 1, (command, name)
            assert ended.err.startswith(f"orrery: {name} is not complete: the "), ended.err
            assert ended.err.count(" is not complete") == 1
            written = ended.out if command == "dump" else (sandbox.folder / options[1]).read_bytes()
            assert len(written) > 100, (command, name)
    assert sandbox.orrery("trace", "convert", "cut.trace", "-o", "out.csv", "--overwrite", "--json").code == 1
    assert sandbox.orrery("trace", "diff", "it.trace", "it.trace").code == 0
    alike = sandbox.orrery("trace", "diff", "it.trace", "index.trace")
    assert (alike.code, alike.out) == (1, "the traces do the same\n")
    assert alike.err.startswith("orrery: index.trace is not complete: ")


def test_python_says_first_that_a_trace_is_not_complete(sandbox: Sandbox, trace: bytes) -> None:
    whole, cut = orrery.profile(sandbox.folder / "it.trace"), sandbox.folder / "cut.trace"
    assert whole.completed
    assert "not complete" not in repr(whole)
    for length in (len(trace) - 1, _end_of_calls(trace) // 2):
        cut.write_bytes(trace[:length])
        usage = orrery.profile(cut)
        assert not usage.completed
        assert str(usage).startswith(("damaged ", "cut off "))
        assert repr(usage).startswith(f"<Usage: {cut}: is not complete: the ")


def test_no_record_has_no_bytes(sandbox: Sandbox, trace: bytes) -> None:
    (sandbox.folder / "cut.trace").write_bytes(trace[: _blocks(trace)[0][0]])
    info = sandbox.orrery("trace", "info", "cut.trace")
    assert info.code == 1
    assert re.search(r"^records +0$", info.out, re.MULTILINE), info.out


def test_the_whole_trace_is_replayed_without_a_word(sandbox: Sandbox, trace: bytes) -> None:
    (sandbox.folder / "whole.trace").write_bytes(trace)
    ended = sandbox.replay("whole.trace")
    assert (ended.code, ended.err, ended.record["end"]) == (0, "", "completed")
    assert sandbox.orrery("profile", "whole.trace").code == 0


def test_a_failed_run_says_why_before_what_is_known(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "deadlock", str(sandbox.folder / "mark"))
    lines = ended.err.splitlines()
    assert lines[0] == "orrery: the run failed: These ranks wait for each other in a circle:"
    assert lines.index("") < [line.split(" ")[0] for line in lines].index("simulated")
    assert sum("the run failed" in line for line in lines) == 1
    shown = sandbox.orrery("profile")
    assert shown.code == 1
    assert shown.out.startswith("the run failed: These ranks wait ")


def test_the_profile_of_a_failed_runs_trace_says_that_its_time_is_that_of_calls_that_ended(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "deadlock", str(sandbox.folder / "mark"), options=("-o", "it.trace"))
    assert ended.code == 1
    time = next(line for line in sandbox.orrery("profile", "it.trace").out.splitlines() if line.startswith("time "))
    assert time.endswith(" until the last call that ended, simulated")


def test_the_time_of_a_whole_trace_is_that_of_the_run(sandbox: Sandbox, trace: bytes) -> None:
    (sandbox.folder / "it.trace").write_bytes(trace)
    assert re.search(r"^time     \S+ \S+, simulated$", sandbox.orrery("profile", "it.trace").out, re.MULTILINE)


@pytest.mark.parametrize("name", ["nothere.json", "empty.trace", "text.trace"])
def test_what_profile_cannot_show_is_refused_with_all_that_it_takes(sandbox: Sandbox, name: str) -> None:
    (sandbox.folder / "empty.trace").write_bytes(b"")
    (sandbox.folder / "text.trace").write_text("no trace at all\n")
    refused = sandbox.orrery("profile", name)
    assert refused.code == 2
    assert "JSON" not in refused.err.replace(".json", "")
    for taken in ("`orrery run -o FILE.json`", "`orrery run -o FILE.trace`", "folder of TAU's profiles"):
        assert taken in refused.err


def test_of_a_run_that_failed_before_it_began_nothing_else_is_said(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "3", "sh", "-c", "exit 3")
    assert ended.code == 3
    assert ended.err.strip() == "orrery: the run failed: sh ended with status 3 before it called MPI_Init"
