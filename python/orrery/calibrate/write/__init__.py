# SPDX-License-Identifier: BSD-3-Clause
"""The platform file and the summary of a calibration."""
