# SPDX-License-Identifier: BSD-3-Clause
"""The network models by name, and how large a platform may be."""

from typing import Literal

Model = Literal["hybrid", "loggps", "fluid"]

TABLES: dict[Model, str] = {"hybrid": "network", "loggps": "loggps"}
"""Where a platform has the parameters of a model; fluid needs none."""

MOST_HOSTS = 1 << 20
"""Hosts of a platform, at most: a number in a file can ask for any number of hosts, and each takes almost a kilobyte."""
MOST_CLUSTERS = 256
MOST_WAN = 1 << 14
"""Wide-area links. Memory and time of the paths between clusters grow as the square of their number."""

NO_ROUTES = "connects nodes along routes, which the model loggps has none of"
"""Why a platform with a broker has no model loggps."""
