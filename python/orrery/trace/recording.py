# SPDX-License-Identifier: BSD-3-Clause
"""What a trace says of its recording, and formats of operations alone have no place for."""

from __future__ import annotations

from collections.abc import Mapping

from orrery.left_out import Omissions
from orrery.words import shell

_OPTIONS = {"platform": ("platform", "-p"), "mapping": ("map", "--map")}
"""By property of a trace: what it is called, and the option that gives it to a replay."""


def recording_left_out(properties: Mapping[str, str]) -> Omissions:
    """The platform and the map of the recording, with the options that a replay of the converted file needs."""
    left_out = Omissions()
    for key, (name, option) in _OPTIONS.items():
        value = (properties.get("platform_file") if key == "platform" else "") or properties.get(key)
        if value:
            left_out.add(
                f"the {name} of the recording", f"the format has no place for it: replay with {option} {shell(value)}"
            )
    return left_out
