# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of collective calls that were asked for and did not serve, told in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from orrery.record.document import AlgorithmUse

_BY = {"fixed": "--coll: {}", "rules": "rules file: {}", "trace": "the recorded algorithm {}"}
"""Who asked for an algorithm, by `AlgorithmUse.asked_by`."""


@dataclass(frozen=True)
class UnservedAlgorithm:
    """An algorithm that was asked for and did not serve calls of one routine."""

    routine: str
    algorithm: str
    asked_by: str
    why: tuple[str, ...]
    """All reasons."""
    instead: tuple[str, ...]
    """Algorithms that served."""
    calls: int
    """Calls that it did not serve, each rank counted."""
    of_calls: int
    """All calls of the routine."""
    served: bool
    """Whether the user's choice served any call of the routine."""

    def __str__(self) -> str:
        """A sentence."""
        asked = _BY[self.asked_by].format(self.algorithm)
        how_many = "none" if not self.served and self.calls == self.of_calls else f"not {self.calls:,}"
        return (
            f"{asked} served {how_many} of {self.of_calls:,} calls of {self.routine.removesuffix('()')} (each rank counted): "
            f"{'; '.join(self.why)}. {' and '.join(self.instead)} served instead"
        )


def unserved(uses: Sequence[AlgorithmUse]) -> list[UnservedAlgorithm]:
    """Those of a run, by routine."""
    found = []
    for routine, of_routine in groupby(sorted(uses, key=lambda use: use.routine), key=lambda use: use.routine):
        all_uses = list(of_routine)
        missed = sorted((use for use in all_uses if use.instead_of), key=_asked)
        for (algorithm, asked_by), group in groupby(missed, key=_asked):
            alike = list(group)
            found.append(
                UnservedAlgorithm(
                    routine=routine,
                    algorithm=algorithm,
                    asked_by=asked_by,
                    why=_distinct(use.why for use in alike),
                    instead=_distinct(use.algorithm for use in alike),
                    calls=sum(use.calls for use in alike),
                    of_calls=sum(use.calls for use in all_uses),
                    served=len(missed) < len(all_uses),
                )
            )
    return found


def sentences(uses: Sequence[AlgorithmUse]) -> list[str]:
    """One for each algorithm that did not serve."""
    return [str(algorithm) for algorithm in unserved(uses)]


def _asked(use: AlgorithmUse) -> tuple[str, str]:
    return use.instead_of, use.asked_by


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
