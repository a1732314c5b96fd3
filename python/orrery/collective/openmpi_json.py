# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's JSON rules files, format 3 (read by Open MPI from 6.0 on).

`collectives` maps the name of a collective to a list of rules for communicators (`comm_size_min`, `comm_size_max`),
each with a list `rules` for messages (`msg_size_min`, `msg_size_max`, `alg`, `faninout`, `seg_size`, `reqs`). Both limits
belong to a range; what is left out does not limit. The first communicator rule that fits is taken, and of its message
rules the first that fits; where none does, Open MPI decides.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orrery.collective.openmpi_rules import (
    ALGORITHMS,
    COLLECTIVES,
    MOST,
    UNLIMITED,
    Rule,
    RuleSet,
    algorithm_numbered,
)
from orrery.errors import InputError, did_you_mean

_COMMUNICATOR_KEYS = {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"}
_MESSAGE_KEYS = {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"}


class _Place:
    """A value in the file, and where it stands: `collectives.bcast[0].rules[1].alg`."""

    def __init__(self, path: Path, key: str, value: Any) -> None:
        self.path = path
        self.key = key
        self.value = value

    def fail(self, problem: str) -> InputError:
        return InputError(f"{self.path}: {self.key}: {problem}")

    def member(self, name: str) -> _Place:
        return _Place(self.path, f"{self.key}.{name}" if self.key else name, self.value.get(name))

    def members(self, known: set[str]) -> dict[str, _Place]:
        """Those of an object. Raises InputError for what is none, and for keys that nobody knows."""
        if not isinstance(self.value, dict):
            raise self.fail("expected an object, { ... }")
        for name in self.value:
            if name not in known:
                hint = did_you_mean(name, known) or f"; there are: {', '.join(sorted(known))}"
                raise self.fail(f'unknown key "{name}"{hint}')
        return {name: self.member(name) for name in self.value}

    def items(self) -> list[_Place]:
        if not isinstance(self.value, list):
            raise self.fail("expected a list, [ ... ]")
        return [_Place(self.path, f"{self.key}[{i}]", value) for i, value in enumerate(self.value)]

    def whole(self, most: int = UNLIMITED) -> int:
        """A number from 0 to `most`, or "inf"."""
        if isinstance(self.value, str) and self.value.lower() == "inf":
            return most
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 0:
            raise self.fail(f'{self.value!r}, expected a whole number from 0 on, or "inf"')
        if self.value > most:
            raise self.fail(f"{self.value}, expected at most {most}")
        return self.value


def read_json(path: Path, document: Any) -> tuple[RuleSet, ...]:
    """The rules of a file that was parsed. Raises InputError naming file and key."""
    root = _Place(path, "", document)
    collectives = root.member("collectives")
    sets: list[RuleSet] = []
    for name, rules in collectives.members(set(COLLECTIVES)).items():
        sets += [_read_communicator(name, one) for one in rules.items()]
    return tuple(sets)


def _read_communicator(collective: str, place: _Place) -> RuleSet:
    members = place.members(_COMMUNICATOR_KEYS)
    distribution = members.get("comm_rank_distribution")
    if distribution is not None and distribution.value != "any":
        raise distribution.fail(
            f'{distribution.value!r}: rules for ranks on certain nodes are not there yet, only "any"'
        )
    rules = members.get("rules")
    if rules is None:
        raise place.fail('there is no "rules", the list of rules for message sizes')
    return RuleSet(
        collective=collective,
        size_from=min(_number(members, "comm_size_min", 0), MOST),
        size_to=min(_number(members, "comm_size_max", MOST), MOST),
        rules=tuple(_read_message(collective, one) for one in rules.items()),
    )


def _read_message(collective: str, place: _Place) -> Rule:
    members = place.members(_MESSAGE_KEYS)
    algorithm = members.get("alg")
    if algorithm is None:
        raise place.fail('there is no "alg", the name or number of an algorithm')
    return Rule(
        bytes_from=_number(members, "msg_size_min", 0),
        bytes_to=_number(members, "msg_size_max", UNLIMITED),
        algorithm=_algorithm(collective, algorithm),
        faninout=_number(members, "faninout", 0, MOST),
        segment=_number(members, "seg_size", 0),
        requests=_number(members, "reqs", 0, MOST),
    )


def _number(members: dict[str, _Place], name: str, otherwise: int, most: int = UNLIMITED) -> int:
    return members[name].whole(most) if name in members else otherwise


def _algorithm(collective: str, place: _Place) -> str | None:
    if isinstance(place.value, str):
        names = ALGORITHMS.get(collective, ())
        if place.value == "ignore":
            return None
        if place.value not in names:
            hint = did_you_mean(place.value, names) or f"; there are: ignore, {', '.join(names)}"
            raise place.fail(f'Open MPI\'s {collective} has no algorithm "{place.value}" that Orrery knows{hint}')
        return place.value
    try:
        return algorithm_numbered(collective, place.whole())
    except LookupError as error:
        raise place.fail(str(error.args[0])) from None
