# SPDX-License-Identifier: BSD-3-Clause
"""What messages do to each other on their way: shares, queues, time-outs."""
