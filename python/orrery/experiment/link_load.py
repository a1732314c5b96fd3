# SPDX-License-Identifier: BSD-3-Clause
"""What links carried in a simulation, for whoever wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orrery import _core


@dataclass(frozen=True, kw_only=True)
class LinkLoad:
    """What links carried in one simulation."""

    platform: str
    """Its built-in name, or its file."""
    hardware: _core.Platform
    load: _core.LinkLoad | None
    """None: the network model has no links."""
    end_s: float
    """Simulated time at which it ended."""


@dataclass
class WantedLinkLoad:
    """Makes a simulation keep what links carry; has it afterwards."""

    found: LinkLoad | None = None
    """None: no simulation has ended."""
