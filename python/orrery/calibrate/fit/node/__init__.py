# SPDX-License-Identifier: BSD-3-Clause
"""What nodes add: processors and who else uses them, the noise of handling, the cost of calls."""
