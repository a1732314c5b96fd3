# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace diff` says where traces do different things, not how they number them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from harness import Sandbox
from orrery import _core
from orrery.trace.difference import differences

_Op = tuple[str, dict[str, Any]]
_ROUTINES = {"isend": "MPI_Isend", "irecv": "MPI_Irecv", "wait_all": "MPI_Waitall", "collective": "MPI_Allreduce"}


def _trace(path: Path, operations: Sequence[_Op], comms: dict[int, list[int]] | None = None) -> _core.TraceFile:
    """A trace of rank 0 of two; the other does nothing."""
    routines, kinds = _core.routine_names(), _core.operation_kinds()
    writer = _core.TraceWriter(str(path), 2)
    writer.names(1, 0, routines)
    for number, members in (comms or {}).items():
        writer.communicator(number, members)
    for kind, fields in operations:
        writer.operation(
            0,
            kinds.index(kind),
            routine=routines.index(_ROUTINES[kind]),
            **cast("dict[str, Any]", {"flags": 2} | fields),
        )
    for rank in range(2):
        writer.end(rank)
    writer.close()
    return _core.TraceFile(str(path))


def _exchange(first: int, second: int, *, size: int = 8, comm: int = 0, **more: Any) -> list[_Op]:
    """A receive and a send under these requests, and the wait for both."""
    message = {"peer": 1, "tag": 3, "comm": comm, "bytes": size}
    return [
        ("irecv", {**message, "request": first, **more}),
        ("isend", {**message, "request": second}),
        ("wait_all", {"requests": [second, first]}),
    ]


def test_numbers_of_requests_are_no_difference(tmp_path: Path) -> None:
    twice = [*_exchange(1, 2), *_exchange(1, 2)]  # a tool that numbers again what is free
    others = [*_exchange(70, 7), *_exchange(9, 4)]
    assert differences(_trace(tmp_path / "a", twice), _trace(tmp_path / "b", others)) == []


def test_waits_for_other_requests_are_a_difference(tmp_path: Path) -> None:
    first, second = _exchange(1, 2), _exchange(1, 2)
    second[2] = ("wait_all", {"requests": [1]})
    found = differences(_trace(tmp_path / "a", first), _trace(tmp_path / "b", second))
    assert [(difference.rank, difference.number, difference.fields) for difference in found] == [(0, 2, ["requests"])]


def test_fields_that_an_operation_does_not_have_are_no_difference(tmp_path: Path) -> None:
    # Of a receive: element and counts are of collectives. Of a barrier of all: the root, and its number among the calls.
    first = [*_exchange(1, 2), ("collective", {"collective": "barrier", "flags": 3})]
    second = [
        *_exchange(1, 2, element=4, counts=[1]),
        ("collective", {"collective": "barrier", "flags": 3, "peer": 1, "tag": 9}),
    ]
    assert differences(_trace(tmp_path / "a", first), _trace(tmp_path / "b", second)) == []


def test_numbers_of_communicators_are_no_difference_but_their_members_are(tmp_path: Path) -> None:
    first = _trace(tmp_path / "a", _exchange(1, 2, comm=4), {4: [0, 1]})
    second = _trace(tmp_path / "b", _exchange(1, 2, comm=9), {9: [0, 1]})
    third = _trace(tmp_path / "c", _exchange(1, 2, comm=9), {9: [1, 0]})
    assert differences(first, second) == []
    assert [difference.fields for difference in differences(first, third)] == [["members of the communicator"]]


def test_the_command_says_in_what_operations_differ(sandbox: Sandbox) -> None:
    _trace(sandbox.folder / "a.trace", _exchange(1, 2))
    _trace(sandbox.folder / "b.trace", _exchange(5, 6, size=16))
    ended = sandbox.orrery("trace", "diff", "a.trace", "b.trace")
    assert ended.code == 1
    assert "rank 0, operation 0: bytes\n" in ended.out
    assert "requests [5]" not in ended.out  # both are shown with the same numbers
    found = json.loads(sandbox.orrery("trace", "diff", "a.trace", "b.trace", "--json").out)
    assert [difference["fields"] for difference in found["different"]] == [["bytes"]]
