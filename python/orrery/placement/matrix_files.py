# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in files: CSV, Matrix Market, and records that say who sent how much to whom (JSON)."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from orrery.documents import parse_json, read_lines
from orrery.errors import InputError
from orrery.placement.matrix import MOST_RANKS, TrafficMatrix
from orrery.units import whole_number

_NEEDED = ("source", "target", "bytes")
_COLUMNS = 'expected the columns source, target and bytes, and messages if they are known, as in "source,target,messages,bytes"'
_HEADER = 'expected "%%MatrixMarket matrix coordinate real general" (or integer, pattern; symmetric)'
_ONLY_OWN = "what collectives are made of is not in it; a trace has that: orrery run -o FILE.trace"

Edge = tuple[int, int, float, float]


def read_matrix(path: Path) -> TrafficMatrix:
    """The matrix in a file. Raises InputError naming file and line for what is none."""
    text = read_lines(path)
    readers = {".csv": _from_csv, ".json": _from_json, ".mtx": _from_market}
    found = readers[path.suffix.lower()](path, text)
    if not len(found.sources):
        raise InputError(f"{path}: no rank sends another one anything, so any mapping is as good")
    return found


def _from_csv(path: Path, text: str) -> TrafficMatrix:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    try:
        rows = list(csv.reader(lines, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from None
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if not set(_NEEDED) <= set(names) or len(set(names)) < len(names):
        raise InputError(f"{path}: {_COLUMNS}")
    columns = [names.index(name) if name in names else None for name in ("source", "target", "messages", "bytes")]
    edges = []
    for number, row in enumerate(rows[1:], start=2):
        where = f"{path}: row {number}"
        if len(row) != len(names):
            raise InputError(f"{where}: has {len(row)} values, and there are {len(names)} columns")
        edges.append(_edge(where, [None if column is None else row[column] for column in columns]))
    return _matrix(edges)


def _from_market(path: Path, text: str) -> TrafficMatrix:
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    kind = next(lines, (0, ""))[1].lower().split()
    if kind[:3] != ["%%matrixmarket", "matrix", "coordinate"] or len(kind) != 5:
        raise InputError(f"{path}:1: {_HEADER}")
    if kind[3] not in ("real", "integer", "pattern") or kind[4] not in ("general", "symmetric"):
        raise InputError(f"{path}:1: {kind[3]} {kind[4]}: {_HEADER}")
    said = ((number, line.split()) for number, line in lines if line and not line.startswith("%"))
    number, words = next(said, (1, []))
    sizes = [size for size in map(whole_number, words) if size is not None]
    if not len(words) == len(sizes) == 3 or sizes[0] != sizes[1]:
        raise InputError(f"{path}:{number}: expected rows, columns and entries, with as many columns as rows")
    edges = list(_market_edges(path, said, kind[3] == "pattern", kind[4] == "symmetric"))
    entries = len(edges) if kind[4] == "general" else len(edges) // 2
    if entries != sizes[2]:
        raise InputError(f"{path}: has {entries} entries, and says that it has {sizes[2]}")
    return _matrix(edges, sizes[0], str(path))


def _market_edges(
    path: Path,
    said: Iterator[tuple[int, list[str]]],
    pattern: bool,  # noqa: FBT001
    symmetric: bool,  # noqa: FBT001
) -> Iterator[Edge]:
    for number, words in said:
        where = f"{path}:{number}"
        if len(words) != (2 if pattern else 3):
            raise InputError(f"{where}: expected row, column{'' if pattern else ' and bytes'}")
        source, target, messages, sent = _edge(where, [words[0], words[1], None, "1" if pattern else words[2]])
        if source == 0 or target == 0:
            raise InputError(f"{where}: rows and columns of Matrix Market count from 1")
        yield source - 1, target - 1, messages, sent
        if symmetric:
            yield target - 1, source - 1, messages, sent


def _from_json(path: Path, text: str) -> TrafficMatrix:
    data = parse_json(path, text)
    edges = data.get("edges") if isinstance(data, dict) else None
    if not isinstance(edges, list):
        raise InputError(f'{path}: has no list "edges"; `orrery profile FILE.trace --json` writes one')
    found = []
    for number, edge in enumerate(edges):
        where = f"{path}: edges[{number}]"
        if not isinstance(edge, dict):
            raise InputError(f"{where}: expected an object with source, destination, messages and bytes")
        found.append(_edge(where, [str(edge.get(key, "")) for key in ("source", "destination", "messages", "bytes")]))
    listed = data.get("ranks")
    return _matrix(found, len(listed) if isinstance(listed, list) else 0, str(path), [f"{path}: {_ONLY_OWN}"])


def _edge(where: str, words: Sequence[str | None]) -> Edge:
    """Sender, receiver, messages (1 where nothing is said) and bytes, checked."""
    source, target = (_rank(where, str(word).strip()) for word in words[:2])
    messages = 1.0 if words[2] is None else _amount(where, "messages", words[2])
    return source, target, messages, _amount(where, "bytes", str(words[3]))


def _rank(where: str, word: str) -> int:
    rank = whole_number(word)
    if rank is None or rank >= MOST_RANKS:
        raise InputError(f'{where}: "{word}": expected a rank, a whole number from 0 on, below {MOST_RANKS}')
    return rank


def _amount(where: str, what: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise InputError(f'{where}: "{word.strip()}": expected {what}, a number of 0 or more')
    return value


def _matrix(edges: list[Edge], ranks: int = 0, where: str = "", cautions: Sequence[str] = ()) -> TrafficMatrix:
    needed = 1 + max((max(source, target) for source, target, _, _ in edges), default=-1)
    if ranks and not needed <= ranks <= MOST_RANKS:
        raise InputError(f"{where}: says that it has {ranks} ranks, and names rank {needed - 1}")
    return TrafficMatrix.of(ranks or needed, edges, cautions)
