# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of collective algorithms, from their registry and the comments where they are defined."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from orrery import _core

_SOURCES = Path(__file__).parent.parent.parent / "src" / "collective"
_HEAD = """<!-- Written from the code by `make reference`; run that instead of editing it. -->
# Collective algorithms

The algorithms by which collectives can run, under the names that `--algorithm`, `--coll` and rules files take, and that reports show
(`allreduce by recexch`). Which of them a call takes is up to the [selector](../design/selectors.md); `orrery collective KIND -n N
--algorithm all` says what each costs.

- *Any size* is said of the communicator, whose ranks are p. The *vector* is what a rank has in a broadcast or a reduction, a *block*
  what it has for one other rank, or one other rank for it. In *segments* the vector goes in pieces that follow each other
  (`algorithm:segment=8KiB`); a *radix*, `fanout`, says how many ranks are joined in a step, or how wide a tree is.
- An algorithm that has a name in Open MPI or MPICH sends there what it sends here, message by message. `, i` behind a library: in its
  calls that do not block, such as `MPI_Iallreduce`.
- `hierarchical` and its [levels](../design/hierarchy.md) take arguments; *from level to level* is from the groups of ranks that are near
  each other to those that are far.
- Algorithms of *two groups* are for inter-communicators. A `new_comm` is a call that makes a communicator.
"""
_NAMESPACE = re.compile(r"namespace (?:orrery::collective::)?(\w+) \{")
_FUNCTION = re.compile(r"(?:op::Script )(\w+)\(Call ")
_STREAM = re.compile(r"^Stream of one (?:rank|of two ranks) in ")
_RANK = re.compile(r"^Stream of one rank that ")
_INTERNAL = re.compile(r",? \(`\w+`\)")


def page() -> str:
    """Markdown of the page."""
    about = _descriptions()
    by_kind: dict[str, dict[str, str]] = defaultdict(dict)
    for found in _core.algorithms():
        does = about[found.defined_in, found.name]
        row = f"| `{found.name}` | {does} | {_libraries(found)} | {found.source} |"
        by_kind[found.collective][found.name] = row
    parts = [_HEAD]
    for kind, rows in by_kind.items():
        parts += [
            f"## {kind}",
            "",
            "| name | what it does | in | published |",
            "|---|---|---|---|",
            *(rows[name] for name in sorted(rows)),
            "",
        ]
    return "\n".join(parts)


def _libraries(algorithm: _core.Algorithm) -> str:
    """The names that libraries have for an algorithm."""
    names = {
        "Open MPI": algorithm.openmpi,
        "Open MPI, i": algorithm.libnbc,
        "MPICH": algorithm.mpich,
        "MPICH, i": algorithm.mpich_immediate,
    }
    return "; ".join(
        f"{library}: {', '.join(f'`{name}`' for name in text.split())}" for library, text in names.items() if text
    )


def _descriptions() -> dict[tuple[str, str], str]:
    """The first sentence about each algorithm, by the namespace of its function and its name."""
    found = {}
    for file in sorted((_SOURCES / "algorithms").glob("*.cpp")):
        kind, comment = "", []
        for line in file.read_text(encoding="utf-8").splitlines():
            if namespace := _NAMESPACE.match(line):
                kind = namespace[1]
            if line.startswith("///"):
                comment.append(line.removeprefix("///").strip())
                continue
            if (function := _FUNCTION.match(line)) and comment:
                found[kind, function[1]] = _sentence(comment)
            comment = []
    return found


def _sentence(comment: list[str]) -> str:
    """The first sentence of a comment, without what only who reads the code can use."""
    text = " ".join(comment[: comment.index("")] if "" in comment else comment)
    first = re.split(r"(?<=\w|\)|`)\. (?=[A-Z`]|p =)|\.$|:$", text)[0]
    first = _RANK.sub("each rank ", _STREAM.sub("", _INTERNAL.sub("", first)))
    return (first[0].upper() + first[1:]).replace("|", "\\|")
