# SPDX-License-Identifier: BSD-3-Clause
"""Rules files: which algorithm which collective calls of a program use on a real MPI."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from orrery import rules
from orrery.platform.documents import read_document

Collective = Literal["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"]


class DeployRule(rules.Rule):
    """A rule that can be deployed."""

    collective: Collective
    """Which routine."""


class DeployRules(rules.Rules):
    """A rules file of such rules."""

    rules: list[DeployRule] = Field(alias="rule", min_length=1)


def read_rules(path: Path) -> list[DeployRule]:
    """Rules in the order of the file. Raises InputError naming file, line, key and what would be right."""
    return read_document("--collectives", path, DeployRules).rules
