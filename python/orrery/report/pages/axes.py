# SPDX-License-Identifier: BSD-3-Clause
"""Time over size, as most plots of pages have it, or over ranks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from orrery.page.packing import Column
from orrery.page.parts import Axis

SIZE = Axis(name="size", unit="bytes", log=True)
RANKS = Axis(name="ranks", unit="count", log=True)
TIME = Axis(name="time", unit="s", log=True)
_NOTHING = 0.5
"""Where 0 is on a logarithmic axis."""


def on_log_axis(values: Iterable[float]) -> Column:
    """Sizes or numbers of ranks as places on a logarithmic axis, shape (n,); 0 is at 0.5."""
    return Column(np.maximum(np.array(list(values), dtype=np.float64), _NOTHING))
