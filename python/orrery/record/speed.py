# SPDX-License-Identifier: BSD-3-Clause
"""How fast the processors of a simulation compute, beside the host that measured the computation."""

from __future__ import annotations

from collections.abc import Sequence

AS_MEASURED = "1"
"""`speed_words` of processors that compute as long as was measured."""


def speed_words(speeds: Sequence[float]) -> str:
    """`1.5`, or `0.8 to 1.5`; empty: they are not known.

    Args:
        speeds: of the hosts that have ranks; 1 is the host of the measurement.
    """
    ends = list(dict.fromkeys(f"{end(speeds):.4g}" for end in (min, max))) if speeds else []
    return " to ".join(ends)
