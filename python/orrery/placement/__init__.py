# SPDX-License-Identifier: BSD-3-Clause
"""Which rank goes to which node: the best mapping for who sends how much to whom, and the cluster for each group of a job."""
