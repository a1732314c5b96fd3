# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment rests on besides its own file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ExperimentInputs:
    """Other results are kept only as long as all of this is the same."""

    platforms: Sequence[str]
    """Names of built-in platforms."""
    files: Sequence[Path] = ()
    """Sources, traces, tables."""
