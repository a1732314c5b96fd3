# SPDX-License-Identifier: BSD-3-Clause
"""The command line. Each command loads what it needs when it runs, so that all of them start quickly."""
