# SPDX-License-Identifier: BSD-3-Clause
"""What two platforms say of their processors: whether a comparison of them is one of networks alone."""

from __future__ import annotations

from collections.abc import Mapping

from orrery.record.speed import AS_MEASURED

_SAME = "computation takes the same time on both platforms: their processors have speed 1, as where nothing says how fast they are"


def caution_of_pace(
    first: Mapping[str, object], second: Mapping[str, object], differ: Mapping[str, object]
) -> list[str]:
    """A caution where two platforms are compared that compute like the host of the measurement; else none.

    Args:
        first, second: what is known of both sides, such as `speed` and `compute`.
        differ: what differs, by name.
    """
    if "platform" not in differ or {"none", "0"} & {str(first.get("compute")), str(second.get("compute"))}:
        return []
    return [_SAME] if first.get("speed") == second.get("speed") == AS_MEASURED else []
