# SPDX-License-Identifier: BSD-3-Clause
"""How far parameters are known: other draws of the samples, intervals, and the verdict."""
