# SPDX-License-Identifier: BSD-3-Clause
"""What messages cost: links, limits of protocols, regimes, uplinks."""
