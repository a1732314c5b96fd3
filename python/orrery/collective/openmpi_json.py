# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's JSON rules files, format 3 (read by Open MPI from 6.0 on).

`collectives` maps the name of a collective to a list of rules for communicators (`comm_size_min`, `comm_size_max`,
`comm_rank_distribution`, which may also stand at the top, for all), each with a list `rules` for messages (`msg_size_min`,
`msg_size_max`, `alg`, `faninout`, `seg_size`, `reqs`). Both limits belong to a range; what is left out does not limit. The
first communicator rule that fits is taken, and of its message rules the first that fits; where none does, Open MPI decides.
A rule whose algorithm Open MPI does not know is as if it were not there, so that two releases can share a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orrery.collective.openmpi_rules import (
    ALGORITHMS,
    ALIASES,
    COLLECTIVES,
    DISTRIBUTIONS,
    INTEGER,
    MOST,
    NOT_SIMULATED,
    UNLIMITED,
    OpenMpiRule,
    OpenMpiRuleSet,
    algorithm_numbered,
    whole_number,
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

    def said(self, what: str) -> str:
        """A sentence about this value."""
        return f"{self.path}: {self.key}: {what}"

    def fail(self, problem: str) -> InputError:
        return InputError(self.said(problem))

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


def read_json(path: Path, document: Any, remarks: list[str]) -> tuple[OpenMpiRuleSet, ...]:
    """The rules of a file that was parsed.

    Args:
        path: of the file.
        document: what it says.
        remarks: gets a sentence for each rule that Open MPI, or Orrery, does not obey as it is written.
    Raises:
        InputError: names file and key.
    """
    root = _Place(path, "", document)
    of_all = _distribution(root.member("comm_rank_distribution"), "any", remarks)
    sets: list[OpenMpiRuleSet] = []
    for name, rules in root.member("collectives").members(set(COLLECTIVES)).items():
        sets += [_read_communicator(name, entry, of_all, remarks) for entry in rules.items()]
    return tuple(sets)


def _read_communicator(collective: str, place: _Place, of_all: str, remarks: list[str]) -> OpenMpiRuleSet:
    members = place.members(_COMMUNICATOR_KEYS)
    rules = members.get("rules")
    if rules is None:
        raise place.fail('there is no "rules", the list of rules for message sizes')
    read = [_read_message(collective, entry, remarks) for entry in rules.items()]
    return OpenMpiRuleSet(
        collective=collective,
        size_from=min(_number(members, "comm_size_min", 0), MOST),
        size_to=min(_number(members, "comm_size_max", MOST), MOST),
        rules=tuple(rule for rule in read if rule is not None),
        ranks=_distribution(members.get("comm_rank_distribution"), of_all, remarks),
    )


def _distribution(place: _Place | None, otherwise: str, remarks: list[str]) -> str:
    """Which ranks rules are for. Open MPI takes what it does not know as "any"."""
    if place is None or place.value is None:
        return otherwise
    if place.value in DISTRIBUTIONS:
        return str(place.value)
    if not isinstance(place.value, str):
        raise place.fail(f"{place.value!r}, expected one of {', '.join(DISTRIBUTIONS)}")
    hint = did_you_mean(place.value, DISTRIBUTIONS) or f"; there are: {', '.join(DISTRIBUTIONS)}"
    remarks.append(place.said(f'"{place.value}" is read as "any", as Open MPI does{hint}'))
    return "any"


def _read_message(collective: str, place: _Place, remarks: list[str]) -> OpenMpiRule | None:
    """A rule; None for one that Open MPI ignores, since it does not know the algorithm."""
    members = place.members(_MESSAGE_KEYS)
    algorithm = members.get("alg")
    if algorithm is None:
        raise place.fail('there is no "alg", the name or number of an algorithm')
    numbers = {
        "bytes_from": _number(members, "msg_size_min", 0),
        "bytes_to": _number(members, "msg_size_max", UNLIMITED),
        "faninout": _number(members, "faninout", 0, MOST),
        "segment": _number(members, "seg_size", 0),
        "requests": _number(members, "reqs", 0, MOST),
    }
    try:
        return OpenMpiRule(algorithm=_algorithm(collective, algorithm, remarks), **numbers)
    except LookupError as error:
        remarks.append(algorithm.said(f"{error.args[0]}; the rule is ignored, as Open MPI does"))
        return None


def _number(members: dict[str, _Place], name: str, otherwise: int, most: int = UNLIMITED) -> int:
    return members[name].whole(most) if name in members else otherwise


def _algorithm(collective: str, place: _Place, remarks: list[str]) -> str | None:
    """Its name, out of a name in any case or a number; None for Open MPI's own decision.

    Raises LookupError, whose text says what there is, where Open MPI knows no such algorithm.
    """
    named = place.value
    if isinstance(named, bool) or not isinstance(named, (str, int)):
        raise place.fail(f"{named!r}, expected the name or the number of an algorithm")
    number = named if isinstance(named, int) else _number_in(named)
    newer = NOT_SIMULATED.get(collective, {})
    name = newer.get(number, "") if number is not None else str(named).lower()
    if name in newer.values():
        remarks.append(
            place.said(f"{name} of {collective} is not simulated: calls are left to Open MPI's own decision")
        )
        return None
    if number is not None:
        return algorithm_numbered(collective, number)
    name = ALIASES.get((collective, name), name)
    names = ALGORITHMS.get(collective, ())
    if name == "ignore":
        return None
    if name not in names:
        hint = did_you_mean(name, names) or f"; there are: ignore, {', '.join(names)}"
        raise LookupError(f'Open MPI\'s {collective} has no algorithm "{named}"{hint}')
    return name


def _number_in(text: str) -> int | None:
    """The number that a text is, as C reads it; None for any other text."""
    return whole_number(text.strip()) if INTEGER.fullmatch(text.strip()) else None
