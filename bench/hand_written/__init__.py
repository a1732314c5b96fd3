# SPDX-License-Identifier: BSD-3-Clause
"""How far platforms that were written by hand are from measured collectives."""
