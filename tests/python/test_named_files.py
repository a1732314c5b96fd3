# SPDX-License-Identifier: BSD-3-Clause
"""Files that comments, docstrings and pages name are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ENDINGS = "cmake|cpp|csv|cff|hpp|html|json|md|py|sh|svg|toml|txt|c|h"
_NAMED = re.compile(rf"(?<![\w/.$<{{*-])((?:[a-z_][\w-]*/)+[\w-]+(?:\.test)?\.(?:{_ENDINGS}))(?![\w/*])")
_TOPS = ("bench", "cmake", "docs", "examples", "python", "src", "tests", "tools")
"""Folders of the repository: what begins with one of them is a file of it, unless a name is left open."""
_OF_OTHERS = ("linux/", "doc/xxhash")
"""Files of the kernel's headers, and of other projects."""
_LEFT_OUT = ("docs/lab/", "changelog.d/", "CHANGELOG.md", "tests/", "bench/")
"""What was, is in the lab and in the changes; tests and benchmarks make files of such names."""


def _comments(file: str, text: str) -> str:
    """What is said and not done in a file: comments of C and C++, all of the others."""
    if file.endswith((".cpp", ".hpp", ".c", ".h")):
        return "\n".join(re.findall(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL))
    return text


def missing_in(file: str, text: str, there: set[str]) -> list[str]:
    """Names of files in `text` of which there is none."""
    places = ["", "src/", "src/mpi/", "python/orrery/", *(f"{parent}/" for parent in Path(file).parents)]
    return [
        name
        for name in _NAMED.findall(_comments(file, text))
        if (name.split("/")[0] in _TOPS or file.startswith("src/"))
        and not name.startswith(_OF_OTHERS)
        and not re.search(r"[A-Z]{3}", name)  # a name that is left open
        if not any(f"{place}{name}" in there for place in places)
    ]


def test_files_that_are_named_are_there() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    there = set(listed)
    read = [
        file
        for file in listed
        if file.endswith((".py", ".hpp", ".cpp", ".c", ".h", ".md", ".toml")) and not file.startswith(_LEFT_OUT)
    ]
    assert len(read) > 1500
    missing = {
        file: gone for file in read if (gone := missing_in(file, (ROOT / file).read_text(encoding="utf-8"), there))
    }
    assert missing == {}


def test_a_file_that_is_gone_is_found() -> None:
    there = {"docs/there.md", "src/kernel/there.hpp"}
    text = "// kernel/there.hpp, kernel/gone.hpp (docs/there.md)\nint x;  // docs/gone.md and settings/NAME.csv\n"
    assert missing_in("src/kernel/x.cpp", text, there) == ["kernel/gone.hpp", "docs/gone.md"]
    assert missing_in("python/orrery/x.py", '"""docs/there.md, docs/gone.md, out/x.csv"""', there) == ["docs/gone.md"]
