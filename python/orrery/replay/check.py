# SPDX-License-Identifier: BSD-3-Clause
"""Settings of a replay that have no effect beside each other, or on traces of a kind, are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from orrery.errors import InputError
from orrery.experiment.settings import check_vary
from orrery.replay.settings import ReplaySettings
from orrery.verbs import settings_of

if TYPE_CHECKING:
    from orrery.trace.sources import OpenTrace

_ONLY_FOR = {"flops_per_s": "time-independent", "match": "recorded"}
_KINDS = {"time-independent": "time-independent traces of SimGrid", "recorded": "traces that say who got which message"}


def check_together(settings: ReplaySettings) -> None:
    """Raises InputError for what would be ignored, whatever the traces are."""
    if settings.loggops is not None and (others := [_option(name) for name in settings.said - {"loggops"}]):
        raise InputError(f"{', '.join(sorted(others))}: not with --loggops, which uses no platform and no selector")
    if settings.ideal and settings.model is not None:
        raise InputError("--model: not with --ideal, which replaces the network by one that costs nothing")
    check_vary(settings.vary, settings.replicas)


def _option(name: str) -> str:
    return settings_of(ReplaySettings)[name].options[0]


def check_kinds(settings: ReplaySettings, kinds: Iterable[str]) -> None:
    """Raises InputError for what would be ignored on traces of these kinds, see `OpenTrace.kind`."""
    there = set(kinds)
    for name, kind in _ONLY_FOR.items():
        if name in settings.said and kind not in there:
            raise InputError(f"{_option(name)}: is for {_KINDS[kind]}, and none is replayed")


def check_sites(settings: ReplaySettings, opened: Sequence[OpenTrace]) -> None:
    """Raises InputError where regions are asked for in traces that do not say from where calls come."""
    if "compute" not in settings.said or settings.compute != "steady":
        return
    for path, trace in zip(settings.traces, opened, strict=True):
        if not trace.has_sites:
            raise InputError(
                f"{path}: does not say from where the program called, so what repeats is not known: --compute steady needs a trace "
                "that `orrery run -o FILE.trace` or `orrery capture --callsites` wrote"
            )
