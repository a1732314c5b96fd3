# SPDX-License-Identifier: BSD-3-Clause
"""How a page carries its numbers: columns of bytes behind a JSON document, compressed, as text. tools/page/src/data.ts reads it."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields, is_dataclass

import numpy as np
import numpy.typing as npt

from orrery.terminal import visible, visible_lines

_CODES = {"i8": "i64", "f8": "f64", "i4": "i32", "u4": "u32", "u2": "u16", "u1": "u8"}
_LEVEL = 6
"""Level of gzip: 9 takes four times as long for 2 % less."""

Numbers = Sequence[float] | memoryview | npt.NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class Column:
    """Numbers of one kind, shape (n,), which the page keeps as bytes."""

    values: Numbers
    delta: bool = False
    """Store differences: for numbers that ascend for the most part."""


class ColumnPacker:
    """Columns, one behind the other."""

    def __init__(self) -> None:
        self._bytes: list[bytes] = []
        self._size = 0

    def packed(self, document: object) -> str:
        """The document, whose `Column`s become places of bytes, and the bytes: gzip in base64."""
        text = json.dumps(self._plain(document), separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        whole = b"".join([struct.pack("<I", len(text)), text, *self._bytes])
        return base64.b64encode(gzip.compress(whole, _LEVEL, mtime=0)).decode()

    def _plain(self, value: object) -> object:
        if isinstance(value, Column):
            return self._place(value)
        if is_dataclass(value) and not isinstance(value, type):
            found = {_name(field): self._plain(getattr(value, field.name)) for field in fields(value)}
            return {name: plain for name, plain in found.items() if plain is not None}
        if isinstance(value, dict):
            return {visible(str(key)): self._plain(member) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(element) for element in value]
        return visible_lines(value) if isinstance(value, str) else _finite(value)

    def _place(self, column: Column) -> dict[str, object]:
        numbers = np.ascontiguousarray(column.values)
        if numbers.dtype.str[1:] not in _CODES:
            numbers = numbers.astype(np.float64)
        place: dict[str, object] = {"at": self._size, "count": len(numbers), "type": _CODES[numbers.dtype.str[1:]]}
        if column.delta:
            numbers = np.diff(numbers, prepend=numbers.dtype.type(0))
            place["delta"] = True
        width = numbers.dtype.itemsize
        shuffled = numbers.astype(numbers.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, width).T.tobytes()
        self._bytes.append(shuffled)
        self._size += len(shuffled)
        return place


def _name(field: Field[object]) -> str:
    """What the page calls it: some names are words of Python."""
    name: str = field.metadata.get("name", field.name)
    return name


def _finite(value: object) -> object:
    """JSON has no infinity: what is not a number is not known."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
