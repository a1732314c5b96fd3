# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration cannot do something with."""

from __future__ import annotations

from orrery.errors import OrreryError


class CalibrationError(OrreryError):
    """Measurements that must not be fitted, or that could not be made; the message names the cure."""
