# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Intel MPI that name algorithms, out of environments and configuration files.

    I_MPI_ADJUST_ALLREDUCE="1:0-8192;5:8193-524288@2-64;2"

Parts are separated by `;`: the number of an algorithm, and perhaps conditions behind `:`, separated by commas: sizes in bytes, and
numbers of ranks behind `@`. Lines may begin with `export`, `setenv`, `-genv` or `-env`, several of which may stand on a line. As
release 2021.18 acts, the first part whose last size is not below a call's decides, and above all of them the last one does; that it
ignores sizes in parts with numbers of ranks is not followed, but told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orrery import _core
from orrery.collective.intel_numbers import NUMBERS
from orrery.errors import InputError

_SETTING = re.compile(r"""\bI_MPI_ADJUST_(?P<what>[A-Z_]+)(?:\s*=\s*|\s+)(?P<value>"[^"]*"|'[^']*'|[^\s"'#]+)""")
_PART = re.compile(r"\s*(?P<number>\d{1,6})\s*(?::(?P<conditions>[^;]*))?", re.ASCII)
_CONDITION = re.compile(r"\s*(\d{1,18})(?:-(\d{1,18}))?(?:@(\d{1,9})(?:-(\d{1,9}))?)?\s*", re.ASCII)
_ALL_BYTES = (0, 2**63 - 1)
_ALL_RANKS = (1, 2**31 - 1)
_IGNORES_SIZES = (
    "sizes and numbers of ranks are both obeyed, as Intel documents it; release 2021.18 was seen to ignore the sizes, and to take "
    "the last part for a number of ranks"
)


@dataclass(frozen=True)
class _Part:
    """An algorithm, for calls of some sizes on some ranks."""

    number: int
    bytes: tuple[int, int] | None
    """First and last; None: all."""
    ranks: tuple[int, int] | None


def is_adjust(text: str) -> bool:
    """Whether a file has such settings."""
    return any(_SETTING.search(_code(line)) for line in text.splitlines())


def read_adjust(path: Path, text: str, remarks: list[str]) -> list[_core.NamedRule]:
    """The rules of a file.

    Args:
        path: of the file.
        text: what it says.
        remarks: gets a sentence for each setting that is not obeyed as it is written.
    Raises:
        InputError: names file, line and setting.
    """
    found: list[_core.NamedRule] = []
    before: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for setting in _SETTING.finditer(_code(line)):
            name = f"I_MPI_ADJUST_{setting['what']}"
            if name in before:
                raise InputError(
                    f"{path}:{number}: {name} is set again, after line {before[name]}; name a file with one value for each, as "
                    f"`env | grep I_MPI_ADJUST_ > FILE` writes it where the settings are in force"
                )
            before[name] = number
            kind = setting["what"].lower()
            if kind not in NUMBERS:
                remarks.append(f"{path}:{number}: {name} is not simulated: the selector chooses for what it is about")
                continue
            found += _rules(f"{path}:{number}: {name}", kind, setting["value"].strip("\"'"), remarks)
    return found


def _code(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line


def _rules(where: str, kind: str, value: str, remarks: list[str]) -> Iterator[_core.NamedRule]:
    parts = [part for text in value.split(";") if text.strip() for part in _parts(where, text)]
    if any(part.bytes and part.ranks for part in parts):
        remarks.append(f"{where}: {_IGNORES_SIZES}")
    names = {number: name for name, number in NUMBERS[kind].items()}
    for number in dict.fromkeys(part.number for part in parts):
        if number not in names:
            known = ", ".join(f"{n} {names[n]}" for n in sorted(names))
            what = "the library's own choice" if number == 0 else f"algorithm {number}"
            remarks.append(f"{where}: {what} is not simulated, and the selector chooses instead; simulated are {known}")
    for part in parts:
        last_only = part.bytes is not None and part.ranks is None
        sizes = (0, part.bytes[1]) if last_only and part.bytes else part.bytes or _ALL_BYTES
        yield _core.NamedRule(
            kind, ranks=part.ranks or _ALL_RANKS, bytes=_sized(kind, sizes), algorithm=names.get(part.number, "")
        )
    if parts and parts[-1].bytes is not None and parts[-1].ranks is None:
        yield _core.NamedRule(kind, ranks=_ALL_RANKS, bytes=_ALL_BYTES, algorithm=names.get(parts[-1].number, ""))


def _sized(kind: str, sizes: tuple[int, int]) -> tuple[int, int]:
    """A barrier has no bytes."""
    return _ALL_BYTES if kind == "barrier" else sizes


def _parts(where: str, text: str) -> Iterator[_Part]:
    part = _PART.fullmatch(text)
    if part is None:
        raise InputError(f'{where}: "{text.strip()}": expected NUMBER or NUMBER:SIZE-SIZE@RANKS-RANKS')
    conditions = [condition for condition in (part["conditions"] or "").split(",") if condition.strip()]
    if not conditions:
        yield _Part(int(part["number"]), None, None)
    for condition in conditions:
        limits = _CONDITION.fullmatch(condition)
        if limits is None:
            raise InputError(
                f'{where}: "{condition.strip()}": expected sizes such as 0-8192, and perhaps ranks behind them: @2-64'
            )
        low, high, first, last = (None if number is None else int(number) for number in limits.groups())
        sizes = (low or 0, low or 0 if high is None else high)
        ranks = None if first is None else (first, first if last is None else last)
        if sizes[0] > sizes[1] or (ranks and ranks[0] > ranks[1]):
            raise InputError(f'{where}: "{condition.strip()}": the range ends before it begins')
        yield _Part(int(part["number"]), sizes, ranks)
