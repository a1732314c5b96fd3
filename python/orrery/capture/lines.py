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
_TOOLS = ("addr2line", "llvm-addr2line")
_TIMEOUT_S = 300
_MAIN = (" main", " MAIN__")


def meanings(texts: Iterable[str]) -> dict[str, str]:
    """What to write for each call site: "file:line function" for each step of it; others stay as they are.

    Functions that the compiler has inlined are steps of paths, too. What starts a program, before `main`, is left out.
    """
    texts = set(texts)
    by_module: dict[str, set[str]] = {}
    for text in texts:
        for frame in text.split(PATH_SIGN):
            if (found := _FRAME.fullmatch(frame)) is not None:
                by_module.setdefault(found[1], set()).add(found[2])
    known = {module: _places(Path(module), sorted(offsets)) for module, offsets in by_module.items()}
    return {text: _said(text, known) for text in texts}


def _said(text: str, known: Mapping[str, Mapping[str, list[str]]]) -> str:
    steps: list[str] = []
    for frame in text.split(PATH_SIGN):
        found = _FRAME.fullmatch(frame)
        steps += [frame] if found is None else known[found[1]].get(found[2]) or [_short(found[1], found[2])]
    if PATH_SIGN not in text:
        return steps[-1]
    begin = next((i for i, step in enumerate(steps) if step.endswith(_MAIN)), 0)
    return PATH_SIGN.join(steps[begin:])


def _places(module: Path, offsets: list[str]) -> dict[str, list[str]]:
    """By offset: the function, behind those that it is inlined into. Those that nothing is known of are missing."""
    tool = next(filter(None, map(shutil.which, _TOOLS)), None)
    if tool is None or not module.is_file():
        return {}
    try:
        told = subprocess.run(
            [tool, "--addresses", "--inlines", "--functions", "--demangle", "--exe", str(module)],
            input="\n".join(offsets) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=_TIMEOUT_S,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    # For each: its address, then pairs of lines, the innermost first.
    parts = [part.splitlines() for part in re.split(r"^0x[0-9a-f]+\n", told, flags=re.MULTILINE)[1:]]
    if len(parts) != len(offsets):
        return {}
    return {
        offset: [
            place
            for function, where in reversed(list(zip(part[::2], part[1::2], strict=False)))
            if (place := _place(module, offset, function, where))
        ]
        for offset, part in zip(offsets, parts, strict=True)
    }


def _place(module: Path, offset: str, function: str, where: str) -> str:
    """Empty: nothing is known."""
    file, _, number = where.split(" (discriminator", 1)[0].rpartition(":")
    if number.isdigit() and number != "0" and file not in ("", "??"):
        return f"{Path(file).name}:{number} {function}"
    return f"{_short(str(module), offset)} {function}" if function != "??" else ""


def _short(module: str, offset: str) -> str:
    return f"{Path(module).name}+{offset}"
