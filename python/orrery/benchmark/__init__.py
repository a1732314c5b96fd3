# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark of messages and collectives, on a simulated cluster or a real one: loops, what they take, and what follows from it."""
