# SPDX-License-Identifier: BSD-3-Clause
"""File and line of call sites, out of the debugging information of programs.

The capture library writes "module+0xoffset", and paths of them. `addr2line` of binutils, which comes with every compiler that
builds the library, knows what stands there in the source. What has no debugging information keeps its function, or its
offset.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

PATH_SIGN = " => "
"""Between the steps of a path, the outermost first."""

_FRAME = re.compile(r"(.+)\+(0x[0-9a-f]+)")
_TOOLS = ("addr2line", "llvm-addr2line", "llvm-symbolizer")
_TIMEOUT_S = 300


def meanings(texts: Iterable[str]) -> dict[str, str]:
    """What to write for each call site: "file:line function" for each step of it; others stay as they are.

    Steps that the system's start-up code makes, before `main`, are left out of paths.
    """
    texts = set(texts)
    by_module: dict[str, set[str]] = {}
    for text in texts:
        for frame in text.split(PATH_SIGN):
            if (found := _FRAME.fullmatch(frame)) is not None:
                by_module.setdefault(found[1], set()).add(found[2])
    known = {module: _places(Path(module), sorted(offsets)) for module, offsets in by_module.items()}
    return {text: _said(text, known) for text in texts}


def _said(text: str, known: Mapping[str, Mapping[str, str]]) -> str:
    steps = []
    for frame in text.split(PATH_SIGN):
        found = _FRAME.fullmatch(frame)
        steps.append(frame if found is None else known[found[1]].get(found[2], _short(found[1], found[2])))
    begin = next((i for i, step in enumerate(steps) if step.endswith((" main", " MAIN__"))), 0)
    return PATH_SIGN.join(steps[begin:])


def _places(module: Path, offsets: list[str]) -> dict[str, str]:
    """By offset; those that nothing is known of are missing."""
    tool = next(filter(None, map(shutil.which, _TOOLS)), None)
    if tool is None or not module.is_file():
        return {}
    line = [tool, "--functions", "--demangle", "--exe" if "addr2line" in tool else "--obj", str(module)]
    if "addr2line" not in tool:
        line.append("--output-style=GNU")
    try:
        told = subprocess.run(
            line,
            input="\n".join(offsets) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=_TIMEOUT_S,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return {}
    if len(told) != 2 * len(offsets):
        return {}
    pairs = zip(offsets, told[::2], told[1::2], strict=True)
    return {offset: place for offset, name, where in pairs if (place := _place(module, offset, name, where))}


def _place(module: Path, offset: str, function: str, where: str) -> str:
    where = where.split(" (discriminator", 1)[0]
    file, _, number = where.rpartition(":")
    if number.isdigit() and number != "0" and file and file != "??":
        return f"{Path(file).name}:{number} {function}"
    return f"{_short(str(module), offset)} {function}" if function != "??" else ""


def _short(module: str, offset: str) -> str:
    return f"{Path(module).name}+{offset}"
