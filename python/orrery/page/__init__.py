# SPDX-License-Identifier: BSD-3-Clause
"""Pages that explain a result: one file each, which needs nothing else. Their parts are the same for all commands."""
