# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Fortran bindings of the same table: `mpif.h`, the modules `mpi` and `mpi_f08`, and their entry points.

`spec` reads what kinds of parameters are in Fortran, `constants` writes the named constants, `mpif` and `modules` what
programs include or use, `entries` the functions with Fortran linkage that call the C routines.
"""
