# SPDX-License-Identifier: BSD-3-Clause
"""The platform file and the summary of a calibration."""

from orrery.calibrate.write.publish import summary, write_platform

__all__ = [
    "summary",
    "write_platform",
]
