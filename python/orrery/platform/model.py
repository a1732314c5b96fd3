# SPDX-License-Identifier: BSD-3-Clause
"""The network models by name."""

from typing import Literal

Model = Literal["hybrid", "loggps", "fluid"]
