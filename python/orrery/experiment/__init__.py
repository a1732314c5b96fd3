# SPDX-License-Identifier: BSD-3-Clause
"""What is simulated: the settings that all simulations have, where ranks go, and what replicas differ in."""
