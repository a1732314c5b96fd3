# SPDX-License-Identifier: BSD-3-Clause
"""Pages of results: which parts they have, and what these say."""
