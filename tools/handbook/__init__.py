# SPDX-License-Identifier: BSD-3-Clause
"""What makes and checks the pages of the documentation."""

from pathlib import Path

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"
"""Folder of the pages that are written from the code."""
