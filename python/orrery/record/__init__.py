# SPDX-License-Identifier: BSD-3-Clause
"""What came of a simulation: the document that is written, its profile, and comparisons."""
