# SPDX-License-Identifier: BSD-3-Clause
"""How far real times are from predictions: residuals of measured machines, and the intervals that follow from them."""
