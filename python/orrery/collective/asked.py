# SPDX-License-Identifier: BSD-3-Clause
"""What a user asked for about collective calls that came to nothing in a simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from orrery import _core
from orrery.collective.call import Call
from orrery.errors import InputError


def cautions_of_uses(uses: list[_core.AlgorithmUse], selector: _core.Selector, rules: Path | None) -> list[str]:
    """Sentences on algorithms that no call could use, since there was none, and on rules that fit no call.

    Args:
        uses: of all calls of a simulation.
        selector: that was asked.
        rules: the file that `selector` has rules of, if any.
    """
    calls = {kind: sum(use.calls for use in uses if use.collective == kind) for kind in _kinds(selector)}
    return [*_uncalled(selector, calls), *_unruled(uses, selector, calls, rules)]


Chosen = tuple[Call, _core.Choice]
"""A call, and what serves it."""


def cautions_of_choices(
    chosen: Sequence[Chosen], selector: _core.Selector, rules: Path | None, option: str = "--coll"
) -> list[str]:
    """Sentences on what was asked for and serves some calls only, and on rules that fit none.

    Args:
        chosen: calls, and what the selector chose for them.
        selector: that was asked.
        rules: the file that it has rules of, if any.
        option: by which the user fixes algorithms.
    Raises:
        InputError: an algorithm that the user fixed for a collective serves none of its calls.
    """
    found = remarks_on(rules)
    for kind in dict.fromkeys(call.kind for call, _ in chosen):
        of_kind = [(call, choice) for call, choice in chosen if call.kind == kind]
        found += in_vain(
            of_kind, option if kind in selector.fixed else f"rules file {rules}", refused=kind in selector.fixed
        )
        if (
            kind in selector.ruled
            and kind not in selector.fixed
            and not any(c.ruled or c.instead_of for _, c in of_kind)
        ):
            found.append(f"rules file {rules}: no rule of {kind} fits any of its {len(of_kind)} calls")
    if kinds := [kind for kind in selector.fixed if all(call.kind != kind for call, _ in chosen)]:
        found.append(f"{option}: what it says of {' and '.join(kinds)} has no effect: no such call is simulated")
    return found


def in_vain(chosen: Sequence[Chosen], asked_by: str, *, refused: bool) -> list[str]:
    """A sentence for each algorithm that was asked for and does not serve some of these calls of one collective.

    Args:
        chosen: the calls, and what serves them.
        asked_by: what the user asked with, for the sentence.
        refused: raise InputError with the sentence if nothing that was asked for serves any call.
    """
    missed = [(call, choice) for call, choice in chosen if choice.instead_of]
    found = []
    for algorithm in dict.fromkeys(choice.instead_of for _, choice in missed):
        alike = [(call, choice) for call, choice in missed if choice.instead_of == algorithm]
        call = alike[0][0]
        why = "; ".join(dict.fromkeys(choice.why for _, choice in alike))
        instead = " and ".join(dict.fromkeys(choice.name for _, choice in alike))
        of_all = (
            f"{len(alike)} of {len(chosen)} calls of {call.kind}, such as {call.ranks} ranks with {call.size} bytes"
        )
        found.append(f"{asked_by}: {algorithm} does not serve {of_all}: {why}. {instead} serves instead")
    if found and refused and len(missed) == len(chosen):
        raise InputError(f"{'; '.join(found)}. Leave it out, or name an algorithm that serves")
    return found


def refuse_unserved(uses: Sequence[_core.AlgorithmUse], selector: _core.Selector) -> None:
    """Raise InputError if an algorithm that the user fixed for a collective served none of its calls.

    Args:
        uses: of all calls of a simulation that completed.
        selector: that was asked.
    """
    for kind in selector.fixed:
        alike = [use for use in uses if use.collective == kind]
        if alike and all(use.asked_by == "fixed" for use in alike):
            why = "; ".join(dict.fromkeys(use.why for use in alike))
            instead = " and ".join(dict.fromkeys(use.algorithm for use in alike))
            raise InputError(
                f"--coll: {alike[0].instead_of} serves none of the {sum(use.calls for use in alike):,} calls of {kind} (each "
                f"rank counted): {why}. Leave it out, and {instead} serves, or name an algorithm that serves"
            )


def cautions_of_messages(uses: Sequence[_core.AlgorithmUse], selector: _core.Selector) -> list[str]:
    """Sentences on algorithms that the user fixed for collectives of which no call is written as messages."""
    if not (kinds := [kind for kind in selector.fixed if all(use.collective != kind for use in uses)]):
        return []
    return [f"--coll: what it says of {' or '.join(kinds)} has no effect, since no such call is written as messages"]


def remarks_on(rules: Path | None) -> list[str]:
    """Sentences on rules of a file that are not obeyed as they are written. Raises InputError for what is no rules file."""
    if rules is None:
        return []
    from orrery.collective.rules_file import read_rules  # it takes time to load, and few runs have one

    return list(read_rules(rules).remarks)


def _kinds(selector: _core.Selector) -> list[str]:
    return [*selector.fixed, *selector.ruled]


def _uncalled(selector: _core.Selector, calls: dict[str, int]) -> Iterator[str]:
    if uncalled := [kind for kind in selector.fixed if calls[kind] == 0]:
        kinds = " or ".join(uncalled)
        yield f"--coll: what it says of {kinds} has no effect, since no rank calls {'it' if len(uncalled) == 1 else 'them'}"


def _unruled(
    uses: list[_core.AlgorithmUse], selector: _core.Selector, calls: dict[str, int], rules: Path | None
) -> Iterator[str]:
    of_rules = [kind for kind in selector.ruled if kind not in selector.fixed]
    if of_rules and not any(calls[kind] for kind in of_rules):
        yield f"rules file {rules}: has no effect, since no rank calls {' or '.join(of_rules)}"
    for kind in of_rules:
        if calls[kind] and not any(use.ruled or use.asked_by == "rules" for use in uses if use.collective == kind):
            yield (
                f"rules file {rules}: no rule of {kind} fits any of its {calls[kind]:,} calls (each rank counted); "
                "the selector chose for all of them"
            )
