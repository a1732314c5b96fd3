# SPDX-License-Identifier: BSD-3-Clause
"""How files of other tools begin; who only asks for that does not load what reads them."""

from __future__ import annotations

import re
from pathlib import Path

DUMPI = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI"
_ANCHOR = "traces.otf2"


def is_dumpi(start: bytes) -> bool:
    """Whether a file that begins so is of one rank of a DUMPI trace."""
    return start.startswith(DUMPI)


def is_dumpi_meta(start: bytes) -> bool:
    """Whether a file that begins so is the text file of a DUMPI trace."""
    return b"\0" not in start and re.search(rb"^fileprefix=", start, re.MULTILINE) is not None


def is_paraver(start: bytes) -> bool:
    """Whether a file that begins so is one of Paraver's records."""
    return start.startswith(b"#Paraver ")


def is_otf2(start: bytes) -> bool:
    """Whether a file that begins so names the others of an OTF2 archive."""
    return start[2:6] == b"OTF2"


def anchor_in(path: Path) -> Path:
    """The file that names the others of an OTF2 archive, where `path` is the folder of a measurement; else `path`."""
    return path / _ANCHOR if (path / _ANCHOR).is_file() else path
