# SPDX-License-Identifier: BSD-3-Clause
"""What makes and checks the pages of the documentation."""
