# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a platform file, a module each: every key is declared here once.

From these classes come the check of a file, its JSON schema, the reference page, and the structs of the core with their
bindings (src/settings/generate.py). A docstring below each key says what it is, remarks beside its type (remarks.py) what it
needs, which experiment of a calibration gives it, and where the code is that uses it.
"""
