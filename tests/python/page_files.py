# SPDX-License-Identifier: BSD-3-Clause
"""What pages carry for their script, read back."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from pathlib import Path
from typing import Any

_PACKED = re.compile(r'<script type="text/plain" id="data">([^<]*)</script>')


def unpacked(text: str) -> tuple[Any, bytes]:
    """The document and the bytes of the columns in what `ColumnPacker` wrote."""
    whole = gzip.decompress(base64.b64decode(text))
    (length,) = struct.unpack_from("<I", whole)
    return json.loads(whole[4 : 4 + length]), whole[4 + length :]


def contents_of(file: Path) -> tuple[Any, bytes]:
    """The document and the bytes of the columns of a page."""
    found = _PACKED.search(file.read_text(encoding="utf-8"))
    assert found is not None, f"{file} is no page"
    return unpacked(found.group(1))


def parts_of(file: Path) -> dict[str, dict[str, Any]]:
    """The parts of a page by their titles, as `orrery.page.parts` declares them; columns of numbers are left out."""
    return {part["title"]: part for part in contents_of(file)[0]["parts"]}


def rows_of(part: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table, by the names of its columns."""
    names = [column["name"] for column in part["columns"]]
    return [dict(zip(names, row, strict=True)) for row in part["rows"]]
