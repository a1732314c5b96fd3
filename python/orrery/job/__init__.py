# SPDX-License-Identifier: BSD-3-Clause
"""Job profiles: which groups of ranks a program asks for, what each needs, and where they landed."""
