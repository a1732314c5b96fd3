# SPDX-License-Identifier: BSD-3-Clause
"""What makes two things differ: runs (records, traces, profiles, one or several of each), or selectors."""
