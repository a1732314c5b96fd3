# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms an unknown MPI uses, from the times of its calls alone."""
