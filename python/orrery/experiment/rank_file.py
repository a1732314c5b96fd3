# SPDX-License-Identifier: BSD-3-Clause
"""Host files and rank files, which name the host of each rank.

Three kinds of lines; `#` begins a comment:

    rank 0=node-3 slot=1      rank file of Open MPI; the slot is ignored
    node-3 slots=4            host file of Open MPI: the next 4 ranks; without slots, as many ranks as the host has cores
    node-3:4                  host file of MPICH: the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

from orrery.errors import InputError, did_you_mean

_RANK = re.compile(r"rank\s+(\d{1,9})\s*=\s*(\S+)(?:\s+slots?\s*=\s*\S+)?", re.IGNORECASE)
_HOST = re.compile(
    r"([^\s:=]+)(?:\s*:\s*(\d{1,9})|\s+slots\s*=\s*(\d{1,9}))?(?:\s+max[_-]slots\s*=\s*\d+)?", re.IGNORECASE
)


def hosts_of_ranks(file: str, names: Sequence[str], cores: Sequence[int]) -> Iterator[int]:
    """Host numbers of the ranks 0, 1, ... that the file places.

    Args:
        file: path of the file.
        names: names of all hosts, by number.
        cores: numbers of cores of all hosts, by number.
    Raises:
        InputError: a line is none of the three kinds or names an unknown host, a rank has two hosts or none, or the file
            mixes lines for ranks and for hosts.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8 text"
        raise InputError(f"--map file:{file}: {reason}") from None
    number = {name: host for host, name in enumerate(names)}
    by_rank: dict[int, int] = {}
    in_turn: list[Iterator[int]] = []  # lazy: a file may give far more slots than there are ranks
    for count, raw in enumerate(lines, start=1):
        line = raw.split("#", 1)[0].strip()
        where = f"{file}:{count}"
        if not line:
            continue
        if found := _RANK.fullmatch(line):
            rank = int(found[1])
            if rank in by_rank:
                raise InputError(f"{where}: rank {rank} has a host already")
            by_rank[rank] = _host(where, found[2], number)
        elif found := _HOST.fullmatch(line):
            host = _host(where, found[1], number)
            slots = found[2] or found[3]
            in_turn.append(repeat(host, cores[host] if slots is None else int(slots)))
        else:
            raise InputError(f'{where}: "{line}": expected "rank N=HOST", "HOST slots=N" or "HOST:N"')
    if by_rank and in_turn:
        raise InputError(f"{file}: has lines for ranks and lines for hosts; use one kind")
    return iter(_in_order(file, by_rank)) if by_rank else chain.from_iterable(in_turn)


def _host(where: str, name: str, number: dict[str, int]) -> int:
    if name not in number:
        raise InputError(f'{where}: no host "{name}" on this platform{did_you_mean(name, list(number))}')
    return number[name]


def _in_order(file: str, by_rank: dict[int, int]) -> list[int]:
    for rank in range(len(by_rank)):
        if rank not in by_rank:
            raise InputError(f"{file}: places rank {max(by_rank)}, but not rank {rank}")
    return [by_rank[rank] for rank in range(len(by_rank))]
