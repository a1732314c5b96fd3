# SPDX-License-Identifier: BSD-3-Clause
"""What people read: tables and summaries."""
