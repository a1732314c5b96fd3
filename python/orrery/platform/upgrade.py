# SPDX-License-Identifier: BSD-3-Clause
"""A platform file of version 0.2 in the words of today: `[hybrid]` became `[network]`, `[transport]` and `[node]`.

Lines keep their comments. A key that is no longer modelled becomes a comment; apart from that the file means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TABLES = {
    "hybrid.network": "network.between_nodes",
    "hybrid.memory": "network.inside_node",
    "loggps.network": "loggps.between_nodes",
    "loggps.memory": "loggps.inside_node",
}
"""Tables that have another name only."""
_KEYS = {
    "hybrid.tcp_window_bytes": "network.tcp_window_bytes",
    "hybrid.burst_bytes": "network.burst_bytes",
    "hybrid.noise.rate_fraction": "network.rate_noise",
    "hybrid.framing.header_bytes": "network.framing.header_bytes",
    "hybrid.framing.store_and_forward": "network.framing.store_and_forward",
    "hybrid.framing.payload_bytes": "network.framing.frames.payload_bytes",
    "hybrid.framing.overhead_bytes": "network.framing.frames.overhead_bytes",
    "hybrid.first_message_s": "transport.connection_setup_s",
    "hybrid.ack_fraction": "transport.connections.ack_fraction",
    "hybrid.queue_bytes": "transport.connections.queue.depth_bytes",
    "hybrid.later_share": "transport.connections.queue.later_share",
    "hybrid.noise.handling_s": "node.handling_noise_s",
}
_GONE = {
    "hybrid.requests_follow_messages": "transport.connections",
    "hybrid.send_buffer_bytes": "transport.connections",
}
"""Keys that are no longer modelled, with the table in which they are remembered by a comment."""
_WHOLE = {"hybrid.timeouts": "transport.timeouts", "hybrid.processors": "node.processors"}
"""Tables of which each key keeps its name."""
_NEW_TABLE = {"hybrid.framing": "network.framing"} | _WHOLE
_ORDER = (
    "network",
    "network.framing",
    "network.framing.frames",
    "transport",
    "transport.connections",
    "transport.connections.queue",
    "transport.timeouts",
    "node",
    "node.processors",
)
_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.]+)\s*(\]\]?)(.*)")
_ASSIGNMENT = re.compile(r"\s*([\w-]+)\s*=\s*([^#]*)")
_QUOTED = re.compile(r'^"([^"]+)"')


def is_old(values: dict[str, object]) -> bool:
    """Whether a file is of version 0.2."""
    return "hybrid" in values


def renamed(key: str) -> str:
    """A key of such a file, dotted, as it is called today; itself if it is called the same."""
    for old, new in (_KEYS | _TABLES | _WHOLE).items():
        if key == old or (key.startswith(old) and key[len(old)] in ".["):
            return new + key[len(old) :]
    return key


def reason_gone(key: str) -> str | None:
    """Why a key of files between version 0.2 and today is no longer known, with a cure; None for all other keys."""
    for old, table in _GONE.items():
        if key == f"{table}.{old.rpartition('.')[2]}":
            return "is no longer modelled: it made no prediction better. Delete the line"
    return None


def upgraded(text: str) -> str:
    """The file in today's words."""
    moved: dict[str, list[str]] = {}
    remarks: dict[str, str] = {}
    out: list[str] = []
    place = None
    for header, lines in _blocks(text):
        name = _name(header)
        if name in {"hybrid", "hybrid.framing", "hybrid.noise", *_WHOLE}:
            place = len(out) if place is None else place
            if name in _NEW_TABLE and (comment := header.partition("#")[2].strip()):
                remarks[_NEW_TABLE[name]] = comment
            for line in lines:
                _move(name, line, moved)
            continue
        new_header = _aligned(header.replace(name, _TABLES[name], 1)) if name in _TABLES else header
        new_lines = list(_quoted(lines)) if name.startswith("calibration") else lines
        out += [new_header, *new_lines] if header else new_lines
    if place is not None:
        out[place:place] = list(_tables(moved, remarks))
    return "\n".join(out) + "\n"


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each table with its lines; first what stands before all of them, without a header."""
    header, lines = "", list[str]()
    for line in text.splitlines():
        if _HEADER.fullmatch(line):
            yield header, lines
            header, lines = line, []
        else:
            lines.append(line)
    yield header, lines


def _name(header: str) -> str:
    found = _HEADER.fullmatch(header)
    return found[2] if found else ""


def _move(table: str, line: str, moved: dict[str, list[str]]) -> None:
    """Put a line of an old table into the new one that it belongs to. Empty lines go."""
    found = _ASSIGNMENT.match(line)
    if found is None:
        if line.strip():
            moved.setdefault(_NEW_TABLE.get(table, "network"), []).append(line)
        return
    key, value = found[1], found[2].strip()
    if (table, key) == ("hybrid", "grants_wait_for_data"):
        if value == "true":
            comment = line.partition("#")[2]
            moved.setdefault("node", []).append('progress = "in-calls"' + (f"  #{comment}" if comment else ""))
            moved.setdefault("transport.connections", [])
        return
    if f"{table}.{key}" in _GONE:
        moved.setdefault(_GONE[f"{table}.{key}"], []).append(f"# no longer modelled: {line.strip()}")
        return
    if table == "hybrid.processors":
        if key == "count" and value == "0":
            return
        moved.setdefault("transport.connections", [])
    new = renamed(f"{table}.{key}")
    new_table, _, new_key = new.rpartition(".")
    if new_table.startswith("transport.connections."):
        moved.setdefault("transport.connections", [])
    moved.setdefault(new_table, []).append(_aligned(line.replace(key, new_key, 1)))


def _tables(moved: dict[str, list[str]], remarks: dict[str, str]) -> Iterator[str]:
    for table in _ORDER:
        if table in moved:
            yield _aligned(f"[{table}] # {remarks[table]}") if table in remarks else f"[{table}]"
            yield from moved[table]
            yield ""


def _aligned(line: str) -> str:
    """With its comment where those of other lines are."""
    said, mark, comment = line.partition("#")
    return f"{said.rstrip():<37} #{comment}" if mark and said.strip() else line


def _quoted(lines: list[str]) -> Iterator[str]:
    """Lines of a table whose keys are keys of the file."""
    for line in lines:
        found = _QUOTED.match(line)
        if found is None:
            yield line
        elif found[1] not in _GONE:
            yield line.replace(f'"{found[1]}"', f'"{_renamed_path(found[1])}"', 1)


def _renamed_path(key: str) -> str:
    kind, dot, rest = key.partition(".")
    if rest.isdigit():
        return {"network": "between_nodes", "memory": "inside_node"}.get(kind, kind) + dot + rest
    return renamed(key)
