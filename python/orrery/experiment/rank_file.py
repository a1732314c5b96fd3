# SPDX-License-Identifier: BSD-3-Clause
"""Host files and rank files, which name the host of each rank, and lists of hosts.

Three kinds of lines; `#` begins a comment:

    rank 0=node-3 slot=1      rank file of Open MPI: slot=1, slot=0-3, slot=0,2 are cores; slot=1:0-3 those of a socket
    node-3 slots=4            host file of Open MPI: the next 4 ranks; without slots, as many ranks as the host has cores
    node-3:4                  host file of MPICH: the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

from orrery.documents import read_lines
from orrery.errors import InputError, did_you_mean
from orrery.experiment.load import Cores
from orrery.units import whole_number

_RANK = re.compile(r"rank\s+(\d{1,9})\s*=\s*(\S+)(?:\s+slots?\s*=\s*(\S+))?", re.IGNORECASE)
_HOST = re.compile(
    r"([^\s:=]+)(?:\s*:\s*(\d{1,9})|\s+slots\s*=\s*(\d{1,9}))?(?:\s+max[_-]slots\s*=\s*\d+)?", re.IGNORECASE
)
_CORES = re.compile(r"(?:(\d{1,6}):)?(\d{1,6})(?:-(\d{1,6}))?")


def placed_by_file(
    file: str, names: Sequence[str], cores: Sequence[int], sockets: Sequence[int] = ()
) -> tuple[Iterator[int], dict[int, Cores]]:
    """Host numbers of the ranks 0, 1, ... that the file places, and the cores of those that it binds to some.

    Args:
        file: path of the file.
        names: names of all hosts, by number.
        cores: numbers of cores of all hosts, by number.
        sockets: their numbers of sockets; empty: one each.
    Raises:
        InputError: a line is none of the three kinds or names an unknown host or core, a rank has two hosts or none, or the
            file mixes lines for ranks and for hosts.
    """
    number = {name: host for host, name in enumerate(names)}
    by_rank: dict[int, int] = {}
    bound: dict[int, Cores] = {}
    in_turn: list[Iterator[int]] = []  # lazy: a file may give far more slots than there are ranks
    for where, line in _lines(file):
        if found := _RANK.fullmatch(line):
            rank = int(found[1])
            if rank in by_rank:
                raise InputError(f"{where}: rank {rank} has a host already")
            by_rank[rank] = host = _host(where, found[2], number)
            if found[3]:
                bound[rank] = _bound(where, found[3], cores[host], sockets[host] if sockets else 1)
        elif found := _HOST.fullmatch(line):
            host = _host(where, found[1], number)
            slots = found[2] or found[3]
            in_turn.append(repeat(host, cores[host] if slots is None else int(slots)))
        else:
            raise InputError(f'{where}: "{line}": expected "rank N=HOST", "HOST slots=N" or "HOST:N"')
    if by_rank and in_turn:
        raise InputError(f"{file}: has lines for ranks and lines for hosts; use one kind")
    return (iter(_in_order(file, by_rank)) if by_rank else chain.from_iterable(in_turn)), bound


def hosts_of_file(file: str, option: str) -> list[tuple[str, int | None]]:
    """Names of the hosts of a host file, with their slots where it gives any.

    Args:
        file: path of the file.
        option: the option that names it, for errors.
    Raises:
        InputError: it cannot be read, or a line is not one of a host file.
    """
    hosts = []
    for where, line in _lines(file, option):
        found = _HOST.fullmatch(line)
        if not found:
            raise InputError(f'{where}: "{line}": expected "HOST slots=N" or "HOST:N"')
        slots = found[2] or found[3]
        hosts.append((found[1], None if slots is None else int(slots)))
    if not hosts:
        raise InputError(f"{option} {file}: names no host")
    return hosts


def slots_of_hosts(hosts: str, names: Sequence[str], cores: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers of hosts and their slots, of a list such as "node-1,node-2:4"; without a number, as many as it has cores.

    Args:
        hosts: the list.
        names: names of all hosts, by number.
        cores: numbers of cores of all hosts, by number.
    Raises:
        InputError: a host is not on this platform, or a number of slots is none.
    """
    number = {name: host for host, name in enumerate(names)}
    found = []
    for entry in hosts.split(","):
        name, colon, slots = entry.strip().partition(":")
        host = _host(f'--map "@{hosts}"', name, number)
        if colon and not 0 < (whole_number(slots) or 0) < 10**9:
            raise InputError(f'--map "@{hosts}": "{entry}": expected slots behind ":", a whole number above 0')
        found.append((host, int(slots) if colon else cores[host]))
    return found


def _lines(file: str, option: str = "--map file:") -> Iterator[tuple[str, str]]:
    """Lines that say something, with where they are."""
    text = read_lines(Path(file), f"{option}{'' if option.endswith(':') else ' '}{file}")
    for count, raw in enumerate(text.splitlines(), start=1):
        if line := raw.split("#", 1)[0].strip():
            yield f"{file}:{count}", line


def _host(where: str, name: str, number: dict[str, int]) -> int:
    if name not in number:
        raise InputError(f'{where}: no host "{name}" on this platform{did_you_mean(name, list(number))}')
    return number[name]


def _bound(where: str, slots: str, cores: int, sockets: int) -> Cores:
    """Cores of a slot list such as "1", "0-3", "0,2" or "1:0-3". Raises InputError for one that the host does not have."""
    bound: set[int] = set()
    each = cores // sockets
    for part in slots.split(","):
        found = _CORES.fullmatch(part)
        if not found:
            raise InputError(f"{where}: slot={slots}: expected cores such as 1, 0-3 or 1:0-3 (SOCKET:CORES)")
        first = int(found[2])
        last = int(found[3] or first)
        begin = int(found[1] or 0) * each
        if last < first or begin + last >= cores or (found[1] is not None and last >= each):
            has = f"{cores} cores" if sockets == 1 else f"{sockets} sockets of {each} cores"
            raise InputError(f"{where}: slot={slots}: the host has {has}, counted from 0")
        bound.update(range(begin + first, begin + last + 1))
    return frozenset(bound)


def _in_order(file: str, by_rank: dict[int, int]) -> list[int]:
    for rank in range(len(by_rank)):
        if rank not in by_rank:
            raise InputError(f"{file}: places rank {max(by_rank)}, but not rank {rank}")
    return [by_rank[rank] for rank in range(len(by_rank))]
