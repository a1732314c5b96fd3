# SPDX-License-Identifier: BSD-3-Clause
"""From settings to raw samples: what is measured, where, and what the nodes said."""
