# SPDX-License-Identifier: BSD-3-Clause
"""What is said of two samples of times."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["equal", "apart", "within noise", "unknown"]
"""`unknown`: nothing says how large the noise is."""
LEVEL = 0.05
"""Largest probability of chance with which samples are said to be apart; intervals hold with the rest."""
