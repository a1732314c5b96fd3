# SPDX-License-Identifier: BSD-3-Clause
"""From raw samples to the parameters of a platform."""
