# SPDX-License-Identifier: BSD-3-Clause
"""Recorded messages of real libraries, as tests compare with them."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

from orrery.collective.call import Call
from orrery.collective.messages import messages
from orrery.collective.settings import CollectiveRequest

DATA = Path(__file__).parents[1] / "data"

Sequences = dict[int, list[tuple[int, int]]]
"""Destination and bytes of the messages of each source, in order."""


def sequences(name: str, *, immediate: bool = False) -> dict[tuple[Call, int], Sequences]:
    """By call and root. A line without source says that a call was made, which may have sent nothing."""
    found: dict[tuple[Call, int], Sequences] = {}
    with gzip.open(DATA / name, "rt", newline="") as file:
        for row in csv.DictReader(file):
            call = Call(row["collective"], int(row["bytes"]), int(row["nprocs"]), immediate)
            sent = found.setdefault((call, int(row["root"])), defaultdict(list))
            if row["src"]:
                sent[int(row["src"])].append((int(row["dst"]), int(row["msg_bytes"])))
    return found


def asked(**settings: Any) -> CollectiveRequest:
    """Return a request whose calls a test names itself."""
    return CollectiveRequest(kinds=(), ranks="", **settings)


def sent_by(call: Call, request: CollectiveRequest, per_node: int | None = None) -> Sequences:
    """What Orrery sends."""
    found: Sequences = defaultdict(list)
    for source, _, destination, size in messages(call, request, per_node)[1]:
        found[source].append((destination, size))
    return found


def totals(
    call: Call, request: CollectiveRequest, per_node: int | None = None
) -> dict[tuple[int, int], tuple[int, int]]:
    """Messages and bytes by source and destination."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for source, _, destination, size in messages(call, request, per_node)[1]:
        count, total = found.get((source, destination), (0, 0))
        found[source, destination] = (count + 1, total + size)
    return found


def different(name: str, *, immediate: bool = False, **request: object) -> list[tuple[Call, int]]:
    """Calls and roots whose messages are others than recorded, or in another order."""
    recorded = sequences(name, immediate=immediate)
    return [
        (call, root) for (call, root), sent in recorded.items() if sent_by(call, asked(root=root, **request)) != sent
    ]
