# SPDX-License-Identifier: BSD-3-Clause
"""Whether times differ by more than noise: the tests and intervals that say so, and what a comparison rests on."""
