# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured, with errors."""
