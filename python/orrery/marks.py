# SPDX-License-Identifier: BSD-3-Clause
"""How files that Orrery wrote are told from all others: by what is in them, each kind in its own way.

Every text that `orrery` writes to a file has its name near the start, in a form that the format allows: a key of JSON, a
comment of TOML or GOAL, a `generator` of a page. Tables have columns that only Orrery has.
"""

from __future__ import annotations

import re
from pathlib import Path

import orrery

TRACE_MAGIC = b"\x89ORRTR\r\n"
COMMENT = f"# Written by Orrery {orrery.__version__}"
"""First line of files whose comments begin so."""
PAGE = f'<meta name="generator" content="Orrery {orrery.__version__}">'
"""In the head of pages."""
SVG = f"<!-- Orrery {orrery.__version__} -->"
"""Behind the first tag of drawings, and of other documents of XML."""
PNG_KEYWORD = b"Software\x00Orrery"
PARQUET_KEY = "orrery"

_NEAR = 4096
_JSON = re.compile(rb'\s*\{\s*"orrery"\s*:')
_COMMENT = re.compile(rb"(?:#.*\n)?(?:# |/\* )(?:Written|Converted) by (?:Orrery|`orrery )")
"""The first or second line of platform files, GOAL and Paje."""
_TABLES = (
    b"rank,number,begin_s,end_s,compute_s,kind,",  # trace convert --format csv
    b"collective,ranks,root,bytes,algorithm,",  # collective -o FILE.csv
    b"collective,ranks,platform,short_message,",  # with --versus-sends
    b"test,ranks,bytes,repetitions,",  # benchmark -o FILE.csv
)
_PAGES = (b'name="generator" content="Orrery', b"<!-- Orrery", b"<!-- Written by `orrery ")
_TIME_INDEPENDENT = re.compile(rb"(?:[^\n/]*_files/rank-\d+\.txt\n)+")
_PFTRACE = re.compile(rb"\n.{1,40}Orrery \d", re.DOTALL)
"""Perfetto's packets: the first one names us."""


def is_own(path: Path) -> bool:
    """Whether Orrery wrote a regular file, or it is empty, so that nothing is lost. Raises OSError."""
    with path.open("rb") as file:
        start = file.read(_NEAR)
        if not start:
            return True
        if start.startswith(b"PAR1"):
            return _is_own_parquet(path)
    return (
        start.startswith((TRACE_MAGIC, *_TABLES))
        or _COMMENT.match(start) is not None
        or _JSON.match(start) is not None
        or _PFTRACE.match(start) is not None
        or any(mark in start for mark in _PAGES)
        or (start.startswith(b"\x89PNG") and PNG_KEYWORD in start)
        or (len(start) < _NEAR and _TIME_INDEPENDENT.fullmatch(start) is not None)
        or (len(start) == _NEAR and _TIME_INDEPENDENT.match(start) is not None)
    )


def not_own_in(folder: Path) -> str:
    """Name of something in a folder that is not of a trace, a profile or a tuning that Orrery wrote there; empty: there is nothing.

    Such folders have a file that names Orrery, and others whose names are known.
    """
    names = sorted(entry.name for entry in folder.iterdir())
    for file, others in _FOLDERS.items():
        if file not in names or b"Orrery " not in _start_of(folder / file):
            continue
        return next((name for name in names if name != file and not others.fullmatch(name)), "")
    return names[0] if names else ""


_FOLDERS = {
    "metadata": re.compile(r"rank-\d+"),  # trace convert --format ctf
    "traces.otf2": re.compile(r"traces(?:\.def)?"),  # trace convert --format otf2
    "profile.0.0.0": re.compile(r"profile\.\d+\.0\.0"),  # profile -o FOLDER.tau
    "tuned.json": re.compile(
        r"openmpi-(?:6-|han-)?rules\.(?:conf|json)|mca-params\.conf|mpich-(?:ch4-)?tuning\.json|mpich\.sh|intel-mpi\.sh|deploy\.toml"
    ),
}
"""Folders that are traces, profiles or tunings: the file that names who wrote it, and names of the others."""


def _start_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_NEAR)
    except OSError:
        return b""


def _is_own_parquet(path: Path) -> bool:
    """Its metadata are at its end."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - (1 << 16)))
        return f"{PARQUET_KEY}".encode() in file.read()


def mark_json(values: dict[str, object]) -> dict[str, object]:
    """With the version that wrote them, first."""
    return {"orrery": orrery.__version__, **{key: value for key, value in values.items() if key != "orrery"}}


def mark_page(html: str) -> str:
    """A page with its `generator`."""
    return html.replace("<head>", f"<head>{PAGE}", 1)


def mark_svg(svg: str) -> str:
    """A drawing with its mark behind the first tag `svg`."""
    start = svg.find("<svg")
    end = svg.find(">", start) + 1
    return f"{svg[:end]}{SVG}{svg[end:]}" if start >= 0 and end > 0 else svg


def mark_png(image: bytes) -> bytes:
    """A picture with the text chunk `Software` behind its header (PNG, 11.3.4.3)."""
    import struct
    import zlib

    header_end = 33  # signature, and the chunk IHDR
    body = b"tEXt" + PNG_KEYWORD + b" " + orrery.__version__.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return image[:header_end] + chunk + image[header_end:]
