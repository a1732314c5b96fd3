# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of MPI libraries: which algorithm a call uses, read at run time. What a file is, its content says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.collective.openmpi_classic import read_classic
from orrery.collective.openmpi_json import read_json
from orrery.collective.openmpi_rules import to_core
from orrery.documents import parse_json
from orrery.errors import InputError


@dataclass(frozen=True)
class Rules:
    """What a file says, for `_core.Selector`: one of the two."""

    openmpi: list[_core.DynamicRules] = field(default_factory=list)
    mpich: _core.MpichRules | None = None


def read_rules(path: Path) -> Rules:
    """Raises InputError naming file and line or key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a rules file of Open MPI's or MPICH's") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; expected a rules file of Open MPI's or MPICH's") from None
    if not text.lstrip().startswith("{"):
        return Rules(openmpi=to_core(read_classic(path, text)))
    document: dict[str, Any] = parse_json(path, text)
    if "collectives" in document:
        return Rules(openmpi=to_core(read_json(path, document)))
    if any(key.replace(" ", "").startswith("collective=") for key in document):
        return Rules(mpich=_mpich(path, text))
    raise InputError(
        f'{path}: expected at the top "collectives", as Open MPI\'s rules in JSON have it, or '
        '"collective=bcast" and so on, as MPICH\'s'
    )


def _mpich(path: Path, text: str) -> _core.MpichRules:
    try:
        return _core.MpichRules(text)
    except InputError as error:
        raise InputError(f"{path}, {error}") from None
