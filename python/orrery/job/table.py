# SPDX-License-Identifier: BSD-3-Clause
"""The table of groups as the environment variable ORRERY_GROUPS has it, for the MPI library, and for orrery/groups.h on any MPI.

    1:SIZE:NAME=RANKS&KEY=VALUE&KEY=VALUE:NAME=RANKS:...

SIZE is the number of ranks of the job. The position of a group is its colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orrery.job import ranks as rank_list

VARIABLE = "ORRERY_GROUPS"
MOST_BYTES = 120_000
"""Linux takes variables of up to 128 KiB."""
_MOST_GROUPS, _MOST_RANKS = 4096, 1 << 24
_LONGEST_VALUE = 200
_KEPT_APART = str.maketrans({":": "%3A", "&": "%26"})


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """A group."""

    name: str
    """Behind those of the groups around it, with "/" between."""
    ranks: Sequence[int]
    """In their order in the group."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What was asked for (`asked_cores`), and where it landed (`clusters`)."""


def write(size: int, groups: Sequence[GroupEntry]) -> str:
    """The table; without facts where it would be too long. Raises ValueError where it is too long all the same."""
    for with_facts in (True, False):
        text = ":".join([f"1:{size}", *(_entry(group, with_facts=with_facts) for group in groups)])
        if len(text.encode()) <= MOST_BYTES:
            return text
    raise ValueError(
        f"the ranks of the groups take {len(text):,} characters, and an environment variable holds {MOST_BYTES:,}"
    )


def _entry(group: GroupEntry, *, with_facts: bool) -> str:
    facts = [f"&{key}={_value(value)}" for key, value in group.facts.items()] if with_facts else []
    return f"{group.name}={rank_list.show(group.ranks)}{''.join(facts)}"


def _value(text: str) -> str:
    kept = "".join(letter for letter in text if letter.isprintable())
    return (kept if len(kept) <= _LONGEST_VALUE else f"{kept[:_LONGEST_VALUE]}...").translate(_KEPT_APART)


def read(text: str) -> tuple[int, list[GroupEntry]]:
    """Number of ranks, and the groups by colour. Raises ValueError for a table that is damaged."""
    version, _, rest = text.partition(":")
    size, colon, rest = rest.partition(":")
    ranks = int(size) if size.isascii() and size.isdigit() and len(size) < 9 else 0
    if version != "1" or not colon or not 1 <= ranks <= _MOST_RANKS:
        raise ValueError(f"{VARIABLE} does not begin with 1:RANKS: ; it is written by orrery run and orrery launch")
    groups = rest.split(":")
    if len(groups) > _MOST_GROUPS:
        raise ValueError(f"{VARIABLE} has more groups than {_MOST_GROUPS}")
    return ranks, [_read_entry(group, ranks) for group in groups]


def _read_entry(text: str, size: int) -> GroupEntry:
    named, *facts = text.split("&")
    name, equals, ranks = named.partition("=")
    if not name or not equals:
        raise ValueError(f'{VARIABLE}: "{text}" is not NAME=RANKS')
    try:
        members = rank_list.parse(ranks, size)
    except ValueError as error:
        raise ValueError(f"{VARIABLE}: {name}: {error}") from None
    return GroupEntry(name, members, dict(fact.partition("=")[::2] for fact in facts))
