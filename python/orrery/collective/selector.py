# SPDX-License-Identifier: BSD-3-Clause
"""Who chooses the algorithms of collective calls, as the command line says it."""

from __future__ import annotations

import re
from pathlib import Path

from orrery import _core
from orrery.errors import InputError, did_you_mean
from orrery.experiment.settings import BEST


def selector_named(name: str, coll: str = "", rules: Path | None = None) -> _core.Selector:
    """With what `coll` fixes and `rules` say. Raises InputError naming the option, or the file, that is wrong."""
    if name not in _core.selectors():
        names = ", ".join(_core.selectors())
        if name == BEST:
            searching = "run, replay, collective without --messages, benchmark, place and validate trace"
            raise InputError(f"--selector best: only {searching} search for the best; expected one of {names}")
        near = did_you_mean(name, [*_core.selectors(), BEST])
        raise InputError(f'--selector: no selector is named "{name}"; there are: {names}, {BEST} (by simulation){near}')
    openmpi, mpich, named = ([], None, []) if rules is None else _read(rules)
    try:
        return _core.Selector(name, coll, openmpi, mpich, named)
    except InputError as error:
        raise InputError(f"--coll: {error}{_meant(coll)}") from None


def _meant(coll: str) -> str:
    """What the first word of `--coll` that names no collective, or none of its algorithms, may have been meant to be; empty: nothing is near."""
    for part in coll.split(","):
        kind, _, algorithm = (word.strip() for word in part.partition("="))
        if kind not in (kinds := _core.collective_kinds()):
            return did_you_mean(kind, kinds)
        name = re.split(r"[:(]", algorithm)[0]
        known = [found.name for found in _core.algorithms() if found.collective == kind]
        if name not in known:
            return did_you_mean(name, known)
    return ""


def _read(rules: Path) -> tuple[list[_core.DynamicRules], _core.MpichRules | None, list[_core.NamedRule]]:
    from orrery.collective.rules_file import read_rules  # few runs have any

    read = read_rules(rules)
    return read.openmpi, read.mpich, read.named
