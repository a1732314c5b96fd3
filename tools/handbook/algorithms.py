# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of collective algorithms, from their registry (src/collective/algorithms.inc) and the comments where they are defined."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
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
_ENTRY = re.compile(r"^(?:SHARED_)?ALGORITHM\((.*?)\)$", re.MULTILINE | re.DOTALL)
_STREAM = re.compile(r"^Stream of one (?:rank|of two ranks) in ")
_RANK = re.compile(r"^Stream of one rank that ")
_STREAM = re.compile(r"^Stream of one (?:rank|of two ranks) in ")
_RANK = re.compile(r"^Stream of one rank that ")
_INTERNAL = re.compile(r",? \(`\w+`\)")


@dataclass(frozen=True)
class AlgorithmEntry:
    """A row of the registry."""

    kind: str
    name: str
    defined_in: str
    """The collective in whose namespace its function is."""
    names: dict[str, str]
    """Its names in libraries: `openmpi`, `libnbc`, `mpich`, `mpich_immediate`."""


def page() -> str:
    """Markdown of the page."""
    about, known = _descriptions(), {(found.collective, found.name): found for found in _core.algorithms()}
    by_kind: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in _entries():
        does = about[entry.defined_in, entry.name]
        source = known[entry.kind, entry.name].source
        by_kind[entry.kind][entry.name] = f"| `{entry.name}` | {does} | {_libraries(entry)} | {source} |"
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


def _libraries(entry: AlgorithmEntry) -> str:
    shown = {"openmpi": "Open MPI", "libnbc": "Open MPI, i", "mpich": "MPICH", "mpich_immediate": "MPICH, i"}
    found = [
        f"{shown[library]}: {', '.join(f'`{name}`' for name in names.split())}"
        for library, names in entry.names.items()
    ]
    return "; ".join(found)


def _entries() -> list[AlgorithmEntry]:
    """The registry."""
    entries = []
    text = (_SOURCES / "algorithms.inc").read_text(encoding="utf-8")
    for arguments in _ENTRY.findall("\n".join(line for line in text.splitlines() if not line.startswith("//"))):
        words = [word.strip() for word in arguments.split(",")]
        positional = [word for word in words if not word.startswith(".")][:3]
        shared = len(positional) == 3 and re.fullmatch(r"\w+", positional[2]) is not None
        kind, other, name = positional if shared else (positional[0], positional[0], positional[1])
        names = dict(re.findall(r'\.(openmpi|libnbc|mpich|mpich_immediate) = "([^"]*)"', arguments))
        entries.append(AlgorithmEntry(kind, name, other, names))
    return entries


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
