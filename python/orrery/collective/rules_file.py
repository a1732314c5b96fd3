# SPDX-License-Identifier: BSD-3-Clause
"""Rules files, of MPI libraries and ours: which algorithm a call uses, read at run time. What a file is, its content says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.collective.intel_adjust import is_adjust, read_adjust
from orrery.collective.openmpi_classic import read_classic
from orrery.collective.openmpi_json import read_json
from orrery.collective.openmpi_rules import to_core
from orrery.documents import parse_json, read_text, without_last_commas
from orrery.errors import InputError
from orrery.platform.documents import read_document
from orrery.rules import LIBRARY, Rule
from orrery.rules import Rules as OurRules

_OURS = re.compile(r"^[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True)
class SelectorRules:
    """What a file says, for `_core.Selector`: one of them."""

    openmpi: list[_core.DynamicRules] = field(default_factory=list)
    mpich: _core.MpichRules | None = None
    named: list[_core.NamedRule] = field(default_factory=list)
    remarks: tuple[str, ...] = ()
    """Sentences on rules that are not obeyed as they are written."""


def read_rules(path: Path) -> SelectorRules:
    """Raises InputError naming file and line or key."""
    try:
        text = read_text(path)
    except InputError as error:
        raise InputError(
            f"{error}; expected a rules file of Open MPI's, of MPICH's, settings of Intel MPI's, or [[rule]] tables"
        ) from None
    if _OURS.search(text):
        return SelectorRules(
            named=[to_core_named(rule) for rule in read_document("--selector-rules", path, OurRules).rules]
        )
    if is_adjust(text):
        remarks: list[str] = []
        return SelectorRules(named=read_adjust(path, text, remarks), remarks=tuple(remarks))
    if not text.lstrip().startswith("{"):
        return SelectorRules(openmpi=to_core(read_classic(path, text)))
    document: dict[str, Any] = parse_json(path, text, last_commas=True)
    if "collectives" in document:
        remarks = []
        return SelectorRules(openmpi=to_core(read_json(path, document, remarks)), remarks=tuple(remarks))
    if any(key.replace(" ", "").startswith("collective=") for key in document):
        return SelectorRules(mpich=_mpich(path, text))
    raise InputError(
        f'{path}: expected at the top "collectives", as Open MPI\'s rules in JSON have it, or '
        '"collective=bcast" and so on, as MPICH\'s'
    )


def to_core_named(rule: Rule) -> _core.NamedRule:
    """A rule of ours for `_core.Selector`."""
    return _core.NamedRule(
        rule.collective,
        ranks=(rule.min_ranks, rule.max_ranks),
        bytes=(rule.min_bytes, rule.max_bytes),
        algorithm="" if rule.algorithm == LIBRARY else rule.algorithm,
    )


def _mpich(path: Path, text: str) -> _core.MpichRules:
    try:
        return _core.MpichRules(without_last_commas(text))
    except InputError as error:
        raise InputError(f"{path}, {error}") from None
