# SPDX-License-Identifier: BSD-3-Clause
"""Makes the bindings of the MPI library from one table of the MPI API.

`api/*.api` says which routines there are (`table`), `kinds.toml` what their parameters are (`kinds`), and a file like
`standard/standard.toml` how one binary interface presents them to programs (`interface`). From these come `mpi.h`
(`header`), the C entry points (`bindings`), the names for profiles (`names`) and the coverage page (`coverage`).
Interfaces other than the standard's have entry points that translate (`foreign`, `values`, `categories`).
It runs inside the build and needs nothing but Python's standard library.
"""
