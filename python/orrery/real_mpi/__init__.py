# SPDX-License-Identifier: BSD-3-Clause
"""Programs on the user's own MPI: built with its compiler wrapper, started by its launcher."""
