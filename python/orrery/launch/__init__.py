# SPDX-License-Identifier: BSD-3-Clause
"""Programs on a real MPI, started by its own launcher, with the groups that their job asks for."""
