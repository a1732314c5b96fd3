# SPDX-License-Identifier: BSD-3-Clause
"""Rules of ours: which algorithm which collective calls use, in simulations and in deployments."""

from orrery.rules.rule import LIBRARY as LIBRARY
from orrery.rules.rule import MOST_BYTES as MOST_BYTES
from orrery.rules.rule import MOST_RANKS as MOST_RANKS
from orrery.rules.rule import Rule as Rule
from orrery.rules.rule import Rules as Rules
