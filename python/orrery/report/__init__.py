# SPDX-License-Identifier: BSD-3-Clause
"""Output for people: text summaries, tables, HTML pages and figures."""
