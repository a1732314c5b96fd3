# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of MPI libraries: which algorithm a call uses, read at run time. What a file is, its content says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.collective.openmpi_classic import read_classic
from orrery.collective.openmpi_json import read_json
from orrery.collective.openmpi_rules import RuleSet, to_core
from orrery.errors import InputError


def read_rules(path: Path) -> list[_core.DynamicRules]:
    """What the file says, for `_core.Selector`. Raises InputError naming file and line or key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a rules file of Open MPI's") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text; expected a rules file of Open MPI's") from None
    return to_core(_read(path, text))


def _read(path: Path, text: str) -> tuple[RuleSet, ...]:
    if not text.lstrip().startswith("{"):
        return read_classic(path, text)
    document = _parsed(path, text)
    if "collectives" in document:
        return read_json(path, document)
    raise InputError(f'{path}: there is no "collectives", which Open MPI\'s rules in JSON have at the top')


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        problem = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{path}:{error.lineno}:{error.colno}: not JSON: {problem}") from None
    return document
