# SPDX-License-Identifier: BSD-3-Clause
"""`python -m orrery` is `orrery`."""

from orrery.cli.app import main

main()
